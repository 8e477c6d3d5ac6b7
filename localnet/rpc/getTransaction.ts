import type { MethodContext } from './method.ts'
import type { Params } from './params.ts'
import { optionalString, requireBase64 } from './params.ts'
import { invalidParams } from './rpc-error.ts'
import { transactionDetails } from './transaction-details.ts'

const HASH_HEX_LENGTH = 64

/** getTransaction (soroban-rpc, "getTransaction"): by outer or inner hash. NOT_FOUND means that no retained ledger contains the hash. */
export function getTransaction({ history }: MethodContext, params: Params): unknown {
  requireBase64(params)
  const hash = requestedHash(params)
  const record = history.transaction(hash.toLowerCase())
  const latest = history.latest()
  const oldest = history.oldest()
  const range = {
    latestLedger: latest.sequence,
    latestLedgerCloseTime: String(latest.closeTimeSec),
    oldestLedger: oldest.sequence,
    oldestLedgerCloseTime: String(oldest.closeTimeSec),
  }
  if (record === undefined) {
    const notFound = { status: 'NOT_FOUND', txHash: hash, applicationOrder: 0, feeBump: false, events: {}, ledger: 0, createdAt: '0' }
    return { ...range, ...notFound }
  }
  return { ...range, ...transactionDetails(record), txHash: hash, createdAt: String(record.closeTimeSec) }
}

function requestedHash(params: Params): string {
  const hash = optionalString(params, 'hash') ?? ''
  if (hash.length !== HASH_HEX_LENGTH) throw invalidParams(`unexpected hash length (${hash.length})`)
  const invalidDigit = /[^0-9a-fA-F]/u.exec(hash)
  if (invalidDigit !== null) throw invalidParams(`incorrect hash: '${invalidDigit[0]}' is not a hexadecimal digit`)
  return hash
}
