// Submissions of a simulated client, with checks of every response: a result reported as final is that of the ledger, however often and wherever it is
// requested.

import assert from 'node:assert/strict'
import type { Keypair } from '@stellar/stellar-sdk'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { Clock } from '../../src/base/clock.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import type { ApiResponse } from '../support/keys.ts'
import { sign } from '../support/traders.ts'
import type { HeldKey } from './key-holders.ts'
import { isOnLedger } from './ledger-truth.ts'
import type { LedgerTruth } from './ledger-truth.ts'
import type { Requests, Server } from './requests.ts'

/** On top of `pollTimeoutMs`: a send times out after 10 s, and its end is seen up to one slice of virtual time later. */
const SEND_TIMEOUT_MS = 20_000
/** One of this many trades names the client id of the one before. */
const REUSED_ONE_OF = 6
/** Of the message of a 502 without a send. */
const NOTHING_SENT = 'Nothing was submitted'

/** A signed transaction and its submissions. */
interface Envelope {
  readonly hash: string
  readonly xdr: string
  readonly clientId: string
  readonly submissions: Submission[]
  /** True if a client has read that nothing is sent for it, and nobody has submitted it since. */
  isWithdrawn: boolean
  /** True if a response promised that the submission is stored. */
  isStored: boolean
  /** True if another transaction has its client id, so that it cannot be stored any more. */
  isIdTaken: boolean
}

interface Submission {
  readonly server: Server
  readonly startedMs: number
  readonly patienceMs: number
  /** Null while the request is open. */
  endedMs: number | null
  /** The reported outcome; null while the request is open. */
  outcome: ReportedOutcome | null
}

/** `open` and `withdrawn` are not final. With `withdrawn`, the gateway sends nothing more for it. */
type ReportedOutcome = { readonly kind: 'success'; readonly ledger: number } | { readonly kind: 'failed' | 'rejected' | 'withdrawn' | 'open' }

export interface Submitter {
  readonly envelopes: readonly Envelope[]
  /** Prepares, signs and submits a position; submits at the same or another process. */
  trade(at: Server, submitAt: Server, choice: { readonly key: HeldKey; readonly asset: number; readonly patienceMs: number }): Promise<void>
  /** Submits the `pick`th envelope again. */
  submit(at: Server, choice: { readonly key: HeldKey; readonly pick: number; readonly patienceMs: number }): Promise<void>
  /** Looks up the `pick`th envelope by its hash, or by its client id. */
  look(at: Server, choice: { readonly key: HeldKey; readonly pick: number; readonly byClientId: boolean }): Promise<void>
  /** Called when the gateway sends an envelope to the network. */
  onSend(envelopeXdr: string): void
  /** Fails when a request has been open for too long. */
  checkWaitingTimes(nowMs: number): void
  /** Fails unless every reported outcome is that of the ledger. */
  checkReported(): void
}

interface SubmitterParts {
  readonly wallet: Keypair
  readonly network: Pick<LocalNetwork, 'networkPassphrase'>
  readonly truth: LedgerTruth
  readonly requests: Requests
  readonly clock: Clock
  readonly isCalm: () => boolean
}

export function createSubmitter(parts: SubmitterParts): Submitter {
  const { wallet, network, truth, requests, clock, isCalm } = parts
  const envelopes: Envelope[] = []
  const expired = new Set<string>()
  let prepares = 0

  function send(envelope: Envelope, server: Server, key: HeldKey, patienceMs: number): Promise<void> {
    const body = { signedXdr: envelope.xdr, pollTimeoutMs: patienceMs }
    const submission: Submission = { server, startedMs: clock.elapsedMs(), patienceMs, endedMs: null, outcome: null }
    envelope.submissions.push(submission)
    envelope.isWithdrawn = false
    return requests.send(server, '/v1/tx/submit', { method: 'POST', body, key: key.key }, (response) => {
      submission.endedMs = clock.elapsedMs()
      // An earlier copy of which nothing is known may still be queued, so that a refusal of this one proves nothing.
      const others = envelope.submissions.filter((other) => other !== submission)
      const hasOpenCopy = others.some(({ outcome }) => outcome === null || outcome.kind === 'open')
      const wasWithdrawn = others.some(({ outcome }) => outcome?.kind === 'withdrawn')
      if (response.status === 409) return checkClientIdInUse(envelope, submission, response)
      submission.outcome = readOutcome(response, isCalm() && !hasOpenCopy && !wasWithdrawn)
      if (submission.outcome.kind === 'withdrawn') envelope.isWithdrawn = !hasOpenCopy
      if (response.status === 200 && response.body['stored'] !== false) envelope.isStored = true
      checkNow(envelope, submission.outcome)
    })
  }

  /** Another transaction holds the client id, and nothing was sent. */
  function checkClientIdInUse(envelope: Envelope, submission: Submission, { body, text }: ApiResponse): void {
    assert.equal(body['error'], 'client_id_in_use', text)
    const holder = envelopes.find(({ hash }) => hash === body['hash'])
    assert.ok(holder !== undefined && holder !== envelope && holder.clientId === envelope.clientId && holder.submissions.length > 0, text)
    envelope.isIdTaken = true
    submission.outcome = { kind: 'open' }
  }

  /** Checks that the response of GET /v1/tx is true. */
  function checkRow({ hash, clientId, isStored }: Envelope, { status, body, text }: ApiResponse): void {
    if (status === 404) return assert.ok(!isStored, `${hash} was stored: ${text}`)
    if (status !== 200) return assert.ok(status === 401 || ((status === 502 || status === 503) && !isCalm()), `a look-up returned ${status} ${text}`)
    const row = body as unknown as TransactionRow
    assert.deepEqual([row.hash, row.trader], [hash, wallet.publicKey()], text)
    if (row.clientId !== null) assert.equal(row.clientId, clientId)
    const onLedger = truth.current(hash)
    if (row.status === 'SUCCESS' || row.status === 'FAILED') assert.ok(isOnLedger(truth.everywhere(hash), row.status, row.ledger), text)
    else if (row.status === 'EXPIRED' || row.status === 'REJECTED') assert.equal(onLedger, undefined, `${hash} was ${row.status}`)
    else assert.notEqual(row.status, 'UNKNOWN', text)
    if (row.status === 'EXPIRED') expired.add(hash)
    // The result of an earlier chain stays, even if the new one applied the transaction too.
    if (isCalm() && onLedger !== undefined && isStored) assert.ok(row.status === 'SUCCESS' || row.status === 'FAILED', text)
  }

  /** A reported outcome must already be true. */
  function checkNow({ hash }: Envelope, outcome: ReportedOutcome): void {
    const applied = truth.everywhere(hash)
    if (outcome.kind === 'success') assert.ok(isOnLedger(applied, 'SUCCESS', outcome.ledger), `${hash} was reported as successful`)
    if (outcome.kind === 'failed') assert.ok(isOnLedger(applied, 'FAILED'), `${hash} was reported as failed`)
    if (outcome.kind === 'rejected') assert.equal(truth.current(hash), undefined, `${hash} was reported as rejected and is on the ledger`)
  }

  return {
    envelopes,
    async trade(at, submitAt, { key, asset, patienceMs }) {
      // Some ids are used twice.
      const clientId = `trade-${prepares - (prepares > 0 && asset % REUSED_ONE_OF === 0 ? 1 : 0)}`
      prepares += 1
      const symbol = ASSET_SYMBOLS[asset % ASSET_SYMBOLS.length] ?? 'BTC'
      const body = { op: 'open_position', asset: symbol, collateral: '200000000', leverage: 2, direction: asset % 2 === 0 ? 'Long' : 'Short', clientId }
      let prepared: Envelope | undefined
      await requests.send(at, '/v1/orders/prepare', { method: 'POST', body, key: key.key }, ({ status, body: response, text }) => {
        if (status === 409) {
          const holder = envelopes.find(({ hash }) => hash === response['hash'])
          return assert.ok(holder?.clientId === clientId && holder.submissions.length > 0, text)
        }
        if (status !== 200) return assert.ok([400, 401, 502, 503].includes(status), text)
        const xdr = sign(response as unknown as PreparedTransaction, wallet, network.networkPassphrase)
        const hash = Buffer.from(TransactionBuilder.fromXdr(xdr, network.networkPassphrase).hash()).toString('hex')
        // The database may fail; then the response does not confirm the id.
        assert.deepEqual([response['hash'], response['clientId']], [hash, response['stored'] === false ? null : clientId], text)
        // The same trade at the same sequence number is the same transaction, whatever its client id.
        const unsent = { submissions: [], isWithdrawn: false, isStored: false, isIdTaken: false }
        prepared = envelopes.find((known) => known.xdr === xdr) ?? { hash, xdr, clientId, ...unsent }
        if (!envelopes.includes(prepared)) envelopes.push(prepared)
      })
      if (prepared !== undefined) await send(prepared, submitAt, key, patienceMs)
    },
    async submit(at, { key, pick, patienceMs }) {
      const envelope = envelopes[pick % Math.max(1, envelopes.length)]
      if (envelope !== undefined) await send(envelope, at, key, patienceMs)
    },
    async look(at, { key, pick, byClientId }) {
      const envelope = envelopes[pick % Math.max(1, envelopes.length)]
      if (envelope === undefined) return
      const { hash, clientId } = envelope
      if (!byClientId) return await requests.send(at, `/v1/tx/${hash}`, { key: key.key }, (response) => checkRow(envelope, response))
      await requests.send(at, `/v1/tx?clientId=${clientId}`, { key: key.key }, (response) => {
        const found = envelopes.find((each) => each.hash === response.body['hash'])
        if (response.status === 200) assert.equal(found?.clientId, clientId, response.text)
        if (found !== undefined) checkRow(found, response)
      })
    },
    onSend(envelopeXdr) {
      const envelope = envelopes.find(({ xdr }) => xdr === envelopeXdr)
      assert.ok(envelope?.isWithdrawn !== true, `${envelope?.hash} was sent after a response that nothing is sent`)
    },
    checkWaitingTimes(nowMs) {
      for (const { hash, submissions } of envelopes) {
        for (const { server, startedMs, endedMs, patienceMs } of submissions) {
          if (server.isDead()) continue
          const waitedMs = (endedMs ?? nowMs) - startedMs
          assert.ok(waitedMs <= patienceMs + SEND_TIMEOUT_MS, `${hash} took ${waitedMs} ms with a poll timeout of ${patienceMs} ms`)
        }
      }
    },
    checkReported() {
      for (const hash of expired) assert.equal(truth.current(hash), undefined, `${hash} was reported as expired, and is on the ledger`)
      for (const envelope of envelopes) checkEnvelope(envelope, truth)
    },
  }
}

/** Every final outcome agrees with the ledger. A rejected transaction is on the ledger only because of another submission. */
function checkEnvelope({ hash, submissions }: Envelope, truth: LedgerTruth): void {
  const applied = truth.everywhere(hash)
  for (const submission of submissions) {
    const { outcome, endedMs } = submission
    if (outcome?.kind === 'success') assert.ok(isOnLedger(applied, 'SUCCESS', outcome.ledger), `${hash} was reported as successful`)
    if (outcome?.kind === 'failed') assert.ok(isOnLedger(applied, 'FAILED'), `${hash} was reported as failed`)
    if (outcome?.kind !== 'rejected' || truth.current(hash) === undefined) continue
    const since = endedMs ?? 0
    const byAnother = submissions.some((other) => {
      const mayBeQueued = other.outcome?.kind === 'open' || other.outcome?.kind === 'withdrawn'
      return other !== submission && ((other.endedMs ?? since) >= since || mayBeQueued)
    })
    assert.ok(byAnother, `${hash} was rejected, not submitted again, and is on the ledger`)
  }
}

/** Accepts final results, and errors while a fault may explain them. */
function readOutcome({ status, body, text }: ApiResponse, isCalm: boolean): ReportedOutcome {
  if (status === 200 && body['status'] === 'SUCCESS') return { kind: 'success', ledger: Number(body['ledger']) }
  if (status === 200 && body['status'] === 'FAILED') return { kind: 'failed' }
  if (status === 200) return { kind: 'open' }
  if (status === 400) {
    assert.equal(body['error'], 'submission_rejected', text)
    return { kind: 'rejected' }
  }
  const isNothingSent = body['error'] === 'try_again_later' || (status === 502 && String(body['message']).includes(NOTHING_SENT))
  if (isNothingSent && (!isCalm || status === 503)) return { kind: 'withdrawn' }
  assert.ok(status === 401 || ((status === 502 || status === 503) && (!isCalm || status === 503)), `a submission returned ${status} ${text}`)
  return { kind: 'open' }
}
