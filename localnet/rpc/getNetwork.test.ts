import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeDoor } from '../../test/support/fake-door.ts'
import { FAKE_PASSPHRASE } from '../../test/support/fake-chain.ts'

test('friendbot is named while it is served, and left out otherwise', async () => {
  const fake = createFakeDoor()
  assert.deepEqual(await fake.ask('getNetwork'), { passphrase: FAKE_PASSPHRASE, protocolVersion: 27 })
  fake.door.setFriendbotUrl('http://127.0.0.1:1/friendbot')
  assert.equal((await fake.ask('getNetwork'))['friendbotUrl'], 'http://127.0.0.1:1/friendbot')
  fake.door.setFriendbotUrl(null)
  assert.equal(Object.hasOwn(await fake.ask('getNetwork'), 'friendbotUrl'), false)
})

test('getVersionInfo has the five names of today, and says which node this is', async () => {
  const fake = createFakeDoor()
  const info = await fake.ask('getVersionInfo')
  assert.deepEqual(Object.keys(info), ['version', 'commitHash', 'buildTimestamp', 'captiveCoreVersion', 'protocolVersion'])
  assert.match(String(info['version']), /localnet/)
  assert.equal(info['protocolVersion'], 27)
})
