import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { UNRESTRICTED } from '../keys/restrictions.ts'
import type { KeyIdentity } from '../keys/key-cache.ts'
import { createCallerResolver } from './caller.ts'
import { createClientAddress } from './client-address.ts'

const PLAIN = { restrictions: UNRESTRICTED, parent: null, rotation: 0, secretUntil: null } as const
const KEY: KeyIdentity = { keyId: `nk_${'a'.repeat(24)}`, owner: `G${'A'.repeat(55)}`, tier: 'standard', ...PLAIN }

function requestOn(socket: object, headers: Readonly<Record<string, string>>): IncomingMessage {
  return { socket, headers } as unknown as IncomingMessage
}

test('resolves the caller per request on a shared connection, with and without keys and X-Forwarded-For', async () => {
  const resolveCaller = createCallerResolver(createClientAddress(true), (authorization) => (authorization === 'Bearer good' ? KEY : 'invalid_credentials'))
  const socket = { remoteAddress: '::ffff:192.0.2.1' }
  const steps: readonly (readonly [headers: Readonly<Record<string, string>>, bucket: string])[] = [
    [{}, '192.0.2.1'],
    [{ 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
    [{ 'x-forwarded-for': '198.51.100.8' }, '198.51.100.8'],
    [{ authorization: 'Bearer good' }, KEY.keyId],
    [{}, '192.0.2.1'],
    [{ authorization: 'Bearer bad' }, '192.0.2.1'],
    [{ authorization: 'Bearer good', 'x-forwarded-for': '198.51.100.7' }, KEY.keyId],
    [{}, '192.0.2.1'],
  ]
  for (const [headers, bucket] of steps) {
    const caller = await resolveCaller(requestOn(socket, headers), true)
    assert.equal(caller.bucket, bucket, JSON.stringify(headers))
    assert.equal(caller.key, bucket === KEY.keyId ? KEY : null)
  }
  const other = await resolveCaller(requestOn({ remoteAddress: '192.0.2.2' }, {}), true)
  assert.equal(other.bucket, '192.0.2.2')
})
