// The CCXT interface against the whole program, and CCXT's own checks where CCXT is installed.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { HAS } from '../../client/src/ccxt/description.ts'
import * as errors from '../../client/src/ccxt/errors.ts'
import { PerpetualExchange } from '../../client/src/ccxt/exchange.ts'
import { createClient } from '../../client/src/client.ts'
import { ContractFailure, GatewayError, RateLimited, Unreachable, UnexpectedAnswer, UnknownOutcome } from '../../client/src/errors.ts'
import { CCXT_CHECKS, CCXT_TYPES } from './ccxt-checks.ts'
import { parseTicker } from '../../client/src/ccxt/parse.ts'
import type { MarketStats } from '../../src/resources/market-stats.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import { holdPrices, startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const BTC = 'BTC/USDC:USDC'
const ETH = 'ETH/USDC:USDC'
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 240_000
const SETTLED_LEDGER = 12

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let main: MainProcess
let exchange: PerpetualExchange
let privateKey: string
/** The number of markets of this deployment. */
let markets: number

before(async () => {
  folder = await temporaryFolder()
  main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '0', LOG_LEVEL: 'error', LOCAL_SEED: 'ccxt' })
  privateKey = /S[A-Z2-7]{55}/.exec(await main.waitForLine(/S[A-Z2-7]{55}/))?.[0] ?? ''
  exchange = new PerpetualExchange({ urls: { api: await main.url() }, privateKey })
  await main.waitForLine(/^Indexer in sync/)
  await holdPrices(main, 'BTC', 'ETH')
  markets = (await main.control<{ readonly assets: readonly unknown[] }>('local_info')).assets.length
  await exchange.signIn()
  // The local network is set up in its first ledgers. A trade prepared before may refer to state that changes.
  await createClient({ url: exchange.urls.api }).listEvents({ limit: 1 }, { minLedger: SETTLED_LEDGER })
})
after(async () => {
  await exchange.close()
  await main[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

test('every method matches has: true works, false rejects with NotSupported', async () => {
  const methods = exchange as unknown as Readonly<Record<string, ((symbol: string) => Promise<unknown>) | undefined>>
  const special = new Set(['CORS', 'spot', 'margin', 'swap', 'future', 'option', 'ws'])
  // Order kinds that createOrder makes from its parameters.
  const byParameters = new Set(['createReduceOnlyOrder', 'createStopLossOrder', 'createTakeProfitOrder', 'createTrailingPercentOrder', 'createTriggerOrder'])
  for (const [name, has] of Object.entries(HAS)) {
    if (special.has(name) || byParameters.has(name)) continue
    const method = methods[name]
    if (has === true || has === 'emulated') assert.equal(typeof method, 'function', name)
    else if (method !== undefined) await assert.rejects(method.call(exchange, BTC), errors.NotSupported, name)
  }
  assert.deepEqual([exchange.has.fetchOrderBook, exchange.describe().id, exchange.timeframes['4h']], [true, exchange.id, '4h'])
})

test('markets are swaps settled in USDC', async () => {
  assert.equal(Object.keys(await exchange.loadMarkets()).length, markets)
  const { id, type, linear, inverse, contractSize, active, limits, taker, maker } = exchange.market(BTC)
  assert.deepEqual([id, type, linear, inverse, contractSize, active], ['BTC', 'swap', true, false, 1, true])
  assert.deepEqual([limits.cost, limits.leverage, taker, maker], [{ min: 10, max: 100_000 }, { min: 1, max: 10 }, 0.0005, 0.0002])
  assert.equal(exchange.market('BTC').symbol, BTC)
  assert.throws(() => exchange.market('SHIB/USDC:USDC'), errors.BadSymbol)
  await assert.rejects(exchange.fetchTicker('SHIB/USDC:USDC'), errors.BadSymbol)
})

test('prices, candles, open interest and funding have CCXT\'s shapes, with undefined for unknown values', async () => {
  const ticker = await exchange.fetchTicker(BTC)
  const response = await fetch(`${exchange.urls.api}/v1/markets/BTC/price`)
  const { priceFloat } = await response.json() as { readonly priceFloat: number }
  assert.ok(Math.abs(ticker.last / priceFloat - 1) < 0.05)
  assert.deepEqual([ticker.last, ticker.bid, ticker.ask, ticker.baseVolume], [ticker.close, undefined, undefined, undefined])
  const tickers = await exchange.fetchTickers([BTC, ETH])
  assert.deepEqual(Object.keys(tickers).sort(), [BTC, ETH])
  const candles = await exchange.fetchOHLCV(BTC, '1m', undefined, 3)
  assert.ok(candles.length >= 1 && candles.length <= 3)
  for (const [time, open, high, low, close, volume] of candles) {
    assert.ok(time % 60_000 === 0 && low <= Math.min(open, close) && high >= Math.max(open, close))
    assert.equal(volume, 0)
  }
  const since = candles.at(-1)?.[0] ?? 0
  assert.ok((await exchange.fetchOHLCV(BTC, '1m', since)).every(([time]) => time >= since))
  await assert.rejects(exchange.fetchOHLCV(BTC, '3m'), errors.BadRequest)
  const interest = await exchange.fetchOpenInterest(BTC)
  assert.deepEqual([typeof interest.openInterestValue, interest.openInterestAmount], ['number', undefined])
  const funding = await exchange.fetchFundingRate(BTC)
  assert.deepEqual([typeof funding.fundingRate, funding.interval, funding.nextFundingRate], ['number', '1h', undefined])
  assert.equal(Object.keys(await exchange.fetchFundingRates()).length, markets)
  assert.ok(Array.isArray(await exchange.fetchFundingRateHistory(BTC)))
  assert.equal((await exchange.fetchStatus()).status, 'ok')
  assert.ok(Math.abs(await exchange.fetchTime() - ((await exchange.fetchTicker(BTC)).timestamp ?? 0)) < 600_000)
})

test('orders and positions are opened, listed, streamed and closed', async () => {
  const placed = await exchange.createLimitOrder(BTC, 'buy', 0.002, 50_000, { leverage: 5 })
  assert.deepEqual([placed.status, placed.side, placed.type, placed.price, placed.amount, placed.filled], ['open', 'buy', 'limit', 50_000, 0.002, 0])
  const [resting] = await exchange.fetchOpenOrders(BTC)
  assert.deepEqual([resting?.id, resting?.price, resting?.amount, resting?.timeInForce, resting?.triggerPrice], [placed.id, 50_000, 0.002, 'GTC', undefined])
  assert.equal((await exchange.fetchBalance()).used?.['USDC'], 20)
  assert.equal((await exchange.cancelOrder(placed.id ?? '')).status, 'canceled')
  assert.deepEqual(await exchange.fetchOpenOrders(), [])

  await exchange.setLeverage(4, ETH)
  const watched = exchange.watchPositions([ETH])
  const prints = exchange.watchTrades(ETH)
  const opened = await exchange.createMarketOrderWithCost(ETH, 'sell', 100)
  assert.deepEqual([opened.status, opened.cost, opened.side, opened.remaining], ['closed', 100, 'sell', 0])
  const [position] = await exchange.fetchPositions([ETH])
  assert.deepEqual([position?.side, position?.notional, position?.leverage, position?.marginMode, position?.initialMargin], ['short', 100, 4, 'isolated', 25])
  assert.equal(position?.contracts, opened.filled)
  assert.ok((await watched).every(({ symbol }) => symbol === ETH))
  assert.ok((await prints).every(({ price, amount = 0, side }) => price > 0 && amount > 0 && side !== undefined))

  const stop = await exchange.createOrder(ETH, 'market', 'buy', undefined, undefined, { stopLossPrice: 90_000 })
  assert.deepEqual([stop.status, stop.reduceOnly, stop.stopLossPrice], ['open', true, 90_000])
  const [attached] = await exchange.fetchOpenOrders(ETH)
  assert.deepEqual([attached?.id, attached?.side, attached?.amount, attached?.reduceOnly], [stop.id, 'buy', position?.contracts, true])
  const closing = exchange.createOrder(ETH, 'market', 'buy', 0.001, undefined, { reduceOnly: true })
  let rest = opened.filled ?? 0
  if (TEST_GENERATION === '1') await assert.rejects(closing, errors.NotSupported, 'contracts of generation 1 close positions only as a whole')
  else {
    const part = await closing
    assert.ok(Math.abs((part.filled ?? 0) - 0.001) < 1e-6 && part.remaining === 0 && Math.abs((part.cost ?? 0) - 0.001 * (part.average ?? 0)) < 1e-3)
    const [smaller] = await exchange.fetchPositions([ETH])
    assert.deepEqual([smaller?.id, smaller?.stopLossPrice], [position?.id, 90_000], 'the position keeps its orders')
    rest = smaller?.contracts ?? 0
    assert.ok(Math.abs(rest + 0.001 - (opened.filled ?? 0)) < 1e-6)
  }
  await assert.rejects(exchange.createOrder(ETH, 'market', 'buy', 1_000, undefined, { reduceOnly: true }), errors.InvalidOrder)
  const closed = await exchange.closePosition(ETH, 'short')
  assert.ok(closed.status === 'closed' && (closed.average ?? 0) > 0)
  assert.deepEqual(await exchange.fetchPositions(), [])
  const [mine] = (await exchange.fetchMyTrades(ETH)).slice(-1)
  assert.deepEqual([mine?.side, mine?.amount, mine?.order], ['buy', rest, closed.id])
  const volumes = (await exchange.fetchOHLCV(ETH, '1h', undefined, 2)).map(([, , , , close, volume]) => close * volume)
  assert.equal(Math.round(volumes.reduce((sum, usdc) => sum + usdc, 0)), 200, 'the open and what closed it, each by its size')
})

test('an order is found in every state, by its id and by the client\'s id', async () => {
  const watched = exchange.watchOrders(BTC)
  const placed = await exchange.createLimitOrder(BTC, 'buy', 0.002, 50_000, { leverage: 5, clientOrderId: 'ccxt-limit-1' })
  const id = placed.id ?? ''
  assert.equal(placed.clientOrderId, 'ccxt-limit-1')
  const found = await exchange.fetchOrder(id)
  assert.deepEqual([found.id, found.status, found.side, found.price, found.amount, found.filled], [id, 'open', 'buy', 50_000, 0.002, 0])
  assert.deepEqual((await watched).map((order) => [order.id, order.status]), [[id, 'open']])
  const byClientId = await exchange.fetchOrder(undefined, BTC, { clientOrderId: 'ccxt-limit-1' })
  assert.deepEqual([byClientId.id, byClientId.clientOrderId], [id, 'ccxt-limit-1'])
  const second = await exchange.createLimitOrder(BTC, 'buy', 0.002, 49_000, { leverage: 5 })
  assert.deepEqual(new Set((await exchange.cancelAllOrders(BTC)).map((order) => order.id)), new Set([id, second.id]))
  assert.deepEqual(await exchange.cancelAllOrders(), [])
  assert.equal((await exchange.fetchOrder(id)).status, 'canceled')
  assert.ok((await exchange.fetchCanceledOrders(BTC)).some((order) => order.id === id))
  assert.ok((await exchange.fetchOrders(BTC)).some((order) => order.id === second.id))
  assert.deepEqual((await exchange.fetchClosedOrders(BTC)).filter((order) => order.id === id), [])
  await assert.rejects(exchange.fetchOrder('999999'), errors.OrderNotFound)
  await assert.rejects(exchange.fetchOrder('x'), errors.InvalidOrder)
})

test('a market order is found by the hash of its transaction, also a close that ends a stop, and its trades and movements name it', async () => {
  const watched = exchange.watchMyTrades(ETH)
  const opened = await exchange.createMarketOrderWithCost(ETH, 'buy', 100, { leverage: 2, clientOrderId: 'ccxt-market-1' })
  const [fill] = await watched
  assert.deepEqual([fill?.order, fill?.side, fill?.amount, fill?.cost, fill?.takerOrMaker], [opened.id, 'buy', opened.filled, 100, 'taker'])
  const found = await exchange.fetchOrder(opened.id)
  assert.deepEqual([found.status, found.side, found.filled, found.clientOrderId], ['closed', 'buy', opened.filled, 'ccxt-market-1'])
  const mine = (await exchange.fetchMyTrades(ETH)).find((trade) => trade.order === opened.id)
  // The fee of the lowest tier: 5 basis points.
  assert.deepEqual([mine?.fee, mine?.price], [{ currency: 'USDC', cost: 0.05 }, opened.average])
  const stop = await exchange.createOrder(ETH, 'market', 'sell', undefined, undefined, { stopLossPrice: 1 })
  const closed = await exchange.closePosition(ETH)
  assert.equal(closed.side, 'sell')
  assert.equal((await exchange.fetchOrder(stop.id)).status, 'canceled')
  const close = await exchange.fetchOrder(closed.id)
  assert.deepEqual([close.id, close.type, close.side, close.stopLossPrice, close.filled], [closed.id, 'market', 'sell', undefined, closed.filled])
  const ledger = await exchange.fetchLedger('USDC')
  const movement = ledger.find((entry) => entry.referenceId === opened.id)
  assert.deepEqual([movement?.direction, movement?.amount, movement?.type, movement?.account], ['out', 50, 'trade', 'wallet'])
})

test('fetchMyTrades with a symbol lists the trades of that market only', async () => {
  const all = await exchange.fetchMyTrades()
  assert.ok(all.some(({ symbol }) => symbol === ETH))
  for (const symbol of [ETH, BTC]) assert.deepEqual(await exchange.fetchMyTrades(symbol), all.filter((trade) => trade.symbol === symbol))
})

test('closePosition without a side refuses when long and short positions are open', async () => {
  await assert.rejects(exchange.closePosition(ETH), errors.InvalidOrder)
  await exchange.createMarketOrderWithCost(ETH, 'buy', 60, { leverage: 2 })
  // An open closes positions in the other direction of the same margin mode first, on contracts of generation 2.
  await exchange.createMarketOrderWithCost(ETH, 'sell', 40, { leverage: 2, marginMode: 'cross' })
  await assert.rejects(exchange.closePosition(ETH), errors.ArgumentsRequired)
  await exchange.closePosition(ETH, 'short')
  assert.equal((await exchange.closePosition(ETH)).status, 'closed')
})

test('rejections have CCXT\'s error classes', async () => {
  await assert.rejects(exchange.createLimitOrder(BTC, 'buy', 0.000_001, 50_000), errors.InvalidOrder)
  await exchange.createMarketOrderWithCost(ETH, 'buy', 60_000, { leverage: 1 })
  await assert.rejects(exchange.createMarketOrderWithCost(ETH, 'buy', 60_000, { leverage: 1 }), errors.InsufficientFunds)
  await exchange.closePosition(ETH, 'long')
  await assert.rejects(exchange.closePosition(BTC, 'long'), errors.InvalidOrder)
  await assert.rejects(exchange.createOrder(BTC, 'limit', 'buy', 1), errors.ArgumentsRequired)
  await assert.rejects(exchange.cancelOrder('999999'), errors.OrderNotFound)
  const urls = { api: exchange.urls.api }
  await assert.rejects(new PerpetualExchange({ urls }).fetchBalance(), errors.AuthenticationError)
  await assert.rejects(new PerpetualExchange({ urls, apiKey: 'nk_1', secret: '0'.repeat(64) }).fetchBalance(), errors.AuthenticationError)
  await assert.rejects(new PerpetualExchange({ urls, privateKey: 'S' }).signIn(), errors.AuthenticationError)
  await assert.rejects(new PerpetualExchange({ urls: { api: 'http://127.0.0.1:9' }, client: { attempts: 1 } }).fetchTime(), errors.NetworkError)
})

test('each client error maps to a CCXT error', () => {
  const refusal = { status: 400, code: 'x', message: 'x', requestId: null, body: null }
  const contract = (name: string): ContractFailure => new ContractFailure(refusal, { stage: 'simulation', contractError: { code: 1, name } })
  const cases: readonly (readonly [unknown, new (message: string) => errors.BaseError])[] = [
    [new RateLimited({ ...refusal, status: 429 }), errors.RateLimitExceeded], [new GatewayError({ ...refusal, status: 503 }), errors.ExchangeNotAvailable],
    [new GatewayError({ ...refusal, status: 451 }), errors.RestrictedLocation], [new GatewayError({ ...refusal, status: 403 }), errors.PermissionDenied],
    [new GatewayError({ ...refusal, status: 503, code: 'unsupported_by_deployment' }), errors.NotSupported],
    [new GatewayError({ ...refusal, status: 404, code: 'order_not_found' }), errors.OrderNotFound],
    [new GatewayError({ ...refusal, status: 409, code: 'client_id_in_use' }), errors.DuplicateOrderId],
    [new GatewayError(refusal), errors.BadRequest], [new GatewayError({ ...refusal, status: 500 }), errors.ExchangeError],
    [contract('Paused'), errors.OperationRejected], [contract('PriceStale'), errors.OperationFailed], [contract('SlippageExceeded'), errors.OrderNotFillable],
    [contract('SomethingNew'), errors.ExchangeError], [new Unreachable('x: no response within 5 ms', 'y'), errors.RequestTimeout],
    [new Unreachable('x', 'y'), errors.NetworkError], [new UnexpectedAnswer('x'), errors.BadResponse], [new TypeError('x'), errors.InvalidOrder],
    [new UnknownOutcome({ hash: '', signedXdr: '', expiresAt: 0 }), errors.RequestTimeout],
  ]
  for (const [given, wanted] of cases) {
    const found = errors.toCcxtError(given)
    assert.ok(found instanceof wanted && found.name === wanted.name, `${String(given)}: ${String(found)}`)
    assert.equal(found.cause, given)
  }
})

test('close() rejects pending watch calls with ExchangeClosedByUser', async () => {
  const other = new PerpetualExchange({ urls: { api: exchange.urls.api } })
  assert.ok((await other.watchTicker(BTC)).last > 0)
  assert.ok((await other.watchOHLCV(BTC)).every(([time]) => time % 60_000 === 0))
  const waiting = (async () => {
    for (;;) await other.watchTrades(BTC)
  })()
  const rejected = assert.rejects(waiting, errors.ExchangeClosedByUser)
  await other.close()
  await rejected
})

/** The folder of TEST_CCXT_DIR, with `node_modules/ccxt` and `node_modules/ccxt-checks`, the last release that includes its checks. */
function ccxtFolder(context: TestContext): string | undefined {
  const path = process.env['TEST_CCXT_DIR']
  if (path !== undefined && existsSync(join(path, 'node_modules/ccxt-checks')) && existsSync(join(path, 'node_modules/ccxt'))) return path
  context.skip('CCXT is not installed: set TEST_CCXT_DIR to a folder that has it, like the one .ci/run makes')
  return undefined
}

test('CCXT\'s own checks pass', async (context: TestContext) => {
  const path = ccxtFolder(context)
  if (path === undefined) return
  const opened = await exchange.createMarketOrderWithCost(BTC, 'buy', 50, { leverage: 2 })
  await exchange.createOrder(BTC, 'market', 'sell', undefined, undefined, { takeProfitPrice: 900_000 })
  await exchange.createLimitOrder(BTC, 'sell', 0.001, 900_000, { leverage: 2 })
  assert.ok(opened.id)
  const script = join(folder.path, 'checks.mjs')
  writeFileSync(script, CCXT_CHECKS)
  const entry = new URL('../../client/src/ccxt/index.ts', import.meta.url).href
  const env = { PATH: process.env['PATH'], URL: exchange.urls.api, SECRET: privateKey, CCXT: path, ENTRY: entry }
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 })
  const done = /^checked: (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? []
  assert.deepEqual(done, [
    'hierarchy', 'loadMarkets', 'fetchMarkets', 'fetchTicker', 'fetchTickers', 'fetchOHLCV', 'fetchTrades', 'fetchMyTrades', 'fetchOpenOrders',
    'fetchOrders', 'fetchOrder', 'fetchLedger',
    'fetchPositions', 'fetchBalance', 'fetchFundingRateHistory', 'fetchOpenInterest', 'createOrder', 'setMarkets',
    'safeTicker', 'safeTrade', 'safeOrder', 'safePosition',
  ])
})

test('its types are assignable to CCXT\'s', async (context: TestContext) => {
  const path = ccxtFolder(context)
  if (path === undefined) return
  const source = CCXT_TYPES.replaceAll('CCXT_TYPES', join(path, 'node_modules/ccxt/js/ccxt.js')).replaceAll('ENTRY', join(ROOT, 'client/src/ccxt/index.ts'))
  writeFileSync(join(folder.path, 'types.ts'), source)
  const compilerOptions = {
    noEmit: true, skipLibCheck: true, strict: true, exactOptionalPropertyTypes: false, allowImportingTsExtensions: true, module: 'nodenext', target: 'es2022',
    types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }))
  const checked = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', folder.path], { timeout: TIMEOUT_MS })
  assert.equal(await checked.then(({ stdout }) => stdout, (error: { readonly stdout: string }) => error.stdout), '')
})

test('a ticker has the past day where the gateway knows it', () => {
  const price = { asset: 'BTC', price: '1010000000', timestamp: 1 }
  const row = { asset: 'BTC', change24h: 1, high24h: '1020000000', low24h: '990000000', volume24h: '50000000' } as unknown as MarketStats
  const known = parseTicker(price, row)
  assert.deepEqual([known.high, known.low, known.percentage, known.quoteVolume], [102, 99, 1, 5])
  assert.deepEqual([known.open, known.change, known.average], [100, 1, 100.5])
  const unknown = parseTicker(price, { ...row, change24h: null, high24h: null, low24h: null })
  assert.deepEqual([unknown.high, unknown.low, unknown.open, unknown.change, unknown.percentage], Array.from({ length: 5 }, () => undefined))
})
