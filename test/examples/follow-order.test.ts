// The order of the example is placed once, although the program is killed while its transaction is pending.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'
import { until } from '../support/until.ts'

test('an order whose program is killed while its transaction is pending is finished by hash and followed to its end', async () => {
  await using exchange = await startExchange()
  const alice = await exchange.clientOf('alice')
  const { body: { price } } = await alice.getMarketPrice({ asset: 'BTC' })
  const setPrice = (percent: bigint): Promise<unknown> =>
    exchange.control('local_setPrice', { asset: 'BTC', price: String((BigInt(price) * (1000n - percent)) / 1000n) })
  await setPrice(0n)
  const trigger = (BigInt(price) * 995n) / 1000n / 10_000_000n
  const words = [join(exchange.folder, 'order.json'), 'BTC', String(trigger)]
  const environment = { SECRET: await exchange.secretOf('alice') }

  // No ledger closes, so the transaction stays pending.
  await exchange.control('local_autoClose', { enabled: false })
  await using killed = exchange.example('follow-order', words, environment)
  const [, hash = ''] = /^signed as ([0-9a-f]{64})$/.exec(await killed.waitForLine(/^signed as /)) ?? []
  await until(async () => (await alice.transactions.get(hash)).status === 'PENDING', 'the submission')
  assert.equal(await killed.stop('SIGKILL'), 'SIGKILL')
  await exchange.control('local_autoClose', { enabled: true })

  await using again = exchange.example('follow-order', words, environment)
  const [, id = ''] = /^order (\d+) was placed by/.exec(await again.waitForLine(/^order \d+ was placed by the transaction signed before$/)) ?? []
  await again.waitForLine(new RegExp(`^order ${id} pending$`))
  await setPrice(6n)
  await again.waitForLine(new RegExp(`^order ${id} executed at \\d+, fee `))
  assert.equal(await again.exited, 0, again.errors())

  await using idle = exchange.example('follow-order', words, environment)
  assert.equal(await idle.exited, 0, idle.errors())
  assert.match(idle.output(), new RegExp(`^order ${id} executed at .*\\n$`))
  const { body: { orders } } = await alice.listAccountOrderHistory()
  assert.deepEqual(orders.map(({ orderId, status }) => [orderId, status]), [[Number(id), 'executed']])
})
