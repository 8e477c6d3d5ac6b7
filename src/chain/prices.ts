// Prices as the price shim answers them, read by simulating its `lastprice` (onchain: a bare vec [price i128, timestamp u64]).

import { Account, Address, Contract, TransactionBuilder } from '@stellar/stellar-sdk'

import { RpcFailure } from './failure.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import type { ScValue } from './scval.ts'
import { decodeScVal, MalformedScVal, toXdr } from './scval.ts'
import { NULL_ACCOUNT } from './views.ts'

/** A price with seven decimals, and when it was attested. */
export interface ShimPrice {
  readonly price: bigint
  readonly timestampSec: number
  /** The ledger that the shim was asked at. */
  readonly ledger: number
}

/** An envelope is the same every time; a handful of deployments times fourteen assets is plenty. */
const ENVELOPES_MAX = 256
const envelopes = new Map<string, string>()

/**
 * The price that the shim holds for `asset`. Rejects with RpcFailure; kind `rpc` without a code means that the contract refused (an unknown
 * symbol, no price yet), and `detail` has its words.
 */
export async function readShimPrice(
  rpc: Rpc,
  options: { readonly shim: string; readonly asset: string; readonly networkPassphrase: string } & CallOptions,
): Promise<ShimPrice> {
  const { shim, asset, networkPassphrase, ...call } = options
  const answer = await rpc.simulateTransaction(lastPriceEnvelope(shim, asset, networkPassphrase), call)
  const method = 'simulateTransaction'
  if (answer.error !== null) throw new RpcFailure({ method, kind: 'rpc', retryable: false, detail: answer.error })
  const returned = answer.results[0]?.returnValueXdr
  const price = returned === undefined ? undefined : asPrice(returned, answer.latestLedger)
  if (price === undefined) throw new RpcFailure({ method, kind: 'malformed', retryable: true, detail: 'lastprice returned no price' })
  return price
}

function asPrice(returnValueXdr: string, ledger: number): ShimPrice | undefined {
  const value = decodeOrUndefined(returnValueXdr)
  if (value?.type !== 'vec' || value.value.length !== 2) return undefined
  const [price, timestamp] = value.value
  if (price?.type !== 'i128' || timestamp?.type !== 'u64') return undefined
  const timestampSec = Number(timestamp.value)
  return Number.isSafeInteger(timestampSec) ? { price: price.value, timestampSec, ledger } : undefined
}

function decodeOrUndefined(base64: string): ScValue | undefined {
  try {
    return decodeScVal(base64)
  } catch (error) {
    if (error instanceof MalformedScVal) return undefined
    throw error
  }
}

function lastPriceEnvelope(shim: string, asset: string, networkPassphrase: string): string {
  const key = JSON.stringify([shim, asset, networkPassphrase])
  const kept = envelopes.get(key)
  if (kept !== undefined) return kept
  const built = new TransactionBuilder(new Account(NULL_ACCOUNT, '0'), { fee: '100', networkPassphrase })
    .addOperation(new Contract(Address.fromString(shim).toString()).call('lastprice', toXdr({ type: 'symbol', value: asset })))
    .setTimeout(0)
    .build()
    .toXdr()
  if (envelopes.size >= ENVELOPES_MAX) envelopes.clear()
  envelopes.set(key, built)
  return built
}
