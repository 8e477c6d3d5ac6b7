// The order in which auto-deleveraging closes profitable positions ("ADL queue" of generation 2). It is advisory: the contract lets anyone pick.

import type { Clock } from '../base/clock.ts'
import { waitAtMost } from '../base/deadline.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { numberedKey, readPosition } from '../chain/views/market-entries.ts'
import type { StoredPosition } from '../chain/views/market-entries.ts'
import { ENTRY_KEYS_MAX } from '../chain/rpc/rpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import { pricePnl } from '../exchange/settlement/position-pnl.ts'
import { hasNewerView } from '../exchange/deployment.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { ADL_CACHE_MS, ADL_POSITIONS_MAX, ADL_QUINTILES_WAIT_MS, VENUE_READ_TIMEOUT_MS } from '../limits.ts'
import type { AdlQueue, AdlRow } from '../resources/adl-queue.ts'

export interface AdlQueues {
  /** The queue of an asset. Never rejects: without the chain it is degraded. */
  queue(asset: string): Promise<AdlQueue>
  /** The quintiles of the profitable positions of these assets. Waits for a limited time; what is unknown by then is missing. Never rejects. */
  quintiles(assets: readonly string[]): Promise<ReadonlyMap<number, number>>
}

export interface AdlParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  /** The ids of open positions of an asset, newest first, at most `limit`. */
  readonly listOpenIds: (asset: string, limit: number) => Promise<readonly number[]>
  /** The asset's current price, 7-decimal; undefined when it is unknown. */
  readonly readPrice: (asset: string) => Promise<bigint | undefined>
}

const BPS = 10_000n
const QUINTILES = 5
/** More than the exchange has assets. */
const MAX_CACHED_QUEUES = 256

export function createAdlQueues(parts: AdlParts): AdlQueues {
  const { rpc, deployment, clock, listOpenIds, readPrice } = parts
  const queues = createTtlCache<AdlQueue>({ clock, ttlMs: ADL_CACHE_MS, maxEntries: MAX_CACHED_QUEUES })

  async function compute(market: string, asset: string): Promise<AdlQueue> {
    const empty = { asset, updatedAt: clock.nowMs(), degraded: false, rows: [] }
    try {
      return await withTimeout(clock, { limitMs: VENUE_READ_TIMEOUT_MS, method: 'getLedgerEntries' }, async (signal) => {
        const price = await readPrice(asset)
        if (price === undefined || price <= 0n) return { ...empty, degraded: true, supported: true }
        const positions = await readPositions(market, await listOpenIds(asset, ADL_POSITIONS_MAX), signal)
        return { ...empty, rows: rankPositions(positions.filter((position) => position.asset === asset), price), supported: true }
      })
    } catch (error) {
      if (error instanceof RpcFailure) return { ...empty, degraded: true, supported: true }
      throw error
    }
  }

  async function readPositions(market: string, ids: readonly number[], signal: AbortSignal): Promise<readonly StoredPosition[]> {
    const positions: StoredPosition[] = []
    for (let start = 0; start < ids.length; start += ENTRY_KEYS_MAX) {
      const keys = ids.slice(start, start + ENTRY_KEYS_MAX).map((id) => numberedKey(market, 'Position', id))
      const { entries } = await rpc.getLedgerEntries(keys, { signal })
      positions.push(...entries.map(({ dataXdr }) => readPosition(dataXdr)).filter((position) => position !== undefined))
    }
    return positions
  }

  async function queue(asset: string): Promise<AdlQueue> {
    const exchange = deployment.current
    const { market } = exchange.contracts
    // A market without auto-deleveraging has no view of its state.
    if (!hasNewerView(exchange, 'market', 'is_adl_active', ['symbol'])) {
      return { asset, updatedAt: clock.nowMs(), degraded: false, rows: [], supported: false }
    }
    return await queues.get(`${market} ${asset}`, () => compute(market, asset))
  }

  return {
    queue,
    async quintiles(assets) {
      const found = new Map<number, number>()
      const reading = Promise.all(assets.map(async (asset) => {
        const { rows } = await queue(asset).catch(() => ({ rows: [] }))
        for (const { positionId, quintile } of rows) found.set(positionId, quintile)
      }))
      await waitAtMost(clock, ADL_QUINTILES_WAIT_MS, reading)
      return new Map(found)
    },
  }
}

/** Profitable positions by score, highest first; of equal scores the older position. Quintile 1 is the head. */
export function rankPositions(positions: readonly StoredPosition[], price: bigint): AdlRow[] {
  const scored = positions
    .map((position) => ({ position, pnl: pricePnl(position, price) }))
    .filter(({ position, pnl }) => pnl > 0n && position.collateral > 0n)
    .map(({ position, pnl }) => ({ position, pnl, score: ((pnl * BPS) / position.collateral) * BigInt(position.leverage) }))
    .sort((a, b) => (a.score === b.score ? a.position.id - b.position.id : a.score > b.score ? -1 : 1))
  return scored.map(({ position, pnl, score }, index) => ({
    positionId: position.id, trader: position.trader, asset: position.asset, direction: position.direction, size: String(position.size), pnl: String(pnl),
    score: String(score), rank: index + 1, quintile: Math.min(QUINTILES, Math.floor((index * QUINTILES) / scored.length) + 1),
  }))
}
