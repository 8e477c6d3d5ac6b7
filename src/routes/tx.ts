// POST /v1/tx/submit.

import { Type } from 'typebox'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
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

const submitTransaction = operation(
  {
    id: 'submitTransaction',
    tag: 'tx',
    summary: 'Sends a signed transaction and waits for what becomes of it',
    description: [
      'Relays the envelope as it is and asks for the transaction every second, up to pollTimeoutMs. Submitting the same signedXdr again is safe and returns',
      'the current result of the one transaction, also long after: do so after PENDING, 502 and 503, instead of preparing a fresh one. A 502 with a hash means',
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
        signedXdr: Type.String({ description: 'Signed transaction envelope, base64; a fee bump is relayed too', examples: ['AAAAAgAAAAAb…'] }),
        pollTimeoutMs: Type.Optional(
          Type.Unsafe<number>({
            type: 'integer', minimum: POLL_TIMEOUT_MS.min, maximum: POLL_TIMEOUT_MS.max, default: POLL_TIMEOUT_MS.default,
            description: 'How long to wait for the transaction to be final, milliseconds',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
)

export function txRoutes(app: App, parts: { readonly relay: Relay }): void {
  const { relay } = parts
  const options = { schema: submitTransaction, config: { requiresKey: true, regionGuarded: true }, bodyLimit: TRANSACTION_BODY_LIMIT_BYTES }

  app.post('/v1/tx/submit', options, async (request, reply) => {
    const { signedXdr, pollTimeoutMs = POLL_TIMEOUT_MS.default } = request.body
    const signed = relay.decode(signedXdr)
    if (signed === undefined) throw rejected('signedXdr is not a transaction envelope in base64.')
    const disconnected = clientDisconnected(reply)
    const submitted = await relay.submissions.submit(signed, { pollTimeoutMs, signal: disconnected })
    // Nobody is there to be answered.
    if (disconnected.aborted) reply.hijack()
    else reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(resultOf(submitted, signed.hash)))
  })
}

const NOTHING_SENT = 'The network\'s RPC cannot be reached or refuses calls. Nothing was sent: submit the same signedXdr again.'
const UNKNOWN_OUTCOME =
  'Whether the network has the transaction could not be learnt. It may still be applied: submit the same signedXdr again, and do not prepare a fresh one.'
const NO_ROOM = {
  network: 'The network takes no more transactions now, or none of this account yet. Submit the same signedXdr again.',
  gateway: 'Too many transactions are waited for here. Nothing was sent: submit the same signedXdr again.',
} as const

/** The body of a 200; throws the answer of every other outcome. */
function resultOf(submitted: SubmitOutcome, hash: string): SubmitResult {
  switch (submitted.kind) {
    case 'success':
      return { hash, status: 'SUCCESS', ledger: submitted.ledger }
    case 'pending':
      return { hash, status: 'PENDING' }
    case 'failed':
      return { hash, status: 'FAILED', contractError: submitted.contractError, resultXdr: submitted.resultXdr }
    case 'rejected':
      throw rejected(adviceForRejection(submitted.result?.code ?? null, submitted.result?.feeCharged ?? null), submitted.contractError)
    case 'tryAgainLater':
      throw new HttpFailure({
        status: 503,
        body: { error: 'try_again_later', retryable: true, hash, message: NO_ROOM[submitted.fullQueue] },
        headers: { 'retry-after': String(QUEUE_FULL_RETRY_AFTER_SEC) },
      })
    default:
      throw new HttpFailure({ status: 502, body: { error: 'rpc_error', message: submitted.kind === 'notSent' ? NOTHING_SENT : UNKNOWN_OUTCOME, hash } })
  }
}

function rejected(message: string, contractError: SubmitResult['contractError'] = null): HttpFailure {
  return new HttpFailure({ status: 400, body: { error: 'submission_rejected', message, contractError } })
}
