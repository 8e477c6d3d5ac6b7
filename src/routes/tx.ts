// POST /v1/tx/submit.

import { Type } from 'typebox'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { TRADING_POLICIES } from '../http/app.ts'
import type { App } from '../http/app.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { POLL_TIMEOUT_MS, QUEUE_FULL_RETRY_AFTER_SEC, TRANSACTION_BODY_LIMIT_BYTES } from '../limits.ts'
import { adviceForRejection } from '../relay/advice.ts'
import type { Relay } from '../relay/relay.ts'
import type { SubmitOutcome } from '../relay/outcomes.ts'
import { ref } from '../resources/fields.ts'
import { SubmitResult } from '../resources/submit-result.ts'
import { EXAMPLE_SUBMITTED } from './examples.ts'
import { requesterOf } from '../http/requester.ts'

const submitTransaction = operation(
  {
    id: 'submitTransaction',
    tag: 'tx',
    summary: 'Submit a signed transaction',
    description: [
      'Submits the envelope unchanged and polls for the result every second, for up to pollTimeoutMs. Submitting the same signedXdr again is safe at any time',
      'and returns the current result of that transaction. Do so after PENDING, 502 and 503 instead of preparing a new transaction. A 502 with a hash means',
      'that the outcome is unknown.',
    ].join(' '),
    ok: ref(SubmitResult),
    example: EXAMPLE_SUBMITTED,
    errors: [400, '400 submission_rejected', 502, '503 try_again_later'],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  {
    body: Type.Object(
      {
        signedXdr: Type.String({ description: 'Signed transaction envelope, base64 XDR. Fee-bump transactions are supported.', examples: ['AAAAAgAAAAAb…'] }),
        pollTimeoutMs: Type.Optional(
          Type.Unsafe<number>({
            type: 'integer', minimum: POLL_TIMEOUT_MS.min, maximum: POLL_TIMEOUT_MS.max, default: POLL_TIMEOUT_MS.default,
            description: 'Maximum time to wait for the final result, milliseconds.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
)

export function txRoutes(app: App, parts: { readonly relay: Relay }): void {
  const { relay } = parts
  const options = { schema: submitTransaction, config: TRADING_POLICIES, bodyLimit: TRANSACTION_BODY_LIMIT_BYTES }

  app.post('/v1/tx/submit', options, async (request, reply) => {
    const { signedXdr, pollTimeoutMs = POLL_TIMEOUT_MS.default } = request.body
    const signed = relay.decode(signedXdr)
    if (signed === undefined) throw rejected('signedXdr is not a base64 transaction envelope.')
    const disconnected = clientDisconnected(reply)
    const submitted = await relay.submissions.submit(signed, { pollTimeoutMs, requester: requesterOf(request), signal: disconnected })
    if (disconnected.aborted) reply.hijack()
    else reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(resultOf(submitted, signed.hash)))
  })
}

const NOT_SUBMITTED = 'The Stellar RPC server is unavailable. Nothing was submitted. Submit the same signedXdr again.'
const UNKNOWN_OUTCOME =
  'The outcome of the transaction is unknown. It may still be applied. Submit the same signedXdr again, and do not prepare a new transaction.'
const QUEUE_FULL = {
  network: 'The transaction queue of the network is full, or already holds a transaction of this account. Submit the same signedXdr again.',
  gateway: 'The gateway is waiting for too many transactions. Nothing was submitted. Submit the same signedXdr again.',
  share: 'The gateway is waiting for as many of your transactions as it can. Nothing was submitted. Submit the same signedXdr again.',
} as const

/** Returns the body of a 200 response. Throws HttpFailure for other outcomes. */
function resultOf(submitted: SubmitOutcome, hash: string): SubmitResult {
  switch (submitted.kind) {
    case 'success':
      return { hash, status: 'SUCCESS', ledger: submitted.ledger }
    case 'pending':
      return { hash, status: 'PENDING' }
    case 'failed':
      return failedResult(hash, submitted)
    case 'rejected':
      throw rejected(adviceForRejection(submitted.result), submitted)
    case 'tryAgainLater':
      throw new HttpFailure({
        status: 503,
        body: { error: 'try_again_later', retryable: true, hash, message: QUEUE_FULL[submitted.fullQueue] },
        headers: { 'retry-after': String(QUEUE_FULL_RETRY_AFTER_SEC) },
      })
    default:
      throw new HttpFailure({ status: 502, body: { error: 'rpc_error', message: submitted.kind === 'notSent' ? NOT_SUBMITTED : UNKNOWN_OUTCOME, hash } })
  }
}

function failedResult(hash: string, { contractError, hostError, txResultCode, resultXdr, message }: Extract<SubmitOutcome, { kind: 'failed' }>): SubmitResult {
  return { hash, status: 'FAILED', contractError, hostError, txResultCode, resultXdr, message }
}

const NOTHING_KNOWN = { contractError: null, hostError: null, result: null, hostText: null } as const

function rejected(advice: string, known: Omit<Extract<SubmitOutcome, { kind: 'rejected' }>, 'kind'> = NOTHING_KNOWN): HttpFailure {
  const { contractError, hostError, result, hostText } = known
  const message = hostText === null ? advice : `${advice} ${hostText}`
  return new HttpFailure({ status: 400, body: { error: 'submission_rejected', message, contractError, hostError, txResultCode: result?.code ?? null } })
}
