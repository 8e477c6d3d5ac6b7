import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryChallenges } from './challenges.ts'

test('a challenge is single-use, and a new one replaces it', async () => {
  const challenges = createMemoryChallenges()
  await challenges.put('a', 'first', 1)
  await challenges.put('a', 'second', 2)
  await challenges.put('b', 'other', 3)
  assert.deepEqual(await challenges.take('a'), { challengeHex: 'second', expiresAtMs: 2 })
  assert.equal(await challenges.take('a'), undefined)
  assert.deepEqual(await challenges.take('b'), { challengeHex: 'other', expiresAtMs: 3 })
})

test('evicts the oldest challenge when full', async () => {
  const challenges = createMemoryChallenges(3)
  for (const address of ['a', 'b', 'c']) await challenges.put(address, address, 1)
  await challenges.put('a', 'replaced', 2)
  await challenges.put('d', 'd', 2)
  const remaining = await Promise.all(['a', 'b', 'c', 'd'].map((address) => challenges.take(address)))
  assert.deepEqual(remaining.map((challenge) => challenge?.challengeHex), ['replaced', undefined, 'c', 'd'])
})

test('a replacement evicts no other challenge', async () => {
  const challenges = createMemoryChallenges(2)
  await challenges.put('a', 'a', 1)
  await challenges.put('b', 'b', 1)
  await challenges.put('b', 'replaced', 2)
  assert.equal((await challenges.take('a'))?.challengeHex, 'a')
})
