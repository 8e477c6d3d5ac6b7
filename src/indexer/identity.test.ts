import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createFakeNode } from '../../test/index/node.ts'
import { findContradiction, createChainMonitor, readRange } from './identity.ts'
import type { ChainCheck } from './identity.ts'

type Moment = readonly [ledger: number, closeSec: number]

const closeTime = ([ledger, closeSec]: Moment) => ({ ledger, closeSec })
const rangeOf = (oldest: Moment, latest: Moment) => ({
  oldest: closeTime(oldest), latest: closeTime(latest), oldestLedger: oldest[0], latestLedger: latest[0],
})

test('reads the range from ledgers when an idle node reports itself unhealthy', async () => {
  const node = createFakeNode({ firstLedger: 3 })
  for (const closeSec of [100, 105, 110]) node.close(closeSec)
  const healthy = await readRange(node.rpc, {})
  node.unhealthy = true
  assert.deepEqual(await readRange(node.rpc, {}), healthy)
  assert.deepEqual(healthy, { latestLedger: 5, oldestLedger: 3, latest: { ledger: 5, closeSec: 110 }, oldest: { ledger: 3, closeSec: 100 } })
})

test('recognises another chain by its close times; a node that lags, advanced or dropped ledgers is not another chain', () => {
  const known = closeTime([50, 1_000])
  const check = (oldest: Moment, latest: Moment) => findContradiction(known, [closeTime(oldest), closeTime(latest)])
  assert.equal(findContradiction(null, [closeTime([1, 5_000])]), undefined, 'no close time is known')
  assert.equal(findContradiction(known, [null, null]), undefined, 'the node reports no close times')
  assert.equal(check([1, 10], [40, 900]), undefined, 'the node lags')
  assert.equal(check([1, 10], [60, 1_100]), undefined, 'the node advanced')
  assert.equal(check([55, 1_050], [60, 1_100]), undefined, 'the node dropped the known ledger')
  assert.equal(check([50, 1_000], [50, 1_000]), undefined, 'the known ledger itself')
  assert.equal(check([1, 990], [4, 1_010]), 'later', 'a lower ledger closed later')
  assert.equal(check([1, 1_001], [60, 1_300]), 'later', 'the chain began after the known ledger and has outgrown it')
  assert.equal(check([1, 10], [50, 1_001]), 'later', 'the same ledger closed later')
  assert.equal(check([1, 10], [50, 999]), 'earlier', 'the same ledger closed earlier')
  assert.equal(check([1, 10], [60, 900]), 'earlier', 'a higher ledger closed earlier')
})

test('a chain with earlier close times is stale until it closes new ledgers, then it is a reset', () => {
  const monitor = createChainMonitor()
  monitor.track(4, rangeOf([1, 500], [9, 540]))
  const indexed = { epoch: 4, seen: closeTime([9, 540]) }
  const check = (oldest: Moment, latest: Moment): ChainCheck => monitor.check(indexed, { range: rangeOf(oldest, latest) })
  assert.equal(monitor.matches(indexed, rangeOf([1, 500], [10, 545])), true)
  assert.equal(monitor.matches(indexed, rangeOf([1, 200], [5, 220])), false, 'the oldest ledger is not the tracked one')
  for (let attempt = 0; attempt < 3; attempt++) assert.equal(check([1, 200], [19, 290]), 'stale')
  assert.equal(check([1, 500], [10, 545]), 'same')
  assert.equal(check([1, 200], [20, 295]), 'stale', 'an earlier suspicion is forgotten')
  assert.equal(check([1, 200], [21, 300]), 'reset')
  assert.equal(check([1, 800], [3, 810]), 'reset', 'later close times need no second check')
  const otherEpoch = { epoch: 5, seen: closeTime([3, 810]) }
  assert.equal(monitor.matches(otherEpoch, rangeOf([1, 800], [3, 810])), true, 'the range tracked for one epoch is not applied to another')
})
