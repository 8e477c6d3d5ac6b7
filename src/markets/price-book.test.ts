import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import { createPriceBook, PRICE_WAIT_MS } from './price-book.ts'
import type { AttestedPrice, PriceBook, Slot } from './price-book.ts'

const START_MS = 1_000_000

interface Bench {
  readonly clock: ReturnType<typeof createVirtualClock>
  readonly book: PriceBook
  readonly btc: Slot
  readonly reads: number[]
  read(price: bigint, timestampSec: number, ledger: number): void
}

function bench(assets: readonly string[] = ['BTC']): Bench {
  const clock = createVirtualClock(START_MS)
  const reads: number[] = []
  const book = createPriceBook({
    assets, clock, log: silentLog, onRead: (_asset, { ledger }) => void reads.push(ledger), nowSec: () => Math.floor(clock.nowMs() / 1_000),
  })
  const btc = book.slot('BTC')
  assert.ok(btc)
  return { clock, book, btc, reads, read: (price, timestampSec, ledger) => book.store(btc, { price, timestampSec, ledger }) }
}

/** The ledger of the price that is served. */
function servedLedger({ book, btc }: Bench): number | undefined {
  return book.serve(btc)?.price.ledger
}

test('a price is outdated when it is three seconds old or its last read failed, and gone after five minutes', () => {
  const { clock, book, btc, read } = bench()
  assert.equal(book.serve(btc), undefined)
  read(50n, 990, 7)
  assert.deepEqual(book.serve(btc), {
    price: { asset: 'BTC', price: '50', priceFloat: 0.000005, timestamp: 990, stale: null, ageSec: 10, ledger: 7 }, outdated: false,
  })
  clock.advance(ORACLE_CACHE_MS - 1)
  assert.equal(book.serve(btc)?.outdated, false)
  btc.failedAtMs = clock.elapsedMs()
  assert.equal(book.serve(btc)?.outdated, true)
  btc.failedAtMs = null
  clock.advance(1)
  assert.equal(book.serve(btc)?.outdated, true)
  clock.advance(STALE_PRICE_SERVED_MS - ORACLE_CACHE_MS - 1)
  assert.equal(book.serve(btc)?.price.price, '50')
  clock.advance(1)
  assert.equal(book.serve(btc), undefined)
  assert.equal(book.ageMs(), STALE_PRICE_SERVED_MS)
})

test('a price is stale when it is older than the market accepts, and its age is never negative', () => {
  const { book, btc } = bench()
  const served = (timestampSec: number, maxAgeSec: number | null): unknown => {
    book.storeAll(new Map([['BTC', { price: 1n, timestampSec, ledger: 1 }]]), maxAgeSec)
    const { stale, ageSec } = book.serve(btc)?.price ?? {}
    return [stale, ageSec, book.maxAgeSec()]
  }
  assert.deepEqual(served(940, 60), [false, 60, 60])
  assert.deepEqual(served(939, 60), [true, 61, 60])
  assert.deepEqual(served(939, null), [null, 61, null])
  assert.deepEqual(served(1_005, 60), [false, 0, 60])
})

test('says until when a price needs no read', () => {
  const { clock, book, btc, read } = bench()
  const settled = (): number | null => {
    const untilMs = book.settledUntilMs(btc, clock.elapsedMs())
    return untilMs === null ? null : untilMs - START_MS
  }
  assert.equal(settled(), null)
  btc.failedAtMs = START_MS
  assert.equal(settled(), 3_000, 'a failed read is not repeated at once')
  clock.advance(2_999)
  assert.equal(settled(), 3_000)
  clock.advance(1)
  assert.equal(settled(), null)
  read(50n, 990, 7)
  assert.equal(settled(), 6_000)
  clock.advance(2_999)
  assert.equal(settled(), 6_000)
  clock.advance(1)
  assert.equal(settled(), null)
  btc.inFlight = { done: Promise.resolve(), startedAtMs: clock.elapsedMs() }
  clock.advance(PRICE_WAIT_MS - 1)
  assert.equal(settled(), null, 'a request waits for the read')
  clock.advance(1)
  assert.equal(settled(), 303_000, 'until the price is no longer served')
  btc.inFlight = null
  btc.failedAtMs = clock.elapsedMs()
  assert.equal(settled(), 10_000)
  clock.advance(295_500)
  btc.failedAtMs = clock.elapsedMs()
  assert.equal(settled(), 303_000, 'whichever comes first')
  clock.advance(500)
  assert.equal(book.serve(btc), undefined)
  assert.equal(settled(), 305_500)
})

test('a node that lags a little does not replace the price, but renews it', () => {
  const lagging = bench()
  const { clock, book, btc, read, reads } = lagging
  read(50n, 990, 200)
  clock.advance(2_000)
  read(49n, 989, 199)
  assert.deepEqual([servedLedger(lagging), reads], [200, [200]])
  clock.advance(2_999)
  assert.equal(book.serve(btc)?.outdated, false)
  read(49n, 990, 100)
  assert.equal(servedLedger(lagging), 200, 'a hundred ledgers')
  read(49n, 990, 99)
  assert.equal(servedLedger(lagging), 99, 'another chain')
  read(51n, 990, 200)
  read(52n, 991, 199)
  assert.equal(servedLedger(lagging), 199, 'a later attestation')
  clock.advance(59_999)
  read(53n, 990, 198)
  assert.equal(servedLedger(lagging), 199)
  clock.advance(1)
  read(53n, 990, 198)
  assert.equal(servedLedger(lagging), 198, 'a minute after the last change')
  read(54n, 990, 198)
  assert.equal(book.serve(btc)?.price.price, '54', 'the same ledger')
})

test('listeners get prices that are new or newly attested', () => {
  const { book, read } = bench(['BTC', 'ETH'])
  const seen: string[] = []
  const listener = (changed: readonly Price[]): void => void seen.push(changed.map(({ asset, price, timestamp }) => `${asset} ${price} ${timestamp}`).join())
  const unsubscribe = book.subscribe(listener)
  read(50n, 990, 1)
  read(50n, 990, 2)
  read(50n, 991, 3)
  read(51n, 991, 4)
  // A node that lags: its price is not the newest.
  read(50n, 990, 2)
  const both = new Map<string, AttestedPrice>([
    ['BTC', { price: 51n, timestampSec: 991, ledger: 5 }], ['ETH', { price: 3n, timestampSec: 991, ledger: 5 }],
    ['XLM', { price: 3n, timestampSec: 991, ledger: 5 }],
  ])
  book.storeAll(both, null)
  book.storeAll(both, null)
  assert.deepEqual(seen, ['BTC 50 990', 'BTC 50 991', 'BTC 51 991', 'ETH 3 991'])
  unsubscribe()
  read(52n, 991, 6)
  assert.equal(seen.length, 4)
})

test('keeps the prices of assets that stay, if requested, and ignores reads of replaced ones', () => {
  const { book, btc, read } = bench()
  read(50n, 990, 1)
  book.replaceAssets(['ETH', 'BTC'], { keep: true })
  assert.deepEqual([...book.buildSnapshot().prices.keys()], ['BTC'])
  assert.deepEqual([...book.slots()].map(({ asset }) => asset), ['ETH', 'BTC'])
  book.replaceAssets(['BTC'], { keep: false })
  assert.deepEqual([...book.buildSnapshot().prices.keys()], [])
  read(51n, 991, 2)
  assert.equal(book.slot('BTC')?.last, null)
  assert.notEqual(book.slot('BTC'), btc)
})

test('the snapshot is the same object until a price changes, becomes due, or the next second begins', () => {
  const { clock, book, read } = bench()
  assert.equal(book.cachedSnapshot(), undefined, 'a read is due')
  read(50n, 990, 1)
  const first = book.cachedSnapshot()
  clock.advance(999)
  assert.equal(book.cachedSnapshot(), first)
  clock.advance(1)
  const second = book.cachedSnapshot()
  assert.notEqual(second, first)
  book.invalidate()
  assert.notEqual(book.cachedSnapshot(), second)
  clock.advance(1_999)
  assert.equal(book.cachedSnapshot()?.anyOutdated, false)
  clock.advance(1)
  assert.equal(book.cachedSnapshot(), undefined)
  assert.equal(book.buildSnapshot().anyOutdated, true)
  clock.advance(500)
  read(51n, 991, 2)
  clock.advance(2_999)
  assert.notEqual(book.cachedSnapshot(), undefined)
  clock.advance(1)
  assert.equal(book.cachedSnapshot(), undefined, 'within a second')
})
