import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrderWarnings } from './order-warnings.ts'
import type { RestingOrder } from './order-warnings.ts'

const conditions = { headroom: (asset: string, direction: number) => (asset === 'BTC' ? (direction === 0 ? 500n : 1_000n) : null) }
const ORDER: RestingOrder = { asset: 'BTC', direction: 0, size: '501', reduceOnly: false }
const known = createOrderWarnings({ conditions: () => Promise.resolve(conditions), knownConditions: () => conditions })
const unknown = createOrderWarnings({ conditions: () => Promise.resolve(null), knownConditions: () => null })

const codes = (orders: readonly RestingOrder[]): unknown => orders.map(({ warnings }) => warnings?.map(({ code }) => code))

test('an entry order larger than the headroom of its direction carries above_headroom, as long as it rests', async () => {
  const orders: RestingOrder[] = [
    ORDER, { ...ORDER, size: '500' }, { ...ORDER, direction: 1 }, { ...ORDER, reduceOnly: true }, { ...ORDER, asset: 'ETH' }, { ...ORDER, size: null },
    { ...ORDER, status: 'pending' }, { ...ORDER, status: 'cancelled' }, { ...ORDER, asset: null },
  ]
  const none = undefined
  const expected = [['above_headroom'], none, none, none, none, none, ['above_headroom'], none, none]
  assert.deepEqual(codes(await known.add(orders)), expected)
  assert.deepEqual(codes(orders.map((order) => known.addKnown(order))), expected)
})

test('orders carry no warnings while the headroom is unknown, and it is not read for orders that open nothing', async () => {
  assert.deepEqual([codes(await unknown.add([ORDER])), unknown.addKnown(ORDER)], [[undefined], ORDER])
  const unread = createOrderWarnings({ conditions: () => Promise.reject(new Error('read')), knownConditions: () => null })
  assert.deepEqual(await unread.add([{ ...ORDER, reduceOnly: true }]), [{ ...ORDER, reduceOnly: true }])
})
