// /v1/keys: issuing, listing and revoking API keys.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { App } from '../../src/http/app.ts'
import { OPEN_TO_EVERYONE, openAllowlist } from '../../src/keys/allowlist.ts'
import { createMemoryChallengeState } from '../../src/keys/challenges.ts'
import type { ApiKey, IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { silentLog } from '../../src/base/log.ts'
import { createKeys, issueKey } from '../../src/keys/keys.ts'
import { BODY_LIMIT_BYTES, CHALLENGE_TTL_MS, MAX_KEYS_PER_OWNER } from '../../src/limits.ts'
import { encodeCursor } from '../../src/projections/log/page.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { DEFECTIVE_CLAIMS } from './defective-claims.ts'
import type { Claim } from './defective-claims.ts'
import { buildChallenge, call, createWallet, obtainKey, PLAIN, requestChallenge, signChallenge, TEST_PASSPHRASE } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

const UNLIMITED = { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 }
const clock: VirtualClock = createVirtualClock(BARE_START_MS)
let store: Store
let bare: BareGateway
let app: App

before(async () => {
  store = await openTestStore()
  bare = await createBareGateway({ store, clock, rateLimits: UNLIMITED })
  app = bare.gateway.app
})
after(async () => {
  await bare[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

function claim(body: Partial<Claim> & Readonly<Record<string, unknown>>) {
  return call(app, '/v1/keys', { method: 'POST', body })
}

async function countKeys(): Promise<number> {
  const [row] = await store.read.query<{ count: number }>('select count(*)::int as count from keys.api_keys')
  return row?.count ?? 0
}

test('beta status: without an allowlist every address is allowed', async () => {
  assert.deepEqual((await call(app, '/v1/keys/beta-status')).body, { gated: false, allowed: true })
  const response = await call(app, `/v1/keys/beta-status?address=${createWallet('a').publicKey()}`)
  assert.deepEqual([response.status, response.body, response.headers['cache-control']], [200, { gated: false, allowed: true }, 'no-store'])
  assert.equal((await call(app, '/v1/keys/beta-status?address=GABC')).status, 400)
})

test('issues a new 32-byte challenge each time, valid for five minutes', async () => {
  const address = createWallet('challenged').publicKey()
  const first = await requestChallenge(app, address)
  assert.match(first.challengeHex, /^[0-9a-f]{64}$/)
  assert.equal(first.expiresAt, clock.nowMs() + 300_000)
  assert.deepEqual(Object.keys(first), ['challengeHex', 'expiresAt'])
  assert.notEqual((await requestChallenge(app, address)).challengeHex, first.challengeHex)
})

test('issues a standard key that works at once to a proven address', async () => {
  const wallet = createWallet('proven')
  const key = await obtainKey(app, wallet, 'first')
  assert.deepEqual(Object.keys(key), ['keyId', 'secret', 'tier', 'owner', 'createdAt', ...Object.keys(PLAIN)])
  assert.match(key.keyId, /^nk_[0-9a-f]{24}$/)
  assert.match(key.secret, /^[0-9a-f]{64}$/)
  assert.deepEqual([key.tier, key.owner, key.createdAt], ['standard', wallet.publicKey(), clock.nowMs()])
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})

for (const [what, alter] of Object.entries(DEFECTIVE_CLAIMS)) {
  test(`rejects ${what} as invalid_signature and consumes the challenge`, async () => {
    const wallet = createWallet(what)
    const address = wallet.publicKey()
    const { challengeHex } = await requestChallenge(app, address)
    const good = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
    const keysBefore = await countKeys()
    const refused = await claim({ ...good, ...alter(wallet, challengeHex) })
    assert.deepEqual([refused.status, withoutMessage(refused.body)], [401, { error: 'invalid_signature' }])
    const second = await claim(good)
    assert.deepEqual([second.status, withoutMessage(second.body)], [401, { error: 'invalid_signature' }], 'the valid claim comes too late')
    assert.equal(await countKeys(), keysBefore)
  })
}

test('accepts additional signers and operations, any entry name and any unmuxed source', async () => {
  const wallet = createWallet('accepted')
  const address = wallet.publicKey()
  const builder = (challengeHex: string) =>
    new TransactionBuilder(new Account(createWallet('x').publicKey(), '41'), { fee: '100', networkPassphrase: TEST_PASSPHRASE })
      .addOperation(Operation.manageData({ name: 'whatever', value: Buffer.from(challengeHex, 'hex') }))
      .addOperation(Operation.bumpSequence({ bumpTo: '5' }))
      .setTimeout(300)
      .build()
  const { challengeHex } = await requestChallenge(app, address)
  const transaction = builder(challengeHex)
  transaction.sign(createWallet('other signer'), wallet)
  assert.equal((await claim({ address, challenge: challengeHex, signature: transaction.toXdr() })).status, 201)
})

test('rejects an address of small order, for which anyone can forge signatures', async () => {
  // 32 zero bytes encode a point of order four. An all-zero signature verifies for every fourth message.
  const address = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF'
  for (let attempt = 0; attempt < 32; attempt++) {
    const { challengeHex } = await requestChallenge(app, address)
    const transaction = buildChallenge({ challengeHex, signer: createWallet('x') })
    const forged = forgeSignature(transaction.toXdr(), address)
    assert.equal((await claim({ address, challenge: challengeHex, signature: forged })).status, 401)
  }
})

/** Adds a signature of 64 zero bytes, with the address's hint, to an unsigned envelope. */
function forgeSignature(envelope: string, address: string): string {
  const unsigned = Buffer.from(envelope, 'base64').subarray(0, -4)
  const hint = Keypair.fromPublicKey(address).signatureHint()
  const count = Buffer.from([0, 0, 0, 1])
  const length = Buffer.from([0, 0, 0, 64])
  return Buffer.concat([unsigned, count, hint, length, Buffer.alloc(64)]).toString('base64')
}

test('a challenge expires after exactly five minutes', async () => {
  for (const [waitMs, status] of [[CHALLENGE_TTL_MS - 1, 201], [CHALLENGE_TTL_MS, 401]] as const) {
    const wallet = createWallet(`waits ${waitMs}`)
    const address = wallet.publicKey()
    const { challengeHex } = await requestChallenge(app, address)
    clock.advance(waitMs)
    const response = await claim({ address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
    assert.equal(response.status, status, `after ${waitMs} ms`)
  }
})

test('a new challenge replaces the pending one, and an attempt does not affect other addresses', async () => {
  const [wallet, other] = [createWallet('replaces'), createWallet('bystander')]
  const address = wallet.publicKey()
  const first = await requestChallenge(app, address)
  const others = await requestChallenge(app, other.publicKey())
  const second = await requestChallenge(app, address)
  const claimWith = (challengeHex: string) => claim({ address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
  assert.equal((await claimWith(first.challengeHex)).status, 401)
  assert.equal((await claimWith(second.challengeHex)).status, 401, 'the attempt with the first consumed it')
  const { challengeHex } = others
  const signature = signChallenge({ challengeHex, signer: other })
  assert.equal((await claim({ address: other.publicKey(), challenge: challengeHex, signature })).status, 201)
})

test('a stranger who requests challenges and claims keys for a wallet from other addresses does not keep it from its key', async () => {
  const wallet = createWallet('harassed')
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address)
  for (let stranger = 0; stranger < 200; stranger++) {
    const from = `198.51.${stranger % 4}.${stranger}`
    const { body } = await call<KeyChallenge>(app, '/v1/keys/challenge', { method: 'POST', body: { address }, from })
    const challenge = stranger % 2 === 0 ? body.challengeHex : 'ab'.repeat(32)
    const refused = await call(app, '/v1/keys', { method: 'POST', body: { address, challenge, signature: 'AAAA' }, from })
    assert.deepEqual([refused.status, withoutMessage(refused.body)], [401, { error: 'invalid_signature' }])
  }
  const response = await claim({ address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
  assert.equal(response.status, 201)
})

test('the database lets a challenge yield one key, even when the gateway has forgotten that it was used', async () => {
  const wallet = createWallet('forgetful')
  const address = wallet.publicKey()
  const forgetful = { ...createMemoryChallengeState(), use: async () => true }
  const keys = createKeys({
    store, clock, random: createSeededRandom('forgetful'), log: silentLog, networkPassphrase: TEST_PASSPHRASE, allowlist: OPEN_TO_EVERYONE,
    challengeState: forgetful,
  })
  const requested = await keys.requestChallenge(address, '192.0.2.1')
  assert.ok(typeof requested === 'object')
  const { challengeHex } = requested
  const body = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }), label: null }
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => keys.issue(body, '192.0.2.1')))
  assert.equal(outcomes.filter((outcome) => typeof outcome === 'object').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome === 'invalid_signature').length, 49)
  await keys[Symbol.asyncDispose]()
})

test('of fifty concurrent claims with one challenge only one gets a key', async () => {
  const wallet = createWallet('twice')
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address)
  const body = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  const responses = await Promise.all(Array.from({ length: 50 }, () => claim(body)))
  assert.deepEqual(responses.map(({ status }) => status).toSorted((a, b) => a - b), [201, ...Array.from({ length: 49 }, () => 401)])
})

test('a malformed body gets a 400 that names the field and does not consume the challenge', async () => {
  const wallet = createWallet('malformed')
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address)
  const good: Claim = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  const { address: _address, ...withoutAddress } = good
  const malformed: readonly (readonly [unknown, RegExp])[] = [
    [withoutAddress, /^body must have required property 'address'$/],
    [{ ...good, address: address.slice(1) }, /^body\/address /],
    [{ ...good, address: 5 }, /^body\/address must be string$/],
    [{ ...good, challenge: 5 }, /^body\/challenge must be string$/],
    [{ ...good, signature: null }, /^body\/signature must be string$/],
    [{ ...good, signature: 'A'.repeat(33_000) }, /^body\/signature must have at most 32768 characters$/],
    [{ ...good, label: 'x'.repeat(65) }, /^body\/label must have at most 64 characters$/],
    [{ ...good, label: 5 }, /^body\/label must be string or null$/],
    [{ ...good, label: 'a\0b' }, /^body\/label must match pattern /],
    [{ ...good, label: 'a\nb' }, /^body\/label must match pattern /],
    [{ ...good, label: '\ud800' }, /^body\/label must match pattern /],
    [{ ...good, labl: 'x', scope: 'all' }, /^body must not have the fields "labl", "scope"$/],
    [[], /^body must be object$/],
    ['"text"', /^body must be object$/],
    [undefined, /^body must be object$/],
  ]
  for (const [body, message] of malformed) {
    const response = await call(app, '/v1/keys', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    if (body === undefined) assert.equal(response.status, 400)
    else assert.deepEqual([response.status, response.body['code']], [400, 'FST_ERR_VALIDATION'], JSON.stringify(body))
    if (body !== undefined) assert.match(String(response.body['message']), message)
  }
  assert.equal((await claim({ ...good })).status, 201)
})

test('rejects a body of several megabytes with 400', async () => {
  for (const url of ['/v1/keys', '/v1/keys/challenge']) {
    const response = await call(app, url, { method: 'POST', body: { address: createWallet('large').publicKey(), signature: 'A'.repeat(5_000_000) } })
    assert.deepEqual([response.status, response.body['message']], [400, `body must NOT be larger than ${BODY_LIMIT_BYTES} bytes`])
  }
  const unknown = await call(app, '/v1/keys/challenge', { method: 'POST', body: { address: createWallet('x').publicKey(), extra: 1 } })
  assert.deepEqual([unknown.status, unknown.body['message']], [400, 'body must not have the fields "extra"'])
})

test('over a socket the response to a body of several megabytes is readable, and the connection stays open', async () => {
  await using served = await createBareGateway({ store, clock, rateLimits: UNLIMITED, random: createSeededRandom('served') })
  const url = await served.gateway.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const bytes of [100_000, 5_000_000, 20_000_000, 5_000_000]) {
    const status = await new Promise((resolve, reject) => {
      const upload = request(`${url}/v1/keys`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      upload.once('error', reject)
      upload.end(Buffer.alloc(bytes, 'A'))
    })
    assert.equal(status, 400, `${bytes} bytes`)
  }
  agent.destroy()
})

test('counts a label\'s 64 characters as code points', async () => {
  const wallet = createWallet('labels')
  const label = '\u{1F511}'.repeat(64)
  const key = await obtainKey(app, wallet, label)
  const { body } = await call<{ keys: readonly ApiKey[] }>(app, '/v1/keys', { key })
  assert.equal(body.keys[0]?.label, label)
})

test('lists every key of the owner, newest first, including revoked ones, without secrets', async () => {
  const wallet = createWallet('lists')
  const first = await obtainKey(app, wallet, 'first')
  clock.advance(10)
  const second = await obtainKey(app, wallet)
  const third = await obtainKey(app, wallet, 'third')
  await obtainKey(app, createWallet('stranger'))
  assert.equal((await call(app, `/v1/keys/${second.keyId}`, { method: 'DELETE', key: first })).status, 200)
  const revokedAt = clock.nowMs()
  clock.advance(7)
  const response = await call<{ keys: readonly ApiKey[] }>(app, '/v1/keys', { key: third })
  const common = { owner: wallet.publicKey(), tier: 'standard', ...PLAIN }
  assert.deepEqual([response.status, response.headers['cache-control']], [200, 'no-store'])
  assert.deepEqual(response.body, { keys: [
    { keyId: third.keyId, ...common, label: 'third', createdAt: third.createdAt, lastUsedAt: clock.nowMs(), revokedAt: null },
    { keyId: second.keyId, ...common, label: null, createdAt: second.createdAt, lastUsedAt: null, revokedAt },
    { keyId: first.keyId, ...common, label: 'first', createdAt: first.createdAt, lastUsedAt: revokedAt, revokedAt: null },
  ], hasMore: false, nextCursor: null })
  for (const { secret } of [first, second, third]) assert.ok(!response.text.includes(secret))
})

async function issueDirectly(owner: string, count: number): Promise<IssuedKey[]> {
  const random = createSeededRandom(`keys of ${owner}`)
  const keys: IssuedKey[] = []
  while (keys.length < count) keys.push(await issueKey(store.write, { owner, tier: 'standard', label: null, clock, random }))
  return keys
}

test('pages through every key of an owner with more than a thousand', async () => {
  const owner = createWallet('many keys').publicKey()
  const keys = await issueDirectly(owner, 1_100)
  const [key] = keys
  const sizes: number[] = []
  const listed: string[] = []
  for (let url: string | undefined = '/v1/keys'; url !== undefined;) {
    const response: ApiResponse<{ keys: readonly ApiKey[] }> = await call(app, url, { key: key as IssuedKey })
    assert.equal(response.status, 200)
    sizes.push(response.body.keys.length)
    listed.push(...response.body.keys.map(({ keyId }) => keyId))
    url = /^<(.*)>; rel="next"$/.exec(response.headers['link'] ?? '')?.[1]
  }
  assert.deepEqual(sizes, [1_000, 100])
  assert.deepEqual(new Set(listed), new Set(keys.map(({ keyId }) => keyId)))
  assert.equal(listed.length, keys.length)
  const limited = await call<{ keys: readonly ApiKey[] }>(app, '/v1/keys?limit=3', { key: key as IssuedKey })
  assert.deepEqual(limited.body.keys.map(({ keyId }) => keyId), listed.slice(0, 3))
  assert.equal((await call(app, '/v1/keys?limit=1001', { key: key as IssuedKey })).status, 400)
  const foreign = await call(app, `/v1/keys?cursor=${encodeCursor('trades', [1])}`, { key: key as IssuedKey })
  assert.deepEqual([foreign.status, foreign.body['message']], [400, 'querystring/cursor was not issued by this list'])
})

test('rejects a key beyond the limit with 409, after the signature check, until one is revoked', async () => {
  const wallet = createWallet('collects')
  const address = wallet.publicKey()
  const keys: IssuedKey[] = []
  for (let count = 0; count < MAX_KEYS_PER_OWNER; count++) keys.push(await obtainKey(app, wallet))
  const claimNow = async () => {
    const { challengeHex } = await requestChallenge(app, address)
    return { challenge: challengeHex, response: await claim({ address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }) }
  }
  const { challenge, response } = await claimNow()
  assert.deepEqual([response.status, response.body], [409, {
    error: 'key_limit_reached', message: 'This account already has the maximum of 20 active keys. Revoke one, then request a new challenge.',
  }])
  const unsigned = await claim({ address, challenge, signature: 'AAAA' })
  assert.deepEqual([unsigned.status, withoutMessage(unsigned.body)], [401, { error: 'invalid_signature' }], 'only the owner learns how many keys it has')
  const [first, second] = keys as [IssuedKey, IssuedKey]
  assert.equal((await call(app, `/v1/keys/${second.keyId}`, { method: 'DELETE', key: first })).status, 200)
  assert.equal((await claimNow()).response.status, 201)
  assert.equal((await claimNow()).response.status, 409)
})

test('an owner with more keys than the limit keeps them', async () => {
  const wallet = createWallet('owns many')
  const keys = await issueDirectly(wallet.publicKey(), 30)
  for (const key of keys) assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
  const { challengeHex } = await requestChallenge(app, wallet.publicKey())
  const refused = await claim({ address: wallet.publicKey(), challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
  assert.equal(refused.status, 409)
})

test('lastUsedAt is exact before it is written to the database', async () => {
  const wallet = createWallet('used')
  const [reader, used] = [await obtainKey(app, wallet), await obtainKey(app, wallet)]
  const listed = async () => (await call<{ keys: readonly ApiKey[] }>(app, '/v1/keys', { key: reader })).body.keys.find(({ keyId }) => keyId === used.keyId)
  assert.equal((await listed())?.lastUsedAt, null)
  for (const url of ['/v1/account/me', '/v1/keys', '/v1/keys/beta-status', '/v1/nowhere']) {
    clock.advance(3)
    const at = clock.nowMs()
    await call(app, url, { key: used })
    clock.advance(2)
    assert.equal((await listed())?.lastUsedAt, at, `after ${url}`)
  }
  const refused = await call(app, '/v1/account/me', { key: { ...used, secret: reader.secret } })
  assert.equal(refused.status, 401)
  assert.notEqual((await listed())?.lastUsedAt, clock.nowMs(), 'a rejected call does not count as use')
})

test('an owner can revoke any of its keys, which takes effect at once', async () => {
  const wallet = createWallet('revokes')
  const [first, second] = [await obtainKey(app, wallet), await obtainKey(app, wallet)]
  assert.equal((await call(app, '/v1/account/me', { key: second })).status, 200)
  const response = await call(app, `/v1/keys/${second.keyId}`, { method: 'DELETE', key: first })
  assert.deepEqual([response.status, response.body], [200, { revoked: true }])
  const refused = await call(app, '/v1/account/me', { key: second })
  assert.deepEqual([refused.status, withoutMessage(refused.body)], [401, { error: 'invalid_credentials' }])
  const ownRevocation = await call(app, `/v1/keys/${first.keyId}`, { method: 'DELETE', key: first })
  assert.deepEqual([ownRevocation.status, ownRevocation.body], [200, { revoked: true }])
  assert.equal((await call(app, '/v1/keys', { key: first })).status, 401)
})

test('responds 404 to revoking an unknown, foreign or revoked key', async () => {
  const wallet = createWallet('not found')
  const key = await obtainKey(app, wallet)
  const revoked = await obtainKey(app, wallet)
  const foreign = await obtainKey(app, createWallet('foreign'))
  await call(app, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key })
  for (const keyId of [revoked.keyId, foreign.keyId, 'nk_000000000000000000000000', 'nonsense', "'; drop schema keys"]) {
    const response = await call(app, `/v1/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE', key })
    assert.deepEqual([response.status, withoutMessage(response.body)], [404, { error: 'key_not_found' }], keyId)
  }
  assert.equal((await call(app, '/v1/account/me', { key: foreign })).status, 200, 'the foreign key still works')
})

test('the allowlist rejects before the signature check and does not affect issued keys', async () => {
  const [listed, other] = [createWallet('listed'), createWallet('not listed')]
  const early = await obtainKey(app, other)
  const allowlist = openAllowlist({ addresses: [listed.publicKey()] }, { clock, log: silentLog })
  await using gated = await createBareGateway({ store, clock, rateLimits: UNLIMITED, allowlist, random: createSeededRandom('gated') })
  const { app: gatedApp } = gated.gateway
  const status = async (query: string) => (await call(gatedApp, `/v1/keys/beta-status${query}`)).body
  assert.deepEqual(await status(''), { gated: true, allowed: false })
  assert.deepEqual(await status(`?address=${other.publicKey()}`), { gated: true, allowed: false })
  assert.deepEqual(await status(`?address=${listed.publicKey()}`), { gated: true, allowed: true })
  const refused = await call(gatedApp, '/v1/keys', { method: 'POST', body: { address: other.publicKey(), challenge: 'x', signature: 'y' } })
  assert.deepEqual([refused.status, refused.body['error'], typeof refused.body['message']], [403, 'not_in_beta', 'string'])
  assert.equal((await call(gatedApp, '/v1/account/me', { key: early })).status, 200)
  const issued: IssuedKey = await obtainKey(gatedApp, listed)
  assert.equal(issued.owner, listed.publicKey())
})

test('a rejection by the allowlist does not consume the challenge', async () => {
  const wallet = createWallet('listed later')
  const addresses = new Set<string>()
  const allowlist = { gated: true, allows: (address: string) => addresses.has(address) }
  await using gated = await createBareGateway({ store, clock, rateLimits: UNLIMITED, allowlist, random: createSeededRandom('gated later') })
  const { app: gatedApp } = gated.gateway
  const { challengeHex } = await requestChallenge(gatedApp, wallet.publicKey())
  const body = { address: wallet.publicKey(), challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  assert.equal((await call(gatedApp, '/v1/keys', { method: 'POST', body })).status, 403)
  addresses.add(wallet.publicKey())
  assert.equal((await call(gatedApp, '/v1/keys', { method: 'POST', body })).status, 201)
})
