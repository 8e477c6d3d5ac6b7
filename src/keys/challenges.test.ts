import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryChallenges } from './challenges.ts'

test('a challenge is taken once, and a later one replaces it', async () => {
  const challenges = createMemoryChallenges()
  await challenges.put('a', 'first', 1)
  await challenges.put('a', 'second', 2)
  await challenges.put('b', 'other', 3)
  assert.deepEqual(await challenges.take('a'), { challengeHex: 'second', expiresAtMs: 2 })
  assert.equal(await challenges.take('a'), undefined)
  assert.deepEqual(await challenges.take('b'), { challengeHex: 'other', expiresAtMs: 3 })
})

test('when too many wait, the one that was asked for longest ago makes room', async () => {
  const challenges = createMemoryChallenges(3)
  for (const address of ['a', 'b', 'c']) await challenges.put(address, address, 1)
  await challenges.put('a', 'anew', 2)
  await challenges.put('d', 'd', 2)
  const left = await Promise.all(['a', 'b', 'c', 'd'].map((address) => challenges.take(address)))
  assert.deepEqual(left.map((one) => one?.challengeHex), ['anew', undefined, 'c', 'd'])
})

test('a replacement needs no room', async () => {
  const challenges = createMemoryChallenges(2)
  await challenges.put('a', 'a', 1)
  await challenges.put('b', 'b', 1)
  await challenges.put('b', 'anew', 2)
  assert.equal((await challenges.take('a'))?.challengeHex, 'a')
})
