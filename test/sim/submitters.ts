// What people submit in a simulation, and what must hold of each answer: what is told as final is so on the ledger, and stays so, however often and wherever
// it is asked for.

import assert from 'node:assert/strict'
import type { Keypair } from '@stellar/stellar-sdk'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import type { Clock } from '../../src/base/clock.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import type { ApiResponse } from '../support/keys.ts'
import { sign } from '../support/traders.ts'
import type { HeldKey } from './key-holders.ts'
import type { Requests, Server } from './requests.ts'

/** Beyond the caller's own patience: a send that is never answered is given up after ten seconds, and a slice of virtual time may pass before it is seen. */
const SEND_PATIENCE_MS = 20_000

/** A signed transaction, and everything that was told about it. */
export interface Envelope {
  readonly hash: string
  readonly xdr: string
  readonly submissions: Submission[]
}

interface Submission {
  readonly server: Server
  readonly startedMs: number
  readonly patienceMs: number
  /** Null while it is not answered. */
  answeredMs: number | null
  /** What it was told; null while it was told nothing. */
  outcome: ReportedOutcome | null
}

/** `open`: nothing final. */
type ReportedOutcome = { readonly kind: 'success'; readonly ledger: number } | { readonly kind: 'failed' | 'rejected' | 'open' }

export interface Submitter {
  readonly envelopes: readonly Envelope[]
  /** Prepares a position with a key, signs it, and submits it, there or at the other process. */
  trade(at: Server, submitAt: Server, choice: { readonly key: HeldKey; readonly asset: number; readonly patienceMs: number }): Promise<void>
  /** Submits the `pick`th envelope again. */
  submit(at: Server, choice: { readonly key: HeldKey; readonly pick: number; readonly patienceMs: number }): Promise<void>
  /** Fails unless whoever waits has waited no longer than he may. */
  checkWaitingTimes(nowMs: number): void
  /** Fails unless what was told agrees with the ledger as it is in the end. */
  checkReported(): void
}

export interface SubmitterParts {
  readonly wallet: Keypair
  readonly network: LocalNetwork
  readonly requests: Requests
  readonly clock: Clock
  readonly isCalm: () => boolean
}

export function createSubmitter(parts: SubmitterParts): Submitter {
  const { wallet, network, requests, clock, isCalm } = parts
  const envelopes: Envelope[] = []

  /** What the ledger says of a transaction. */
  function truthOf(hash: string): { readonly ledger: number; readonly status: string } | undefined {
    return network.chain.history.transaction(hash)
  }

  function send(envelope: Envelope, server: Server, key: HeldKey, patienceMs: number): Promise<void> {
    const body = { signedXdr: envelope.xdr, pollTimeoutMs: patienceMs }
    const submission: Submission = { server, startedMs: clock.elapsedMs(), patienceMs, answeredMs: null, outcome: null }
    envelope.submissions.push(submission)
    return requests.send(server, '/v1/tx/submit', { method: 'POST', body, key: key.key }, (answer) => {
      submission.answeredMs = clock.elapsedMs()
      submission.outcome = readAnswer(answer, isCalm())
      checkNow(envelope, submission.outcome)
    })
  }

  /** Whatever is told must be so at this moment. */
  function checkNow({ hash }: Envelope, told: ReportedOutcome): void {
    const truth = truthOf(hash)
    if (told.kind === 'success') assert.deepEqual({ ledger: truth?.ledger, status: truth?.status }, { ledger: told.ledger, status: 'SUCCESS' }, hash)
    if (told.kind === 'failed') assert.equal(truth?.status, 'FAILED', `${hash} was told to have failed`)
    if (told.kind === 'rejected') assert.equal(truth, undefined, `${hash} was told to be rejected, and is on the ledger`)
  }

  return {
    envelopes,
    async trade(at, submitAt, { key, asset, patienceMs }) {
      const symbol = ASSET_SYMBOLS[asset % ASSET_SYMBOLS.length] ?? 'BTC'
      const body = { op: 'open_position', asset: symbol, collateral: '200000000', leverage: 2, direction: asset % 2 === 0 ? 'Long' : 'Short' }
      let prepared: Envelope | undefined
      await requests.send(at, '/v1/orders/prepare', { method: 'POST', body, key: key.key }, ({ status, body: answer, text }) => {
        if (status !== 200) return assert.ok([400, 401, 502, 503].includes(status), text)
        const xdr = sign(answer as unknown as PreparedTransaction, wallet, network.networkPassphrase)
        const hash = Buffer.from(TransactionBuilder.fromXdr(xdr, network.networkPassphrase).hash()).toString('hex')
        prepared = envelopes.find((known) => known.xdr === xdr) ?? { hash, xdr, submissions: [] }
        if (!envelopes.includes(prepared)) envelopes.push(prepared)
      })
      if (prepared !== undefined) await send(prepared, submitAt, key, patienceMs)
    },
    async submit(at, { key, pick, patienceMs }) {
      const envelope = envelopes[pick % Math.max(1, envelopes.length)]
      if (envelope !== undefined) await send(envelope, at, key, patienceMs)
    },
    checkWaitingTimes(nowMs) {
      for (const { hash, submissions } of envelopes) {
        for (const { server, startedMs, answeredMs, patienceMs } of submissions) {
          if (server.isDead()) continue
          const waitedMs = (answeredMs ?? nowMs) - startedMs
          assert.ok(waitedMs <= patienceMs + SEND_PATIENCE_MS, `${hash} was waited for ${waitedMs} ms with a patience of ${patienceMs} ms`)
        }
      }
    },
    checkReported() {
      for (const envelope of envelopes) checkEnvelope(envelope, truthOf(envelope.hash))
    },
  }
}

/** Every final answer agrees with the ledger; one that was rejected came to the ledger by another submission, if at all. */
function checkEnvelope({ hash, submissions }: Envelope, truth: { readonly ledger: number; readonly status: string } | undefined): void {
  for (const submission of submissions) {
    const { outcome: told, answeredMs } = submission
    if (told?.kind === 'success') assert.deepEqual([truth?.status, truth?.ledger], ['SUCCESS', told.ledger], hash)
    if (told?.kind === 'failed') assert.equal(truth?.status, 'FAILED', hash)
    if (told?.kind !== 'rejected' || truth === undefined) continue
    const since = answeredMs ?? 0
    const byAnother = submissions.some((other) => other !== submission && ((other.answeredMs ?? since) >= since || other.outcome?.kind === 'open'))
    assert.ok(byAnother, `${hash} was rejected, nobody submitted it again, and it is on the ledger`)
  }
}

/** Only what is final, or allowed while something is wrong, may be told. */
function readAnswer({ status, body, text }: ApiResponse, isCalm: boolean): ReportedOutcome {
  if (status === 200 && body['status'] === 'SUCCESS') return { kind: 'success', ledger: Number(body['ledger']) }
  if (status === 200 && body['status'] === 'FAILED') return { kind: 'failed' }
  if (status === 200) return { kind: 'open' }
  if (status === 400) {
    assert.equal(body['error'], 'submission_rejected', text)
    return { kind: 'rejected' }
  }
  assert.ok(status === 401 || ((status === 502 || status === 503) && (!isCalm || status === 503)), `a submission was answered with ${status} ${text}`)
  return { kind: 'open' }
}
