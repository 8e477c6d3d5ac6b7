import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { CandleTick } from '../projections/candles.ts'
import { createAssetList } from '../exchange/assets.ts'
import { createOracle, TICKER_INTERVAL_MS } from './oracle.ts'
import type { AttestedPrice } from './prices.ts'
import { anyDeployment } from '../../test/support/deployments.ts'

function build() {
  const clock = createVirtualClock(0)
  const shim = new Map<string, AttestedPrice>([['BTC', { price: 100n, timestampSec: 10 }], ['ETH', { price: 7n, timestampSec: 11 }]])
  const folded: (readonly CandleTick[])[] = []
  const database = { away: false }
  let reads = 0
  const deployment = anyDeployment({}, ['BTC', 'ETH'])
  const oracle = createOracle({
    deployment,
    readPrice: async (asset) => {
      reads += 1
      return shim.get(asset) ?? { price: 0n, timestampSec: 0 }
    },
    foldTicks: async (ticks) => {
      if (database.away) throw new Error('connection lost')
      folded.push(ticks)
    },
    filling: { readHead: async () => ({ epoch: null, lastSeq: 0 }), fillPage: async () => ({ filled: 0, beforeSeq: null, tooNewSeq: null }) },
    clock,
    log: silentLog,
  })
  return { clock, shim, deployment, folded, database, oracle, reads: () => reads }
}

test('records a tick for a new price or attestation time', async () => {
  const { shim, folded, oracle } = build()
  await oracle.step()
  await oracle.step()
  assert.deepEqual(folded, [[{ asset: 'BTC', price: 100n, timestampSec: 10 }, { asset: 'ETH', price: 7n, timestampSec: 11 }]])
  shim.set('BTC', { price: 100n, timestampSec: 12 })
  await oracle.step()
  shim.set('BTC', { price: 101n, timestampSec: 12 })
  await oracle.step()
  assert.deepEqual(folded.slice(1), [[{ asset: 'BTC', price: 100n, timestampSec: 12 }], [{ asset: 'BTC', price: 101n, timestampSec: 12 }]])
})

test('serves a price of zero or less without a tick', async () => {
  const { shim, folded, oracle } = build()
  shim.set('BTC', { price: 0n, timestampSec: 20 })
  shim.set('ETH', { price: -5n, timestampSec: 20 })
  await oracle.step()
  assert.deepEqual(folded, [])
  assert.equal(oracle.prices.cachedSnapshot()?.prices.get('BTC')?.price.price, '0')
})

test('keeps ticks during a database outage and writes them in order afterwards', async () => {
  const { shim, folded, database, oracle } = build()
  database.away = true
  await oracle.step()
  shim.set('BTC', { price: 102n, timestampSec: 15 })
  await oracle.step()
  database.away = false
  await oracle.step()
  assert.deepEqual(folded, [[
    { asset: 'BTC', price: 100n, timestampSec: 10 },
    { asset: 'ETH', price: 7n, timestampSec: 11 },
    { asset: 'BTC', price: 102n, timestampSec: 15 },
  ]])
})

test('runs rounds until its signal aborts and leaves no timer', async () => {
  const { clock, oracle, reads } = build()
  const stop = new AbortController()
  const running = oracle.run(stop.signal)
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
  }
  await settle()
  assert.equal(reads(), 2)
  clock.advance(TICKER_INTERVAL_MS)
  await settle()
  assert.equal(reads(), 4)
  stop.abort()
  await running
  assert.equal(clock.pendingTimers(), 0)
})

test('a replaced deployment changes the assets, and the prices of another shim are forgotten', async () => {
  const { deployment, oracle, shim } = build()
  await oracle.step()
  shim.delete('BTC')
  shim.set('SOL', { price: 9n, timestampSec: 12 })
  const { current } = deployment
  deployment.replace({ ...current, assets: createAssetList(current.assets.all.filter(({ symbol }) => symbol === 'ETH')) })
  assert.deepEqual([...(await oracle.prices.snapshot()).prices.keys()], ['ETH'])
  assert.equal(await oracle.prices.price('BTC'), undefined, 'an asset that is no longer listed')
  shim.set('ETH', { price: 8n, timestampSec: 13 })
  deployment.replace({ ...deployment.current, contracts: { ...current.contracts, oracleShim: 'another shim' } })
  assert.equal((await oracle.prices.price('ETH'))?.price.price, '8', 'the cached price of the other shim')
})
