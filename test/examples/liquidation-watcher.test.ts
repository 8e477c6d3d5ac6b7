// The liquidation watcher before real liquidations: told to the unit, and none left out or repeated while it was dead.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../client/src/client.ts'
import { startExchange } from '../support/exchange-process.ts'
import { unitsOf } from '../support/units.ts'

/** 100 USDC, ten times over: gone when the price falls by a tenth. */
const BET = { collateral: '1000000000', leverage: 10, direction: 'Long' } as const

async function bet(client: Client, asset: string): Promise<number> {
  const { positionId } = await client.trade({ op: 'open_position', asset, ...BET })
  assert.ok(positionId !== null)
  return positionId
}

test('the liquidation watcher tells every liquidation once, to the unit, also those that happened while it was dead', async () => {
  await using exchange = await startExchange()
  const fall = async (asset: string): Promise<void> => {
    const { body } = await alice.getMarketPrice({ asset })
    await exchange.cheat('local_setPrice', { asset, price: String(BigInt(body.price) * 85n / 100n) })
  }
  const alice = await exchange.clientOf('alice')
  const [first, second] = [await bet(alice, 'BTC'), await bet(alice, 'ETH')]
  await alice.trade({ op: 'deposit_cross_margin', amount: '1000000000' })
  await alice.trade({ op: 'open_position_cross', asset: 'SOL', ...BET })

  const watch = ['liquidations.place']
  await using watcher = exchange.example('liquidation-watcher', watch)
  await using unkept = exchange.example('liquidation-watcher', [])
  for (const program of [watcher, unkept]) await program.said(/^watching from place \d+ of the log$/)
  await fall('BTC')
  const line = await watcher.said(new RegExp(`position ${first}:`))
  const { body: { trades } } = await alice.listTrades({ trader: (await alice.getAccountIdentity()).body.owner })
  const [trade] = trades
  assert.equal(trade?.kind, 'liquidation')
  const [, size = '', price = '', reward = ''] = /^\S+Z position \d+: long BTC of (\S+) USDC at (\S+), keeper got (\S+), trader G\w{55}$/.exec(line) ?? []
  const { body: { events } } = await alice.listEvents({ topic: 'position_liquidated', limit: 1 })
  const payload = events[0]?.payload as Record<string, string> | undefined
  assert.deepEqual([unitsOf(size), unitsOf(price), unitsOf(reward)], [payload?.['size'], payload?.['closePrice'], payload?.['keeperReward']])
  assert.deepEqual([trade?.size, trade?.closePrice], [payload?.['size'], payload?.['closePrice']])
  await unkept.said(new RegExp(`position ${first}:`))
  assert.equal(await unkept.end('SIGINT'), 0, unkept.errors())
  await watcher.end('SIGKILL')

  // Nobody watches while these two happen.
  const awaited = new Set(['position_liquidated', 'cross_liq'])
  const stream = alice.stream()
  const { seq } = await alice.listEvents({ limit: 1 })
  await fall('ETH')
  await fall('SOL')
  for await (const { data } of stream.frames('events', { since: seq ?? 0 })) {
    awaited.delete(data.topic)
    if (awaited.size === 0) break
  }
  stream.close()
  await using again = exchange.example('liquidation-watcher', watch)
  await again.said(new RegExp(`position ${second}: long ETH of 1000\\.`))
  await again.said(/cross account: PnL -\d+\.\d{7} USDC, keeper got \d+\.\d{7}, trader G/)
  assert.equal(await again.end('SIGINT'), 0, again.errors())
  assert.equal(again.output().split('\n').filter((text) => text.includes(`position ${first}:`)).length, 0, again.output())
  assert.match(again.errors(), /^watching from place \d+ of the log\n$/)
})
