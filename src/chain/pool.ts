// The liquidity vault as its views tell it.

import { RpcFailure } from './failure.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import type { ScValue } from './scval.ts'
import { structField } from './scval.ts'
import { readField } from './structs.ts'
import { readView } from './views.ts'

/** The pool at one ledger. Amounts have 7 decimals; null: the contract has no such view, or its answer cannot be read. */
export interface Pool {
  readonly ledger: number
  readonly aum: bigint | null
  readonly lpPrice: bigint | null
  readonly lpSupply: bigint | null
  readonly totalUsdc: bigint | null
  readonly totalFees: bigint | null
  readonly usdcBalance: bigint | null
  readonly unrealizedPnl: bigint | null
  readonly reservedPayout: bigint | null
  readonly shortfall: bigint | null
  readonly depositFeeBps: number | null
  readonly withdrawFeeBps: number | null
  readonly paused: boolean | null
}

/** Reads are begun anew so often when a ledger closes in between. */
const LOOKS_MAX = 3
const VIEWS = [
  'get_pool_info', 'get_noe_price', 'get_usdc_balance', 'get_reserved_payout', 'get_shortfall', 'get_deposit_fee', 'get_withdraw_fee', 'is_paused',
] as const

/** Reads the pool, all of it out of one ledger. Rejects with RpcFailure when the network cannot be read, or closes ledgers faster than it answers. */
export async function readPool(rpc: Rpc, vault: string, options: CallOptions = {}): Promise<Pool> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const views = await Promise.all(VIEWS.map((functionName) => viewOrNone(rpc, vault, functionName, options)))
    const ledgers = new Set(views.flatMap((view) => (view === null ? [] : [view.ledger])))
    const [ledger] = ledgers
    if (ledger === undefined) throw new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', retryable: true, detail: 'no view of the vault answers' })
    if (ledgers.size > 1) continue
    const [info, lpPrice, usdcBalance, reservedPayout, shortfall, depositFee, withdrawFee, paused] = views.map((view) => view?.value)
    return {
      ledger,
      aum: i128Of(fieldOf(info, 'aum')),
      lpPrice: i128Of(lpPrice),
      lpSupply: i128Of(fieldOf(info, 'total_glp')),
      totalUsdc: i128Of(fieldOf(info, 'total_usdc')),
      totalFees: i128Of(fieldOf(info, 'total_fees')),
      usdcBalance: i128Of(usdcBalance),
      unrealizedPnl: i128Of(fieldOf(info, 'unrealized_pnl')),
      reservedPayout: i128Of(reservedPayout),
      shortfall: i128Of(shortfall),
      depositFeeBps: readField(depositFee, 'u32') ?? null,
      withdrawFeeBps: readField(withdrawFee, 'u32') ?? null,
      paused: readField(paused, 'bool') ?? null,
    }
  }
  throw new RpcFailure({ method: 'simulateTransaction', kind: 'malformed', retryable: true, detail: 'the ledger closed between the vault\'s views' })
}

/** Null when the contract refuses: it has no such view, or is not set up. */
async function viewOrNone(rpc: Rpc, contract: string, functionName: string, options: CallOptions): Promise<{ value: ScValue; ledger: number } | null> {
  try {
    return await readView(rpc, { contract, functionName, args: [] }, options)
  } catch (error) {
    if (error instanceof RpcFailure && error.kind === 'rpc' && !error.retryable) return null
    throw error
  }
}

function fieldOf(value: ScValue | undefined, name: string): ScValue | undefined {
  return value === undefined ? undefined : structField(value, name)
}

function i128Of(value: ScValue | undefined): bigint | null {
  return readField(value, 'i128') ?? null
}
