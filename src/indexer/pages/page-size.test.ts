import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { RpcFailureKind } from '../../chain/rpc/failure.ts'
import { createPageSize, EVENTS_PAGE_MIN } from './page-size.ts'

test('requests smaller pages after a page that was too slow or too large, and larger ones after a success', () => {
  const pageSize = createPageSize()
  const fail = (kind: RpcFailureKind, method = 'getEvents'): void => pageSize.onFailure(new RpcFailure({ method, kind, retryable: true }))
  fail('timeout')
  assert.equal(pageSize.limit(), 500)
  fail('oversized')
  assert.equal(pageSize.limit(), 250)
  fail('malformed')
  fail('oversized', 'getLedgers')
  assert.equal(pageSize.limit(), 250)
  for (let page = 0; page < 10; page++) fail('oversized')
  assert.equal(pageSize.limit(), EVENTS_PAGE_MIN)
  for (let page = 0; page < 10; page++) pageSize.onSuccess()
  assert.equal(pageSize.limit(), 1_000)
})
