import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fuzz.ts'
import { endOfLedgerCursor, eventId, parseEventCursor } from './event-cursor.ts'
import { RpcError } from './rpc-error.ts'
import { parseToid, toid } from './toid.ts'

const ledger = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const transaction = fc.integer({ min: 0, max: 1_048_575 })
const operation = fc.integer({ min: 0, max: 4_095 })
const index = fc.bigInt({ min: 0n, max: 4_294_967_295n })

test('an event id parses as a cursor with the same id and its ledger', () => {
  fc.assert(
    fc.property(ledger, transaction, operation, index, (sequence, tx, op, event) => {
      const id = eventId(toid(sequence, tx, op), event)
      assert.deepEqual(parseEventCursor(id), { id, ledger: sequence })
      assert.deepEqual(parseToid(toid(sequence, tx, op)), { ledger: sequence, transaction: tx, operation: op })
    }),
  )
})

test('ids sort as strings by ledger, transaction, operation and event', () => {
  const place = fc.tuple(ledger, transaction, operation, fc.integer({ min: 0, max: 4_294_967_295 }))
  type Place = readonly [number, number, number, number]
  const id = ([sequence, tx, op, event]: Place): string => eventId(toid(sequence, tx, op), BigInt(event))
  fc.assert(
    fc.property(place, place, (a, b) => {
      const difference = a.map((part, at) => part - (b[at] ?? 0)).find((each) => each !== 0) ?? 0
      assert.equal(Math.sign(difference), id(a) < id(b) ? -1 : id(a) > id(b) ? 1 : 0)
    }),
  )
})

test('the end of a ledger has the digits that the node uses', () => {
  assert.equal(endOfLedgerCursor(3_727_845), '0016010976654524415-4294967295')
  assert.equal(endOfLedgerCursor(1), '0000000008589934591-4294967295')
  assert.equal(parseEventCursor(endOfLedgerCursor(77)).ledger, 77)
})

test('rejects invalid event ids as invalid parameters', () => {
  for (const text of ['', '1', '1-', '-1', 'a-b', '1-2-3', '12345678901234567890-1', '9223372036854775808-0', '1-4294967296', ' 1-1']) {
    assert.throws(
      () => parseEventCursor(text),
      (error) => error instanceof RpcError && error.code === -32602 && error.message === `invalid parameters: invalid event id ${text}`,
      text,
    )
  }
})

test('an unpadded cursor is the same position', () => {
  assert.deepEqual(parseEventCursor('4294967296-7'), { id: '0000000004294967296-0000000007', ledger: 1 })
})
