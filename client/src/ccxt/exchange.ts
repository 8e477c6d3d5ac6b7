// The exchange with CCXT's interface: unified symbols, structures and errors over the client.

import type { Client } from '../client.ts'
import type { AccountState } from '../generated/resources.ts'
import { connect, requireKey, requireSigner } from './connection.ts'
import type { ExchangeConfig } from './connection.ts'
import { DESCRIPTION, HAS, TIMEFRAMES } from './description.ts'
import { ArgumentsRequired, BadRequest, BadSymbol, ExchangeClosedByUser, ExchangeError, InvalidOrder, NotSupported, toCcxtError } from './errors.ts'
import { iso8601 } from './numbers.ts'
import { intervalOf, collectRows, fundingOf, PAGE_MAX, PAGES_MAX, positionsOf } from './lists.ts'
import { toTradeRequest } from './order-requests.ts'
import type { OrderParams } from './order-requests.ts'
import { toOrder } from './order-results.ts'
import {
  parseBalance, parseCandle, parseFunding, parseFundingRow, parseMarket, parseOpenInterest, parseOrder, parseStreamTrade, parseTicker, parseTrade, symbolOf,
  tradesOf,
} from './parse.ts'
import type {
  Balances, Currency, FundingRate, FundingRateHistory, Market, OHLCV, OpenInterest, Order, Position, Status, Ticker, Trade,
} from './types.ts'
import { createWatcher } from './watcher.ts'
import type { Watcher } from './watcher.ts'

type Amount = number | string
const CANDLES_PAGE = 500

/** A class, unlike the rest of the client, because programs for CCXT call `new`. */
export class PerpetualExchange {
  readonly id = DESCRIPTION.id
  readonly name = DESCRIPTION.name
  readonly has = HAS
  readonly timeframes = TIMEFRAMES
  readonly precisionMode = DESCRIPTION.precisionMode
  readonly urls: { readonly api: string }
  markets: Record<string, Market> = {}
  symbols: string[] = []
  currencies: Record<string, Currency> = {}
  readonly #config: ExchangeConfig
  readonly #leverages = new Map<string, number>()
  #client: Promise<Client> | null = null
  #loading: Promise<Record<string, Market>> | null = null
  #watcher: Watcher | null = null
  #isClosed = false

  constructor(config: ExchangeConfig = {}) {
    this.#config = config
    this.urls = { api: config.urls?.api ?? DESCRIPTION.urls.api }
  }

  describe(): typeof DESCRIPTION {
    return DESCRIPTION
  }

  // The exchange

  async loadMarkets(reload = false): Promise<Record<string, Market>> {
    if (reload) this.#loading = null
    this.#loading ??= this.fetchMarkets().then((markets) => this.setMarkets(markets))
    const loading = this.#loading
    return loading.catch((error: unknown) => {
      this.#loading = null
      throw error
    })
  }

  setMarkets(markets: readonly Market[]): Record<string, Market> {
    this.markets = Object.fromEntries(markets.map((market) => [market.symbol, market]))
    this.symbols = Object.keys(this.markets)
    const codes = [...new Set(markets.flatMap(({ base, settle }) => [base, settle])), 'LP']
    this.currencies = Object.fromEntries(codes.map((code) => [code, { id: code, code, name: undefined, precision: 1e-7, active: undefined, info: undefined }]))
    return this.markets
  }

  /** The market of a symbol or an id like `BTC`. Throws BadSymbol for unknown markets and before `loadMarkets`. */
  market(symbol: string): Market {
    const market = this.markets[symbol] ?? this.markets[symbolOf(symbol)]
    if (market !== undefined) return market
    throw new BadSymbol(this.symbols.length === 0 ? 'The markets are not loaded.' : `${this.id} has no market ${symbol}`)
  }

  iso8601(ms?: number): string | undefined {
    return iso8601(ms)
  }

  async fetchMarkets(): Promise<Market[]> {
    return this.#withClient(async (client) => {
      const { markets } = (await client.listMarkets()).body
      return Promise.all(markets.map(async (market) => parseMarket(market, (await client.getMarketLimits({ asset: market.asset.symbol })).body)))
    })
  }

  async fetchTime(): Promise<number> {
    return this.#withClient(async (client) => (await client.udfTime()).body * 1000)
  }

  async fetchStatus(): Promise<Status> {
    return this.#withClient(async (client) => {
      const { body } = await client.getHealth()
      const isOperating = body.indexer.marketFound !== false
      return { status: isOperating ? 'ok' : 'maintenance', updated: body.indexer.lastUpdatedAt ?? undefined, eta: undefined, url: undefined, info: body }
    })
  }

  async fetchTicker(symbol: string): Promise<Ticker> {
    const market = await this.#marketOf(symbol)
    const ticker = (await this.fetchTickers([market.symbol]))[market.symbol]
    if (ticker === undefined) throw new ExchangeError(`The price of ${symbol} is not available.`)
    return ticker
  }

  async fetchTickers(symbols?: readonly string[]): Promise<Record<string, Ticker>> {
    const wanted = await this.#symbolsOf(symbols)
    return this.#withClient(async (client) => {
      const [prices, stats] = await Promise.all([client.listOraclePrices(), client.listMarketStats()])
      const tickers = prices.body.prices.map((price) => parseTicker(price, stats.body.stats.find(({ asset }) => asset === price.asset)))
      return Object.fromEntries(tickers.filter(({ symbol }) => wanted.has(symbol)).map((ticker) => [ticker.symbol, ticker]))
    })
  }

  /** Candles of oracle prices. They have no volume. */
  async fetchOHLCV(symbol: string, timeframe = '1m', since?: number, limit = CANDLES_PAGE): Promise<OHLCV[]> {
    const market = await this.#marketOf(symbol)
    const interval = intervalOf(timeframe)
    return this.#withClient(async (client) => {
      let candles: OHLCV[] = []
      let pages = 0
      for await (const { body } of client.pages('listCandles', { asset: market.id, interval, limit: CANDLES_PAGE })) {
        candles = [...body.candles.map(parseCandle), ...candles]
        const isEnough = since === undefined ? candles.length >= limit : (candles[0]?.[0] ?? 0) <= since
        if (isEnough || ++pages >= PAGES_MAX) break
      }
      return since === undefined ? candles.slice(-limit) : candles.filter(([time]) => time >= since).slice(0, limit)
    })
  }

  /** Closed and liquidated positions. Only `watchTrades` includes openings. */
  async fetchTrades(symbol: string, since?: number, limit = 100): Promise<Trade[]> {
    return this.#trades(symbol, {}, since, limit)
  }

  async fetchOpenInterest(symbol: string): Promise<OpenInterest> {
    const market = await this.#marketOf(symbol)
    const interest = (await this.fetchOpenInterests([market.symbol]))[market.symbol]
    if (interest === undefined) throw new BadSymbol(`${this.id} has no market ${symbol}`)
    return interest
  }

  async fetchOpenInterests(symbols?: readonly string[]): Promise<Record<string, OpenInterest>> {
    const wanted = await this.#symbolsOf(symbols)
    return this.#withClient(async (client) => {
      const interests = (await client.listMarketStats()).body.stats.map(parseOpenInterest)
      return Object.fromEntries(interests.filter(({ symbol }) => wanted.has(symbol)).map((interest) => [interest.symbol, interest]))
    })
  }

  async fetchFundingRate(symbol: string): Promise<FundingRate> {
    const market = await this.#marketOf(symbol)
    return this.#withClient(async (client) => parseFunding((await client.getFunding({ limit: 1 })).body.current, market))
  }

  async fetchFundingRates(symbols?: readonly string[]): Promise<Record<string, FundingRate>> {
    const wanted = await this.#symbolsOf(symbols)
    return this.#withClient(async (client) => {
      const { current } = (await client.getFunding({ limit: 1 })).body
      return Object.fromEntries([...wanted].map((symbol) => [symbol, parseFunding(current, this.market(symbol))]))
    })
  }

  async fetchFundingRateHistory(symbol: string, since?: number, limit = 100): Promise<FundingRateHistory[]> {
    const market = await this.#marketOf(symbol)
    return this.#withClient(async (client) => {
      const rows = fundingOf(client.rows('getFunding', { limit: PAGE_MAX }), market.id)
      return collectRows(rows, (row) => parseFundingRow(row, market.symbol), since, limit)
    })
  }

  // The account

  /** Creates an API key by signing a challenge, and uses it from then on. */
  async signIn(): Promise<{ readonly apiKey: string; readonly secret: string }> {
    return this.#withClient(async (client) => {
      requireSigner(this.#config)
      const { keyId, secret } = await client.login()
      return { apiKey: keyId, secret }
    })
  }

  async fetchBalance(): Promise<Balances> {
    return parseBalance(await this.#state())
  }

  async fetchPositions(symbols?: readonly string[]): Promise<Position[]> {
    const wanted = await this.#symbolsOf(symbols)
    return positionsOf(await this.#state()).filter(({ symbol }) => wanted.has(symbol))
  }

  async fetchOpenOrders(symbol?: string, since?: number, limit?: number): Promise<Order[]> {
    const wanted = await this.#symbolsOf(symbol === undefined ? undefined : [symbol])
    const { orders, positions } = await this.#state()
    if (orders === null) throw new ExchangeError('The orders are not available.')
    return orders.map((order) => parseOrder(order, positions?.find(({ positionId }) => positionId === order.positionId)))
      .filter((order) => wanted.has(order.symbol) && (order.timestamp ?? 0) >= (since ?? 0)).reverse().slice(0, limit)
  }

  async fetchMyTrades(symbol?: string, since?: number, limit = 100): Promise<Trade[]> {
    const trader = await this.#owner()
    return this.#trades(symbol, { trader }, since, limit)
  }

  /** Sets the leverage of future orders. Each position keeps the leverage that it was opened with. */
  async setLeverage(leverage: number, symbol: string): Promise<{ readonly symbol: string; readonly leverage: number }> {
    const market = await this.#marketOf(symbol)
    if (!Number.isInteger(leverage) || leverage < 1) throw new BadRequest(`leverage must be a whole number of at least 1, not ${leverage}`)
    this.#leverages.set(market.symbol, leverage)
    return { symbol: market.symbol, leverage }
  }

  /**
   * `amount` is in the base currency, `price` triggers a limit order. Market orders execute at the oracle price; `params.cost` sets their size in USDC
   * instead of `amount`. `params.reduceOnly` or `params.positionId` closes a position: completely, or an `amount` of it.
   */
  async createOrder(symbol: string, type: string, side: 'buy' | 'sell', amount?: Amount, price?: Amount, params: OrderParams = {}): Promise<Order> {
    const market = await this.#marketOf(symbol)
    const leverage = params.leverage ?? this.#leverages.get(market.symbol)
    const slippage = params.slippageToleranceBps ?? this.#config.options?.slippageToleranceBps
    const all: OrderParams = {
      ...params, ...(leverage === undefined ? {} : { leverage }), ...(slippage === undefined ? {} : { slippageToleranceBps: slippage }),
    }
    return this.#withClient(async (client) => {
      requireKey(client)
      requireSigner(this.#config)
      const request = await toTradeRequest({ market, type, side, amount, price, params: all }, {
        price: async (asset) => (await client.getMarketPrice({ asset })).body.price,
        positions: async () => (await this.#state()).positions ?? [],
      })
      const traded = await client.trade(request, params.keeperTimeoutMs === undefined ? {} : { keeperTimeoutMs: params.keeperTimeoutMs })
      return toOrder({ market, side, request, traded })
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
    const market = symbol === undefined ? undefined : await this.#marketOf(symbol)
    if (!/^\d+$/.test(id)) throw new InvalidOrder(`${id} is not an order id`)
    return this.#withClient(async (client) => {
      requireKey(client)
      requireSigner(this.#config)
      const resting = (await this.fetchOpenOrders(market?.symbol)).find((order) => order.id === id)
      const traded = await client.trade({ op: 'cancel_order', orderId: id })
      if (resting === undefined) throw new ExchangeError(`Order ${id} was cancelled (${traded.hash}), but its details are unknown.`)
      return { ...resting, status: 'canceled', info: traded }
    })
  }

  /** Closes the only position on that side, or the one of `params.positionId`. */
  closePosition(symbol: string, side: 'long' | 'short', params: OrderParams = {}): Promise<Order> {
    return this.createOrder(symbol, 'market', side === 'long' ? 'sell' : 'buy', undefined, undefined, { ...params, reduceOnly: true })
  }

  // The stream

  async watchTicker(symbol: string): Promise<Ticker> {
    const market = await this.#marketOf(symbol)
    const frames = await (await this.#watching()).next(`ticker.${market.id}`)
    const last = frames.at(-1)
    if (last === undefined) throw new ExchangeError('The stream returned no price.')
    return parseTicker(last.data)
  }

  /** Openings, closes and liquidations as they happen. The stream includes neither amount nor side. */
  async watchTrades(symbol: string): Promise<Trade[]> {
    const market = await this.#marketOf(symbol)
    return (await (await this.#watching()).next(`trades.${market.id}`)).map(({ data }) => parseStreamTrade(data))
  }

  async watchOHLCV(symbol: string, timeframe = '1m'): Promise<OHLCV[]> {
    const market = await this.#marketOf(symbol)
    const frames = await (await this.#watching()).next(`candles.${market.id}.${intervalOf(timeframe)}`)
    // Only the last update of each candle.
    return [...new Map(frames.map(({ data }) => [data.time, parseCandle(data)])).values()]
  }

  /** The open positions after the account's next event. */
  async watchPositions(symbols?: readonly string[]): Promise<Position[]> {
    const wanted = await this.#symbolsOf(symbols)
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

  fetchOrderBook(_symbol: string): Promise<never> {
    return this.#notSupported('fetchOrderBook', 'there is no order book, because positions are opened against a pool at the oracle price')
  }

  fetchL2OrderBook(_symbol: string): Promise<never> {
    return this.#notSupported('fetchL2OrderBook', 'there is no order book')
  }

  watchOrderBook(_symbol: string): Promise<never> {
    return this.#notSupported('watchOrderBook', 'there is no order book')
  }

  fetchOrder(_id: string): Promise<never> {
    return this.#notSupported('fetchOrder', 'only resting orders can be fetched, with fetchOpenOrders')
  }

  editOrder(_id: string): Promise<never> {
    return this.#notSupported('editOrder', 'cancel the order and place a new one')
  }

  #notSupported(method: string, reason: string): Promise<never> {
    return Promise.reject(new NotSupported(`${this.id} ${method}() is not supported: ${reason}`))
  }

  /** Runs the work with the client and converts its errors to CCXT's. */
  async #withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await work(await (this.#client ??= connect(this.urls.api, this.#config)))
    } catch (error) {
      throw toCcxtError(error)
    }
  }

  async #state(): Promise<AccountState> {
    return this.#withClient(async (client) => {
      requireKey(client)
      return (await client.getAccountState()).body
    })
  }

  async #owner(): Promise<string> {
    return this.#withClient(async (client) => {
      requireKey(client)
      return (await client.getAccountIdentity()).body.owner
    })
  }

  async #watching(): Promise<Watcher> {
    return this.#withClient(async (client) => {
      if (this.#isClosed) throw new ExchangeClosedByUser(`${this.id} is closed.`)
      return (this.#watcher ??= createWatcher(client.stream()))
    })
  }

  async #marketOf(symbol: string | undefined): Promise<Market> {
    if (symbol === undefined) throw new ArgumentsRequired('symbol is required')
    await this.loadMarkets()
    return this.market(symbol)
  }

  async #symbolsOf(symbols: readonly string[] | undefined): Promise<ReadonlySet<string>> {
    await this.loadMarkets()
    return new Set(symbols?.map((symbol) => this.market(symbol).symbol) ?? this.symbols)
  }

  async #trades(symbol: string | undefined, filter: { readonly trader?: string }, since: number | undefined, limit: number): Promise<Trade[]> {
    await this.loadMarkets()
    const asset = symbol === undefined ? {} : { asset: this.market(symbol).id }
    return this.#withClient(async (client) => {
      const rows = client.rows('listTrades', { ...filter, ...asset, limit: PAGE_MAX })
      return collectRows(tradesOf(rows), (trade) => parseTrade(trade, trade.asset === null ? (symbol ?? '') : symbolOf(trade.asset)), since, limit)
    })
  }
}
