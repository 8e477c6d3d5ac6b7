// A million callers in one minute, ten times as many as the rate limiter's tables hold.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Caller } from '../../src/http/caller.ts'
import { networkOf } from '../../src/http/client-address.ts'
import { createRequestLimits } from '../../src/http/request-limits.ts'
import type { RequestLimits } from '../../src/http/request-limits.ts'
import { ADDRESS_CEILING_PER_WINDOW, RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'

const CROWD = 1_000_000
const HONEST = 200
/** Requests of each honest client. */
const REQUESTS = 10
/** Twenty times the time on an idle machine: notices a cost that grows with the number of callers. */
const MAX_US_PER_REQUEST = 50
/** Two full tables. */
const MAX_BYTES = 64 * 2 ** 20

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const hex = (value: number): string => value.toString(16)

function anonymous(address: string): Caller {
  const network = networkOf(address)
  return { tier: 'public', bucket: network.bucket, network, key: null, rejection: null }
}

function take(limits: RequestLimits, address: string) {
  const outcome = limits.take(anonymous(address), 'read')
  assert.ok(!(outcome instanceof Promise))
  return outcome
}

/** Returns how many of `count` requests are allowed. */
function allowed(limits: RequestLimits, address: string, count: number): number {
  let sum = 0
  for (let request = 0; request < count; request++) sum += take(limits, address).allowed ? 1 : 0
  return sum
}

const CROWDS: readonly (readonly [name: string, address: (caller: number) => string, honest: (client: number) => string])[] = [
  ['IPv6 /64 networks in 16 /48 networks', (one) => `2001:db8:${hex(one >>> 16)}:${hex(one & 0xffff)}::1`, (one) => `2a01:${hex(one)}:7::1`],
  ['IPv6 /48 networks', (one) => `2001:${hex(one >>> 16)}:${hex(one & 0xffff)}::1`, (one) => `2a01:${hex(one)}:7::1`],
  ['IPv4 addresses', (one) => `10.${one >>> 16}.${(one >>> 8) & 0xff}.${one & 0xff}`, (one) => `203.0.${one}.9`],
]

for (const [name, crowdAddress, honestAddress] of CROWDS) {
  test(`a million callers from distinct ${name} in a minute do not lock out a new client, in bounded memory`, (context) => {
    const limits = createRequestLimits({
      clock: createVirtualClock(0), limits: RATE_LIMIT_PER_WINDOW, addressCeiling: ADDRESS_CEILING_PER_WINDOW,
    })
    collectGarbage()
    const memoryBefore = process.memoryUsage()
    const cpuBefore = process.cpuUsage()
    for (let caller = 0; caller < CROWD; caller++) take(limits, crowdAddress(caller))
    const { user, system } = process.cpuUsage(cpuBefore)
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    const usPerRequest = (user + system) / CROWD
    const bytes = heapUsed - memoryBefore.heapUsed + arrayBuffers - memoryBefore.arrayBuffers
    context.diagnostic(`${usPerRequest.toFixed(2)} us per request, ${Math.round(bytes / 2 ** 20)} MiB`)
    let passed = 0
    for (let client = 0; client < HONEST; client++) passed += allowed(limits, honestAddress(client), REQUESTS)
    assert.ok(passed === HONEST * REQUESTS, `${passed} of ${HONEST * REQUESTS} requests of new clients succeed`)
    const all = allowed(limits, honestAddress(HONEST + 1), RATE_LIMIT_PER_WINDOW.public)
    assert.equal(all, RATE_LIMIT_PER_WINDOW.public)
    assert.ok(usPerRequest < MAX_US_PER_REQUEST, `${usPerRequest} us per request`)
    assert.ok(bytes < MAX_BYTES, `${bytes} bytes`)
  })
}
