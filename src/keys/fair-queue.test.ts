import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'
import type { QueueClient } from './fair-queue.ts'

const clientOf = (number: number, wide = `wide ${number}`): QueueClient => ({ bucket: `client ${number}`, wide })

function build(maxItems: number, maxPerClient = maxItems) {
  const dropped: string[] = []
  return { dropped, queue: createFairQueue<string>({ maxItems, maxPerClient, onDropped: (item) => dropped.push(item) }) }
}

test('clients take turns, each in the order of its items', () => {
  const { queue } = build(100)
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add(clientOf(1), item, item)
  queue.add(clientOf(2), 'b1', 'b1')
  assert.deepEqual(queue.take(3).map(([id]) => id), ['a1', 'b1', 'a2'])
  queue.add(clientOf(3), 'c1', 'c1')
  assert.deepEqual(queue.take(10).map(([id]) => id), ['a3', 'c1', 'a4'])
  assert.equal(queue.size(), 0)
})

test('a client has at most its number of items, and loses its oldest ones', () => {
  const { queue, dropped } = build(100, 2)
  for (const id of ['1', '2', '3']) queue.add(clientOf(1), id, id)
  queue.add(clientOf(2), '1', 'other')
  assert.deepEqual(dropped, ['1'])
  assert.deepEqual([queue.get(clientOf(1), '1'), queue.get(clientOf(1), '3'), queue.get(clientOf(2), '1')], [undefined, '3', 'other'])
  assert.deepEqual(queue.take(10).map(([, item]) => item), ['2', 'other', '3'])
})

test('when full, the client with many items loses its newest ones, and others lose none', () => {
  const { queue, dropped } = build(100)
  for (let count = 0; count < 95; count++) queue.add(clientOf(1), `a${count}`, `a${count}`)
  for (let client = 2; client < 12; client++) queue.add(clientOf(client), 'b', `b${client}`)
  assert.ok(dropped.length > 0 && dropped.every((item) => item.startsWith('a')), dropped.join())
  assert.ok(!dropped.includes('a0'))
  assert.ok(queue.size() <= 100)
  assert.equal(queue.take(100).filter(([id]) => id === 'b').length, 10)
})

test('when full, the networks with many clients lose items, and a client of another network loses none', () => {
  const { queue, dropped } = build(100)
  queue.add(clientOf(0), 'honest', 'honest')
  for (let client = 1; client < 10_000; client++) queue.add(clientOf(client, '2001:db8::/48'), 'x', `x${client}`)
  queue.add(clientOf(10_000), 'late', 'late')
  assert.ok(!dropped.includes('honest') && !dropped.includes('late'))
  assert.ok(queue.size() <= 100)
})

test('a newcomer is queued even when every place is taken by another network', () => {
  const { queue } = build(100)
  for (let client = 0; client < 10_000; client++) queue.add(clientOf(client), 'x', 'x')
  assert.ok(queue.size() <= 100)
  assert.equal(queue.get(clientOf(9_999), 'x'), 'x')
})
