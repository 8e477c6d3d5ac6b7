// The specification's numbers, copied by hand and compared with src/limits.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ASSETS } from '../../localnet/assets.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import * as limits from '../../src/limits.ts'
import { CANDLE_INTERVALS, CANDLE_SOURCES } from '../../src/resources/candle.ts'
import { LEADERBOARD_SORTS } from '../../src/resources/leaderboard-entry.ts'

test('"Rate limits"', () => {
  assert.equal(limits.RATE_LIMIT_WINDOW_SEC, 60)
  assert.deepEqual(limits.RATE_LIMIT_PER_WINDOW, { public: 60, standard: 600, market_maker: 6000 })
})

test('"Pagination and size limits"', () => {
  assert.deepEqual(limits.PAGE_LIMITS.events, { default: 50, max: 500 })
  assert.deepEqual(limits.PAGE_LIMITS.trades, { default: 50, max: 200 })
  assert.deepEqual(limits.PAGE_LIMITS.leaderboard, { default: 50, max: 200 })
  assert.deepEqual(limits.PAGE_LIMITS.candles, { default: 500, max: 5_000 }, 'the additions raise the maximum of 1000')
  assert.deepEqual(limits.PAGE_LIMITS.accountOrders, { default: 500, max: 500 })
  assert.equal(limits.ACCOUNT_POSITION_EVENTS_MAX_ROWS, 200)
  assert.equal(limits.OPEN_POSITIONS_MAX_ROWS, 200)
  assert.equal(limits.OPEN_POSITIONS_OF_TRADER_MAX_ROWS, 500)
})

test('"Other constants" of the read endpoints', () => {
  assert.equal(limits.ADDRESS_LENGTH, 56)
  assert.equal(limits.ASSET_FILTER_MAX_LENGTH, 12)
  assert.equal(limits.ORACLE_CACHE_MS, 3000)
  assert.equal(limits.STATS_CACHE_MS, 5000)
  assert.equal(limits.LEADERBOARD_CACHE_MS, 5000)
  assert.equal(limits.VAULT_CACHE_MS, 10_000)
  assert.equal(limits.PRICE_STALENESS_LIMIT_SEC, 60)
})

test('"Other constants" of keys', () => {
  assert.equal(limits.CHALLENGE_TTL_MS, 300_000)
  assert.equal(limits.TIMESTAMP_TOLERANCE_SEC, 30)
  assert.equal(limits.KEY_LABEL_MAX_LENGTH, 64)
  assert.deepEqual([...limits.KEY_TIERS], ['standard', 'market_maker'])
})

test('"Other constants" of preparing and submitting', () => {
  assert.equal(limits.PREPARED_VALIDITY_SEC, 300)
  assert.deepEqual(limits.POLL_TIMEOUT_MS, { min: 1000, max: 60_000, default: 30_000 })
  assert.equal(limits.SUBMIT_POLL_INTERVAL_MS, 1000)
  assert.equal(limits.QUEUE_FULL_RETRY_AFTER_SEC, 2)
  assert.deepEqual(limits.LEVERAGE, { min: 1, max: 10 })
  assert.deepEqual(limits.SLIPPAGE_TOLERANCE_BPS, { min: 0, max: 10_000 })
  assert.deepEqual(limits.TRAILING_PERCENT_BPS, { min: 1, max: 10_000 })
})

test('"Gateway event feed": the indexer polls every two seconds', () => {
  assert.equal(limits.POLL_INTERVAL_MS, 2000)
})

test('the last price of an unreadable asset is served for five minutes', () => {
  assert.equal(limits.STALE_PRICE_SERVED_MS, 300_000)
})

/** "Supported assets", in the specification's order: symbol, name, decimals and external pair. */
const SPECIFIED_ASSETS = `
  BTC | Bitcoin | 8 | BTCUSDT
  ETH | Ethereum | 8 | ETHUSDT
  XLM | Stellar Lumens | 7 | XLMUSDT
  SOL | Solana | 7 | SOLUSDT
  XRP | XRP | 7 | XRPUSDT
  ADA | Cardano | 7 | ADAUSDT
  BNB | BNB | 7 | BNBUSDT
  TRX | Tron | 7 | TRXUSDT
  HYPE | Hyperliquid | 7 | none
  DOGE | Dogecoin | 7 | DOGEUSDT
  ZEC | Zcash | 7 | ZECUSDT
  LINK | Chainlink | 7 | LINKUSDT
  BCH | Bitcoin Cash | 7 | BCHUSDT
  LTC | Litecoin | 7 | LTCUSDT
`

test('"Supported assets (14)"', () => {
  const specified = SPECIFIED_ASSETS.trim().split('\n').map((row) => row.split('|').map((cell) => cell.trim()))
  assert.equal(specified.length, 14)
  assert.deepEqual(ASSETS.map(({ symbol, name, decimals, klinesPair }) => [symbol, name, String(decimals), klinesPair ?? 'none']), specified)
})

test('"GET /v1/candles" and "Candle": intervals and sources', () => {
  assert.deepEqual([...CANDLE_INTERVALS], ['1m', '5m', '15m', '1h', '4h', '1d', '1w'])
  assert.deepEqual([...CANDLE_SOURCES], ['noeracle', 'binance'])
})

test('"GET /v1/leaderboard": sorts, the default first', () => {
  assert.deepEqual([...LEADERBOARD_SORTS], ['pnl', 'volume'])
})

test('"Health": the eight keys of the contract map', () => {
  assert.deepEqual([...CONTRACT_KEYS], ['market', 'vault', 'oracleShim', 'router', 'usdcToken', 'lpToken', 'vaultFactory', 'referral'])
})
