// Trades: prepare, verify, sign, submit until the outcome is final, then read the effects.

import type { EventRow, Fill, PreparedTransaction } from './generated/resources.ts'
import { holderOf, isSameTrade } from './earlier-trade.ts'
import { isOrder, placesOrder, priceBoundOf } from './calls.ts'
import type { ContractAddresses, TradeRequest } from './calls.ts'
import type { Clock } from './clock.ts'
import { toHex } from './bytes.ts'
import type { CallTransaction } from './envelope.ts'
import { ContractFailure, GatewayError, RefusedToSign, TransactionExpired, UNUSUAL_FEE } from './errors.ts'
import type { SignedTransaction } from './errors.ts'
import type { CallOptions } from './http.ts'
import { createMutex } from './mutex.ts'
import type { Finished, OrderOutcome, OrderTracker } from './orders.ts'
import { DEFAULT_SLIPPAGE_BPS, withAcceptablePrice, withSlippage } from './price-bound.ts'
import type { Endpoints } from './rest.ts'
import { signTransaction } from './signer.ts'
import type { Signer } from './signer.ts'
import { createSubmitter, signalOf } from './submit.ts'
import type { FinishOptions } from './submit.ts'
import type { Transactions } from './transactions.ts'
import { verifyTransaction } from './verify.ts'

export interface TradeOptions extends FinishOptions {
  /**
   * Called with the verified transaction before it is signed, to show it to the user, for example. `trade` awaits it. If it rejects, nothing is signed and
   * `trade` rejects with the same error. `advice` is what the gateway expects the transaction to do. The client cannot verify it: show it, and do not base the
   * decision to sign on it alone.
   */
  readonly onVerified?: (transaction: CallTransaction, advice: GatewayAdvice) => void | Promise<void>
  /** Called before the transaction is submitted, and awaited. Store the transaction here to `finish` it after a crash. */
  readonly onSigned?: (transaction: SignedTransaction) => void | Promise<void>
  /**
   * True: signs a transaction although the gateway warns that its fee is far above the usual one (`fee_unusual`). By default such a transaction is refused
   * with RefusedToSign. `maxFeeStroops` applies in either case.
   */
  readonly acceptUnusualFee?: boolean
  /**
   * The slippage tolerance of market opens and closes whose request has neither `acceptablePrice` nor `slippageBps`, basis points; 50 by default. The contracts
   * refuse the trade at a price further from that of the preview. Contracts of generation 1 take no bound: there the trade has none. `acceptablePrice: '0'` in
   * the request accepts any price.
   */
  readonly slippageBps?: number
  /** The highest fee to sign, stroops; 10,000,000 (one XLM) by default. */
  readonly maxFeeStroops?: number
  /**
   * The longest validity to sign, seconds by this machine's clock; 600 by default. Prepared transactions are valid for 300 seconds, so a higher limit is needed
   * only when this machine's clock is wrong.
   */
  readonly maxValiditySec?: number
  /** Maximum wait for the keeper to execute a resting order, milliseconds; 0 by default. */
  readonly keeperTimeoutMs?: number
}

/** The gateway's advice about a prepared transaction: its effect according to the simulation, and what to check before signing. */
export type GatewayAdvice = Pick<PreparedTransaction, 'preview' | 'warnings'>

/** A completed trade. */
export interface Traded extends Finished {
  /** The account's events in this transaction; null when they could not be read. The trade is complete in either case. */
  readonly events: readonly EventRow[] | null
  /**
   * Effects of the trade on the account's positions: price, size, fee, funding and PnL. Null when it could not be read; members are null that the gateway does
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
  readonly exchange: (options: CallOptions) => Promise<Exchange>
}

/** The contracts that are traded on. */
export interface Exchange {
  readonly contracts: ContractAddresses
  /** False if the gateway says that market trades take no price bound. */
  readonly takesBound: boolean
}

/** A prepared transaction that matches its request. */
interface Verified extends GatewayAdvice {
  readonly transaction: CallTransaction
}

const MAX_FEE_STROOPS = 10_000_000
/** Twice the validity of prepared transactions, because clocks differ. */
const MAX_VALIDITY_SEC = 600
const TRADES_WAITING_MAX = 100

export function createTrading(parts: TradingParts): Trading {
  const { endpoints, clock, orders } = parts
  const withLock = createMutex(TRADES_WAITING_MAX)
  const submitUntilFinal = createSubmitter(parts)

  /** False if the contracts take no price bound, as far as known. */
  let takesBound: boolean | null = null

  async function prepareAndVerify(request: TradeRequest, options: TradeOptions): Promise<Verified> {
    const call = signalOf(options)
    const { contracts } = await parts.exchange(call)
    const { body } = isOrder(request) ? await endpoints.prepareOrder(request, call) : await endpoints.prepareAction(request, call)
    const transaction = verifyTransaction(body.xdr, {
      request: withAcceptablePrice(request, body), signer: parts.signer().address, contracts, nowMs: clock.nowMs(),
      maxFeeStroops: options.maxFeeStroops ?? MAX_FEE_STROOPS, maxValiditySec: options.maxValiditySec ?? MAX_VALIDITY_SEC,
    })
    return { transaction, preview: body.preview, warnings: body.warnings }
  }

  /** With the default tolerance, wherever the contracts take a bound. */
  async function prepareBounded(request: TradeRequest, options: TradeOptions): Promise<Verified> {
    const bounded = withSlippage(request, options.slippageBps ?? DEFAULT_SLIPPAGE_BPS)
    if (bounded === request) return prepareAndVerify(request, options)
    takesBound ??= (await parts.exchange(signalOf(options))).takesBound
    try {
      if (takesBound) return await prepareAndVerify(bounded, options)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'unsupported_by_deployment') throw error
      takesBound = false
    }
    const unbounded = await prepareAndVerify(request, options)
    // Contracts without a bound refuse the argument. These take it: they are new, or the gateway was wrong.
    takesBound = priceBoundOf(request, unbounded.transaction.call) !== null
    return takesBound ? prepareAndVerify(bounded, options) : unbounded
  }

  async function prepareAndSign(request: TradeRequest, options: TradeOptions): Promise<SignedTransaction> {
    const signer = parts.signer()
    const { transaction, preview, warnings } = await prepareBounded(request, options)
    refuseUnusualFee(warnings, options)
    await options.onVerified?.(transaction, { preview, warnings })
    const { hash, signedXdr } = await signTransaction(signer, transaction.bytes, parts.networkPassphrase)
    const named = request.clientId === undefined ? {} : { clientId: request.clientId }
    return { hash: toHex(hash), signedXdr, expiresAt: Number(transaction.maxTime), ...named }
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

/** The gateway compares the fee with other nodes and with earlier ones, which the client cannot. */
function refuseUnusualFee(warnings: PreparedTransaction['warnings'], { acceptUnusualFee = false }: TradeOptions): void {
  const unusual = warnings.find(({ code }) => code === 'fee_unusual')
  if (unusual === undefined || acceptUnusualFee) return
  const expected = unusual.usualFee === undefined ? 'a usual one' : `about ${unusual.usualFee} stroops`
  throw new RefusedToSign([{ what: UNUSUAL_FEE, expected: `${expected}, or the option acceptUnusualFee`, found: `too high (${unusual.message})` }])
}

function fallBackTo<T>(value: T): (error: unknown) => T {
  return () => value
}
