// Programs that run CCXT's own checks on this project's exchange. They run in a separate process, because CCXT is not a dependency of this project.

/** Runs CCXT's checks against the exchange at URL, signing with SECRET. Prints the names of those that passed. */
export const CCXT_CHECKS = `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

const load = createRequire(process.env.CCXT + '/x.js')
const ours = await import(process.env.ENTRY)
const { default: ccxt } = await import(process.env.CCXT + '/node_modules/ccxt/js/ccxt.js')
const exchange = new ours.PerpetualExchange({ urls: { api: process.env.URL }, privateKey: process.env.SECRET })
await exchange.signIn()
const base = new ccxt.Exchange({ id: exchange.id })
// The checks use some helpers of CCXT's base class. Everything checked is ours.
const HELPERS = ['json', 'inArray', 'safeString', 'safeValue', 'milliseconds', 'parse8601', 'sum', 'indexBy', 'sortBy', 'omit', 'parseTimeframe', 'isEmpty']
const whole = new Proxy(exchange, {
  get(target, name) {
    if (HELPERS.includes(name)) return (...args) => base[name](...args)
    const value = target[name]
    return typeof value === 'function' ? value.bind(target) : value
  },
})
const check = (name) => load('ccxt-checks/js/test/Exchange/test.' + name + '.js')
const done = []
const symbol = 'BTC/USDC:USDC'
const now = Date.now() + 5000

const chain = (made) => {
  const names = []
  for (let at = made; at !== Error && at !== null; at = Object.getPrototypeOf(at)) names.push(at.name)
  return names
}
for (const [name, made] of Object.entries(ours)) {
  if (name !== 'PerpetualExchange') assert.deepEqual(chain(made), chain(ccxt[name]), name)
}
done.push('hierarchy')

const call = async (name, ...args) => {
  const result = await check(name)(whole, ...args)
  assert.notEqual(result, undefined, name + ' checked nothing')
  done.push(name)
  return result
}
await exchange.loadMarkets()
await check('loadMarkets')(whole)
done.push('loadMarkets')
const markets = await call('fetchMarkets')
const ticker = await call('fetchTicker', symbol)
await check('fetchTickers')(whole, symbol)
done.push('fetchTickers')
await check('fetchOHLCV')(whole, symbol)
done.push('fetchOHLCV')

const trades = []
for (const one of exchange.symbols) {
  for (const trade of await exchange.fetchTrades(one)) {
    check('trade')(whole, trade, one, now)
    trades.push(trade)
  }
}
assert.ok(trades.length > 0)
done.push('fetchTrades')
for (const trade of await exchange.fetchMyTrades()) check('trade')(whole, trade, trade.symbol, now)
done.push('fetchMyTrades')
const orders = await exchange.fetchOpenOrders(symbol)
assert.ok(orders.length >= 2)
for (const order of orders) check('order')(whole, order, symbol, now)
done.push('fetchOpenOrders')
const known = await exchange.fetchOrders(symbol)
assert.ok(known.length >= orders.length)
// An attached order that ended without closing anything has no amount.
for (const order of known.filter(({ amount, status }) => amount !== undefined || status === 'open')) check('order')(whole, order, symbol, now)
done.push('fetchOrders')
check('order')(whole, await exchange.fetchOrder(known[0].id), symbol, now)
done.push('fetchOrder')
const movements = await exchange.fetchLedger('USDC')
assert.ok(movements.length > 0)
for (const movement of movements) check('ledgerItem')(whole, movement, 'USDC', now)
done.push('fetchLedger')
const positions = await exchange.fetchPositions([symbol])
assert.ok(positions.length >= 1)
for (const position of positions) check('position')(whole, position, symbol, now)
done.push('fetchPositions')
check('balance')(whole, await exchange.fetchBalance(), 'fetchBalance')
done.push('fetchBalance')
await call('fetchFundingRateHistory', symbol)
check('openInterest')(whole, await exchange.fetchOpenInterest(symbol), 'fetchOpenInterest')
done.push('fetchOpenInterest')
const made = await exchange.createMarketOrderWithCost(symbol, 'buy', 30)
check('order')(whole, made, symbol, now + 60_000)
done.push('createOrder')

// CCXT's base class normalizes the client's structures without changing a value.
const keeps = (name, mine, theirs) => {
  for (const [key, value] of Object.entries(mine)) {
    if (value === undefined || key === 'info' || key === 'fees' || key === 'trades') continue
    const made = theirs[key]
    const says = name + '.' + key + ': ' + value + ' ' + made
    if (typeof value === 'number' && typeof made === 'number') assert.ok(Math.abs(value - made) <= 1e-9 * Math.abs(value), says)
    else if (made !== undefined) assert.deepEqual(made, value, name + '.' + key)
    else assert.ok(!(key in theirs), name + '.' + key + ' is lost')
  }
}
const set = base.setMarkets(markets)
assert.equal(Object.keys(set).length, markets.length)
for (const market of markets) keeps('market', market, set[market.symbol])
done.push('setMarkets')
keeps('ticker', ticker, base.safeTicker({ ...ticker }, set[symbol]))
done.push('safeTicker')
for (const trade of trades) keeps('trade', trade, base.safeTrade({ ...trade }, set[trade.symbol]))
done.push('safeTrade')
for (const order of [...orders, made]) keeps('order', order, base.safeOrder({ ...order }, set[symbol]))
done.push('safeOrder')
for (const position of positions) keeps('position', position, base.safePosition({ ...position }))
done.push('safePosition')
console.log('checked: ' + done.join(' '))
`

/** Assigns the results of the client's methods to CCXT's types. */
export const CCXT_TYPES = `
import type { Balances, FundingRate, FundingRateHistory, LedgerEntry, MarketInterface, OHLCV, OpenInterest, Order, Position, Ticker, Trade } from 'CCXT_TYPES'
import type { PerpetualExchange } from 'ENTRY'

export async function use(exchange: PerpetualExchange): Promise<unknown[]> {
  const symbol = 'BTC/USDC:USDC'
  const markets: MarketInterface[] = await exchange.fetchMarkets()
  const ticker: Ticker = await exchange.fetchTicker(symbol)
  const candles: OHLCV[] = await exchange.fetchOHLCV(symbol, '1m', 0, 5)
  const trades: Trade[] = [...await exchange.fetchTrades(symbol), ...await exchange.fetchMyTrades(), ...await exchange.watchTrades(symbol)]
  const positions: Position[] = await exchange.fetchPositions([symbol])
  const balance: Balances = await exchange.fetchBalance()
  const orders: Order[] = [...await exchange.fetchOpenOrders(), await exchange.createOrder(symbol, 'limit', 'buy', 1, 2), await exchange.cancelOrder('1')]
  const known: Order[] = [await exchange.fetchOrder('1'), ...await exchange.fetchOrders(symbol), ...await exchange.watchOrders(symbol)]
  const fills: Trade[] = await exchange.watchMyTrades(symbol)
  const ledger: LedgerEntry[] = await exchange.fetchLedger('USDC')
  const funding: FundingRate = await exchange.fetchFundingRate(symbol)
  const history: FundingRateHistory[] = await exchange.fetchFundingRateHistory(symbol)
  const interest: OpenInterest = await exchange.fetchOpenInterest(symbol)
  return [markets, ticker, candles, trades, positions, balance, orders, known, fills, ledger, funding, history, interest]
}
`
