import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { ADDRESS_CEILING_PER_WINDOW, RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { UNRESTRICTED } from '../keys/restrictions.ts'
import type { Caller, Tier } from './caller.ts'
import { networkOf } from './client-address.ts'
import { createRequestLimits } from './request-limits.ts'
import type { RequestKind, RequestLimits } from './request-limits.ts'

const MINUTE_MS = 60_000
const PLAIN = { restrictions: UNRESTRICTED, parent: null, rotation: 0, secretUntil: null } as const

function createLimits(addressCeiling: number = ADDRESS_CEILING_PER_WINDOW): RequestLimits {
  return createRequestLimits({ clock: createVirtualClock(MINUTE_MS), limits: RATE_LIMIT_PER_WINDOW, addressCeiling })
}

function anonymous(address: string): Caller {
  const network = networkOf(address)
  return { tier: 'public', bucket: network.bucket, network, key: null, rejection: null }
}

function withKey(keyId: string, address: string, tier: Exclude<Tier, 'public'> = 'standard'): Caller {
  return { tier, bucket: keyId, network: networkOf(address), key: { keyId, owner: 'G', tier, ...PLAIN }, rejection: null }
}

function take(limits: RequestLimits, caller: Caller, kind: RequestKind = 'read') {
  const outcome = limits.take(caller, kind)
  assert.ok(!(outcome instanceof Promise))
  return outcome
}

/** Returns how many of `count` requests are allowed. */
function allowed(limits: RequestLimits, caller: Caller, count: number, kind: RequestKind = 'read'): number {
  let sum = 0
  for (let request = 0; request < count; request++) sum += take(limits, caller, kind).allowed ? 1 : 0
  return sum
}

const hex = (value: number): string => value.toString(16)

test('101,000 callers from distinct /64 networks do not lock out a new client', () => {
  const limits = createLimits()
  for (let caller = 0; caller < 101_000; caller++) take(limits, anonymous(`2001:db8:${hex(caller)}::1`))
  assert.equal(allowed(limits, anonymous('2a01:7::1'), 70), 60)
  assert.equal(allowed(limits, anonymous('203.0.113.9'), 70), 60)
})

test('all keys used from one client address share a ceiling, so that free keys do not multiply the rate limit', () => {
  const limits = createLimits()
  let passed = 0
  for (let key = 0; key < 1_100; key++) passed += allowed(limits, withKey(`nk_${key}`, '192.0.2.1'), 600)
  assert.equal(passed, ADDRESS_CEILING_PER_WINDOW)
  const rejected = take(limits, withKey('nk_new', '192.0.2.1'))
  assert.deepEqual([rejected.allowed, rejected.bucket.limit, rejected.remaining], [false, ADDRESS_CEILING_PER_WINDOW, 0])
  assert.equal(take(limits, withKey('nk_1099', '192.0.2.2')).allowed, true, 'the same keys from another address')
  assert.equal(take(limits, anonymous('192.0.2.1')).allowed, true, 'requests without a key have their own bucket')
})

test('trading counts in a separate bucket of the same size, so that a client that used up its reads can cancel', () => {
  const limits = createLimits()
  const caller = withKey('nk_1', '192.0.2.1')
  assert.equal(allowed(limits, caller, 700), 600)
  assert.equal(take(limits, caller, 'trading').remaining, 599)
  assert.equal(allowed(limits, caller, 700, 'trading'), 599)
  const maker = withKey('nk_2', '192.0.2.1', 'market_maker')
  assert.equal(take(limits, maker, 'trading').remaining, 5_999)
})

test('requests that count by address do so whatever key is presented', () => {
  const limits = createLimits()
  let passed = 0
  for (let key = 0; key < 100; key++) passed += allowed(limits, withKey(`nk_${key}`, '192.0.2.1'), 10, 'address')
  assert.equal(passed, RATE_LIMIT_PER_WINDOW.public)
  assert.equal(take(limits, anonymous('192.0.2.1')).allowed, false, 'the bucket is that of requests without a key')
})

test('IPv6 is counted per /64 network, and per /48 network at ten times that', async () => {
  const limits = createLimits()
  const passed = Array.from({ length: 30 }, (_, subnet) => allowed(limits, anonymous(`2001:db8:7:${hex(subnet)}::${hex(subnet)}`), 70))
  assert.deepEqual(passed, Array.from({ length: 30 }, (_, subnet) => (subnet < 10 ? 60 : 0)))
  assert.equal(allowed(limits, anonymous('2001:db8:8::1'), 70), 60)
  const small = createLimits(5)
  const keys = Array.from({ length: 60 }, (_, subnet) => allowed(small, withKey(`nk_${subnet}`, `2001:db8:7:${hex(subnet)}::1`), 6))
  assert.equal(keys.reduce((sum, count) => sum + count, 0), 50, 'the ceiling of keys too')
  const listed = await small.list(withKey('nk_0', '2001:db8:7::1'))
  assert.deepEqual(listed.map(({ name, countedPer, limit, remaining }) => `${name} ${countedPer} ${remaining}/${limit}`), [
    'read key 595/600', 'trading key 600/600', 'keys address 0/5', 'keys network 0/50', 'public address 60/60', 'public network 600/600',
    'documents address 1500/1500', 'documents network 15000/15000',
  ])
})

test('documents count by size, per client address', () => {
  const limits = createLimits()
  const caller = anonymous('192.0.2.1')
  let megabytes = 0
  for (; megabytes < 1_000; megabytes++) {
    const outcome = limits.takeDocument(caller, 2 ** 20)
    assert.ok(!(outcome instanceof Promise))
    if (!outcome.allowed) break
  }
  assert.equal(megabytes, 24)
  assert.equal(take(limits, caller).allowed, true, 'the API has its own bucket')
})
