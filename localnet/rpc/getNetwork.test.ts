import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEST_PROTOCOL } from '../../test/support/protocol.ts'
import { createChainFixture, FAKE_PASSPHRASE } from './test-fixture.ts'

test('returns the friendbot URL only while it is served', async () => {
  const fake = createChainFixture()
  assert.deepEqual(await fake.call('getNetwork'), { passphrase: FAKE_PASSPHRASE, protocolVersion: TEST_PROTOCOL })
  fake.rpc.setFriendbotUrl('http://127.0.0.1:1/friendbot')
  assert.equal((await fake.call('getNetwork'))['friendbotUrl'], 'http://127.0.0.1:1/friendbot')
  fake.rpc.setFriendbotUrl(null)
  assert.equal(Object.hasOwn(await fake.call('getNetwork'), 'friendbotUrl'), false)
})

test('getVersionInfo has its five fields and identifies the local network', async () => {
  const fake = createChainFixture()
  const info = await fake.call('getVersionInfo')
  assert.deepEqual(Object.keys(info), ['version', 'commitHash', 'buildTimestamp', 'captiveCoreVersion', 'protocolVersion'])
  assert.match(String(info['version']), /localnet/)
  assert.equal(info['protocolVersion'], TEST_PROTOCOL)
})
