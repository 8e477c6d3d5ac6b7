import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newerFailure, RpcFailure } from '../chain/failure.ts'
import { ERROR_RULES } from './error-rules.ts'

function messageOf(error: Error): unknown {
  const { status, body } = ERROR_RULES.find(({ matches }) => matches(error))?.toResponse(error) ?? assert.fail('no rule matches')
  return [status, (body as { error: string }).error, (body as { message: string }).message]
}

test('the error says to retry when nodes fail, and to upgrade the gateway when the network is newer', () => {
  const timeout = new RpcFailure({ method: 'simulateTransaction', kind: 'timeout', retryable: true })
  assert.deepEqual(messageOf(timeout), [502, 'rpc_error', 'The Stellar RPC server is unreachable or overloaded. Retry with exponential backoff.'])
  const newer = newerFailure('simulateTransaction', { what: 'credentials type 4', xdr: null })
  assert.deepEqual(messageOf(newer), [
    502, 'rpc_error', 'The network uses a protocol that is newer than this gateway. Its operator must upgrade it; a retry does not help.',
  ])
})
