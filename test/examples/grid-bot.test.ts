// The grid bot against a whole exchange: the keeper executes its orders, its profit is exact, and a kill does not make it place an order twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Program } from '../support/program.ts'
import { startExchange } from './exchange-process.ts'
import { unitsOf } from './units.ts'

const ONE = 10_000_000n
const STEP = 100n * ONE
const show = (level: bigint): string => `${level / ONE}\\.0000000`

test('the grid bot buys at its levels, sells one step higher, and continues after a kill', async () => {
  await using exchange = await startExchange()
  const alice = await exchange.clientOf('alice')
  const { body: { price } } = await alice.getMarketPrice({ asset: 'BTC' })
  // Between two levels. More than 1 % from the last price, the market would open no positions for ten minutes.
  const highest = BigInt(price) / STEP * STEP
  const setPrice = (to: bigint): Promise<unknown> => exchange.control('local_setPrice', { asset: 'BTC', price: String(to) })
  const start = (secret: string): Program => exchange.example('grid-bot', ['BTC', '100'], { SECRET: secret })
  const secret = await exchange.secretOf('alice')
  await setPrice(highest + STEP / 2n)

  await using bot = start(secret)
  for (const below of [0n, 1n, 2n]) await bot.waitForLine(new RegExp(`^placed buy order at ${show(highest - below * STEP)}$`))
  await setPrice(highest - 10n * ONE)
  const [, id = ''] = /^position (\d+) bought at \d+\.\d{7}$/.exec(await bot.waitForLine(/^position \d+ bought at /)) ?? []
  await bot.waitForLine(new RegExp(`^placed sell order for position ${id} at ${show(highest + STEP)}$`))
  await bot.waitForLine(new RegExp(`^placed buy order at ${show(highest - 3n * STEP)}$`))
  await bot.stop('SIGKILL')

  await using again = start(secret)
  await setPrice(highest + STEP + 10n * ONE)
  const sold = await again.waitForLine(new RegExp(`^position ${id} sold at `))
  const [, profit = '', total = ''] = / profit (\S+), total (\S+)$/.exec(sold) ?? []
  const { body: { trades: [trade] } } = await alice.listTrades({ limit: 1 })
  assert.deepEqual([trade?.positionId, trade?.kind], [Number(id), 'close'])
  assert.deepEqual([unitsOf(profit), unitsOf(total)], [trade?.pnl, trade?.pnl])
  assert.ok(BigInt(trade?.pnl ?? 0) > 0n)
  // The grid follows the price two steps up.
  await again.waitForLine(new RegExp(`^placed buy order at ${show(highest + STEP)}$`))
  const { body: { orders } } = await alice.listAccountOpenOrders()
  const levels = orders.filter(({ orderType }) => orderType === 'limit').map(({ triggerPrice }) => triggerPrice)
  assert.equal(new Set(levels).size, levels.length, 'two orders at one level')

  assert.equal(await again.stop('SIGINT'), 0, again.errors())
  const { body: { orders: remaining } } = await alice.listAccountOpenOrders()
  assert.deepEqual(remaining.filter(({ orderType }) => orderType === 'limit'), [])
  assert.equal(bot.errors() + again.errors(), '')
})
