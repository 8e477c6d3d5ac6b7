// Markets, prices, candles, trades and funding with CCXT's interface.

import type { Client } from '../client.ts'
import { connect } from './connection.ts'
import type { ExchangeConfig } from './connection.ts'
import { DESCRIPTION, HAS, TIMEFRAMES } from './description.ts'
import { ArgumentsRequired, BadSymbol, ExchangeError, toCcxtError } from './errors.ts'
import { iso8601 } from './numbers.ts'
import { intervalOf, collectRows, rowsOf, PAGE_MAX, PAGES_MAX } from './lists.ts'
import { parseBook, parseCandle, parseFunding, parseFundingRow, parseMarket, parseOpenInterest, parseTicker, parseTrade, symbolOf, tradesOf } from './parse.ts'
import type { Currency, FundingRate, FundingRateHistory, Market, OHLCV, OpenInterest, OrderBook, Status, Ticker, Trade } from './types.ts'

const CANDLES_PAGE = 500

/** The part of the exchange that needs no account. */
export class MarketData {
  readonly id = DESCRIPTION.id
  readonly name = DESCRIPTION.name
  readonly has = HAS
  readonly timeframes = TIMEFRAMES
  readonly precisionMode = DESCRIPTION.precisionMode
  readonly urls: { readonly api: string }
  markets: Record<string, Market> = {}
  symbols: string[] = []
  currencies: Record<string, Currency> = {}
  protected readonly config: ExchangeConfig
  #client: Promise<Client> | null = null
  #loading: Promise<Record<string, Market>> | null = null

  constructor(config: ExchangeConfig = {}) {
    this.config = config
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
    return this.withClient(async (client) => {
      return (await client.listInstruments()).body.instruments.map(parseMarket)
    })
  }

  async fetchTime(): Promise<number> {
    return this.withClient(async (client) => (await client.udfTime()).body * 1000)
  }

  async fetchStatus(): Promise<Status> {
    return this.withClient(async (client) => {
      const { body } = await client.getHealth()
      const isOperating = body.indexer.marketFound !== false
      return { status: isOperating ? 'ok' : 'maintenance', updated: body.indexer.lastUpdatedAt ?? undefined, eta: undefined, url: undefined, info: body }
    })
  }

  async fetchTicker(symbol: string): Promise<Ticker> {
    const market = await this.marketOf(symbol)
    const ticker = (await this.fetchTickers([market.symbol]))[market.symbol]
    if (ticker === undefined) throw new ExchangeError(`The price of ${symbol} is not available.`)
    return ticker
  }

  async fetchTickers(symbols?: readonly string[]): Promise<Record<string, Ticker>> {
    const wanted = await this.symbolsOf(symbols)
    return this.withClient(async (client) => {
      const [prices, stats] = await Promise.all([client.listOraclePrices(), client.listMarketStats()])
      const tickers = prices.body.prices.map((price) => parseTicker(price, stats.body.stats.find(({ asset }) => asset === price.asset)))
      return Object.fromEntries(tickers.filter(({ symbol }) => wanted.has(symbol)).map((ticker) => [ticker.symbol, ticker]))
    })
  }

  /** Candles of oracle prices, with the volume of trades in the base currency, at the close. */
  async fetchOHLCV(symbol: string, timeframe = '1m', since?: number, limit = CANDLES_PAGE): Promise<OHLCV[]> {
    const market = await this.marketOf(symbol)
    const interval = intervalOf(timeframe)
    return this.withClient(async (client) => {
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
    const market = await this.marketOf(symbol)
    return this.withClient(async (client) => {
      const rows = client.rows('listTrades', { asset: market.id, limit: PAGE_MAX })
      return collectRows(tradesOf(rows), (trade) => parseTrade(trade, market.symbol), since, limit)
    })
  }

  /** One level on each side, with the room that is left for it: trades are made against the pool. */
  async fetchOrderBook(symbol: string): Promise<OrderBook> {
    const market = await this.marketOf(symbol)
    return this.withClient(async (client) => parseBook((await client.getBook({ asset: market.id })).body))
  }

  async fetchOpenInterest(symbol: string): Promise<OpenInterest> {
    const market = await this.marketOf(symbol)
    const interest = (await this.fetchOpenInterests([market.symbol]))[market.symbol]
    if (interest === undefined) throw new BadSymbol(`${this.id} has no market ${symbol}`)
    return interest
  }

  async fetchOpenInterests(symbols?: readonly string[]): Promise<Record<string, OpenInterest>> {
    const wanted = await this.symbolsOf(symbols)
    return this.withClient(async (client) => {
      const interests = (await client.listMarketStats()).body.stats.map(parseOpenInterest)
      return Object.fromEntries(interests.filter(({ symbol }) => wanted.has(symbol)).map((interest) => [interest.symbol, interest]))
    })
  }

  async fetchFundingRate(symbol: string): Promise<FundingRate> {
    const market = await this.marketOf(symbol)
    return this.withClient(async (client) => parseFunding((await client.getFunding({ limit: 1 })).body.current, market))
  }

  async fetchFundingRates(symbols?: readonly string[]): Promise<Record<string, FundingRate>> {
    const wanted = await this.symbolsOf(symbols)
    return this.withClient(async (client) => {
      const { current } = (await client.getFunding({ limit: 1 })).body
      return Object.fromEntries([...wanted].map((symbol) => [symbol, parseFunding(current, this.market(symbol))]))
    })
  }

  async fetchFundingRateHistory(symbol: string, since?: number, limit = 100): Promise<FundingRateHistory[]> {
    const market = await this.marketOf(symbol)
    return this.withClient(async (client) => {
      const rows = rowsOf(client.rows('getFunding', { limit: PAGE_MAX, asset: market.id }), market.id)
      return collectRows(rows, (row) => parseFundingRow(row, market.symbol), since, limit)
    })
  }

  /** Runs the work with the client and converts its errors to CCXT's. */
  protected async withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await work(await (this.#client ??= connect(this.urls.api, this.config)))
    } catch (error) {
      throw toCcxtError(error)
    }
  }

  protected async marketOf(symbol: string | undefined): Promise<Market> {
    if (symbol === undefined) throw new ArgumentsRequired('symbol is required')
    await this.loadMarkets()
    return this.market(symbol)
  }

  protected async symbolsOf(symbols: readonly string[] | undefined): Promise<ReadonlySet<string>> {
    await this.loadMarkets()
    return new Set(symbols?.map((symbol) => this.market(symbol).symbol) ?? this.symbols)
  }
}
