// The exchange with CCXT's interface: unified symbols, structures and errors over the client.

import type { AccountState, Order as OrderRow, Transaction } from '../generated/resources.ts'
import type { OrderChangeData } from '../stream-frames.ts'
import type { Key } from '../http.ts'
import { requireKey, requireSigner } from './connection.ts'
import { ArgumentsRequired, BadRequest, ExchangeClosedByUser, ExchangeError, InvalidOrder, NotSupported, OrderNotFound } from './errors.ts'
import { collectRows, intervalOf, PAGE_MAX, positionsOf, rowsOf } from './lists.ts'
import { MarketData } from './market-data.ts'
import { toTradeRequest } from './order-requests.ts'
import type { OrderParams } from './order-requests.ts'
import { isMarketTrade, parseTransactionOrder, toOrder } from './order-results.ts'
import { parseFill, parseLedgerEntry, parseOrderLife } from './parse-history.ts'
import { parseBalance, parseCandle, parseOrder, parseStreamTrades, parseTicker } from './parse.ts'
import type { Balances, LedgerEntry, OHLCV, Order, Position, Ticker, Trade } from './types.ts'
import { createWatcher } from './watcher.ts'
import type { Watcher } from './watcher.ts'

type Amount = number | string
const ROWS_DEFAULT = 100
/** The widest tolerance of a market order; resting orders may have 10,000. */
const MARKET_SLIPPAGE_MAX_BPS = 5_000
const ORDER_ID = /^\d{1,15}$/
const TRANSACTION_HASH = /^[0-9a-f]{64}$/

/** A class, unlike the rest of the client, because programs for CCXT call `new`. */
export class PerpetualExchange extends MarketData {
  readonly #leverages = new Map<string, number>()
  #watcher: Watcher | null = null
  #isClosed = false

  // The account

  /** Creates an API key by signing a challenge, and uses it from then on. */
  async signIn(): Promise<{ readonly apiKey: string; readonly secret: string }> {
    return this.withClient(async (client) => {
      requireSigner(this.config)
      const { keyId, secret } = await client.login()
      return { apiKey: keyId, secret }
    })
  }

  async fetchBalance(): Promise<Balances> {
    return parseBalance(await this.#state())
  }

  async fetchPositions(symbols?: readonly string[]): Promise<Position[]> {
    const wanted = await this.symbolsOf(symbols)
    return positionsOf(await this.#state()).filter(({ symbol }) => wanted.has(symbol))
  }

  async fetchOpenOrders(symbol?: string, since?: number, limit?: number): Promise<Order[]> {
    const wanted = await this.symbolsOf(symbol === undefined ? undefined : [symbol])
    const { orders, positions } = await this.#state()
    if (orders === null) throw new ExchangeError('The orders are not available.')
    return orders.map((order) => parseOrder(order, positions?.find(({ positionId }) => positionId === order.positionId)))
      .filter((order) => wanted.has(order.symbol) && (order.timestamp ?? 0) >= (since ?? 0)).reverse().slice(0, limit)
  }

  /** An order in any state of its life. Market orders have no id on the chain: theirs is the hash of their transaction. */
  async fetchOrder(id: string | undefined, symbol?: string, { clientOrderId }: { readonly clientOrderId?: string } = {}): Promise<Order> {
    return this.withClient(async (client) => {
      if (clientOrderId !== undefined) return orderOf((await client.findTransaction({ clientId: clientOrderId })).body)
      if (id !== undefined && TRANSACTION_HASH.test(id)) return orderOf((await client.getTransaction({ hash: id })).body)
      if (id === undefined || !ORDER_ID.test(id)) throw new InvalidOrder(`${id} is neither an order id nor the hash of a transaction`)
      return (await this.#withTerms([parseOrderLife((await client.getOrder({ orderId: Number(id) })).body)]))[0] as Order

      async function orderOf(transaction: Transaction): Promise<Order> {
        requireKey(client)
        const { orderId, op, clientId } = transaction
        // A trade at the market names the orders that ended with the position that it closed.
        if (orderId === null || isMarketTrade(op)) return parseTransactionOrder(transaction, symbol)
        return { ...parseOrderLife((await client.getOrder({ orderId })).body), clientOrderId: clientId ?? undefined }
      }
    })
  }

  /** Orders in any state, by placement. Market orders are not among them: `fetchMyTrades` lists what they did. */
  async fetchOrders(symbol?: string, since?: number, limit = ROWS_DEFAULT): Promise<Order[]> {
    return this.#ordersOf({}, symbol, since, limit)
  }

  /** Executed orders. */
  async fetchClosedOrders(symbol?: string, since?: number, limit = ROWS_DEFAULT): Promise<Order[]> {
    return this.#ordersOf({ status: 'executed' }, symbol, since, limit)
  }

  async fetchCanceledOrders(symbol?: string, since?: number, limit = ROWS_DEFAULT): Promise<Order[]> {
    return this.#ordersOf({ status: 'cancelled' }, symbol, since, limit)
  }

  /** Every change of a position: openings, closes and liquidations, whole or in part. One of an unknown market is always among them. */
  async fetchMyTrades(symbol?: string, since?: number, limit = ROWS_DEFAULT): Promise<Trade[]> {
    await this.loadMarkets()
    return this.withClient(async (client) => {
      requireKey(client)
      const fills = client.rows('listAccountFills', { limit: PAGE_MAX })
      return collectRows(symbol === undefined ? fills : rowsOf(fills, this.market(symbol).id), parseFill, since, limit)
    })
  }

  /** Movements of USDC between the account and the exchange. */
  async fetchLedger(code?: string, since?: number, limit = ROWS_DEFAULT): Promise<LedgerEntry[]> {
    if (code !== undefined && code !== 'USDC') throw new BadRequest(`The ledger has USDC only, not ${code}.`)
    return this.withClient(async (client) => {
      requireKey(client)
      return collectRows(client.rows('listAccountLedger', { limit: PAGE_MAX }), parseLedgerEntry, since, limit)
    })
  }

  /** Sets the leverage of future orders. Each position keeps the leverage that it was opened with. */
  async setLeverage(leverage: number, symbol: string): Promise<{ readonly symbol: string; readonly leverage: number }> {
    const market = await this.marketOf(symbol)
    if (!Number.isInteger(leverage) || leverage < 1) throw new BadRequest(`leverage must be a whole number of at least 1, not ${leverage}`)
    this.#leverages.set(market.symbol, leverage)
    return { symbol: market.symbol, leverage }
  }

  /**
   * `amount` is in the base currency, `price` triggers a limit order. Market orders execute at the oracle price; `params.cost` sets their size in USDC
   * instead of `amount`. `params.reduceOnly` or `params.positionId` closes a position: completely, or an `amount` of it.
   */
  async createOrder(symbol: string, type: string, side: 'buy' | 'sell', amount?: Amount, price?: Amount, params: OrderParams = {}): Promise<Order> {
    const market = await this.marketOf(symbol)
    const leverage = params.leverage ?? this.#leverages.get(market.symbol)
    const slippage = params.slippageToleranceBps ?? this.config.options?.slippageToleranceBps
    const all: OrderParams = {
      ...params, ...(leverage === undefined ? {} : { leverage }), ...(slippage === undefined ? {} : { slippageToleranceBps: slippage }),
    }
    return this.withClient(async (client) => {
      requireKey(client)
      requireSigner(this.config)
      const request = await toTradeRequest({ market, type, side, amount, price, params: all }, {
        price: async (asset) => (await client.getMarketPrice({ asset })).body.price,
        positions: async () => (await this.#state()).positions ?? [],
      })
      const { clientOrderId, keeperTimeoutMs } = params
      const named = clientOrderId === undefined ? request : { ...request, clientId: clientOrderId }
      const traded = await client.trade(named, {
        ...(keeperTimeoutMs === undefined ? {} : { keeperTimeoutMs }),
        ...(slippage === undefined ? {} : { slippageBps: Math.min(slippage, MARKET_SLIPPAGE_MAX_BPS) }),
      })
      return { ...toOrder({ market, side, request, traded }), clientOrderId }
    })
  }

  createMarketOrder(symbol: string, side: 'buy' | 'sell', amount: Amount, price?: Amount, params: OrderParams = {}): Promise<Order> {
    return this.createOrder(symbol, 'market', side, amount, price, params)
  }

  createMarketOrderWithCost(symbol: string, side: 'buy' | 'sell', cost: Amount, params: OrderParams = {}): Promise<Order> {
    return this.createOrder(symbol, 'market', side, undefined, undefined, { ...params, cost })
  }

  createLimitOrder(symbol: string, side: 'buy' | 'sell', amount: Amount, price: Amount, params: OrderParams = {}): Promise<Order> {
    return this.createOrder(symbol, 'limit', side, amount, price, params)
  }

  createStopLimitOrder(symbol: string, side: 'buy' | 'sell', amount: Amount, price: Amount, triggerPrice: Amount, params: OrderParams = {}): Promise<Order> {
    return this.createOrder(symbol, 'limit', side, amount, price, { ...params, triggerPrice })
  }

  async cancelOrder(id: string, symbol?: string): Promise<Order> {
    const market = symbol === undefined ? undefined : await this.marketOf(symbol)
    if (!ORDER_ID.test(id)) throw new InvalidOrder(`${id} is not an order id`)
    return this.withClient(async (client) => {
      requireKey(client)
      requireSigner(this.config)
      const resting = (await this.fetchOpenOrders(market?.symbol)).find((order) => order.id === id)
      const traded = await client.trade({ op: 'cancel_order', orderId: id })
      if (resting === undefined) throw new ExchangeError(`Order ${id} was cancelled (${traded.hash}), but its details are unknown.`)
      return { ...resting, status: 'canceled', info: traded }
    })
  }

  /** Cancels all open orders, of one market or of all, one after the other. Returns the cancelled ones: an order that has ended by itself is not among them. */
  async cancelAllOrders(symbol?: string): Promise<Order[]> {
    const cancelled: Order[] = []
    for (const order of await this.fetchOpenOrders(symbol)) {
      const { id } = order
      if (id === undefined) continue
      try {
        cancelled.push(await this.cancelOrder(id))
      } catch (error) {
        if (!(error instanceof OrderNotFound)) throw error
      }
    }
    return cancelled
  }

  /**
   * Closes a position: the one of `params.positionId`, or the only one on that side. Without a side, the only one in the market; refuses with
   * ArgumentsRequired when long and short positions are open.
   */
  async closePosition(symbol: string, side?: 'long' | 'short', params: OrderParams = {}): Promise<Order> {
    const closed = side ?? (await this.#sideToClose(symbol, params))
    return this.createOrder(symbol, 'market', closed === 'long' ? 'sell' : 'buy', undefined, undefined, { ...params, reduceOnly: true })
  }

  // The stream

  async watchTicker(symbol: string): Promise<Ticker> {
    const market = await this.marketOf(symbol)
    const frames = await (await this.#watching()).next(`ticker.${market.id}`)
    const last = frames.at(-1)
    if (last === undefined) throw new ExchangeError('The stream returned no price.')
    return parseTicker(last.data)
  }

  /** Openings, closes and liquidations as they happen. The amount is unknown: it follows from the entry price. */
  async watchTrades(symbol: string): Promise<Trade[]> {
    const market = await this.marketOf(symbol)
    const watching = await this.#watching()
    for (;;) {
      const trades = parseStreamTrades((await watching.next(`trades.${market.id}`)).map(({ data }) => data))
      if (trades.length > 0) return trades
    }
  }

  async watchOHLCV(symbol: string, timeframe = '1m'): Promise<OHLCV[]> {
    const market = await this.marketOf(symbol)
    const frames = await (await this.#watching()).next(`candles.${market.id}.${intervalOf(timeframe)}`)
    // Only the last update of each candle.
    return [...new Map(frames.map(({ data }) => [data.time, parseCandle(data)])).values()]
  }

  /** Orders that were placed, executed or cancelled since the previous call, each as of its event. An order of an unknown market is always among them. */
  async watchOrders(symbol?: string): Promise<Order[]> {
    const wanted = await this.#wantedBy(symbol)
    for (;;) {
      const rows = await this.#watchAccount('orders', (data) => (data.kind === 'order' ? parseOrderLife(data.row) : undefined))
      const found = (await this.#withTerms(rows)).filter(wanted)
      if (found.length > 0) return found
    }
  }

  /** Changes of positions since the previous call. */
  async watchMyTrades(symbol?: string): Promise<Trade[]> {
    const wanted = await this.#wantedBy(symbol)
    for (;;) {
      const rows = await this.#watchAccount('fills', (data) => (data.kind === 'fill' && data.again === undefined ? parseFill(data.row) : undefined))
      const found = rows.filter(wanted)
      if (found.length > 0) return found
    }
  }

  /** The open positions after the account's next event. */
  async watchPositions(symbols?: readonly string[]): Promise<Position[]> {
    const wanted = await this.symbolsOf(symbols)
    const channel = `account.events.${await this.#owner()}` as const
    await (await this.#watching()).next(channel)
    return positionsOf(await this.#state()).filter(({ symbol }) => wanted.has(symbol))
  }

  /** Closes the stream. Pending watch calls reject with ExchangeClosedByUser. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#watcher?.close()
    this.#watcher = null
  }

  // Not supported

  fetchL2OrderBook(_symbol: string): Promise<never> {
    return this.#notSupported('fetchL2OrderBook', 'there is no order book')
  }

  watchOrderBook(_symbol: string): Promise<never> {
    return this.#notSupported('watchOrderBook', 'there is no order book')
  }

  editOrder(_id: string): Promise<never> {
    return this.#notSupported('editOrder', 'cancel the order and place a new one')
  }

  #notSupported(method: string, reason: string): Promise<never> {
    return Promise.reject(new NotSupported(`${this.id} ${method}() is not supported: ${reason}`))
  }

  async #state(): Promise<AccountState> {
    return this.withClient(async (client) => {
      requireKey(client)
      return (await client.getAccountState()).body
    })
  }

  async #owner(): Promise<string> {
    return this.withClient(async (client) => {
      requireKey(client)
      return (await client.getAccountIdentity()).body.owner
    })
  }

  async #ordersOf(filter: { readonly status?: OrderRow['status'] }, symbol: string | undefined, since: number | undefined, limit: number): Promise<Order[]> {
    const asset = symbol === undefined ? {} : { asset: (await this.marketOf(symbol)).id }
    return this.withClient(async (client) => {
      requireKey(client)
      return this.#withTerms(await collectRows(client.rows('listAccountOrderHistory', { ...filter, ...asset, limit: PAGE_MAX }), parseOrderLife, since, limit))
    })
  }

  /** The gateway learns the terms of a new order a moment after its placement. Until then, they come from the account's open orders. */
  async #withTerms(orders: readonly Order[]): Promise<Order[]> {
    const isIncomplete = ({ status, amount }: Order): boolean => status === 'open' && amount === undefined
    if ((await this.#key()) === null || !orders.some(isIncomplete)) return [...orders]
    const open = new Map((await this.fetchOpenOrders()).map((order) => [order.id, order]))
    return orders.map((order) => (isIncomplete(order) ? open.get(order.id) ?? order : order))
  }

  async #key(): Promise<Key | null> {
    return this.withClient((client) => Promise.resolve(client.key()))
  }

  /** Waits for the account's next frames and returns the rows that `select` takes from them. Each `reader` gets the frames since its previous call. */
  async #watchAccount<Row>(reader: string, select: (data: OrderChangeData) => Row | undefined): Promise<readonly Row[]> {
    const frames = await (await this.#watching()).next(`account.orders.${await this.#owner()}`, reader)
    return frames.map(({ data }) => select(data)).filter((row) => row !== undefined)
  }

  async #wantedBy(symbol: string | undefined): Promise<(row: { readonly symbol: string }) => boolean> {
    const wanted = symbol === undefined ? undefined : (await this.marketOf(symbol)).symbol
    return (row) => wanted === undefined || row.symbol === wanted || row.symbol === ''
  }

  async #sideToClose(symbol: string, { positionId }: OrderParams): Promise<'long' | 'short'> {
    const open = (await this.fetchPositions([symbol])).filter(({ id }) => positionId === undefined || id === String(positionId))
    const [side, other] = new Set(open.map((position) => position.side))
    if (side === undefined) throw new InvalidOrder(`No position in ${symbol} to close.`)
    if (other !== undefined) throw new ArgumentsRequired(`Long and short positions are open in ${symbol}. Pass the side, or params.positionId.`)
    return side
  }

  async #watching(): Promise<Watcher> {
    return this.withClient(async (client) => {
      if (this.#isClosed) throw new ExchangeClosedByUser(`${this.id} is closed.`)
      return (this.#watcher ??= createWatcher(client.stream()))
    })
  }
}
