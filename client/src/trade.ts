// From a request to its outcome: prepared, held against what was asked for, signed, submitted until the network has decided, and read back.

import type { EventRow, SubmitResult } from './generated/resources.ts'
import { isOrder, isResting } from './calls.ts'
import type { ContractAddresses, TradeRequest } from './calls.ts'
import { backoffMs, pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { toHex } from './bytes.ts'
import type { CallTransaction } from './envelope.ts'
import { ContractFailure, ExchangeError, GatewayError, UnknownOutcome, Unreachable } from './errors.ts'
import type { SignedTransaction } from './errors.ts'
import type { CallOptions } from './http.ts'
import { createMutex } from './mutex.ts'
import { createOrderTracker } from './orders.ts'
import type { Finished, OrderOutcome } from './orders.ts'
import type { Endpoints, Lists } from './rest.ts'
import { signTransaction } from './signer.ts'
import type { Signer } from './signer.ts'
import { verifyTransaction } from './verify.ts'

export interface FinishOptions {
  /** Ends the waiting. Once something is signed it rejects with UnknownOutcome, because the transaction may be applied all the same. */
  readonly signal?: AbortSignal
  /** How long to wait for the network's decision, milliseconds; two minutes by default. */
  readonly patienceMs?: number
}

export interface TradeOptions extends FinishOptions {
  /**
   * Called with what is about to be signed, as it was read from the prepared transaction after that was found to be what was asked for: to be shown to
   * whoever signs. It is waited for; when it rejects, nothing is signed and `trade` rejects with the same.
   */
  readonly onVerified?: (transaction: CallTransaction) => void | Promise<void>
  /** Called before the transaction leaves: keep what it is given, to go on with `finish` after a crash. It is waited for. */
  readonly onSigned?: (transaction: SignedTransaction) => void | Promise<void>
  /** Refuses to sign what offers more than this for its fee, stroops; 10,000,000 (one XLM) by default. */
  readonly maxFeeStroops?: number
  /**
   * Refuses to sign what is good for longer than this, seconds by this machine's clock; 600 by default. Prepared transactions are good for 300: more is
   * for machines whose clock is off.
   */
  readonly maxValiditySec?: number
  /** How long to wait for the keeper to execute an order that rests, milliseconds; not at all by default. */
  readonly keeperTimeoutMs?: number
}

/** A trade that was made. */
export interface Traded extends Finished {
  /** The account's events of this transaction; null when they could not be read now, which takes nothing back of the trade. */
  readonly events: readonly EventRow[] | null
  /** The position that it opened, if one. */
  readonly positionId: number | null
  /** The order that it placed, and what became of it; null when it placed none. */
  readonly order: OrderOutcome | null
}

export interface Trading {
  /**
   * Makes a trade: asks the gateway to prepare it, signs it only when it is what was asked for, submits it, and waits until a ledger has it. Trades of one
   * client are made one after another, since each takes the account's next sequence number.
   *
   * Rejects with TypeError for a request that is none, with RefusedToSign, with ContractFailure when the network refuses it, with GatewayError or
   * Unreachable when nothing was signed, and with UnknownOutcome when it cannot be learnt what became of it.
   */
  trade(request: TradeRequest, options?: TradeOptions): Promise<Traded>
  /**
   * Goes on with a transaction that was signed before, in this process or an earlier one. However often it is called, the network applies the transaction
   * once. Rejects with ContractFailure when it is certain that it was refused, and with UnknownOutcome.
   */
  finish(transaction: SignedTransaction, options?: FinishOptions): Promise<Finished>
  /** Waits until the order is executed or cancelled, at most `timeoutMs`. `ledger`: one in which the order was there already. */
  awaitOrder(orderId: number, how: { readonly ledger: number; readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<OrderOutcome>
}

export interface TradingParts {
  readonly endpoints: Endpoints
  readonly lists: Lists
  readonly clock: Clock
  readonly networkPassphrase: string
  readonly signer: () => Signer
  readonly contracts: (options: CallOptions) => Promise<ContractAddresses>
}

const PATIENCE_MS = 120_000
const MAX_FEE_STROOPS = 10_000_000
/** Twice what the gateway gives: clocks may differ. */
const MAX_VALIDITY_SEC = 600
const POLL_MS = { least: 1_000, most: 30_000 }
const BACKOFF = { firstMs: 500, mostMs: 8_000 }
/** After its last moment a transaction is no longer waited for; clocks may differ by this much. */
const EXPIRY_MARGIN_SEC = 60
const TRADES_WAITING_MAX = 100

export function createTrading(parts: TradingParts): Trading {
  const { endpoints, clock } = parts
  const withLock = createMutex(TRADES_WAITING_MAX)
  const orders = createOrderTracker(parts)

  async function signed(request: TradeRequest, options: TradeOptions): Promise<SignedTransaction> {
    const call = signalOf(options)
    const signer = parts.signer()
    const contracts = await parts.contracts(call)
    const prepared = isOrder(request) ? await endpoints.prepareOrder(request, call) : await endpoints.prepareAction(request, call)
    const transaction = verifyTransaction(prepared.body.xdr, {
      request, signer: signer.address, contracts, nowMs: clock.nowMs(),
      maxFeeStroops: options.maxFeeStroops ?? MAX_FEE_STROOPS, maxValiditySec: options.maxValiditySec ?? MAX_VALIDITY_SEC,
    })
    await options.onVerified?.(transaction)
    const { hash, signedXdr } = await signTransaction(signer, transaction.bytes, parts.networkPassphrase)
    return { hash: toHex(hash), signedXdr, expiresAt: Number(transaction.maxTime) }
  }

  /** `isNew`: nobody has sent it yet. */
  async function follow(transaction: SignedTransaction, options: FinishOptions, isNew: boolean): Promise<Finished> {
    const deadlineMs = clock.nowMs() + (options.patienceMs ?? PATIENCE_MS)
    let mayBeThere = !isNew
    for (let failures = 0; ; ) {
      try {
        const pollTimeoutMs = Math.min(POLL_MS.most, Math.max(POLL_MS.least, deadlineMs - clock.nowMs()))
        const { body } = await endpoints.submitTransaction({ signedXdr: transaction.signedXdr, pollTimeoutMs }, { ...signalOf(options), attempts: 1 })
        if (body.status === 'FAILED') throw failedInLedger(body)
        if (body.status === 'SUCCESS' && body.ledger !== undefined) return { hash: transaction.hash, ledger: body.ledger }
        mayBeThere = true
        failures = 0
      } catch (error) {
        const what = classifySubmitError(error)
        // The signal's own reason, or a mistake of this client's: neither tells anything about the transaction.
        if (what === 'other') throw new UnknownOutcome(transaction, error)
        if (what === 'failed') throw error
        if (what === 'refused' && (!mayBeThere || isOver(transaction))) throw error
        if (what === 'stopped') throw mayBeThere ? new UnknownOutcome(transaction, error) : error
        if (what === 'unknown') mayBeThere = true
        failures += 1
        const waitMs = Math.max(backoffMs(failures, BACKOFF), error instanceof GatewayError ? (error.retryAfterSec ?? 0) * 1000 : 0)
        if (clock.nowMs() + waitMs >= deadlineMs) throw mayBeThere ? new UnknownOutcome(transaction, error) : error
        await pause(clock, waitMs, options.signal).catch((cause: unknown) => {
          throw new UnknownOutcome(transaction, cause)
        })
        continue
      }
      if (clock.nowMs() >= deadlineMs) throw new UnknownOutcome(transaction)
    }
  }

  function isOver({ expiresAt }: SignedTransaction): boolean {
    return clock.nowMs() / 1000 > expiresAt + EXPIRY_MARGIN_SEC
  }

  return {
    finish: (transaction, options = {}) => follow(transaction, options, false),
    awaitOrder: (orderId, how) => orders.awaitOutcome(orderId, how),
    async trade(request, options = {}) {
      const { finished, known } = await withLock(async () => {
        const known = await orders.restingOrderIds(request, signalOf(options))
        const transaction = await signed(request, options)
        await options.onSigned?.(transaction)
        return { finished: await follow(transaction, options, true), known }
      })
      // The trade is made: whatever fails from here on is no failure of it.
      const events = await orders.eventsOf(finished, signalOf(options)).catch(fallBackTo(null))
      const orderId = isResting(request) ? await orders.findPlacedOrder(request, { finished, events, known }, signalOf(options)).catch(fallBackTo(null)) : null
      const timeoutMs = options.keeperTimeoutMs ?? 0
      const outcome = (): Promise<OrderOutcome> => orderId === null
        ? Promise.resolve({ orderId, state: 'unknown' })
        : orders.awaitOutcome(orderId, { ...signalOf(options), ledger: finished.ledger, timeoutMs }).catch(fallBackTo({ orderId, state: 'unknown' } as const))
      return { ...finished, events, positionId: orders.positionOf(events), order: isResting(request) ? await outcome() : null }
    },
  }
}

function signalOf({ signal }: FinishOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function fallBackTo<T>(unknown: T): (error: unknown) => T {
  return () => unknown
}

/**
 * What a submission's error says of the transaction. `refused`: this copy was not taken, while an earlier one may have been. `later`: nothing was taken, and
 * that may change. `stopped`: nothing was taken, and asking again does not help.
 */
function classifySubmitError(error: unknown): 'failed' | 'refused' | 'later' | 'stopped' | 'unknown' | 'other' {
  if (error instanceof Unreachable) return 'unknown'
  if (error instanceof ContractFailure) return error.stage === 'ledger' ? 'failed' : 'refused'
  if (!(error instanceof GatewayError)) return error instanceof ExchangeError ? 'unknown' : 'other'
  if (error.status === 429 || error.status === 503) return 'later'
  if (error.status === 502) return typeof (error.body as { readonly hash?: unknown } | null)?.hash === 'string' ? 'unknown' : 'later'
  return error.status >= 500 ? 'unknown' : 'stopped'
}

function failedInLedger(result: SubmitResult): ContractFailure {
  const contractError = result.contractError ?? null
  const message = contractError === null ? 'the transaction failed in a ledger' : `${contractError.name} (${contractError.code})`
  return new ContractFailure(
    { status: 200, code: 'transaction_failed', message, requestId: null, body: result },
    { stage: 'ledger', contractError, hash: result.hash },
  )
}
