import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderNodes } from './node-order.ts'
import type { Criteria } from './node-order.ts'
import { createNodeState } from './node-state.ts'
import type { NodeState } from './node-state.ts'

const ANY: Criteria = { tried: new Set(), sticky: false, minLedger: 0 }

function nodesWith(...changes: readonly Partial<NodeState>[]): NodeState[] {
  return changes.map((change, index) => ({ ...createNodeState(index), status: 'healthy', ...change }))
}

const at = (ledger: number): Pick<NodeState, 'lastObservation'> => ({ lastObservation: { ledger, closeSec: null, proven: true, atMs: 0 } })

test('starts with the preferred node and continues in the configured order', () => {
  assert.deepEqual(orderNodes(nodesWith({}, {}, {}), 1, ANY), [1, 2, 0])
})

test('puts healthy nodes before lagging ones, then nodes that are ahead or of another network', () => {
  assert.deepEqual(orderNodes(nodesWith({ isWrongNetwork: true }, { status: 'ahead' }, { status: 'lagging' }, {}), 0, ANY), [3, 2, 1, 0])
})

test('puts tried nodes last, whatever their status', () => {
  assert.deepEqual(orderNodes(nodesWith({}, { isWrongNetwork: true }), 0, { ...ANY, tried: new Set([0]) }), [1, 0])
})

test('prefers a node that has reached the minimum ledger', () => {
  assert.deepEqual(orderNodes(nodesWith(at(9), at(10)), 0, { ...ANY, minLedger: 10 }), [1, 0])
})

test('orders lagging nodes by their ledger', () => {
  assert.deepEqual(orderNodes(nodesWith({ status: 'lagging', ...at(5) }, { status: 'lagging', ...at(8) }), 0, ANY), [1, 0])
})

test('prefers a node that is much faster, unless the call is sticky', () => {
  const nodes = nodesWith({ latencyMs: 300 }, { latencyMs: 160 }, { latencyMs: 100 })
  assert.deepEqual(orderNodes(nodes, 0, ANY), [2, 0, 1], 'less than half of 300 ms')
  assert.deepEqual(orderNodes(nodes, 0, { ...ANY, sticky: true }), [0, 1, 2])
  assert.deepEqual(orderNodes(nodesWith({ latencyMs: 60 }, { latencyMs: 20 }), 0, ANY), [0, 1], '40 ms are not significant')
})
