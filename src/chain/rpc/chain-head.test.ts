import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assess, HEAD_TTL_MS, highestRecent } from './chain-head.ts'
import { BURST_LEDGERS } from './close-times.ts'
import type { Assessment, Head } from './chain-head.ts'
import { createNodeState } from './node-state.ts'
import type { NodeState } from './node-state.ts'

const NOW_MS = 100_000
const HEAD: Head = { ledger: 1_000, closeSec: 5_000, sinceMs: NOW_MS, by: 0, moves: 1 }

function nodesAt(...ledgers: readonly (number | null)[]): NodeState[] {
  return ledgers.map((ledger, index) => ({
    ...createNodeState(index),
    lastObservation: ledger === null ? null : { ledger, closeSec: null, proven: true, atMs: NOW_MS },
  }))
}

function assessLedger(ledger: number, options: { head?: Head | null; nodes?: NodeState[]; closeSec?: number; headAtRequest?: number } = {}): Assessment {
  const { head = HEAD, nodes = nodesAt(1_000, null), closeSec = null, headAtRequest = 0 } = options
  return assess(head, nodes, { index: 1, observation: { ledger, closeSec, proven: true }, headAtRequest, nowMs: NOW_MS })
}

test('the first report becomes the head', () => {
  const { status, head, change } = assessLedger(7, { head: null })
  assert.deepEqual([status, head.ledger, head.by, head.moves, change], ['healthy', 7, 1, 0, 'none'])
})

test('a higher ledger advances the head within what the time allows', () => {
  const { head, change } = assessLedger(1_000 + BURST_LEDGERS)
  assert.deepEqual([head.ledger, head.moves, change], [1_000 + BURST_LEDGERS, 2, 'advanced'])
  assert.equal(assessLedger(1_001 + BURST_LEDGERS).status, 'ahead')
})

test('a leap is believed when another node has reported a ledger near it, and of a single node', () => {
  assert.equal(assessLedger(9_000, { nodes: nodesAt(9_010, null) }).change, 'advanced')
  const observation = { ledger: 9_000, closeSec: null, proven: true }
  assert.equal(assess(HEAD, nodesAt(null), { index: 0, observation, headAtRequest: 0, nowMs: NOW_MS }).status, 'healthy')
})

test('a node lags from the third ledger below the head at the time of the request', () => {
  assert.equal(assessLedger(998).status, 'healthy')
  assert.equal(assessLedger(997).status, 'lagging')
  assert.equal(assessLedger(997, { headAtRequest: 999 }).status, 'healthy')
})

test('a report of another node near the head makes it trusted', () => {
  assert.equal(assessLedger(999).head.moves, 3)
})

test('a close time contradicts a head that is not trusted, but not a trusted one', () => {
  const { status, head, change } = assessLedger(10, { closeSec: 5_000 })
  assert.deepEqual([status, head.ledger, head.moves, change], ['healthy', 10, 0, 'lowered'])
  assert.equal(assessLedger(10, { closeSec: 5_000, head: { ...HEAD, moves: 3 } }).status, 'lagging')
  assert.equal(assessLedger(10, { closeSec: 4_000 }).status, 'lagging', 'an old ledger has an old time')
})

test('an expired head is replaced by the highest recent report of the right network', () => {
  const nodes = nodesAt(500, 900, 700)
  assert.equal(highestRecent(nodes, NOW_MS)?.ledger, 900)
  Object.assign(nodes[1] ?? {}, { isWrongNetwork: true })
  assert.equal(highestRecent(nodes, NOW_MS)?.ledger, 700)
  assert.equal(highestRecent(nodes, NOW_MS + HEAD_TTL_MS), null)
})
