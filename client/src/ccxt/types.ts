// What the methods answer, in CCXT's shapes. What this exchange does not tell is undefined.

type Known<T> = T | undefined
type Direction = 'long' | 'short'

interface MinMax {
  min: Known<number>
  max: Known<number>
}

export interface Currency {
  id: string
  code: string
  name: Known<string>
  precision: number
  active: Known<boolean>
  info: unknown
}

export interface Market {
  id: string
  symbol: string
  base: string
  quote: string
  settle: string
  baseId: string
  quoteId: string
  settleId: string
  type: 'swap'
  subType: 'linear'
  spot: boolean
  margin: boolean
  swap: boolean
  future: boolean
  option: boolean
  index: boolean
  active: Known<boolean>
  contract: boolean
  linear: boolean
  inverse: boolean
  quanto: boolean
  taker: Known<number>
  maker: Known<number>
  percentage: boolean
  tierBased: boolean
  contractSize: number
  expiry: undefined
  expiryDatetime: undefined
  strike: undefined
  optionType: undefined
  precision: { amount: number; price: number; cost: number }
  limits: { amount: MinMax; price: MinMax; cost: MinMax; leverage: MinMax }
  marginModes: { cross: boolean; isolated: boolean }
  created: undefined
  info: unknown
}

export interface Ticker {
  symbol: string
  info: unknown
  timestamp: Known<number>
  datetime: Known<string>
  high: undefined
  low: undefined
  bid: undefined
  bidVolume: undefined
  ask: undefined
  askVolume: undefined
  vwap: undefined
  open: undefined
  /** The oracle's price: every position is opened and closed at it. */
  close: number
  last: number
  previousClose: undefined
  change: undefined
  percentage: undefined
  average: undefined
  baseVolume: undefined
  quoteVolume: Known<number>
  indexPrice: number
  markPrice: number
}

export type OHLCV = [time: number, open: number, high: number, low: number, close: number, volume: undefined]

export interface Trade {
  id: string
  info: unknown
  timestamp: number
  datetime: string
  symbol: string
  order: undefined
  type: undefined
  side: Known<'buy' | 'sell'>
  takerOrMaker: undefined
  price: number
  amount: Known<number>
  cost: Known<number>
  fee: undefined
  fees: []
}

export interface Position {
  id: string
  symbol: string
  info: unknown
  timestamp: number
  datetime: string
  side: Direction
  contracts: number
  contractSize: number
  notional: number
  leverage: number
  entryPrice: number
  markPrice: Known<number>
  lastPrice: undefined
  unrealizedPnl: Known<number>
  realizedPnl: undefined
  collateral: number
  initialMargin: number
  initialMarginPercentage: number
  maintenanceMargin: undefined
  maintenanceMarginPercentage: undefined
  marginRatio: undefined
  liquidationPrice: Known<number>
  marginMode: 'isolated' | 'cross'
  hedged: boolean
  percentage: undefined
  stopLossPrice: Known<number>
  takeProfitPrice: Known<number>
  lastUpdateTimestamp: undefined
}

export interface Order {
  id: Known<string>
  clientOrderId: undefined
  info: unknown
  timestamp: Known<number>
  datetime: Known<string>
  lastTradeTimestamp: undefined
  lastUpdateTimestamp: undefined
  symbol: string
  type: 'market' | 'limit'
  timeInForce: Known<'GTC' | 'IOC' | 'PO'>
  postOnly: Known<boolean>
  reduceOnly: boolean
  side: 'buy' | 'sell'
  price: Known<number>
  triggerPrice: Known<number>
  stopLossPrice: Known<number>
  takeProfitPrice: Known<number>
  amount: Known<number>
  cost: Known<number>
  average: Known<number>
  filled: Known<number>
  remaining: Known<number>
  status: Known<'open' | 'closed' | 'canceled'>
  fee: undefined
  trades: []
}

interface Balance {
  free: Known<number>
  used: Known<number>
  total: Known<number>
}

/** By currency, and by figure. */
export type Balances = Record<string, Balance> & {
  info: unknown
  timestamp: Known<number>
  datetime: Known<string>
  free: Record<string, Known<number>>
  used: Record<string, Known<number>>
  total: Record<string, Known<number>>
}

export interface FundingRate {
  symbol: string
  info: unknown
  fundingRate: Known<number>
  /** When it was applied last. */
  fundingTimestamp: Known<number>
  fundingDatetime: Known<string>
  interval: '1h'
  timestamp: undefined
  datetime: undefined
  markPrice: undefined
  indexPrice: undefined
  interestRate: undefined
  estimatedSettlePrice: undefined
  nextFundingRate: undefined
  nextFundingTimestamp: undefined
  nextFundingDatetime: undefined
  previousFundingRate: undefined
  previousFundingTimestamp: undefined
  previousFundingDatetime: undefined
}

export interface FundingRateHistory {
  symbol: string
  info: unknown
  fundingRate: number
  timestamp: number
  datetime: string
}

export interface OpenInterest {
  symbol: string
  info: unknown
  openInterestAmount: undefined
  /** Both sides together: each stands against the pool. */
  openInterestValue: number
  baseVolume: undefined
  quoteVolume: undefined
  timestamp: undefined
  datetime: undefined
}

export interface Status {
  status: 'ok' | 'maintenance'
  updated: Known<number>
  eta: undefined
  url: undefined
  info: unknown
}
