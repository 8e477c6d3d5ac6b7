// The liquidation watcher against real liquidations: exact amounts, none missing and none repeated across a kill.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../client/src/client.ts'
import { startExchange } from './exchange-process.ts'
import { unitsOf } from './units.ts'

/** 100 USDC at leverage 10: liquidated when the price falls by a tenth. */
const POSITION = { collateral: '1000000000', leverage: 10, direction: 'Long' } as const

async function openPosition(client: Client, asset: string): Promise<number> {
  const { positionId } = await client.trade({ op: 'open_position', asset, ...POSITION })
  assert.ok(positionId !== null)
  return positionId
}

test('the liquidation watcher prints every liquidation once, including those that happened while it was down', async () => {
  await using exchange = await startExchange()
  const dropPrice = async (asset: string): Promise<void> => {
    const { body } = await alice.getMarketPrice({ asset })
    await exchange.control('local_setPrice', { asset, price: String(BigInt(body.price) * 85n / 100n) })
  }
  const alice = await exchange.clientOf('alice')
  const [first, second] = [await openPosition(alice, 'BTC'), await openPosition(alice, 'ETH')]
  await alice.trade({ op: 'deposit_cross_margin', amount: '1000000000' })
  await alice.trade({ op: 'open_position_cross', asset: 'SOL', ...POSITION })

  const args = ['liquidations.seq']
  await using watcher = exchange.example('liquidation-watcher', args)
  await using withoutFile = exchange.example('liquidation-watcher', [])
  for (const program of [watcher, withoutFile]) await program.waitForLine(/^watching from position \d+ of the log$/)
  await dropPrice('BTC')
  const line = await watcher.waitForLine(new RegExp(`position ${first}:`))
  const { body: { trades } } = await alice.listTrades({ trader: (await alice.getAccountIdentity()).body.owner })
  const [trade] = trades
  assert.equal(trade?.kind, 'liquidation')
  const [, size = '', price = '', reward = ''] = /^\S+Z position \d+: long BTC of (\S+) USDC at (\S+), keeper reward (\S+), trader G\w{55}$/.exec(line) ?? []
  const { body: { events } } = await alice.listEvents({ topic: 'position_liquidated', limit: 1 })
  const payload = events[0]?.payload as Record<string, string> | undefined
  assert.deepEqual([unitsOf(size), unitsOf(price), unitsOf(reward)], [payload?.['size'], payload?.['closePrice'], payload?.['keeperReward']])
  assert.deepEqual([trade?.size, trade?.closePrice], [payload?.['size'], payload?.['closePrice']])
  await withoutFile.waitForLine(new RegExp(`position ${first}:`))
  assert.equal(await withoutFile.stop('SIGINT'), 0, withoutFile.errors())
  await watcher.stop('SIGKILL')

  // The watcher is down during these two liquidations.
  const awaited = new Set(['position_liquidated', 'cross_liq'])
  const stream = alice.stream()
  const { seq } = await alice.listEvents({ limit: 1 })
  await dropPrice('ETH')
  await dropPrice('SOL')
  for await (const { data } of stream.frames('events', { since: seq ?? 0 })) {
    awaited.delete(data.topic)
    if (awaited.size === 0) break
  }
  stream.close()
  await using again = exchange.example('liquidation-watcher', args)
  await again.waitForLine(new RegExp(`position ${second}: long ETH of 1000\\.`))
  await again.waitForLine(/cross account: PnL -\d+\.\d{7} USDC, keeper reward \d+\.\d{7}, trader G/)
  assert.equal(await again.stop('SIGINT'), 0, again.errors())
  assert.equal(again.output().split('\n').filter((text) => text.includes(`position ${first}:`)).length, 0, again.output())
  assert.match(again.errors(), /^watching from position \d+ of the log\n$/)
})
