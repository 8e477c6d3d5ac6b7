// Changes that traders of generation 2 make to an isolated position while they hold it: close a part, add collateral or take some out. And the price bounds
// that they give some of their trades.

import type { Random } from '../../src/base/random.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { i128, u64 } from '../contracts/shared/host.ts'
import type { TraderCall } from './order-calls.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'
import { drawInteger } from './strategies.ts'
import type { Range } from './strategies.ts'

/** Each position is adjusted at most once. Times are Unix seconds. */
export interface Adjustments {
  /** Draws the adjustments of new positions, and drops those of closed ones. */
  update(positions: readonly StoredPosition[], closeAtSec: (position: StoredPosition) => number): void
  /** The call that is due, returned once. */
  takeDue(positions: readonly StoredPosition[], nowSec: number): TraderCall | undefined
  /** An open or close at the market, some of them with the worst price that the trader accepts. */
  withBound(call: TraderCall, trade: { readonly buys: boolean; readonly price: bigint }): TraderCall
  forget(): void
}

type Kind = 'close_position_partial' | 'add_collateral' | 'remove_collateral'

/** Shares of the positions that are adjusted in each way. */
const SHARES: readonly (readonly [Kind, number])[] = [['close_position_partial', 0.25], ['add_collateral', 0.12], ['remove_collateral', 0.12]]
/** Time of an adjustment, as a share of the time until the planned close. */
const EARLIEST = 0.2
const LATEST = 0.8
/** The market requires this much collateral of what is left. */
const COLLATERAL_MIN = 10n * ONE_E7
/** Less than this leverage leaves room to take collateral out. */
const REMOVE_LEVERAGE_MAX = 5
const CLOSED_SHARE = 2n
const MOVED_SHARE = 20n
/** The share of the trades with a bound, and its distance from the price. */
const BOUND_SHARE = 0.3
const BOUND_BPS: Range = { min: 50, max: 300 }
const BPS = 10_000n

export function createAdjustments(random: Random): Adjustments {
  /** Null: none, or done. */
  const planned = new Map<bigint, { readonly kind: Kind; readonly atSec: number } | null>()

  function draw({ openedAtSec, marginMode }: StoredPosition, closeAtSec: number): { kind: Kind; atSec: number } | null {
    let left = random.float()
    const portion = EARLIEST + (LATEST - EARLIEST) * random.float()
    const chosen = SHARES.find(([, share]) => {
      left -= share
      return left < 0
    })
    if (chosen === undefined || marginMode === CROSS_MARGIN || !Number.isFinite(closeAtSec)) return null
    return { kind: chosen[0], atSec: openedAtSec + Math.floor(portion * (closeAtSec - openedAtSec)) }
  }

  return {
    update(positions, closeAtSec) {
      const ids = new Set(positions.map(({ id }) => id))
      for (const id of planned.keys()) if (!ids.has(id)) planned.delete(id)
      for (const position of positions) if (!planned.has(position.id)) planned.set(position.id, draw(position, closeAtSec(position)))
    },
    takeDue(positions, nowSec) {
      for (const position of positions) {
        const plan = planned.get(position.id) ?? null
        if (plan === null || nowSec < plan.atSec) continue
        planned.set(position.id, null)
        const call = adjustment(plan.kind, position)
        if (call !== undefined) return call
      }
      return undefined
    },
    withBound(call, { buys, price }) {
      if (random.float() >= BOUND_SHARE) return call
      const bps = BigInt(drawInteger(BOUND_BPS, random))
      return { ...call, args: [...call.args, i128((price * (BPS + (buys ? bps : -bps))) / BPS)] }
    },
    forget: () => planned.clear(),
  }
}

/** Undefined when the market would refuse it. */
function adjustment(kind: Kind, { id, size, collateral, leverage }: StoredPosition): TraderCall | undefined {
  const call = (amount: bigint): TraderCall => ({ functionName: kind, args: [u64(id), i128(amount)] })
  if (kind === 'add_collateral') return call(collateral / MOVED_SHARE)
  if (kind === 'close_position_partial') return collateral / CLOSED_SHARE < COLLATERAL_MIN ? undefined : call(size / CLOSED_SHARE)
  return leverage > REMOVE_LEVERAGE_MAX ? undefined : call(collateral / MOVED_SHARE)
}
