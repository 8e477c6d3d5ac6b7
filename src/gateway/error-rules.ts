// Maps errors of chain, store and projections to responses.

import { RpcFailure } from '../chain/failure.ts'
import { rpcFailure, UNAVAILABLE, validationFailure } from '../http/errors.ts'
import type { ErrorRule } from '../http/errors.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import { InvalidCursor } from '../projections/page.ts'
import { StatementTimeout, StoreUnavailable } from '../store/store.ts'

export const ERROR_RULES: readonly ErrorRule[] = [
  {
    matches: (error) => error instanceof InvalidCursor,
    toResponse: (error) => validationFailure(`querystring/${error.message}`).response,
  },
  {
    matches: (error) => error instanceof RpcFailure,
    toResponse: () => rpcFailure('The Stellar RPC server is unreachable or overloaded. Retry with exponential backoff.').response,
  },
  {
    matches: (error) => error instanceof StatementTimeout || error instanceof StoreUnavailable || error instanceof ChallengesUnavailable,
    toResponse: () => UNAVAILABLE,
  },
]
