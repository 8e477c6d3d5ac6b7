// CCXT's structures. Values that this exchange does not provide are undefined.

type Optional<T> = T | undefined
type Direction = 'long' | 'short'

interface MinMax {
  min: Optional<number>
  max: Optional<number>
}

export interface Currency {
  id: string
  code: string
  name: Optional<string>
  precision: number
  active: Optional<boolean>
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
  active: Optional<boolean>
  contract: boolean
  linear: boolean
  inverse: boolean
  quanto: boolean
  taker: Optional<number>
  maker: Optional<number>
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

export interface OrderBook {
  symbol: string
  bids: [price: number, amount: number][]
  asks: [price: number, amount: number][]
  timestamp: undefined
  datetime: undefined
  /** The ledger that the figures are of. */
  nonce: number
}

export interface Ticker {
  symbol: string
  info: unknown
  timestamp: Optional<number>
  datetime: Optional<string>
  /** Of the past 24 hours, like low, open, change and percentage. */
  high: Optional<number>
  low: Optional<number>
  bid: undefined
  bidVolume: undefined
  ask: undefined
  askVolume: undefined
  vwap: undefined
  open: Optional<number>
  /** The oracle price, at which positions are opened and closed. */
  close: number
  last: number
  previousClose: undefined
  change: Optional<number>
  percentage: Optional<number>
  average: Optional<number>
  baseVolume: undefined
  quoteVolume: Optional<number>
  indexPrice: number
  markPrice: number
}

export type OHLCV = [time: number, open: number, high: number, low: number, close: number, volume: number]

export interface Trade {
  id: string
  info: unknown
  timestamp: number
  datetime: string
  symbol: string
  /** The order's id; the hash of its transaction for an order without one. */
  order: Optional<string>
  type: Optional<'market'>
  side: Optional<'buy' | 'sell'>
  takerOrMaker: Optional<'maker' | 'taker'>
  price: number
  amount: Optional<number>
  cost: Optional<number>
  fee: Optional<Fee>
  fees: Fee[]
}

/** The fee paid for a trade. */
export interface Fee {
  currency: string
  cost: number
}

/** A movement of the account's money. */
export interface LedgerEntry {
  id: string
  info: unknown
  timestamp: number
  datetime: string
  direction: Optional<'in' | 'out'>
  /** `wallet`, or `cross` for the cross-margin balance. */
  account: string
  /** The transaction's hash. */
  referenceId: string
  referenceAccount: undefined
  type: string
  currency: string
  amount: Optional<number>
  before: undefined
  after: undefined
  status: 'ok'
  fee: Optional<Fee>
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
  markPrice: Optional<number>
  lastPrice: undefined
  unrealizedPnl: Optional<number>
  realizedPnl: undefined
  collateral: number
  initialMargin: number
  initialMarginPercentage: number
  maintenanceMargin: undefined
  maintenanceMarginPercentage: undefined
  marginRatio: undefined
  liquidationPrice: Optional<number>
  marginMode: 'isolated' | 'cross'
  hedged: boolean
  percentage: undefined
  stopLossPrice: Optional<number>
  takeProfitPrice: Optional<number>
  lastUpdateTimestamp: undefined
}

export interface Order {
  id: Optional<string>
  clientOrderId: Optional<string>
  info: unknown
  timestamp: Optional<number>
  datetime: Optional<string>
  lastTradeTimestamp: Optional<number>
  lastUpdateTimestamp: Optional<number>
  symbol: string
  type: 'market' | 'limit'
  timeInForce: Optional<'GTC' | 'IOC' | 'PO'>
  postOnly: Optional<boolean>
  reduceOnly: boolean
  side: Optional<'buy' | 'sell'>
  price: Optional<number>
  triggerPrice: Optional<number>
  stopLossPrice: Optional<number>
  takeProfitPrice: Optional<number>
  amount: Optional<number>
  cost: Optional<number>
  average: Optional<number>
  filled: Optional<number>
  remaining: Optional<number>
  status: Optional<'open' | 'closed' | 'canceled' | 'expired' | 'rejected'>
  fee: Optional<Fee>
  trades: Trade[]
}

interface Balance {
  free: Optional<number>
  used: Optional<number>
  total: Optional<number>
}

/** By currency, and by kind of balance. */
export type Balances = Record<string, Balance> & {
  info: unknown
  timestamp: Optional<number>
  datetime: Optional<string>
  free: Record<string, Optional<number>>
  used: Record<string, Optional<number>>
  total: Record<string, Optional<number>>
}

export interface FundingRate {
  symbol: string
  info: unknown
  fundingRate: Optional<number>
  /** Time at which funding was last applied. */
  fundingTimestamp: Optional<number>
  fundingDatetime: Optional<string>
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
  /** Long and short together, because the pool takes the other side of both. */
  openInterestValue: number
  baseVolume: undefined
  quoteVolume: undefined
  timestamp: undefined
  datetime: undefined
}

export interface Status {
  status: 'ok' | 'maintenance'
  updated: Optional<number>
  eta: undefined
  url: undefined
  info: unknown
}
