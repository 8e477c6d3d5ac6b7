// Trades: prepare, verify, sign, submit until the outcome is final, then read the effects.

import type { EventRow, Fill, PreparedTransaction, SubmitResult } from './generated/resources.ts'
import { holderOf, isSameTrade } from './earlier-trade.ts'
import { isOrder, placesOrder } from './calls.ts'
import type { ContractAddresses, TradeRequest } from './calls.ts'
import { backoffMs, pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { toHex } from './bytes.ts'
import type { CallTransaction } from './envelope.ts'
import { ContractFailure, ExchangeError, GatewayError, TransactionExpired, UnknownOutcome, Unreachable } from './errors.ts'
import type { SignedTransaction } from './errors.ts'
import type { CallOptions } from './http.ts'
import { createMutex } from './mutex.ts'
import type { Finished, OrderOutcome, OrderTracker } from './orders.ts'
import { withAcceptablePrice } from './price-bound.ts'
import type { Endpoints } from './rest.ts'
import { signTransaction } from './signer.ts'
import type { Signer } from './signer.ts'
import type { Transactions } from './transactions.ts'
import { verifyTransaction } from './verify.ts'

export interface FinishOptions {
  /** Stops waiting. After signing this rejects with UnknownOutcome, because the network may still apply the transaction. */
  readonly signal?: AbortSignal
  /** How long to wait for the outcome, milliseconds; two minutes by default. */
  readonly patienceMs?: number
}

export interface TradeOptions extends FinishOptions {
  /**
   * Called with the verified transaction before it is signed, to show it to the user, for example. `trade` awaits it. If it rejects, nothing is signed and
   * `trade` rejects with the same error. `advice` is what the gateway expects the transaction to do. The client cannot verify it: show it, and do not base the
   * decision to sign on it alone.
   */
  readonly onVerified?: (transaction: CallTransaction, advice: GatewayAdvice) => void | Promise<void>
  /** Called before the transaction is submitted, and awaited. Store the transaction here to `finish` it after a crash. */
  readonly onSigned?: (transaction: SignedTransaction) => void | Promise<void>
  /** The highest fee to sign, stroops; 10,000,000 (one XLM) by default. */
  readonly maxFeeStroops?: number
  /**
   * The longest validity to sign, seconds by this machine's clock; 600 by default. Prepared transactions are valid for 300 seconds, so a higher limit is needed
   * only when this machine's clock is wrong.
   */
  readonly maxValiditySec?: number
  /** How long to wait for the keeper to execute a resting order, milliseconds; 0 by default. */
  readonly keeperTimeoutMs?: number
}

/** What the gateway says about a prepared transaction: its effect according to the simulation, and what to check before signing. */
export type GatewayAdvice = Pick<PreparedTransaction, 'preview' | 'warnings'>

/** A completed trade. */
export interface Traded extends Finished {
  /** The account's events in this transaction; null when they could not be read. The trade is complete in either case. */
  readonly events: readonly EventRow[] | null
  /**
   * What the trade did to the account's positions: price, size, fee, funding and PnL. Null when it could not be read; members are null that the gateway does
   * not know yet.
   */
  readonly fills: readonly Fill[] | null
  /** The position that the trade opened, else the first that its events name; null without such an event. */
  readonly positionId: number | null
  /** The order that the trade placed, and its outcome; null when it placed none. */
  readonly order: OrderOutcome | null
}

export interface Trading {
  /**
   * Trades: has the gateway prepare the transaction, verifies and signs it, submits it, and waits until it is in a ledger. A client makes one trade at a time,
   * because each uses the account's next sequence number.
   *
   * With a `clientId` in the request, a repetition after a crash does not trade again: if an earlier transaction with this id did the same, `trade` returns
   * its result. If it did something else, failed, or cannot be compared, `trade` rejects with GatewayError `client_id_in_use`, whose `body.hash` names it.
   *
   * Rejects with TypeError for an invalid request, RefusedToSign when the transaction does not match it, ContractFailure when the transaction fails,
   * GatewayError or Unreachable when nothing was signed, and UnknownOutcome when the outcome cannot be determined; NotFinal when that is so for an earlier
   * transaction with the same `clientId`.
   */
  trade(request: TradeRequest, options?: TradeOptions): Promise<Traded>
  /**
   * Submits a signed transaction again, from this process or an earlier one, and waits for its outcome. The network applies the transaction at most once.
   * Rejects with ContractFailure when it certainly failed, and with UnknownOutcome.
   */
  finish(transaction: SignedTransaction, options?: FinishOptions): Promise<Finished>
  /** Waits until the order is executed or cancelled, at most `timeoutMs`. `ledger`: a ledger in which the order already existed. */
  awaitOrder(orderId: number, options: { readonly ledger: number; readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<OrderOutcome>
}

export interface TradingParts {
  readonly endpoints: Endpoints
  readonly transactions: Transactions
  readonly orders: OrderTracker
  readonly clock: Clock
  readonly networkPassphrase: string
  readonly signer: () => Signer
  readonly contracts: (options: CallOptions) => Promise<ContractAddresses>
}

const PATIENCE_MS = 120_000
const MAX_FEE_STROOPS = 10_000_000
/** Twice the validity of prepared transactions, because clocks differ. */
const MAX_VALIDITY_SEC = 600
const POLL_MS = { min: 1_000, max: 30_000 }
const BACKOFF = { firstMs: 500, maxMs: 8_000 }
/** Clocks may differ by this much: a transaction counts as expired this long after its expiry. */
const EXPIRY_MARGIN_SEC = 60
const TRADES_WAITING_MAX = 100

export function createTrading(parts: TradingParts): Trading {
  const { endpoints, clock, orders } = parts
  const withLock = createMutex(TRADES_WAITING_MAX)

  async function prepareAndSign(request: TradeRequest, options: TradeOptions): Promise<SignedTransaction> {
    const call = signalOf(options)
    const signer = parts.signer()
    const contracts = await parts.contracts(call)
    const prepared = isOrder(request) ? await endpoints.prepareOrder(request, call) : await endpoints.prepareAction(request, call)
    const transaction = verifyTransaction(prepared.body.xdr, {
      request: withAcceptablePrice(request, prepared.body), signer: signer.address, contracts, nowMs: clock.nowMs(),
      maxFeeStroops: options.maxFeeStroops ?? MAX_FEE_STROOPS, maxValiditySec: options.maxValiditySec ?? MAX_VALIDITY_SEC,
    })
    const { preview, warnings } = prepared.body
    await options.onVerified?.(transaction, { preview, warnings })
    const { hash, signedXdr } = await signTransaction(signer, transaction.bytes, parts.networkPassphrase)
    const named = request.clientId === undefined ? {} : { clientId: request.clientId }
    return { hash: toHex(hash), signedXdr, expiresAt: Number(transaction.maxTime), ...named }
  }

  /** Submits the transaction until its outcome is final. `isNew`: it was not submitted before. */
  async function submitUntilFinal(transaction: SignedTransaction, options: FinishOptions, isNew: boolean): Promise<Finished> {
    const deadlineMs = clock.nowMs() + (options.patienceMs ?? PATIENCE_MS)
    /** Whether the network may have an earlier copy of the transaction. */
    let mayBePending = !isNew
    let failures = 0

    /** Waits before the next attempt; throws when there is none. */
    async function onFailure(error: unknown): Promise<void> {
      const kind = classifySubmitError(error)
      // `other` is an abort, or a bug in this client. Neither says anything about the transaction.
      const isUndetermined = kind === 'other' || (kind === 'permanent' && mayBePending)
      if (isFinal(kind, transaction, mayBePending)) throw isUndetermined ? new UnknownOutcome(transaction, error) : error
      if (kind === 'unknown') mayBePending = true
      failures += 1
      const waitMs = Math.max(backoffMs(failures, BACKOFF), error instanceof GatewayError ? (error.retryAfterSec ?? 0) * 1000 : 0)
      if (clock.nowMs() + waitMs >= deadlineMs) throw mayBePending ? new UnknownOutcome(transaction, error) : error
      try {
        await pause(clock, waitMs, options.signal)
      } catch (cause) {
        throw new UnknownOutcome(transaction, cause)
      }
    }

    for (;;) {
      let finished: Finished | null
      try {
        finished = await submitOnce(transaction, options, deadlineMs)
      } catch (error) {
        await onFailure(error)
        continue
      }
      if (finished !== null) return finished
      mayBePending = true
      failures = 0
      if (clock.nowMs() >= deadlineMs) throw new UnknownOutcome(transaction)
    }
  }

  /** Submits the transaction and waits for its ledger; null when the gateway reports no outcome yet. Throws ContractFailure when it failed in a ledger. */
  async function submitOnce(transaction: SignedTransaction, options: FinishOptions, deadlineMs: number): Promise<Finished | null> {
    const { hash, signedXdr, clientId } = transaction
    const pollTimeoutMs = Math.min(POLL_MS.max, Math.max(POLL_MS.min, deadlineMs - clock.nowMs()))
    const submission = { signedXdr, pollTimeoutMs, ...(clientId === undefined ? {} : { clientId }) }
    const { body } = await endpoints.submitTransaction(submission, { ...signalOf(options), attempts: 1 })
    if (body.status === 'FAILED') throw failedInLedger(body)
    return body.status === 'SUCCESS' && body.ledger !== undefined ? { hash, ledger: body.ledger } : null
  }

  /** Whether another submission cannot help. A rejection is final only when no earlier copy can still be applied. */
  function isFinal(kind: SubmitErrorKind, transaction: SignedTransaction, mayBePending: boolean): boolean {
    return kind === 'rejected' ? !mayBePending || isExpired(transaction) : kind === 'other' || kind === 'failed' || kind === 'permanent'
  }

  function isExpired({ expiresAt }: SignedTransaction): boolean {
    return clock.nowMs() / 1000 > expiresAt + EXPIRY_MARGIN_SEC
  }

  return {
    finish: (transaction, options = {}) => submitUntilFinal(transaction, options, false),
    awaitOrder: (orderId, options) => orders.awaitOutcome(orderId, options),
    async trade(request, options = {}) {
      try {
        const { finished, previousOrderIds } = await withLock(async () => {
          const restingOrderIds = await orders.restingOrderIds(request, signalOf(options))
          const transaction = await prepareAndSign(request, options)
          await options.onSigned?.(transaction)
          return { finished: await submitUntilFinal(transaction, options, true), previousOrderIds: restingOrderIds }
        })
        return await readEffects(request, { finished, previousOrderIds }, options)
      } catch (error) {
        const holder = holderOf(error)
        const earlier = holder === null ? null : await finishEarlier(request, holder, options)
        if (earlier === null) throw error
        return await readEffects(request, { finished: earlier, previousOrderIds: null }, options)
      }
    },
  }

  /** The earlier transaction with the request's client id; null unless it certainly did what the request asks for. */
  async function finishEarlier(request: TradeRequest, hash: string, options: TradeOptions): Promise<Finished | null> {
    try {
      const transaction = await parts.transactions.finish(hash, options)
      return await isSameTrade(request, transaction, parts, signalOf(options)) ? { hash, ledger: transaction.ledger } : null
    } catch (error) {
      if (error instanceof ContractFailure || error instanceof TransactionExpired) return null
      throw error
    }
  }

  /** The trade is complete. Failures to read its effects must not make it look failed. */
  async function readEffects(
    request: TradeRequest, { finished, previousOrderIds }: { readonly finished: Finished; readonly previousOrderIds: ReadonlySet<number> | null },
    options: TradeOptions,
  ): Promise<Traded> {
    const call = signalOf(options)
    const [events, fills] = await Promise.all([
      orders.eventsOf(finished, call).catch(fallBackTo(null)), orders.fillsOf(finished, call).catch(fallBackTo(null)),
    ])
    const done = { ...finished, events, fills, positionId: orders.positionOf(events) }
    if (!placesOrder(request)) return { ...done, order: null }
    const orderId = await orders.findPlacedOrder(request, { finished, events, previousOrderIds }, call).catch(fallBackTo(null))
    if (orderId === null) return { ...done, order: { orderId, state: 'unknown' } }
    const waiting = { ...call, ledger: finished.ledger, timeoutMs: options.keeperTimeoutMs ?? 0 }
    return { ...done, order: await orders.awaitOutcome(orderId, waiting).catch(fallBackTo({ orderId, state: 'unknown' } as const)) }
  }
}

function signalOf({ signal }: FinishOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function fallBackTo<T>(value: T): (error: unknown) => T {
  return () => value
}

/**
 * What a submission error says about the transaction. `rejected`: the network did not accept this copy, but may have accepted an earlier one. `retry`: it was
 * not submitted, and may be later. `permanent`: it was not submitted, and a retry does not help.
 */
type SubmitErrorKind = 'failed' | 'rejected' | 'retry' | 'permanent' | 'unknown' | 'other'

function classifySubmitError(error: unknown): SubmitErrorKind {
  if (error instanceof Unreachable) return 'unknown'
  if (error instanceof ContractFailure) return error.stage === 'ledger' ? 'failed' : 'rejected'
  if (!(error instanceof GatewayError)) return error instanceof ExchangeError ? 'unknown' : 'other'
  if (error.status === 429 || error.status === 503) return 'retry'
  if (error.status === 502) return typeof (error.body as { readonly hash?: unknown } | null)?.hash === 'string' ? 'unknown' : 'retry'
  return error.status >= 500 ? 'unknown' : 'permanent'
}

function failedInLedger(result: SubmitResult): ContractFailure {
  const { contractError = null, hostError = null, txResultCode = null, message = 'The transaction failed in a ledger.' } = result
  return new ContractFailure(
    { status: 200, code: 'transaction_failed', message, hint: result.message, requestId: null, body: result },
    { stage: 'ledger', contractError, hostError, txResultCode, hash: result.hash },
  )
}
