// Converts the account's history to CCXT's structures: orders over their whole life, fills, and movements of USDC. Pure functions.

import type { CashMovement, Fill, Order as GatewayOrder } from '../generated/resources.ts'
import { amountOf, iso8601, toNumber, toOptionalNumber } from './numbers.ts'
import { EMPTY_ORDER, symbolOf, TIME_IN_FORCE } from './parse.ts'
import type { Fee, LedgerEntry, Order, Trade } from './types.ts'

const QUOTE = 'USDC'

/** The traded quantity: an amount of the base currency and its value at the price, in USDC. */
interface Traded {
  readonly amount: number | undefined
  readonly cost: number | undefined
}

/**
 * Sizes of closes are values at the entry price, as in the position. At the price of the close, the same amount is worth the size and the profit of a long,
 * or the size less the profit of a short.
 */
function tradedBy(size: string | null, price: string | null, { pnl, direction }: { readonly pnl: string | null; readonly direction: number | null }): Traded {
  if (size === null || pnl === null || direction === null) return { amount: undefined, cost: undefined }
  const cost = String(BigInt(size) + (direction === 0 ? BigInt(pnl) : -BigInt(pnl)))
  return { amount: amountOf(cost, price), cost: toNumber(cost) }
}

function feeOf(parts: readonly (string | null)[]): Fee | undefined {
  const known = parts.filter((part) => part !== null)
  return known.length < parts.length ? undefined : { currency: QUOTE, cost: toNumber(String(known.reduce((sum, part) => sum + BigInt(part), 0n))) }
}

const STATUSES = { pending: 'open', executed: 'closed', cancelled: 'canceled' } as const

/** An order in any state of its life. */
export function parseOrderLife(order: GatewayOrder): Order {
  const { orderType, direction, placed, ended, execution, status } = order
  const timestamp = millisecondsOf(placed?.ts ?? order.createdAt)
  const endedAt = millisecondsOf(ended?.ts ?? null)
  return {
    ...EMPTY_ORDER, ...conditionsOf(order), ...amountsOf(order),
    id: String(order.orderId), info: order, timestamp, datetime: iso8601(timestamp), symbol: order.asset === null ? '' : symbolOf(order.asset),
    lastTradeTimestamp: status === 'executed' ? endedAt : undefined, lastUpdateTimestamp: endedAt,
    type: orderType === 'limit' || orderType === 'stop_limit' ? 'limit' : 'market',
    side: direction === null ? undefined : (direction === 0) === opensPosition(order) ? 'buy' : 'sell',
    average: toOptionalNumber(execution?.price),
    fee: execution === null ? undefined : feeOf([execution.fee, execution.keeperReward]), status: STATUSES[status],
  }
}

/** An order that names a position closes it. */
function opensPosition({ positionId }: GatewayOrder): boolean {
  return positionId === null
}

/** The worst price at which the order trades; null when it has no such bound. */
function priceOf({ orderType, triggerPrice, limitPrice }: GatewayOrder): string | null {
  return orderType === 'limit' ? triggerPrice : limitPrice
}

type Conditions = Pick<Order, 'price' | 'triggerPrice' | 'stopLossPrice' | 'takeProfitPrice' | 'timeInForce' | 'postOnly' | 'reduceOnly'>

function conditionsOf(order: GatewayOrder): Conditions {
  const { orderType, triggerPrice, timeInForce } = order
  const trigger = toOptionalNumber(triggerPrice)
  return {
    price: toOptionalNumber(priceOf(order)),
    triggerPrice: orderType === 'limit' ? undefined : trigger,
    stopLossPrice: orderType === 'stop_loss' ? trigger : undefined,
    takeProfitPrice: orderType === 'take_profit' ? trigger : undefined,
    timeInForce: timeInForce === null ? undefined : TIME_IN_FORCE[timeInForce],
    postOnly: timeInForce === null ? undefined : timeInForce === 'post_only',
    reduceOnly: !opensPosition(order) || order.reduceOnly === true,
  }
}

/** Returns the requested and the traded amounts of the order. An open asks for its size, a close for what it traded. */
function amountsOf(order: GatewayOrder): Pick<Order, 'amount' | 'filled' | 'remaining' | 'cost'> {
  const { execution, status, direction } = order
  const opens = opensPosition(order)
  const isExecuted = status === 'executed'
  const traded = execution === null ? undefined : tradedBy(execution.size, execution.price, { pnl: opens ? '0' : execution.pnl, direction })
  const requested = opens ? amountOf(order.size, priceOf(order)) : undefined
  const amount = opens && !isExecuted ? requested : traded?.amount ?? requested
  const filled = isExecuted ? traded?.amount : 0
  return { amount, filled, remaining: remainderOf(amount, filled, status), cost: isExecuted ? traded?.cost : 0 }
}

function remainderOf(amount: number | undefined, filled: number | undefined, status: GatewayOrder['status']): number | undefined {
  if (status === 'executed') return 0
  return amount === undefined || filled === undefined ? undefined : amount - filled
}

/** A change of a position. An order that has no id on the chain, as a market order, has its transaction's hash. */
export function parseFill(fill: Fill): Trade {
  const { kind, direction, orderId, ts, price } = fill
  const opens = kind === 'open'
  const symbol = fill.asset === null ? '' : symbolOf(fill.asset)
  const { amount, cost } = tradedBy(fill.size, price, { pnl: opens ? '0' : fill.pnl, direction })
  const fee = feeOf([fill.fee])
  return {
    id: String(fill.seq), info: fill, timestamp: ts * 1000, datetime: iso8601(ts * 1000), symbol, order: orderId === null ? fill.txHash : String(orderId),
    type: orderId === null ? 'market' : undefined, side: direction === null ? undefined : (direction === 0) === opens ? 'buy' : 'sell',
    takerOrMaker: opens ? (orderId === null ? 'taker' : 'maker') : undefined, price: price === null ? 0 : toNumber(price), amount, cost,
    fee, fees: fee === undefined ? [] : [fee],
  }
}

const LEDGER_TYPES: Readonly<Partial<Record<CashMovement['kind'], string>>> = {
  open: 'trade', close: 'trade', liquidation: 'trade', order_escrow: 'trade', order_refund: 'trade', keeper_reward: 'rebate', referral_claim: 'referral',
  fees_claimed: 'fee', other: 'transaction',
}

/** A movement of USDC between the account and the exchange. All kinds other than those above are transfers. An amount that is not known yet is undefined. */
export function parseLedgerEntry(row: CashMovement): LedgerEntry {
  const amount = row.amount === null ? undefined : BigInt(row.amount)
  return {
    id: `${row.seq}-${row.balanceOf}`, info: row, timestamp: row.ts * 1000, datetime: iso8601(row.ts * 1000),
    direction: amount === undefined ? undefined : amount < 0n ? 'out' : 'in',
    account: row.balanceOf, referenceId: row.txHash, referenceAccount: undefined, type: LEDGER_TYPES[row.kind] ?? 'transfer', currency: QUOTE,
    amount: amount === undefined ? undefined : toNumber(String(amount < 0n ? -amount : amount)), before: undefined, after: undefined, status: 'ok',
    fee: row.fee === null ? undefined : { currency: QUOTE, cost: toNumber(row.fee) },
  }
}

function millisecondsOf(seconds: number | null): number | undefined {
  return seconds === null ? undefined : seconds * 1000
}
