// The liquidity vault, read through its views.

import { RpcFailure } from '../rpc/failure.ts'
import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ScValue } from '../codec/scval.ts'
import { structField } from '../codec/scval.ts'
import { readField } from '../codec/structs.ts'
import { viewOrNull } from './contract-views.ts'

/** The pool at one ledger. Amounts have 7 decimals. Null: the contract has no such view, or its result cannot be read. */
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
  /** For bad debt and bounties; not part of the AUM. */
  readonly bufferBalance: bigint | null
  /** Set aside for profits that could not be paid; not part of the AUM. */
  readonly shortfallReserve: bigint | null
  readonly depositFeeBps: number | null
  readonly withdrawFeeBps: number | null
  readonly paused: boolean | null
}

/** Maximum number of reads of the views when a ledger closes between them. */
const MAX_READS = 3
const VIEWS = [
  'get_pool_info', 'get_noe_price', 'get_usdc_balance', 'get_reserved_payout', 'get_shortfall', 'get_shortfall_reserve', 'get_deposit_fee', 'get_withdraw_fee',
  'is_paused', 'get_buffer_balance',
] as const

/** Reads the whole pool at one ledger. Rejects with RpcFailure when the network cannot be read, or closes ledgers faster than it responds. */
export async function readPool(rpc: Rpc, vault: string, options: CallOptions = {}): Promise<Pool> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const views = await Promise.all(VIEWS.map((functionName) => viewOrNull(rpc, { contract: vault, functionName, args: [] }, options)))
    const ledgers = new Set(views.flatMap((view) => (view === null ? [] : [view.ledger])))
    const [ledger] = ledgers
    if (ledger === undefined) throw new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', retryable: true, detail: 'no view of the vault can be read' })
    if (ledgers.size > 1) continue
    const [info, lpPrice, usdcBalance, reservedPayout, shortfall, shortfallReserve, depositFee, withdrawFee, paused, buffer] = views.map((view) => view?.value)
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
      bufferBalance: i128Of(buffer),
      shortfallReserve: i128Of(shortfallReserve),
      depositFeeBps: readField(depositFee, 'u32') ?? null,
      withdrawFeeBps: readField(withdrawFee, 'u32') ?? null,
      paused: readField(paused, 'bool') ?? null,
    }
  }
  throw new RpcFailure({ method: 'simulateTransaction', kind: 'malformed', retryable: true, detail: 'a ledger closed between the views of the vault' })
}

function fieldOf(value: ScValue | undefined, name: string): ScValue | undefined {
  return value === undefined ? undefined : structField(value, name)
}

function i128Of(value: ScValue | undefined): bigint | null {
  return readField(value, 'i128') ?? null
}
