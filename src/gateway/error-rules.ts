// Maps errors of chain, store and projections to responses.

import { LookupFailed } from '../base/batched-lookup.ts'
import { TooManyWaiting } from '../base/semaphore.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { rpcFailure, UNAVAILABLE, validationFailure } from '../http/errors.ts'
import type { ErrorResponse, ErrorRule } from '../http/errors.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import { LedgerNotIndexed } from '../projections/state/as-of.ts'
import { InvalidCursor } from '../projections/log/page.ts'
import { StatementTimeout, StoreUnavailable } from '../store/store.ts'
import { ClientIdInUse } from '../trading/preparations.ts'

const UNAVAILABLE_ERRORS = [StatementTimeout, StoreUnavailable, ChallengesUnavailable, TooManyWaiting, LookupFailed]

const UNREACHABLE = 'The Stellar RPC server is unreachable or overloaded. Retry with exponential backoff.'
const UNUSABLE = 'The Stellar RPC server returned a response that cannot be used. Retry with exponential backoff.'
const TOO_OLD = 'The network uses a protocol that is newer than this gateway. Its operator must upgrade it; a retry does not help.'

export const ERROR_RULES: readonly ErrorRule[] = [
  {
    matches: (error) => error instanceof InvalidCursor,
    toResponse: (error) => validationFailure('querystring/cursor', error.message).response,
  },
  {
    matches: (error) => error instanceof ClientIdInUse,
    toResponse: (error) => clientIdInUse(error instanceof ClientIdInUse ? error.hash : ''),
  },
  {
    matches: (error) => error instanceof LedgerNotIndexed,
    toResponse: (error) => {
      const { first, last } = error as LedgerNotIndexed
      return { status: 400, body: { error: 'ledger_not_indexed', message: notIndexedMessage(first, last), first, last } }
    },
  },
  {
    matches: (error) => error instanceof RpcFailure,
    toResponse: (error) => rpcFailure(messageOf(error as RpcFailure)).response,
  },
  {
    matches: (error) => UNAVAILABLE_ERRORS.some((kind) => error instanceof kind),
    toResponse: (error) => (isOwnShare(error) ? { ...UNAVAILABLE, isCallersDoing: true } : UNAVAILABLE),
  },
]

/** True when the caller's own tasks are too many. */
function isOwnShare(error: unknown): boolean {
  return error instanceof TooManyWaiting ? error.isOwnShare : error instanceof StatementTimeout && isOwnShare(error.cause)
}

function messageOf({ kind }: RpcFailure): string {
  if (kind === 'newer') return TOO_OLD
  return kind === 'malformed' || kind === 'oversized' || kind === 'behind' ? UNUSABLE : UNREACHABLE
}

function notIndexedMessage(first: number | null, last: number | null): string {
  if (first === null || last === null) return 'Nothing is indexed yet. Retry in a moment.'
  return `The ledger is not indexed. Use one from ${first} to ${last}.`
}

function clientIdInUse(hash: string): ErrorResponse {
  const message = 'Another transaction has this clientId. Use a new one. GET /v1/tx/{hash} returns the transaction that has it.'
  return { status: 409, body: { error: 'client_id_in_use', message, hash } }
}
