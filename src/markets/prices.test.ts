import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import { PRICE_WAIT_MS } from './price-book.ts'
import type { AttestedPrice } from './price-book.ts'
import { createPrices, MAX_CONCURRENT_PRICE_READS, PRICE_READ_TIMEOUT_MS } from './prices.ts'
import type { PricesOptions } from './prices.ts'

const ASSETS = ['BTC', 'ETH', 'XLM']
const START_SEC = 1_783_339_200

type Behaviour = 'succeeds' | 'fails' | 'hangs'

/** A shim whose assets can fail or hang; prices change with each read. */
function createShim() {
  const behaviour = new Map<string, Behaviour>()
  const reads: string[] = []
  const hanging: { asset: string; respond: () => void; signal: AbortSignal }[] = []
  const nextPrice = (): AttestedPrice => ({ price: BigInt(1_000 + reads.length), timestampSec: START_SEC + reads.length, ledger: 1_000 + reads.length })
  return {
    behaviour,
    reads,
    hanging,
    readPrice: async (asset: string, signal: AbortSignal): Promise<AttestedPrice> => {
      reads.push(asset)
      const mode = behaviour.get(asset) ?? 'succeeds'
      if (mode === 'fails') throw new Error('Error(Contract, #32)')
      if (mode === 'succeeds') return nextPrice()
      return new Promise((resolve) => hanging.push({ asset, signal, respond: () => resolve(nextPrice()) }))
    },
  }
}

function build(options: Partial<PricesOptions> = {}) {
  const clock = createVirtualClock(START_SEC * 1000)
  const shim = createShim()
  const prices = createPrices({ assets: ASSETS, readPrice: shim.readPrice, clock, log: silentLog, ...options })
  return { clock, shim, prices }
}

/** Lets pending promises settle. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('concurrent requests share one read per asset, cached for three seconds', async () => {
  const { clock, shim, prices } = build()
  const snapshots = await Promise.all([prices.snapshot(), prices.snapshot(), prices.price('BTC')])
  assert.deepEqual(shim.reads, ASSETS)
  assert.deepEqual([...snapshots[0].prices.keys()], ASSETS)
  assert.equal(clock.pendingTimers(), 0, 'a request leaves no timer behind')
  clock.advance(ORACLE_CACHE_MS - 1)
  const snapshot = prices.cachedSnapshot()
  assert.ok(snapshot !== undefined && !snapshot.anyOutdated)
  assert.equal(prices.cachedSnapshot(), snapshot, 'the same object while nothing changed')
  assert.equal(shim.reads.length, 3)
  clock.advance(1)
  assert.equal(prices.cachedSnapshot(), undefined)
  await prices.snapshot()
  assert.equal(shim.reads.length, 6)
})

test('serves a price with its attestation time, whatever its age', async () => {
  const { prices } = build({ readPrice: async () => ({ price: 12_345_678n, timestampSec: 7, ledger: 9 }) })
  assert.deepEqual(await prices.price('ETH'), {
    price: { asset: 'ETH', price: '12345678', priceFloat: 1.2345678, timestamp: 7, stale: null, ageSec: START_SEC - 7, ledger: 9 },
    outdated: false,
  })
})

test('requests do not wait when prices are refreshed before they expire', async () => {
  const { clock, prices } = build()
  for (let round = 0; round < 5; round++) {
    await prices.refresh()
    for (let half = 0; half < 5; half++) {
      assert.ok(prices.cachedSnapshot() !== undefined)
      clock.advance(500)
    }
  }
})

test('serves an unreadable asset as stale for five minutes, then omits it, without affecting others', async () => {
  const { clock, shim, prices } = build()
  await prices.refresh()
  const known = (await prices.price('ETH'))?.price
  shim.behaviour.set('ETH', 'fails')
  clock.advance(ORACLE_CACHE_MS)
  await prices.refresh()
  const snapshot = prices.cachedSnapshot()
  assert.deepEqual(snapshot?.prices.get('ETH'), { price: { ...known, ageSec: 1 }, outdated: true })
  assert.equal(snapshot?.anyOutdated, true)
  assert.equal(snapshot?.prices.get('BTC')?.outdated, false)

  clock.advance(STALE_PRICE_SERVED_MS - ORACLE_CACHE_MS - 1)
  assert.equal((await prices.price('ETH'))?.outdated, true)
  clock.advance(1)
  assert.equal(await prices.price('ETH'), undefined)
  assert.deepEqual([...(await prices.snapshot()).prices.keys()], ['BTC', 'XLM'])

  shim.behaviour.set('ETH', 'succeeds')
  clock.advance(ORACLE_CACHE_MS)
  assert.equal((await prices.price('ETH'))?.outdated, false)
})

test('omits an asset that was never read and does not retry at once', async () => {
  const { clock, shim, prices } = build()
  shim.behaviour.set('XLM', 'fails')
  assert.deepEqual([...(await prices.snapshot()).prices.keys()], ['BTC', 'ETH'])
  const reads = shim.reads.length
  assert.equal(await prices.price('XLM'), undefined)
  assert.equal(shim.reads.length, reads)
  clock.advance(ORACLE_CACHE_MS)
  await prices.price('XLM')
  assert.equal(shim.reads.length, reads + 1)
})

test('a hanging read delays only the first request, for at most one second', async () => {
  const { clock, shim, prices } = build()
  await prices.refresh()
  shim.behaviour.set('ETH', 'hangs')
  clock.advance(ORACLE_CACHE_MS)
  let responded = 0
  const first = prices.snapshot().then((found) => {
    responded += 1
    return found
  })
  await settle()
  clock.advance(PRICE_WAIT_MS - 1)
  await settle()
  assert.equal(responded, 0)
  clock.advance(1)
  const snapshot = await first
  assert.deepEqual([snapshot.prices.get('ETH')?.outdated, snapshot.prices.get('BTC')?.outdated], [true, false])
  assert.ok(prices.cachedSnapshot() !== undefined, 'later requests do not wait')

  clock.advance(PRICE_READ_TIMEOUT_MS - PRICE_WAIT_MS)
  await settle()
  assert.equal(shim.hanging[0]?.signal.aborted, true, 'the read is aborted')
  assert.equal(clock.pendingTimers(), 0)
})

test('bounds concurrent reads, and hanging reads do not block the others forever', async () => {
  const assets = Array.from({ length: 20 }, (_, index) => `A${index}`)
  const { clock, shim, prices } = build({ assets })
  for (const asset of assets.slice(0, MAX_CONCURRENT_PRICE_READS)) shim.behaviour.set(asset, 'hangs')
  const round = prices.refresh()
  await settle()
  assert.equal(shim.reads.length, MAX_CONCURRENT_PRICE_READS)
  clock.advance(PRICE_READ_TIMEOUT_MS)
  await round
  assert.equal(prices.cachedSnapshot()?.prices.size, 20 - MAX_CONCURRENT_PRICE_READS)
})

test('ignores a late result of a read that timed out', async () => {
  const { clock, shim, prices } = build({ assets: ['BTC'] })
  shim.behaviour.set('BTC', 'hangs')
  const round = prices.refresh()
  await settle()
  clock.advance(PRICE_READ_TIMEOUT_MS)
  await round
  shim.hanging[0]?.respond()
  await settle()
  assert.equal(prices.cachedSnapshot()?.prices.size, 0)
})

test('logs an outage of the RPC once for all assets, and again when it recurs', async () => {
  const reported: [message: string, asset: unknown][] = []
  let failure: Error | null = new RpcFailure({ method: 'simulateTransaction', kind: 'unreachable', retryable: true })
  const { clock, prices } = build({
    log: { ...silentLog, warn: (fields, message) => void reported.push([message, fields['asset']]) },
    readPrice: async () => {
      if (failure !== null) throw failure
      return { price: 1_000n, timestampSec: START_SEC, ledger: 9 }
    },
  })
  const OUTAGE = ['prices are not readable', undefined]
  await prices.snapshot()
  assert.deepEqual(reported, [OUTAGE])
  failure = null
  clock.advance(60_000)
  await prices.snapshot()
  failure = new RpcFailure({ method: 'simulateTransaction', kind: 'timeout', retryable: true })
  clock.advance(60_000)
  await prices.snapshot()
  assert.deepEqual(reported, [OUTAGE, OUTAGE])
  failure = new Error('Error(Contract, #32)')
  clock.advance(60_000)
  await prices.snapshot()
  assert.deepEqual(reported, [OUTAGE, OUTAGE], 'they were already unreadable')
})

test('names a single unreadable asset in the log', async () => {
  const reported: unknown[] = []
  const { shim, prices } = build({ log: { ...silentLog, warn: (fields) => void reported.push(fields['asset']) } })
  shim.behaviour.set('ETH', 'fails')
  await prices.snapshot()
  assert.deepEqual(reported, ['ETH'])
})
