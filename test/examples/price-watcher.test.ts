// The price watcher against a whole exchange: exact prices, levels, old prices, and a gateway that is killed and restarted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExchange } from './exchange-process.ts'

test('the price watcher prints exact prices, crossed levels, and warnings for old and missing prices', async () => {
  await using exchange = await startExchange()
  const setPrice = (price: string, ageSeconds = 0): Promise<unknown> => exchange.control('local_setPrice', { asset: 'BTC', price, ageSeconds })
  await setPrice('949999999999')
  await using watcher = exchange.example('price-watcher', ['BTC=95000', 'eth'])
  await watcher.waitForLine(/^BTC 94999\.9999999 {2}\d+ s old$/)
  await watcher.waitForLine(/^ETH \d+\.\d{7} {2}\d+ s old$/)
  await setPrice('950000000000')
  await watcher.waitForLine(/^BTC 95000\.0000000 {2}\d+ s old$/)
  await watcher.waitForLine(/^BTC went to or above 95000\.0000000$/)
  await setPrice('949999999998')
  await watcher.waitForLine(/^BTC went below 95000\.0000000$/)
  await setPrice('949999999997', 120)
  assert.match(await watcher.waitForLine(/^BTC 94999\.9999997/), / 1\d\d s old: too old to open a position at$/)

  await exchange.kill()
  await watcher.waitForLine(/^connection lost/)
  await watcher.waitForLine(/^ETH no price for 10 s/)
  await exchange.start()
  await watcher.waitForLine(/^ETH \d+\.\d{7} {2}\d+ s old$/)
  assert.equal(await watcher.stop('SIGINT'), 0, watcher.errors())
  // An unknown market ends it immediately.
  await using wrong = exchange.example('price-watcher', ['BTC', 'SHIB'])
  await wrong.waitForLine(/^unknown market: ticker\.SHIB$/)
  assert.equal(await wrong.exited, 1)
})
