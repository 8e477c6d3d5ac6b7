import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createFakeNode } from '../../test/index/node.ts'
import { findContradiction, createChainMonitor, readRange } from './identity.ts'

test('a node that calls itself unhealthy, because its chain stands still, tells its range by its ledgers', async () => {
  const node = createFakeNode({ firstLedger: 3 })
  for (const closeSec of [100, 105, 110]) node.close(closeSec)
  const healthy = await readRange(node.rpc, {})
  node.unhealthy = true
  assert.deepEqual(await readRange(node.rpc, {}), healthy)
  assert.deepEqual(healthy, { latestLedger: 5, oldestLedger: 3, latest: { ledger: 5, closeSec: 110 }, oldest: { ledger: 3, closeSec: 100 } })
})

const moment = (ledger: number, closeSec: number) => ({ ledger, closeSec })
const range = (oldest: readonly [number, number], latest: readonly [number, number]) => ({
  oldest: moment(...oldest), latest: moment(...latest), oldestLedger: oldest[0], latestLedger: latest[0],
})

test('another chain is told by its times; a node that lags, went on or forgot is not one', () => {
  const known = moment(50, 1_000)
  const told = (oldest: readonly [number, number], latest: readonly [number, number]) => findContradiction(known, [moment(...oldest), moment(...latest)])
  assert.equal(findContradiction(null, [moment(1, 5_000)]), undefined, 'nothing is known of the chain before')
  assert.equal(findContradiction(known, [null, null]), undefined, 'the node tells no times')
  assert.equal(told([1, 10], [40, 900]), undefined, 'it lags')
  assert.equal(told([1, 10], [60, 1_100]), undefined, 'it went on')
  assert.equal(told([55, 1_050], [60, 1_100]), undefined, 'it has forgotten what was seen')
  assert.equal(told([50, 1_000], [50, 1_000]), undefined, 'it is the very ledger')
  assert.equal(told([1, 990], [4, 1_010]), 'later', 'it is lower and yet later')
  assert.equal(told([1, 1_001], [60, 1_300]), 'later', 'it began after what was seen, and has grown past it')
  assert.equal(told([1, 10], [50, 1_001]), 'later', 'the same ledger closed later')
  assert.equal(told([1, 10], [50, 999]), 'earlier', 'the same ledger closed earlier')
  assert.equal(told([1, 10], [60, 900]), 'earlier', 'it is higher and yet earlier')
})

test('a chain of earlier times is believed once it goes on closing ledgers, never while it stands still', () => {
  const watch = createChainMonitor()
  watch.track(4, range([1, 500], [9, 540]))
  const indexed = { epoch: 4, seen: moment(9, 540) }
  assert.equal(watch.matches(indexed, range([1, 500], [10, 545])), true)
  assert.equal(watch.matches(indexed, range([1, 200], [5, 220])), false, 'the oldest ledger is not the one that was followed')
  const left = range([1, 200], [19, 290])
  for (let look = 0; look < 3; look++) assert.equal(watch.check(indexed, left), 'left')
  assert.equal(watch.check(indexed, range([1, 500], [10, 545])), 'same')
  assert.equal(watch.check(indexed, range([1, 200], [20, 295])), 'left', 'what was suspected before is forgotten')
  assert.equal(watch.check(indexed, range([1, 200], [21, 300])), 'another')
  assert.equal(watch.check(indexed, range([1, 800], [3, 810])), 'another', 'later times need no second look')
  assert.equal(watch.matches({ epoch: 5, seen: moment(3, 810) }, range([1, 800], [3, 810])), true, 'what is known of one epoch says nothing of the next')
})
