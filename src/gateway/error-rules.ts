// Maps errors of chain, store and projections to responses.

import { TooManyWaiting } from '../base/semaphore.ts'
import { RpcFailure } from '../chain/failure.ts'
import { NewerThanKnown } from '../chain/newer-than-known.ts'
import { rpcFailure, UNAVAILABLE, validationFailure } from '../http/errors.ts'
import type { ErrorResponse, ErrorRule } from '../http/errors.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import { LedgerNotIndexed, PastStatesMissing } from '../projections/as-of.ts'
import { InvalidCursor } from '../projections/page.ts'
import { StatementTimeout, StoreUnavailable } from '../store/store.ts'
import { ClientIdInUse } from '../submissions/client-id.ts'

const UNAVAILABLE_ERRORS = [StatementTimeout, StoreUnavailable, ChallengesUnavailable, PastStatesMissing, TooManyWaiting]

export const ERROR_RULES: readonly ErrorRule[] = [
  {
    matches: (error) => error instanceof InvalidCursor,
    toResponse: (error) => validationFailure(`querystring/${error.message}`).response,
  },
  {
    matches: (error) => error instanceof ClientIdInUse,
    toResponse: (error) => clientIdInUse(error instanceof ClientIdInUse ? error.hash : ''),
  },
  {
    matches: (error) => error instanceof LedgerNotIndexed,
    toResponse: (error) => {
      const { first, last } = error as LedgerNotIndexed
      return { status: 400, body: { error: 'ledger_not_indexed', first, last } }
    },
  },
  {
    matches: (error) => error instanceof RpcFailure,
    toResponse: () => rpcFailure('The Stellar RPC server is unreachable or overloaded. Retry with exponential backoff.').response,
  },
  {
    matches: (error) => error instanceof NewerThanKnown,
    toResponse: () => rpcFailure('The network uses a protocol that is newer than this gateway. The gateway must be upgraded; a retry does not help.').response,
  },
  {
    matches: (error) => UNAVAILABLE_ERRORS.some((kind) => error instanceof kind),
    toResponse: () => UNAVAILABLE,
  },
]

function clientIdInUse(hash: string): ErrorResponse {
  const message = 'Another transaction has this clientId. Use a new one. GET /v1/tx/{hash} returns the transaction that has it.'
  return { status: 409, body: { error: 'client_id_in_use', message, hash } }
}
