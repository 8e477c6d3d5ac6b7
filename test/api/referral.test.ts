// GET /v1/referral/lookup, /v1/referral/info, /v1/referral/me, /v1/referral/me/trades, /v1/referral/me/claims.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createLogGateway } from './log-gateway.ts'
import type { LogGateway } from './log-gateway.ts'
import { assertRejected, badIntegers, followPages, rowsOf } from '../support/pagination.ts'
import { withoutMessage } from '../support/without-message.ts'

const named = (name: string): string => `G${name}`.padEnd(56, 'A')
const [OWNER, REFEREE, OUTSIDER, EARLIER_REFEREE] = [named('OWNER'), named('REFEREE'), named('OUTSIDER'), named('UNKNOWN')]

let fixture: LogGateway
let keys: Readonly<Record<'owner' | 'referee' | 'outsider', IssuedKey>>

before(async () => {
  fixture = await createLogGateway()
  keys = { owner: await fixture.issueKey(OWNER), referee: await fixture.issueKey(REFEREE), outsider: await fixture.issueKey(OUTSIDER) }
  const { log } = fixture
  log.append('referral', 'code_created', { referrer: OWNER, code: 'Star' })
  log.append('referral', 'referrer_set', { referee: REFEREE, referrer: OWNER, code: 'Star' })
  // The index starts after this code was registered.
  log.append('referral', 'referrer_set', { referee: EARLIER_REFEREE, referrer: named('EARLIER'), code: 'OLD' })
  for (const fee of [1_000, 2_000, 3_000]) {
    const shares = { discount: String(fee / 25), payout: String(fee / 10) }
    log.append('referral', 'trade_recorded', { referee: REFEREE, referrer: OWNER, originalFee: String(fee), ...shares })
    if (fee === 2_000) log.append('referral', 'claimed', { referrer: OWNER, amount: '300' })
  }
  await log.commit()
})
after(() => fixture[Symbol.asyncDispose]())

const asOwner = () => fixture.withKey(keys.owner)

test('looks up a code case-sensitively', async () => {
  const { status, body, headers } = await fixture.get('/v1/referral/lookup?code=Star')
  assert.equal(status, 200)
  const { createdAt, updatedAt, ...rest } = body
  assert.deepEqual(rest, { referrer: OWNER, code: 'Star', referredCount: 1, totalVolumeGenerated: '6000', totalEarned: '600', claimable: '300' })
  assert.deepEqual(Object.keys(body), [
    'referrer', 'code', 'createdAt', 'referredCount', 'totalVolumeGenerated', 'totalEarned', 'claimable', 'updatedAt',
  ])
  assert.ok(Number(createdAt) < 1e11 && Number(updatedAt) > 1e12, 'createdAt is in seconds, updatedAt in milliseconds')
  assert.ok(Number(headers['x-seq']) > 0)
  for (const code of ['STAR', 'star', 'none', '%25%27;', 'ÄÖÜ']) {
    const unknown = await fixture.get(`/v1/referral/lookup?code=${code}`)
    assert.deepEqual([unknown.status, withoutMessage(unknown.body)], [404, { error: 'unknown_code', code: decodeURIComponent(code) }])
  }
})

test('rejects codes and addresses of invalid length with a 400 that names them', async () => {
  await assertRejected(fixture, '/v1/referral/lookup', ['code=ab', `code=${'a'.repeat(17)}`, 'code=', 'code=abc&code=abd'])
  assert.equal((await fixture.get('/v1/referral/lookup')).status, 400)
  await assertRejected(fixture, '/v1/referral/info', ['address=G', `address=${'G'.repeat(57)}`])
  assert.equal((await fixture.get('/v1/referral/info')).status, 400)
})

test('info returns a code owner\'s row and referrer, and 404 to others', async () => {
  const { status, body } = await fixture.get<{ self: { referrer: string }; binding: unknown }>(`/v1/referral/info?address=${OWNER}`)
  assert.deepEqual([status, Object.keys(body), body.self.referrer, body.binding], [200, ['self', 'binding'], OWNER, null])
  for (const address of [REFEREE, OUTSIDER]) {
    const response = await fixture.get(`/v1/referral/info?address=${address}`)
    assert.deepEqual([response.status, withoutMessage(response.body)], [404, { error: 'no_code', address }])
  }
})

test('me returns null for a missing code or referrer instead of 404', async () => {
  const owner = await asOwner().get('/v1/referral/me')
  assert.deepEqual([owner.status, (owner.body['self'] as { code: string }).code, owner.body['binding']], [200, 'Star', null])
  const referee = await fixture.withKey(keys.referee).get<{ self: null; binding: Readonly<Record<string, unknown>> }>('/v1/referral/me')
  assert.equal(referee.body.self, null)
  const { boundAt, txHash, ...binding } = referee.body.binding
  assert.deepEqual(binding, { referee: REFEREE, referrer: OWNER, code: 'Star' })
  assert.ok(Number(boundAt) < 1e11 && typeof txHash === 'string')
  const outsider = await fixture.withKey(keys.outsider).get('/v1/referral/me')
  assert.deepEqual([outsider.status, outsider.body], [200, { self: null, binding: null }])
})

test('an account that the administrator unbound has no referrer until it is bound again, also to another code', async () => {
  const { log } = fixture
  const referrerOf = async (): Promise<unknown> => {
    const { body } = await fixture.withKey(keys.outsider).get<{ binding: { referrer: string } | null }>('/v1/referral/me')
    return body.binding?.referrer ?? null
  }
  const [first, second] = [named('FIRST'), named('SECOND')]
  log.append('referral', 'referrer_set', { referee: OUTSIDER, referrer: first, code: 'one' })
  await log.commit()
  assert.equal(await referrerOf(), first)
  log.append('referral', 'registry_paused', { paused: true })
  log.append('referral', 'unbound', { referee: OUTSIDER })
  await log.commit()
  assert.equal(await referrerOf(), null)
  log.append('referral', 'referrer_set', { referee: OUTSIDER, referrer: first, code: 'one' })
  log.append('referral', 'unbound', { referee: OUTSIDER })
  log.append('referral', 'referrer_set', { referee: OUTSIDER, referrer: second, code: 'two' })
  await log.commit()
  assert.equal(await referrerOf(), second)
  log.append('referral', 'unbound', { referee: OUTSIDER })
  await log.commit()
})

test('returns only the caller\'s trades and claims, newest first', async () => {
  const trades = await rowsOf(asOwner(), '/v1/referral/me/trades', 'trades')
  assert.deepEqual(trades.map(({ originalFee, discount, payout }) => [originalFee, discount, payout]), [
    ['3000', '120', '300'], ['2000', '80', '200'], ['1000', '40', '100'],
  ])
  assert.deepEqual(Object.keys(trades[0] ?? {}), [
    'id', 'referee', 'referrer', 'originalFee', 'discount', 'payout', 'volume', 'ledger', 'ts', 'txHash',
  ])
  const [claim] = await rowsOf(asOwner(), '/v1/referral/me/claims', 'claims')
  assert.deepEqual(Object.keys(claim ?? {}), ['id', 'referrer', 'amount', 'ledger', 'ts', 'txHash'])
  assert.equal(claim?.['amount'], '300')
  assert.deepEqual((await followPages(asOwner(), '/v1/referral/me/trades?limit=1', 'trades')).flat(), trades)
  for (const key of [keys.referee, keys.outsider]) {
    assert.deepEqual(await rowsOf(fixture.withKey(key), '/v1/referral/me/trades', 'trades'), [], 'another account earned these')
    assert.deepEqual(await rowsOf(fixture.withKey(key), '/v1/referral/me/claims', 'claims'), [])
  }
  for (const list of ['trades', 'claims']) await assertRejected(asOwner(), `/v1/referral/me/${list}`, badIntegers('limit', 1, 200))
})

test('me, me/trades and me/claims require a key', async () => {
  for (const path of ['me', 'me/trades', 'me/claims']) {
    const { status, body } = await fixture.get(`/v1/referral/${path}`)
    assert.deepEqual([status, withoutMessage(body)], [401, { error: 'missing_bearer' }])
  }
})

test('the rotation of an administrator is in the feeds of both accounts', async () => {
  fixture.log.append('market', 'admin_rotated', { oldAdmin: OWNER, newAdmin: OUTSIDER })
  await fixture.log.commit()
  for (const key of [keys.owner, keys.outsider]) {
    const [newest] = await rowsOf(fixture.withKey(key), '/v1/account/me/events', 'events')
    assert.equal(newest?.['topic'], 'admin_rotated')
  }
})
