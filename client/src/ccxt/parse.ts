// Converts the gateway's resources to CCXT's structures. Pure functions.

import type {
  AccountState, Book, Candle, CurrentFunding, FundingRow, Instrument, MarketStats, OpenOrder, Price, RealizedTrade,
} from '../generated/resources.ts'
import type { TradeData } from '../stream-frames.ts'
import { amountOf, iso8601, toOptionalNumber, toNumber } from './numbers.ts'
import type { Balances, FundingRate, FundingRateHistory, Market, OHLCV, OpenInterest, Order, OrderBook, Position, Ticker, Trade } from './types.ts'

const QUOTE = 'USDC'

export const symbolOf = (asset: string): string => `${asset}/${QUOTE}:${QUOTE}`

/** A market is a linear swap settled in USDC. One contract is one unit of the base currency. */
export function parseMarket(instrument: Instrument): Market {
  const { symbol, base, quote, settlement, feeTiers: [tier], orderTypes: _, ...limits } = instrument
  const unlimited = { min: undefined, max: undefined }
  const rateOf = (deciBps: number | undefined): number | undefined => (deciBps === undefined ? undefined : deciBps / 100_000)
  const [price, amount] = [toNumber(limits.tickSize), toNumber(limits.amountStep)]
  return {
    id: symbol, symbol: symbolOf(symbol), base, quote, settle: settlement, baseId: base, quoteId: quote, settleId: settlement,
    type: 'swap', subType: 'linear', spot: false, margin: false, swap: true, future: false, option: false, index: false,
    active: limits.open, contract: true, linear: true, inverse: false, quanto: false,
    taker: rateOf(tier?.takerDeciBps), maker: rateOf(tier?.makerDeciBps), percentage: true, tierBased: true,
    contractSize: toNumber(limits.contractSize), expiry: undefined, expiryDatetime: undefined, strike: undefined, optionType: undefined,
    precision: { amount, price, cost: amount },
    limits: {
      amount: unlimited, price: unlimited,
      cost: { min: toOptionalNumber(limits.minNotional), max: toOptionalNumber(limits.maxNotional) },
      leverage: { min: Number(limits.leverageStep), max: limits.maxLeverage === null ? undefined : Number(limits.maxLeverage) },
    },
    marginModes: { cross: limits.marginModes.includes('cross'), isolated: limits.marginModes.includes('isolated') }, created: undefined, info: instrument,
  }
}

/** One level per side. CCXT counts in the base currency. */
export function parseBook({ bids, asks, asset, ledger }: Book): OrderBook {
  const levels = (side: Book['bids']): [number, number][] =>
    side.map(([price = '', size = '']) => [toNumber(price), toNumber(size) / toNumber(price)])
  return { symbol: symbolOf(asset), bids: levels(bids), asks: levels(asks), timestamp: undefined, datetime: undefined, nonce: ledger }
}

export function parseTicker(price: Pick<Price, 'asset' | 'price' | 'timestamp'>, stats?: MarketStats): Ticker {
  const last = toNumber(price.price)
  const timestamp = price.timestamp * 1000
  const percentage = stats?.change24h ?? undefined
  const open = percentage === undefined ? undefined : last / (1 + percentage / 100)
  return {
    symbol: symbolOf(price.asset), info: stats === undefined ? price : { price, stats }, timestamp, datetime: iso8601(timestamp),
    high: toOptionalNumber(stats?.high24h), low: toOptionalNumber(stats?.low24h), bid: undefined, bidVolume: undefined, ask: undefined, askVolume: undefined,
    vwap: undefined, open, close: last, last, previousClose: undefined, change: open === undefined ? undefined : last - open, percentage,
    average: open === undefined ? undefined : (open + last) / 2, baseVolume: undefined,
    quoteVolume: toOptionalNumber(stats?.volume24h), indexPrice: last, markPrice: last,
  }
}

/** The volume is in USDC. CCXT counts in the base currency, which prices of the interval only approximate. */
export function parseCandle({ time, open, high, low, close, volume }: Candle): OHLCV {
  return [time * 1000, open, high, low, close, toNumber(volume) / close]
}

type PricedTrade = RealizedTrade & { readonly closePrice: string }

/** The rows that are trades of their own: not those that repeat or sum up others. */
export async function* tradesOf(rows: AsyncIterable<RealizedTrade>): AsyncGenerator<PricedTrade> {
  for await (const row of rows) {
    if (row.kind !== 'adl' && row.kind !== 'cross_liquidation' && row.closePrice !== null) yield { ...row, closePrice: row.closePrice }
  }
}

/** A part of a position may be closed several times, so its transaction identifies it. */
function tradeId({ positionId, kind, txHash }: Pick<RealizedTrade, 'positionId' | 'kind' | 'txHash'>): string {
  return kind === 'reduce' || kind === 'partial_liquidation' ? `${positionId}-${kind}-${txHash}` : `${positionId}-${kind}`
}

/** The close or liquidation of a position or a part of it. Closing a long is a sell. */
export function parseTrade(trade: PricedTrade, symbol: string): Trade {
  const price = toNumber(trade.closePrice)
  const amount = amountOf(trade.size, trade.entryPrice)
  const timestamp = trade.ts * 1000
  return {
    id: tradeId(trade), info: trade, timestamp, datetime: iso8601(timestamp), symbol,
    order: typeof trade.orderId === 'number' ? String(trade.orderId) : undefined, type: undefined,
    side: trade.direction === null ? undefined : trade.direction === 0 ? 'sell' : 'buy', takerOrMaker: undefined,
    price, amount, cost: amount === undefined ? undefined : amount * price, fee: undefined, fees: [],
  }
}

/** Trades of the stream, without those that repeat others. The amount of a close is unknown: its size is at the entry price. */
export function parseStreamTrades(trades: readonly TradeData[]): Trade[] {
  return trades.filter(({ kind }) => kind !== 'adl').map(parseStreamTrade)
}

function parseStreamTrade(trade: TradeData): Trade {
  const isLong = trade.direction === null ? undefined : trade.direction === 0
  const price = toNumber(trade.price)
  const cost = trade.kind === 'open' ? toNumber(trade.size) : undefined
  return {
    id: tradeId(trade), info: trade, timestamp: trade.ts, datetime: iso8601(trade.ts), symbol: symbolOf(trade.asset),
    order: trade.orderId === undefined ? undefined : String(trade.orderId),
    type: undefined, side: isLong === undefined ? undefined : isLong === (trade.kind === 'open') ? 'buy' : 'sell', takerOrMaker: undefined,
    price, amount: cost === undefined ? undefined : cost / price, cost, fee: undefined, fees: [],
  }
}

type StatePosition = NonNullable<AccountState['positions']>[number]

export function parsePosition(position: StatePosition, orders: readonly OpenOrder[]): Position {
  const timestamp = position.openedAt * 1000
  const { size, leverage, entryPrice } = position
  const attached = (type: OpenOrder['orderType']): number | undefined =>
    toOptionalNumber(orders.find((order) => order.positionId === position.positionId && order.orderType === type)?.triggerPrice)
  return {
    id: String(position.positionId), symbol: symbolOf(position.asset), info: position, timestamp, datetime: iso8601(timestamp),
    side: position.direction === 0 ? 'long' : 'short', contracts: amountOf(size, entryPrice) ?? 0, contractSize: 1, notional: toNumber(size), leverage,
    entryPrice: toNumber(entryPrice), markPrice: toOptionalNumber(position.price), lastPrice: undefined,
    unrealizedPnl: toOptionalNumber(position.unrealizedPnl), realizedPnl: undefined, collateral: toNumber(position.collateral),
    initialMargin: toNumber(String(BigInt(size) / BigInt(leverage))),
    initialMarginPercentage: 1 / leverage, maintenanceMargin: undefined, maintenanceMarginPercentage: undefined, marginRatio: undefined,
    liquidationPrice: toOptionalNumber(position.liquidationPrice), marginMode: position.marginMode, hedged: true, percentage: undefined,
    stopLossPrice: attached('stop_loss'), takeProfitPrice: attached('take_profit'), lastUpdateTimestamp: undefined,
  }
}

export const TIME_IN_FORCE = { gtc: 'GTC', ioc: 'IOC', post_only: 'PO' } as const

/** `position`: the position that the order is attached to and closes. */
export function parseOrder(order: OpenOrder, position?: StatePosition): Order {
  const { orderType, direction, triggerPrice, limitPrice, createdAt } = order
  const opens = order.positionId === null
  const price = orderType === 'limit' ? triggerPrice : limitPrice
  const amount = opens ? amountOf(order.size, price) : amountOf(position?.size, position?.entryPrice)
  return {
    ...EMPTY_ORDER, id: String(order.orderId), info: order, timestamp: createdAt * 1000, datetime: iso8601(createdAt * 1000), symbol: symbolOf(order.asset),
    type: opens ? 'limit' : 'market', timeInForce: TIME_IN_FORCE[order.timeInForce], postOnly: order.timeInForce === 'post_only',
    reduceOnly: !opens || order.reduceOnly, side: (direction === 0) === opens ? 'buy' : 'sell', price: toOptionalNumber(price),
    triggerPrice: orderType === 'limit' ? undefined : toOptionalNumber(order.referencePrice ?? triggerPrice),
    stopLossPrice: orderType === 'stop_loss' ? toOptionalNumber(triggerPrice) : undefined,
    takeProfitPrice: orderType === 'take_profit' ? toOptionalNumber(triggerPrice) : undefined,
    amount, filled: 0, remaining: amount, cost: 0, status: 'open',
  }
}

/** Fields that orders of this exchange do not have. */
export const EMPTY_ORDER = {
  clientOrderId: undefined, lastTradeTimestamp: undefined, lastUpdateTimestamp: undefined, timeInForce: undefined, postOnly: undefined, price: undefined,
  triggerPrice: undefined, stopLossPrice: undefined, takeProfitPrice: undefined, amount: undefined, cost: undefined, average: undefined, filled: undefined,
  remaining: undefined, fee: undefined, trades: [],
}

/**
 * USDC in the wallet is free; the collateral of positions and orders and the cross pool are used. XLM and LP tokens have only a total, because the network
 * reserves a part of them.
 */
export function parseBalance(state: AccountState): Balances {
  const { balances, cross, positions, orders } = state
  const parts = positions === null || orders === null || cross.pool === null ? null
    : [cross.pool, ...positions.map(({ collateral }) => collateral), ...orders.map(({ collateral }) => collateral ?? '0')]
  const used = parts === null ? undefined : parts.reduce((sum, part) => sum + BigInt(part), 0n)
  const free = balances.usdc === null ? undefined : BigInt(balances.usdc)
  const number = (units: bigint | undefined): number | undefined => (units === undefined ? undefined : toNumber(String(units)))
  const [freeUsdc, usedUsdc] = [number(free), number(used)]
  const only = (units: string | null): Balances[string] => ({ free: undefined, used: undefined, total: toOptionalNumber(units) })
  const byCode: Record<string, Balances[string]> = {
    // The sum of the two floats, not the float of their sum: CCXT adds the floats and compares.
    [QUOTE]: { free: freeUsdc, used: usedUsdc, total: freeUsdc === undefined || usedUsdc === undefined ? undefined : freeUsdc + usedUsdc },
    XLM: only(balances.xlm), LP: only(balances.lp),
  }
  const column = (name: 'free' | 'used' | 'total'): Record<string, number | undefined> =>
    Object.fromEntries(Object.entries(byCode).map(([code, figures]) => [code, figures?.[name]]))
  const timestamp = state.ledgerCloseTs === null ? undefined : state.ledgerCloseTs * 1000
  const named = { info: state, timestamp, datetime: iso8601(timestamp), free: column('free'), used: column('used'), total: column('total') }
  return { ...byCode, ...named } as Balances
}

/** Contracts of generation 1 have the same hourly rate in all markets. */
export function parseFunding(current: CurrentFunding | null, { id, symbol }: Pick<Market, 'id' | 'symbol'>): FundingRate {
  const funding = current?.assets.find(({ asset }) => asset === id)
  const appliedAt = funding?.lastTs
  const fundingTimestamp = appliedAt === null || appliedAt === undefined ? undefined : appliedAt * 1000
  return {
    symbol, info: current, fundingRate: toOptionalNumber(funding?.rate), fundingTimestamp, fundingDatetime: iso8601(fundingTimestamp), interval: '1h',
    timestamp: undefined, datetime: undefined, markPrice: undefined, indexPrice: undefined, interestRate: undefined, estimatedSettlePrice: undefined,
    nextFundingRate: undefined, nextFundingTimestamp: undefined, nextFundingDatetime: undefined,
    previousFundingRate: undefined, previousFundingTimestamp: undefined, previousFundingDatetime: undefined,
  }
}

export function parseFundingRow(row: FundingRow, symbol: string): FundingRateHistory {
  return { symbol, info: row, fundingRate: toNumber(row.fundingRate), timestamp: row.ts * 1000, datetime: iso8601(row.ts * 1000) }
}

export function parseOpenInterest(stats: MarketStats): OpenInterest {
  return {
    symbol: symbolOf(stats.asset), info: stats, openInterestAmount: undefined,
    openInterestValue: toNumber(String(BigInt(stats.openInterestLong) + BigInt(stats.openInterestShort))),
    baseVolume: undefined, quoteVolume: undefined, timestamp: undefined, datetime: undefined,
  }
}
