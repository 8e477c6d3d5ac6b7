// The exchange's description in CCXT's form.

/** Candle intervals. CCXT and this exchange use the same names. */
export const TIMEFRAMES = { '1m': '1m', '5m': '5m', '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d', '1w': '1w' } as const

/** CCXT's capabilities. For `false` the method, if it exists, rejects with NotSupported; `emulated` means that it is built from other calls. */
export const HAS = {
  CORS: undefined, spot: false, margin: false, swap: true, future: false, option: false, cancelAllOrders: true, cancelOrder: true, cancelOrders: false,
  closeAllPositions: false, closePosition: true, createLimitOrder: true, createMarketOrder: true, createMarketOrderWithCost: true, createOrder: true,
  createPostOnlyOrder: false, createReduceOnlyOrder: true, createStopLimitOrder: true, createStopLossOrder: true, createStopMarketOrder: false,
  createTakeProfitOrder: true, createTrailingAmountOrder: false, createTrailingPercentOrder: true, createTriggerOrder: true, deposit: false, editOrder: false,
  fetchBalance: true, fetchBidsAsks: false, fetchCanceledOrders: true, fetchClosedOrders: true, fetchCurrencies: false, fetchDepositAddress: false,
  fetchDeposits: false, fetchFundingHistory: false, fetchFundingRate: true, fetchFundingRateHistory: true, fetchFundingRates: true, fetchL2OrderBook: false,
  fetchLedger: true, fetchLeverage: false, fetchMarkets: true, fetchMyTrades: true, fetchOHLCV: true, fetchOpenInterest: true,
  fetchOpenInterestHistory: false, fetchOpenInterests: true, fetchOpenOrders: true, fetchOrder: true, fetchOrderBook: true, fetchOrders: true,
  fetchPosition: false, fetchPositions: true, fetchStatus: true, fetchTicker: true, fetchTickers: true, fetchTime: true, fetchTrades: true,
  fetchTradingFees: false, fetchWithdrawals: false, setLeverage: 'emulated', setMarginMode: false, setPositionMode: false, signIn: true, transfer: false,
  watchBalance: false, watchMyTrades: true, watchOHLCV: true, watchOrderBook: false, watchOrders: true, watchPositions: true, watchTicker: true,
  watchTickers: false, watchTrades: true, withdraw: false, ws: true,
} as const

/** CCXT's TICK_SIZE: precisions are step sizes. */
const TICK_SIZE = 4
const TRUNCATE = 0

export const DESCRIPTION = {
  id: 'perpetualexchange', name: 'Perpetual Exchange', countries: [] as readonly string[], version: 'v1', certified: false, pro: true, dex: true,
  /** Milliseconds between calls, from the rate limit of callers without a key. The client enforces the limit itself. */
  rateLimit: 1000, precisionMode: TICK_SIZE, paddingMode: 5, roundingMode: TRUNCATE, has: HAS, timeframes: TIMEFRAMES,
  urls: { api: 'http://127.0.0.1:8080', www: undefined, doc: [] as readonly string[] },
  requiredCredentials: { apiKey: true, secret: true, privateKey: true, walletAddress: false, uid: false, login: false, password: false, token: false },
  commonCurrencies: {}, options: { slippageToleranceBps: 100 },
} as const
