// The grid bot against a whole exchange: the keeper executes its orders, its profit is exact, and a kill does not make it place an order twice.

import assert from 'node:assert/strict'
import type { ExchangeProcess } from './exchange-process.ts'
import type { Program } from '../support/program.ts'
import { unitsOf } from './units.ts'

const ONE = 10_000_000n
const show = (level: bigint): string => `${level / ONE}\\.0000000`

/** Walks the price of an asset through a grid of whole dollars, which should be well below 1 % of it: the market opens no positions after a larger change. */
export async function walkGrid(exchange: ExchangeProcess, { account, asset, stepUsdc }: { account: string; asset: string; stepUsdc: number }): Promise<void> {
  const step = BigInt(stepUsdc) * ONE
  const client = await exchange.clientOf(account)
  const { body: { price } } = await client.getMarketPrice({ asset })
  const highest = BigInt(price) / step * step
  const setPrice = (to: bigint): Promise<unknown> => exchange.control('local_setPrice', { asset, price: String(to) })
  const secret = await exchange.secretOf(account)
  const start = (): Program => exchange.example('grid-bot', [asset, String(stepUsdc)], { SECRET: secret })
  await setPrice(highest + step / 2n)

  await using bot = start()
  for (const below of [0n, 1n, 2n]) await bot.waitForLine(new RegExp(`^placed buy order at ${show(highest - below * step)}$`))
  await setPrice(highest - step / 10n)
  const [, id = ''] = /^position (\d+) bought at \d+\.\d{7}$/.exec(await bot.waitForLine(/^position \d+ bought at /)) ?? []
  await bot.waitForLine(new RegExp(`^placed sell order for position ${id} at ${show(highest + step)}$`))
  await bot.waitForLine(new RegExp(`^placed buy order at ${show(highest - 3n * step)}$`))
  await bot.stop('SIGKILL')

  await using again = start()
  await setPrice(highest + step + step / 10n)
  const sold = await again.waitForLine(new RegExp(`^position ${id} sold at `))
  const [, profit = '', total = ''] = / profit (\S+), total (\S+)$/.exec(sold) ?? []
  const { body: { trades: [trade] } } = await client.listTrades({ asset, limit: 1 })
  assert.deepEqual([trade?.positionId, trade?.kind], [Number(id), 'close'])
  assert.deepEqual([unitsOf(profit), unitsOf(total)], [trade?.pnl, trade?.pnl])
  assert.ok(BigInt(trade?.pnl ?? 0) > 0n)
  // The grid follows the price two steps up.
  await again.waitForLine(new RegExp(`^placed buy order at ${show(highest + step)}$`))
  const { body: { orders } } = await client.listAccountOpenOrders()
  const levels = orders.filter(({ orderType }) => orderType === 'limit').map(({ triggerPrice }) => triggerPrice)
  assert.equal(new Set(levels).size, levels.length, 'two orders at one level')

  assert.equal(await again.stop('SIGINT'), 0, again.errors())
  const { body: { orders: remaining } } = await client.listAccountOpenOrders()
  assert.deepEqual(remaining.filter(({ orderType }) => orderType === 'limit'), [])
  assert.equal(bot.errors() + again.errors(), '')
}
