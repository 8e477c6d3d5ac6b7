import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { CandleTick } from '../projections/candles/candles.ts'
import { createAssetList } from '../exchange/assets.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { PricePoll } from '../chain/views/price-entries.ts'
import { ORACLE_CACHE_MS } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import { CADENCE_MAX_MS } from './ledger-cadence.ts'
import { createOracle } from './oracle.ts'
import type { AttestedPrice } from './price-book.ts'
import { anyDeployment } from '../../test/support/deployments.ts'

function build() {
  const clock = createVirtualClock(0)
  const shim = new Map<string, AttestedPrice>([['BTC', { price: 100n, timestampSec: 10, ledger: 1 }], ['ETH', { price: 7n, timestampSec: 11, ledger: 1 }]])
  const folded: (readonly CandleTick[])[] = []
  const database = { away: false }
  const entries: { found: PricePoll | null } = { found: null }
  let reads = 0
  let polls = 0
  const deployment = anyDeployment({}, ['BTC', 'ETH'])
  const oracle = createOracle({
    deployment,
    entries: {
      async read(asset) {
        reads += 1
        return shim.get(asset) ?? { price: 0n, timestampSec: 0, ledger: 1 }
      },
      async poll() {
        polls += 1
        if (entries.found === null) throw new RpcFailure({ method: 'getLedgerEntries', kind: 'unreachable', retryable: true })
        return entries.found
      },
    },
    foldTicks: async (ticks) => {
      if (database.away) throw new Error('connection lost')
      folded.push(ticks)
    },
    filling: { readHead: async () => ({ epoch: null, lastSeq: 0 }), fillPage: async () => ({ filled: 0, beforeSeq: null, tooNewSeq: null }) },
    clock,
    log: silentLog,
  })
  return { clock, shim, deployment, folded, database, oracle, entries, reads: () => reads, polls: () => polls }
}

test('records a tick for a new price or attestation time', async () => {
  const { shim, folded, oracle } = build()
  await oracle.step()
  await oracle.step()
  assert.deepEqual(folded, [[{ asset: 'BTC', price: 100n, timestampSec: 10 }, { asset: 'ETH', price: 7n, timestampSec: 11 }]])
  shim.set('BTC', { price: 100n, timestampSec: 12, ledger: 2 })
  await oracle.step()
  shim.set('BTC', { price: 101n, timestampSec: 12, ledger: 2 })
  await oracle.step()
  assert.deepEqual(folded.slice(1), [[{ asset: 'BTC', price: 100n, timestampSec: 12 }], [{ asset: 'BTC', price: 101n, timestampSec: 12 }]])
})

test('serves a price of zero or less without a tick', async () => {
  const { shim, folded, oracle } = build()
  shim.set('BTC', { price: 0n, timestampSec: 20, ledger: 2 })
  shim.set('ETH', { price: -5n, timestampSec: 20, ledger: 2 })
  await oracle.step()
  assert.deepEqual(folded, [])
  assert.equal(oracle.prices.cachedSnapshot()?.prices.get('BTC')?.price.price, '0')
})

test('keeps ticks during a database outage and writes them in order afterwards', async () => {
  const { shim, folded, database, oracle } = build()
  database.away = true
  await oracle.step()
  shim.set('BTC', { price: 102n, timestampSec: 15, ledger: 2 })
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
  clock.advance(CADENCE_MAX_MS)
  await settle()
  clock.advance(ORACLE_CACHE_MS - CADENCE_MAX_MS)
  await settle()
  assert.equal(reads(), 4, 'again before the prices expire')
  stop.abort()
  await running
  assert.equal(clock.pendingTimers(), 0)
})

test('a replaced deployment changes the assets, and the prices of another shim are forgotten', async () => {
  const { deployment, oracle, shim } = build()
  await oracle.step()
  shim.delete('BTC')
  shim.set('SOL', { price: 9n, timestampSec: 12, ledger: 2 })
  const { current } = deployment
  deployment.replace({ ...current, assets: createAssetList(current.assets.all.filter(({ symbol }) => symbol === 'ETH')) })
  assert.deepEqual([...(await oracle.prices.snapshot()).prices.keys()], ['ETH'])
  assert.equal(await oracle.prices.price('BTC'), undefined, 'an asset that is no longer listed')
  shim.set('ETH', { price: 8n, timestampSec: 13, ledger: 2 })
  deployment.replace({ ...deployment.current, contracts: { ...current.contracts, oracleShim: 'another shim' } })
  assert.equal((await oracle.prices.price('ETH'))?.price.price, '8', 'the cached price of the other shim')
})

test('reads prices from the entries of the ledger, and simulates only those that are missing or have changed there', async () => {
  const { clock, entries, oracle, folded, reads, polls } = build()
  const changes: (readonly Price[])[] = []
  oracle.prices.subscribe((changed) => changes.push(changed))
  await oracle.step()
  entries.found = { ledger: 5, prices: new Map([['BTC', { price: 120n, timestampSec: 15, ledger: 5 }]]), changed: [], maxAgeSec: 60 }
  await oracle.step()
  assert.deepEqual([reads(), polls()], [3, 2])
  assert.deepEqual(changes.flat().map(({ asset, price, ledger }) => [asset, price, ledger]), [['BTC', '100', 1], ['ETH', '7', 1], ['BTC', '120', 5]])
  assert.deepEqual(folded[1], [{ asset: 'BTC', price: 120n, timestampSec: 15 }])
  clock.advance(75_000)
  const later = new Map([['BTC', { price: 120n, timestampSec: 15, ledger: 9 }], ['ETH', { price: 7n, timestampSec: 20, ledger: 9 }]])
  entries.found = { ...entries.found, prices: later }
  await oracle.step()
  const served = [...(oracle.prices.cachedSnapshot()?.prices.values() ?? [])]
  const rows = served.map(({ price: { asset, stale, ageSec, ledger } }) => ({ asset, stale, ageSec, ledger }))
  assert.deepEqual(rows, [{ asset: 'BTC', stale: false, ageSec: 60, ledger: 9 }, { asset: 'ETH', stale: false, ageSec: 55, ledger: 9 }])
  assert.deepEqual(changes.at(-1)?.map(({ asset }) => asset), ['ETH'], 'a new attestation of the same price is announced, a new ledger is not')
  clock.advance(1_000)
  assert.equal(oracle.prices.current('BTC')?.price.stale, true, 'accepted up to the limit of the market, and not beyond')
})

test('keeps the newer price when a node that lags behind is read', async () => {
  const { shim, oracle } = build()
  shim.set('BTC', { price: 120n, timestampSec: 15, ledger: 10 })
  await oracle.step()
  shim.set('BTC', { price: 119n, timestampSec: 12, ledger: 9 })
  await oracle.step()
  assert.equal(oracle.prices.current('BTC')?.price.price, '120')
  shim.set('BTC', { price: 118n, timestampSec: 16, ledger: 2 })
  await oracle.step()
  assert.equal(oracle.prices.current('BTC')?.price.price, '118', 'a later attestation in a lower ledger is from a new chain')
})
