// POST /v1/tx/submit, GET /v1/tx/{hash}, GET /v1/tx and GET /v1/account/me/transactions.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { callerKey } from '../http/caller.ts'
import { CACHE_NEVER, indexHeaders, JSON_TYPE, sendResponse } from '../http/response.ts'
import { TRADING_POLICIES } from '../http/app.ts'
import type { App } from '../http/app.ts'
import { clientDisconnected } from '../http/client-disconnected.ts'
import { HttpFailure } from '../http/errors.ts'
import type { RequestedCall } from '../http/key-rules.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS, POLL_TIMEOUT_MS, QUEUE_FULL_RETRY_AFTER_SEC, TRANSACTION_BODY_LIMIT_BYTES } from '../limits.ts'
import { adviceForRejection } from '../trading/relay/error-advice.ts'
import type { Relay } from '../trading/relay/relay.ts'
import type { SubmitOutcome } from '../trading/relay/outcomes.ts'
import { EXAMPLE_TX_HASH, ref } from '../resources/fields.ts'
import { CLIENT_ID } from '../resources/request-fields.ts'
import { SubmitResult } from '../resources/submit-result.ts'
import { TransactionRow } from '../resources/transaction.ts'
import type { SubmissionService } from '../trading/submission-service.ts'
import type { FoundTransaction, TransactionReader } from '../trading/transaction-reader.ts'
import { isCapped, isEntry } from './entry-caps.ts'
import type { EntryCaps } from './entry-caps.ts'
import { EXAMPLE_SUBMITTED, EXAMPLE_TRANSACTION } from './examples.ts'
import { privatePageResponse, serialiseBody } from './page-response.ts'
import { atLedgerParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'
import { requesterOf } from '../http/requester.ts'

const submitTransaction = operation(
  {
    id: 'submitTransaction',
    tag: 'tx',
    summary: 'Submit a signed transaction',
    description: [
      'Submits the envelope unchanged and polls for the result every second, for up to pollTimeoutMs. Submitting the same signedXdr again is safe at any time',
      'and returns the current result of that transaction. Do so after PENDING, 502 and 503 instead of preparing a new transaction. A 502 with a hash means',
      'that the outcome is unknown. The submission is stored before it is sent, and continued without a waiting client and across restarts:',
      'GET /v1/tx/{hash} returns its state at any time. A key with scopes or caps submits only what it could have had prepared.',
    ].join(' '),
    ok: ref(SubmitResult),
    example: EXAMPLE_SUBMITTED,
    errors: [400, '400 submission_rejected', '403 cap_exceeded', '409 client_id_in_use', 502, '503 try_again_later'],
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
        clientId: Type.Optional(Type.Unsafe<string>({ ...CLIENT_ID, description: `${CLIENT_ID.description} By default the id of the preparation.` })),
      },
      { additionalProperties: false },
    ),
  },
)

const FIND_DESCRIPTION = [
  'Returns what is known of a transaction: what the gateway stored of it, its events, and what the network has. The client id and the operation of a',
  'submission are returned to its owner only. Transactions that were submitted elsewhere are looked up in the index and on the network.',
].join(' ')

const HASH = Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Transaction hash, 64 hex digits.', examples: [EXAMPLE_TX_HASH] })

const getTransaction = operation(
  {
    id: 'getTransaction',
    tag: 'tx',
    summary: 'Get a transaction',
    description: FIND_DESCRIPTION,
    ok: ref(TransactionRow),
    example: EXAMPLE_TRANSACTION,
    headers: ['index'],
    errors: [400, '404 unknown_transaction', 502],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  { params: Type.Object({ hash: HASH }) },
)

const findTransaction = operation(
  {
    id: 'findTransaction',
    tag: 'tx',
    summary: 'Get a transaction by its client id',
    description: 'Returns the newest of your transactions with this client id: a submitted one, otherwise a prepared one.',
    ok: ref(TransactionRow),
    example: EXAMPLE_TRANSACTION,
    headers: ['index'],
    errors: [400, '404 unknown_transaction'],
    cacheable: false,
    requiresKey: true,
    regionGuarded: true,
  },
  { querystring: Type.Object({ clientId: Type.Unsafe<string>(CLIENT_ID) }) },
)

const listTransactions = operation(
  {
    id: 'listAccountTransactions',
    tag: 'account',
    summary: 'List your transactions',
    description: [
      'Returns the transactions that were submitted with your keys, newest first. Of those that no node accepted, the newest hundred are listed, for a day.',
    ].join(' '),
    ok: listOf('transactions', ref(TransactionRow)),
    example: { transactions: [EXAMPLE_TRANSACTION] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  { querystring: Type.Object({ at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.transactions), cursor: cursorParameter }) },
)

export interface TxRouteParts {
  readonly relay: Pick<Relay, 'decode' | 'explainUndecoded' | 'callOf'>
  readonly submissions: Pick<SubmissionService, 'submit'>
  readonly transactions: TransactionReader
  readonly caps: EntryCaps
}

export function txRoutes(app: App, parts: TxRouteParts): void {
  const { relay, transactions } = parts
  /** Undefined for an envelope that does not decode: the handler rejects it. */
  function requestedCall(body: unknown): RequestedCall | null | undefined {
    const signed = relay.decode((body as { readonly signedXdr: string }).signedXdr)
    const call = signed === undefined ? undefined : relay.callOf(signed)
    return call === undefined || call === null ? call : { ...call, isEntry: isEntry(call) }
  }

  const options = { schema: submitTransaction, config: { ...TRADING_POLICIES, requestedCall }, bodyLimit: TRANSACTION_BODY_LIMIT_BYTES }

  app.post('/v1/tx/submit', options, async (request, reply) => {
    const { signedXdr, clientId = null, pollTimeoutMs = POLL_TIMEOUT_MS.default } = request.body
    const signed = relay.decode(signedXdr)
    if (signed === undefined) throw rejected(relay.explainUndecoded(signedXdr))
    const disconnected = clientDisconnected(reply)
    const key = callerKey(request)
    const call = relay.callOf(signed)
    const submitter = { owner: key.owner, clientId }
    // A transaction that was prepared has its reservation already, and keeps it from now on.
    const reservation = call === null || !isEntry(call) ? {} : { reservation: {
      isRequired: isCapped(key),
      reserve: () => parts.caps.reserve(key, call, { hash: signed.hash, innerHash: signed.innerHash, expiresAtMs: null }),
    } }
    const { outcome, stored } = await parts.submissions.submit(signed, submitter, {
      pollTimeoutMs, requester: requesterOf(request), signal: disconnected, ...reservation,
    })
    if (disconnected.aborted) reply.hijack()
    else reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify({ ...resultOf(outcome, signed.hash), ...(stored ? {} : { stored }) }))
  })

  app.get('/v1/tx/:hash', { schema: getTransaction, config: TRADING_POLICIES }, async (request, reply) => {
    const caller = { owner: callerKey(request).owner, requester: requesterOf(request) }
    sendTransaction(reply, await transactions.find(request.params.hash.toLowerCase(), caller))
  })

  app.get('/v1/tx', { schema: findTransaction, config: TRADING_POLICIES }, async (request, reply) => {
    const caller = { owner: callerKey(request).owner, requester: requesterOf(request) }
    sendTransaction(reply, await transactions.findByClientId(request.query.clientId, caller))
  })

  app.get('/v1/account/me/transactions', { schema: listTransactions, config: { requiresKey: true } }, async (request, reply) => {
    const { at_ledger: atLedger, limit = PAGE_LIMITS.transactions.default, cursor } = request.query
    const page = await transactions.list(callerKey(request).owner, { atLedger, limit, cursor })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { transactions: page.rows }))
  })
}

const UNKNOWN_TRANSACTION = 'Neither the gateway nor the network has this transaction. Check the hash or the client id.'

/** Sends a transaction, or 404. */
function sendTransaction(reply: FastifyReply, found: FoundTransaction | undefined): void {
  if (found === undefined) throw new HttpFailure({ status: 404, body: { error: 'unknown_transaction', message: UNKNOWN_TRANSACTION } })
  const { row, head } = found
  reply.headers({ 'cache-control': CACHE_NEVER, ...indexHeaders(head) }).type(JSON_TYPE).send(serialiseBody(reply, row))
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
      return { hash, status: 'SUCCESS', ledger: submitted.ledger, confirmedBy: submitted.confirmedBy, nodes: submitted.nodes }
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
        // The network says so to an account that has a transaction pending.
        isCallersDoing: submitted.fullQueue !== 'gateway',
      })
    default:
      throw new HttpFailure({ status: 502, body: { error: 'rpc_error', message: submitted.kind === 'notSent' ? NOT_SUBMITTED : UNKNOWN_OUTCOME, hash } })
  }
}

function failedResult(hash: string, outcome: Extract<SubmitOutcome, { kind: 'failed' }>): SubmitResult {
  const { contractError, hostError, txResultCode, resultXdr, message, confirmedBy, nodes } = outcome
  return { hash, status: 'FAILED', contractError, hostError, txResultCode, resultXdr, message, confirmedBy, nodes }
}

const NOTHING_KNOWN = { contractError: null, hostError: null, result: null, hostText: null } as const

function rejected(advice: string, known: Omit<Extract<SubmitOutcome, { kind: 'rejected' }>, 'kind'> = NOTHING_KNOWN): HttpFailure {
  const { contractError, hostError, result, hostText } = known
  const message = hostText === null ? advice : `${advice} ${hostText}`
  return new HttpFailure({ status: 400, body: { error: 'submission_rejected', message, contractError, hostError, txResultCode: result?.code ?? null } })
}
