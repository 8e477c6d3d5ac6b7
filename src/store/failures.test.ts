// Which failures of a database are its own, so that requests get a 503 and are repeated, and which are those of a statement.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toStoreError } from './failures.ts'
import { StatementFailed, StatementTimeout, StoreUnavailable } from './store.ts'

const errorOf = (code: string | null, mayWrite = true): Error => toStoreError({ message: 'it failed', code, constraint: null }, { mayWrite })

test('a database without connection, disk or files is unavailable', () => {
  const codes = [null, 'ECONNRESET', 'EPIPE', '08006', '57P01', '57P03', '53100', '53300', '58030', '58P01', '40001']
  assert.deepEqual(codes.filter((code) => !(errorOf(code) instanceof StoreUnavailable)), [])
})

test('statements that are cancelled have timed out, and the others have failed', () => {
  assert.deepEqual(['57014', '25P03'].filter((code) => !(errorOf(code) instanceof StatementTimeout)), [])
  assert.deepEqual(['23505', '42703', '40P01', 'XX000'].filter((code) => !(errorOf(code) instanceof StatementFailed)), [])
})

test('a full disk and a read-only server are named; a write in a session that only reads is a fault of the statement', () => {
  const problemOf = (code: string): unknown => (errorOf(code) as Partial<StoreUnavailable>).problem
  assert.deepEqual(['53100', '25006', '57P01'].map(problemOf), ['full', 'read_only', 'unreachable'])
  assert.ok(errorOf('25006', false) instanceof StatementFailed)
})
