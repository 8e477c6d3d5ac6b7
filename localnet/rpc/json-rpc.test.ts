import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorMessage, parseBody, resultMessage } from './json-rpc.ts'
import { RpcError } from './rpc-error.ts'

function refusal(message: unknown): unknown {
  const [judged] = parseBody(JSON.stringify(message)) ?? []
  return judged?.kind === 'invalid' ? [judged.id, judged.error.code, judged.error.message] : judged
}

test('returns ids unchanged; a message without an id, or with null, gets no response', () => {
  for (const id of [1, 0, -1, 'a', '', 1.5]) {
    assert.deepEqual(parseBody(JSON.stringify({ jsonrpc: '2.0', id, method: 'm' })), [{ kind: 'call', id, method: 'm', params: null }])
  }
  assert.deepEqual(parseBody('{"jsonrpc":"2.0","method":"m"}'), [{ kind: 'notification', method: 'm', params: null }])
  assert.deepEqual(parseBody('{"jsonrpc":"2.0","id":null,"method":"m"}'), [{ kind: 'notification', method: 'm', params: null }])
})

test('rejects each invalid request, with its id when it is known', () => {
  const good = { jsonrpc: '2.0', id: 7, method: 'm' }
  assert.deepEqual(refusal(3), [null, -32700, 'request is not a JSON object'])
  assert.deepEqual(refusal({ ...good, id: {} }), [null, -32600, 'invalid request ID'])
  assert.deepEqual(refusal({ ...good, jsonrpc: '1.0' }), [7, -32600, 'invalid version marker'])
  assert.deepEqual(refusal({ id: 7, method: 'm' }), [7, -32600, 'invalid version marker'])
  assert.deepEqual(refusal({ ...good, method: 4 }), [7, -32700, 'invalid method name'])
  assert.deepEqual(refusal({ jsonrpc: '2.0', id: 7 }), [7, -32600, 'empty method name'])
  assert.deepEqual(refusal({ ...good, params: 'x' }), [7, -32600, 'parameters must be array or object'])
  assert.deepEqual(refusal({ ...good, extra: 1 }), [7, -32600, 'extra fields in request'])
})

test('a body that is not JSON has no messages', () => {
  for (const body of ['', '{', 'x', '[1,]']) assert.equal(parseBody(body), null)
})

test('limits the size of a batch', () => {
  const batch = (size: number): string => JSON.stringify(Array.from({ length: size }, (_, id) => ({ jsonrpc: '2.0', id, method: 'm' })))
  assert.equal(parseBody(batch(100))?.length, 100)
  assert.deepEqual(parseBody(batch(101))?.map((message) => message.kind), ['invalid'])
})

test('a success has no error key, a failure no result key, and data only when present', () => {
  assert.deepEqual(resultMessage(1, { a: 1 }), { jsonrpc: '2.0', id: 1, result: { a: 1 } })
  assert.deepEqual(errorMessage('x', new RpcError(-32601, 'no')), { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'no' } })
  assert.deepEqual(errorMessage(null, new RpcError(-32601, 'no', 'd')), { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no', data: 'd' } })
})
