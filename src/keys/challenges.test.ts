import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { createSeededRandom } from '../base/random.ts'
import { CHALLENGE_TTL_MS } from '../limits.ts'
import { CHALLENGE_SLOTS, createChallenges, createMemoryChallengeState } from './challenges.ts'
import type { ChallengeState, Challenges } from './challenges.ts'

const HERE = { client: '192.0.2.1', wallet: 'WALLET' }
const THERE = { client: '198.51.100.1', wallet: 'WALLET' }

function build(state: ChallengeState = createMemoryChallengeState(), seed = 'challenges') {
  const clock = createVirtualClock(1_783_339_200_000)
  const { create, use }: Challenges = createChallenges({ clock, random: createSeededRandom(seed), state })
  const challenges = { create, use: async (...args: Parameters<typeof use>): Promise<boolean> => (await use(...args)) !== undefined }
  return { clock, challenges, create, use, request: async (claimant = HERE) => (await challenges.create(claimant)).challengeHex }
}

test('a challenge can be used once, for its wallet only', async () => {
  const { challenges, request } = build()
  const challenge = await request()
  assert.equal(await challenges.use({ client: THERE.client, wallet: 'OTHER' }, challenge), false)
  assert.equal(await challenges.use(HERE, challenge), true)
  assert.equal(await challenges.use(HERE, challenge), false)
})

test('of fifty concurrent uses exactly one succeeds, whatever addresses they come from', async () => {
  const { challenges, request } = build()
  const challenge = await request()
  const uses = await Promise.all(Array.from({ length: 50 }, (_, racer) => challenges.use({ client: `192.0.2.${racer}`, wallet: 'WALLET' }, challenge)))
  assert.equal(uses.filter((isFirst) => isFirst).length, 1)
})

test('a request replaces the challenge of the same client only', async () => {
  const { challenges, request } = build()
  const [first, foreign] = [await request(HERE), await request(THERE)]
  const second = await request(HERE)
  assert.equal(await challenges.use(THERE, foreign), true)
  assert.equal(await challenges.use(HERE, first), false, 'replaced')
  assert.equal(await challenges.use(HERE, second), false, 'the attempt with the first used it up')
})

test('a wrong attempt uses up the pending challenge of the same client only', async () => {
  const { challenges, request } = build()
  const [own, foreign] = [await request(HERE), await request(THERE)]
  assert.equal(await challenges.use(HERE, 'ab'.repeat(32)), false)
  assert.equal(await challenges.use(HERE, own), false)
  assert.equal(await challenges.use(THERE, foreign), true)
})

test('a client whose address changed can use its challenge', async () => {
  const { challenges, request } = build()
  assert.equal(await challenges.use(THERE, await request(HERE)), true)
})

test('a challenge expires after five minutes, and with the secret', async () => {
  const { clock, challenges, request } = build()
  const [early, late] = [await request(HERE), await request(THERE)]
  clock.advance(CHALLENGE_TTL_MS - 1)
  assert.equal(await challenges.use(HERE, early), true)
  clock.advance(1)
  assert.equal(await challenges.use(THERE, late), false)
  const valid = await request(HERE)
  assert.equal(await build(createMemoryChallengeState(), 'restarted').challenges.use(HERE, valid), false)
})

test('every changed bit of a challenge invalidates it', async () => {
  const { challenges, request } = build()
  for (let bit = 0; bit < 256; bit++) {
    const bytes = Buffer.from(await request(HERE), 'hex')
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(await challenges.use(THERE, bytes.toString('hex')), false, `bit ${bit}`)
  }
})

test('all bytes of challenges look random, expiry included', async () => {
  const { request } = build()
  const counts = Array.from({ length: 256 }, () => 0)
  for (let count = 0; count < 1_000; count++) {
    const bytes = Buffer.from(await request(HERE), 'hex')
    for (const bit of counts.keys()) if (((bytes[bit >> 3] ?? 0) >> (bit & 7)) % 2 === 1) counts[bit] = (counts[bit] ?? 0) + 1
  }
  // Seven standard deviations.
  for (const [bit, count] of counts.entries()) assert.ok(Math.abs(count - 500) < 111, `bit ${bit} was set in ${count} of 1000 challenges`)
})

test('a flood from ten thousand addresses neither evicts a challenge nor grows the state', async () => {
  const slots = new Set<number>()
  const state = createMemoryChallengeState()
  const { challenges, request } = build({
    ...state,
    async set(slot, entry) {
      slots.add(slot)
      await state.set(slot, entry)
    },
  })
  const challenge = await request(HERE)
  for (let attacker = 0; attacker < 10_000; attacker++) {
    const client = `10.0.${attacker >> 8}.${attacker & 255}`
    await challenges.create({ client, wallet: 'WALLET' })
    if (attacker % 4 === 0) await challenges.use({ client, wallet: 'WALLET' }, 'ab'.repeat(32))
  }
  assert.ok(slots.size <= CHALLENGE_SLOTS && [...slots].every((slot) => slot >= 0 && slot < CHALLENGE_SLOTS))
  assert.equal(await challenges.use(HERE, challenge), true)
})

test('a challenge is bound to its restrictions, and is void when they are forgotten or changed', async () => {
  const { create, use } = build()
  const [bound, free] = [await create(HERE, '{"scopes":["read"]}'), await create(THERE)]
  assert.deepEqual(await use(HERE, bound.challengeHex), { restrictions: '{"scopes":["read"]}' })
  assert.equal(await use(HERE, bound.challengeHex), undefined)
  assert.deepEqual(await use(THERE, free.challengeHex), { restrictions: '' })
  for (const restrictions of ['', '{"scopes":["trade"]}']) {
    const state: ChallengeState = { ...createMemoryChallengeState(), restrictions: async () => restrictions }
    const forgetful = build(state)
    assert.equal(await forgetful.use(HERE, (await forgetful.create(HERE, '{"scopes":["read"]}')).challengeHex), undefined)
  }
})
