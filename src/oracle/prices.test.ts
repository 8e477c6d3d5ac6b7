import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { RpcFailure } from '../chain/failure.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import { createPrices, MAX_CONCURRENT_PRICE_READS, PRICE_READ_TIMEOUT_MS, PRICE_WAIT_MS } from './prices.ts'
import type { AttestedPrice, PricesOptions } from './prices.ts'

const ASSETS = ['BTC', 'ETH', 'XLM']
const START_SEC = 1_783_339_200

type Behaviour = 'fine' | 'refuses' | 'hangs'

/** A shim whose every asset can be made to misbehave; prices move with each read. */
function createShim() {
  const behaviour = new Map<string, Behaviour>()
  const reads: string[] = []
  const hanging: { asset: string; answer: () => void; signal: AbortSignal }[] = []
  const answerOf = (): AttestedPrice => ({ price: BigInt(1_000 + reads.length), timestampSec: START_SEC + reads.length })
  return {
    behaviour,
    reads,
    hanging,
    readPrice: async (asset: string, signal: AbortSignal): Promise<AttestedPrice> => {
      reads.push(asset)
      const how = behaviour.get(asset) ?? 'fine'
      if (how === 'refuses') throw new Error('Error(Contract, #32)')
      if (how === 'fine') return answerOf()
      return new Promise((resolve) => hanging.push({ asset, signal, answer: () => resolve(answerOf()) }))
    },
  }
}

function build(options: Partial<PricesOptions> = {}) {
  const clock = createVirtualClock(START_SEC * 1000)
  const shim = createShim()
  const prices = createPrices({ assets: ASSETS, readPrice: shim.readPrice, clock, log: silentLog, ...options })
  return { clock, shim, prices }
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test('one read per asset for all who ask at once, kept for three seconds', async () => {
  const { clock, shim, prices } = build()
  const boards = await Promise.all([prices.snapshot(), prices.snapshot(), prices.price('BTC')])
  assert.deepEqual(shim.reads, ASSETS)
  assert.deepEqual([...boards[0].prices.keys()], ASSETS)
  clock.advance(ORACLE_CACHE_MS - 1)
  const board = prices.cachedSnapshot()
  assert.ok(board !== undefined && !board.anyStale)
  assert.equal(prices.cachedSnapshot(), board, 'the same object while nothing changed')
  assert.equal(shim.reads.length, 3)
  clock.advance(1)
  assert.equal(prices.cachedSnapshot(), undefined)
  await prices.snapshot()
  assert.equal(shim.reads.length, 6)
})

test('a price is served with its attestation\'s own time, whatever its age', async () => {
  const { prices } = build({ readPrice: async () => ({ price: 12_345_678n, timestampSec: 7 }) })
  assert.deepEqual(await prices.price('ETH'), {
    price: { asset: 'ETH', price: '12345678', priceFloat: 1.2345678, timestamp: 7 },
    stale: false,
  })
})

test('refreshed ahead of expiry, requests find the board without waiting', async () => {
  const { clock, prices } = build()
  for (let round = 0; round < 5; round++) {
    await prices.refresh()
    for (let half = 0; half < 5; half++) {
      assert.ok(prices.cachedSnapshot() !== undefined)
      clock.advance(500)
    }
  }
})

test('an unreadable asset is served stale for five minutes, then not at all, and never costs the others', async () => {
  const { clock, shim, prices } = build()
  await prices.refresh()
  const known = (await prices.price('ETH'))?.price
  shim.behaviour.set('ETH', 'refuses')
  clock.advance(ORACLE_CACHE_MS)
  await prices.refresh()
  const board = prices.cachedSnapshot()
  assert.deepEqual(board?.prices.get('ETH'), { price: known, stale: true })
  assert.equal(board?.anyStale, true)
  assert.equal(board?.prices.get('BTC')?.stale, false)

  clock.advance(STALE_PRICE_SERVED_MS - ORACLE_CACHE_MS - 1)
  assert.equal((await prices.price('ETH'))?.stale, true)
  clock.advance(1)
  assert.equal(await prices.price('ETH'), undefined)
  assert.deepEqual([...(await prices.snapshot()).prices.keys()], ['BTC', 'XLM'])

  shim.behaviour.set('ETH', 'fine')
  clock.advance(ORACLE_CACHE_MS)
  assert.equal((await prices.price('ETH'))?.stale, false)
})

test('an asset never read is left out, and is not asked for again at once', async () => {
  const { clock, shim, prices } = build()
  shim.behaviour.set('XLM', 'refuses')
  assert.deepEqual([...(await prices.snapshot()).prices.keys()], ['BTC', 'ETH'])
  const reads = shim.reads.length
  assert.equal(await prices.price('XLM'), undefined)
  assert.equal(shim.reads.length, reads)
  clock.advance(ORACLE_CACHE_MS)
  await prices.price('XLM')
  assert.equal(shim.reads.length, reads + 1)
})

test('a hanging read holds up a request for one second at most, and only the first', async () => {
  const { clock, shim, prices } = build()
  await prices.refresh()
  shim.behaviour.set('ETH', 'hangs')
  clock.advance(ORACLE_CACHE_MS)
  let answered = 0
  const first = prices.snapshot().then((board) => {
    answered += 1
    return board
  })
  await settle()
  clock.advance(PRICE_WAIT_MS - 1)
  await settle()
  assert.equal(answered, 0)
  clock.advance(1)
  const board = await first
  assert.deepEqual([board.prices.get('ETH')?.stale, board.prices.get('BTC')?.stale], [true, false])
  assert.ok(prices.cachedSnapshot() !== undefined, 'whoever comes later waits no more')

  clock.advance(PRICE_READ_TIMEOUT_MS - PRICE_WAIT_MS)
  await settle()
  assert.equal(shim.hanging[0]?.signal.aborted, true, 'the read is given up')
  assert.equal(clock.pendingTimers(), 0)
})

test('bounded numbers of reads are under way at a time, and a hanging few do not starve the rest for ever', async () => {
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

test('a late answer of a read that was given up changes nothing', async () => {
  const { clock, shim, prices } = build({ assets: ['BTC'] })
  shim.behaviour.set('BTC', 'hangs')
  const round = prices.refresh()
  await settle()
  clock.advance(PRICE_READ_TIMEOUT_MS)
  await round
  shim.hanging[0]?.answer()
  await settle()
  assert.equal(prices.cachedSnapshot()?.prices.size, 0)
})

test('an outage of the chain is reported once, not once per asset, and again when it comes again', async () => {
  const reported: [message: string, asset: unknown][] = []
  let failure: Error | null = new RpcFailure({ method: 'simulateTransaction', kind: 'unreachable', retryable: true })
  const { clock, prices } = build({
    log: { ...silentLog, warn: (fields, message) => void reported.push([message, fields['asset']]) },
    readPrice: async () => {
      if (failure !== null) throw failure
      return { price: 1_000n, timestampSec: START_SEC }
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
  assert.deepEqual(reported, [OUTAGE, OUTAGE], 'they were unreadable already')
})

test('an asset that alone is not readable is named', async () => {
  const reported: unknown[] = []
  const { shim, prices } = build({ log: { ...silentLog, warn: (fields) => void reported.push(fields['asset']) } })
  shim.behaviour.set('ETH', 'refuses')
  await prices.snapshot()
  assert.deepEqual(reported, ['ETH'])
})
