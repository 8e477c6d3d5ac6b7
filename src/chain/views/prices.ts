// Prices of the price shim, read by simulating its `lastprice` (onchain: a bare vec [price i128, timestamp u64]).

import { RpcFailure } from '../rpc/failure.ts'
import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { ScValue } from '../codec/scval.ts'
import { simulateView, viewResult } from './contract-views.ts'

/** A price with seven decimals, and when it was attested. */
export interface ShimPrice {
  readonly price: bigint
  readonly timestampSec: number
  /** The ledger at which it was read. */
  readonly ledger: number
}

/**
 * Reads the shim's price of `asset`. Rejects with RpcFailure; kind `rpc` without a code means that the contract failed (unknown symbol, no price yet), and
 * `detail` has its error.
 */
export async function readShimPrice(rpc: Rpc, options: { readonly shim: string; readonly asset: string } & CallOptions): Promise<ShimPrice> {
  return (await readShimPriceWithFootprint(rpc, options)).price
}

/** As `readShimPrice`, with the transaction data of the simulation, which names the entries that the price was read from. */
export async function readShimPriceWithFootprint(
  rpc: Rpc, options: Parameters<typeof readShimPrice>[1],
): Promise<{ readonly price: ShimPrice; readonly transactionDataXdr: string | null }> {
  const { shim, asset, ...call } = options
  const simulated = await simulateView(rpc, { contract: shim, functionName: 'lastprice', args: [{ type: 'symbol', value: asset }] }, call)
  const { value, ledger } = viewResult(simulated, 'lastprice')
  const price = toPrice(value, ledger)
  if (price === undefined) throw new RpcFailure({ method: 'simulateTransaction', kind: 'malformed', retryable: true, detail: 'lastprice returned no price' })
  return { price, transactionDataXdr: simulated.transactionDataXdr }
}

function toPrice(value: ScValue, ledger: number): ShimPrice | undefined {
  if (value.type !== 'vec' || value.value.length !== 2) return undefined
  const [price, timestamp] = value.value
  if (price?.type !== 'i128' || timestamp?.type !== 'u64') return undefined
  const timestampSec = Number(timestamp.value)
  return Number.isSafeInteger(timestampSec) ? { price: price.value, timestampSec, ledger } : undefined
}
