// The event stream against a whole exchange that is killed and restarted: every trade once, in order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'

test('the event stream prints each trade once, also after the gateway was killed', async () => {
  await using exchange = await startExchange()
  await using stream = exchange.example('event-stream', ['btc', 'ETH'])
  const open = async (asset: string): Promise<void> => {
    const client = await exchange.clientOf('alice')
    await client.trade({ op: 'open_position', asset, collateral: '1000000000', leverage: 2, direction: 'Long' })
  }
  await open('BTC')
  const first = await stream.waitForLine(/^#\d+ BTC open at \d/)
  await exchange.kill()
  await stream.waitForLine(/^connection lost, resuming$/)
  await exchange.start()
  await open('ETH')
  const second = await stream.waitForLine(/^#\d+ ETH open at \d/)
  const positionOf = (line: string): number => Number(/\d+/.exec(line)?.[0])
  assert.ok(positionOf(second) > positionOf(first))
  assert.equal(await stream.stop('SIGINT'), 0, stream.errors())
})
