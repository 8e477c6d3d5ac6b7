// Challenges and keys against a model: whatever users do at two instances, in any order, each response is the one that the model predicts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keypair } from '@stellar/stellar-sdk'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import type { AsyncCommand } from 'fast-check'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { App } from '../../src/http/app.ts'
import { REVOCATIONS_CHANNEL } from '../../src/keys/records.ts'
import { CHALLENGE_TTL_MS } from '../../src/limits.ts'
import type { ApiKey, IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { BARE_START_MS, unreachable } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { call, createWallet, PLAIN, signChallenge, TEST_PASSPHRASE } from '../support/keys.ts'
import { createTradingServer } from '../sim/trading-server.ts'
import type { Trading, TradingParts } from '../sim/trading-server.ts'
import { anyDeployment } from '../support/deployments.ts'
import { withoutMessage } from '../support/without-message.ts'

const RUNS = fuzzRuns(25)
const COMMANDS_MAX = 40
const OWNERS = [0, 1, 2]
/** Low enough to be reached. */
const MAX_KEYS = 4
/** Keys need no network. */
const NO_NETWORK = {
  rpc: unreachable('RPC') as TradingParts['rpc'], deployment: anyDeployment(), log: silentLog, networkPassphrase: TEST_PASSPHRASE,
}
const INSTANCES = ['here', 'there'] as const
type Instance = (typeof INSTANCES)[number]

interface ModelKey {
  readonly keyId: string
  readonly secret: string
  readonly owner: number
  readonly label: string | null
  readonly createdAt: number
  revokedAt: number | null
  /** The last use at each instance. */
  readonly usedAt: Record<Instance, number | null>
  /** The stored last use, which every instance reads. */
  storedAt: number | null
}

interface Model {
  nowMs: number
  gated: boolean
  readonly listed: Set<number>
  readonly pending: Record<Instance, Map<number, KeyChallenge>>
  /** Challenges that were replaced, used or lost at a restart. */
  readonly old: Map<number, KeyChallenge>
  readonly keys: ModelKey[]
}

interface Real {
  /** Counts of what the commands reached, to ensure that the model covers it. */
  readonly seen: Map<string, number>
  readonly clock: VirtualClock
  readonly store: FlakyStore
  readonly wallets: readonly Keypair[]
  readonly allowlist: TestAllowlist
  app(instance: Instance): App
  restart(instance: Instance): Promise<void>
  /** Resolves when the key's revocation was notified. */
  notified(keyId: string): Promise<void>
}

/** The allowlist of both instances. */
interface TestAllowlist {
  gated: boolean
  readonly listed: Set<string>
  allows(address: string): boolean
}

type Command = AsyncCommand<Model, Real>

function note(real: Real, what: string): void {
  real.seen.set(what, (real.seen.get(what) ?? 0) + 1)
}

function command(name: string, check: (model: Model) => boolean, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check, run, toString: () => name }
}

const always = (): boolean => true

function requestChallenge(at: Instance, owner: number): Command {
  return command(`challenge ${owner} ${at}`, always, async (model, real) => {
    const address = addressOf(real, owner)
    const response = await call<KeyChallenge>(real.app(at), '/v1/keys/challenge', { method: 'POST', body: { address } })
    assert.equal(response.status, 200)
    assert.equal(response.body.expiresAt, model.nowMs + CHALLENGE_TTL_MS)
    retireChallenge(model, at, owner)
    model.pending[at].set(owner, response.body)
  })
}

const CLAIMS = ['right', 'old challenge', 'other instance\'s challenge', 'wrong signer', 'wrong text', 'garbage'] as const

function claim(at: Instance, owner: number, how: (typeof CLAIMS)[number], label: string | null): Command {
  return command(`claim ${owner} ${at}: ${how}`, always, async (model, real) => {
    const pending = model.pending[at].get(owner)
    const other = model.pending[at === 'here' ? 'there' : 'here'].get(owner)
    const named = { 'old challenge': model.old.get(owner), 'other instance\'s challenge': other }[how as string] ?? pending
    const challengeHex = named?.challengeHex ?? 'ee'.repeat(32)
    const signer = how === 'wrong signer' ? createWallet('forger') : walletOf(real, owner)
    const body = {
      address: addressOf(real, owner),
      challenge: how === 'wrong text' ? 'ff'.repeat(32) : challengeHex,
      signature: how === 'garbage' ? 'AAAA' : signChallenge({ challengeHex, signer }),
      ...(label === null ? {} : { label }),
    }
    const response = await call<IssuedKey & { error?: string }>(real.app(at), '/v1/keys', { method: 'POST', body })
    note(real, `claim returned ${response.status}`)
    if (model.gated && !model.listed.has(owner)) return assert.deepEqual([response.status, response.body.error], [403, 'not_in_beta'])
    const isRight = how !== 'wrong signer' && how !== 'wrong text' && how !== 'garbage' && challengeHex === pending?.challengeHex
    retireChallenge(model, at, owner)
    if (!isRight || model.nowMs >= pending.expiresAt) return assert.deepEqual([response.status, withoutMessage(response.body)], [401, {
      error: 'invalid_signature' }])
    const isFull = model.keys.filter((key) => key.owner === owner && key.revokedAt === null).length >= MAX_KEYS
    if (isFull) return assert.deepEqual([response.status, response.body.error], [409, 'key_limit_reached'])
    assert.equal(response.status, 201, response.text)
    const { keyId, secret, ...rest } = response.body
    assert.deepEqual(rest, { tier: 'standard', owner: addressOf(real, owner), createdAt: model.nowMs, ...PLAIN })
    assert.ok(model.keys.every((key) => key.keyId !== keyId && key.secret !== secret))
    model.keys.push({ keyId, secret, owner, label, createdAt: model.nowMs, revokedAt: null, usedAt: { here: null, there: null }, storedAt: null })
  })
}

function obtain(at: Instance, owner: number, label: string | null): Command {
  return command(`obtain ${owner} ${at}`, always, async (model, real) => {
    await requestChallenge(at, owner).run(model, real)
    await claim(at, owner, 'right', label).run(model, real)
  })
}

/** Returns whether the key is accepted; records the use in the model. */
function isAccepted(model: Model, at: Instance, key: ModelKey): boolean {
  if (key.revokedAt !== null) return false
  key.usedAt[at] = model.nowMs
  return true
}

function use(at: Instance, pick: number, right: boolean): Command {
  return command(`use ${pick} ${at}${right ? '' : ' with a wrong secret'}`, hasKeys, async (model, real) => {
    const key = picked(model, pick)
    const presented = right ? key : { ...key, secret: key.secret.replace(/^./, (first) => (first === '0' ? '1' : '0')) }
    const response = await call(real.app(at), '/v1/account/me', { key: keyOf(real, presented) })
    const accepted = right && isAccepted(model, at, key)
    note(real, `use returned ${response.status}`)
    if (accepted) assert.deepEqual([response.status, response.body], [200, { owner: addressOf(real, key.owner), tier: 'standard', keyId: key.keyId }])
    else assert.deepEqual([response.status, withoutMessage(response.body)], [401, { error: 'invalid_credentials' }])
  })
}

function list(at: Instance, pick: number): Command {
  return command(`list ${pick} ${at}`, hasKeys, async (model, real) => {
    const key = picked(model, pick)
    const response = await call<{ keys: readonly ApiKey[] }>(real.app(at), '/v1/keys', { key: keyOf(real, key) })
    if (!isAccepted(model, at, key)) return assert.equal(response.status, 401)
    const expected = model.keys.filter(({ owner }) => owner === key.owner).toReversed().map((one) => ({
      keyId: one.keyId, owner: addressOf(real, one.owner), tier: 'standard', label: one.label, createdAt: one.createdAt,
      lastUsedAt: latest(one.storedAt, one.usedAt[at]), revokedAt: one.revokedAt, ...PLAIN,
    }))
    assert.deepEqual(response.body.keys, expected)
    note(real, expected.length > 1 ? 'list of several' : 'list of one')
  })
}

function revoke(at: Instance, by: number, pick: number): Command {
  return command(`revoke ${pick} by ${by} ${at}`, hasKeys, async (model, real) => {
    const [caller, key] = [picked(model, by), picked(model, pick)]
    const notified = real.notified(key.keyId)
    const response = await call(real.app(at), `/v1/keys/${key.keyId}`, { method: 'DELETE', key: keyOf(real, caller) })
    if (!isAccepted(model, at, caller)) return assert.equal(response.status, 401)
    const isKnown = key.owner === caller.owner && key.revokedAt === null
    if (!isKnown) return assert.deepEqual([response.status, withoutMessage(response.body)], [404, { error: 'key_not_found' }])
    assert.deepEqual([response.status, response.body], [200, { revoked: true }])
    await notified
    note(real, 'revoked')
    key.revokedAt = model.nowMs
  })
}

function advance(ms: number): Command {
  return command(`wait ${ms} ms`, always, async (model, real) => {
    real.clock.advance(ms)
    model.nowMs += ms
    await real.store.idle()
    // Every wait is at least a second, after which all instances have stored their last uses.
    for (const instance of INSTANCES) storeUses(model, instance)
  })
}

function restart(at: Instance): Command {
  return command(`restart ${at}`, always, async (model, real) => {
    await real.restart(at)
    for (const owner of OWNERS) retireChallenge(model, at, owner)
    storeUses(model, at)
    for (const key of model.keys) key.usedAt[at] = null
  })
}

function setAllowlist(gated: boolean, listed: readonly number[]): Command {
  return command(`allowlist ${gated ? `for ${listed.join(', ')}` : 'open'}`, always, async (model, real) => {
    model.gated = real.allowlist.gated = gated
    model.listed.clear()
    real.allowlist.listed.clear()
    for (const owner of listed) {
      model.listed.add(owner)
      real.allowlist.listed.add(addressOf(real, owner))
    }
    for (const owner of OWNERS) {
      const { body } = await call(real.app('here'), `/v1/keys/beta-status?address=${addressOf(real, owner)}`)
      assert.deepEqual(body, { gated, allowed: !gated || listed.includes(owner) })
    }
  })
}

function hasKeys(model: Readonly<Model>): boolean {
  return model.keys.length > 0
}

function picked(model: Model, pick: number): ModelKey {
  const key = model.keys[pick % model.keys.length]
  assert.ok(key)
  return key
}

function retireChallenge(model: Model, at: Instance, owner: number): void {
  const pending = model.pending[at].get(owner)
  if (pending === undefined) return
  model.old.set(owner, pending)
  model.pending[at].delete(owner)
}

function storeUses(model: Model, at: Instance): void {
  for (const key of model.keys) key.storedAt = latest(key.storedAt, key.usedAt[at])
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function walletOf(real: Real, owner: number): Keypair {
  const wallet = real.wallets[owner]
  assert.ok(wallet)
  return wallet
}

function addressOf(real: Real, owner: number): string {
  return walletOf(real, owner).publicKey()
}

function keyOf(real: Real, { keyId, secret, owner, createdAt }: ModelKey): IssuedKey {
  return { keyId, secret, owner: addressOf(real, owner), tier: 'standard', createdAt, ...PLAIN }
}

const at = fc.constantFrom(...INSTANCES)
const owner = fc.constantFrom(...OWNERS)
const pick = fc.nat(9)
const label = fc.option(fc.string({ unit: 'grapheme-composite', maxLength: 12 }).filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text)), { nil: null })

const COMMANDS = [
  fc.tuple(at, owner).map((args) => requestChallenge(...args)),
  fc.tuple(at, owner, fc.constantFrom(...CLAIMS), label).map((args) => claim(...args)),
  fc.tuple(at, owner, fc.constant(CLAIMS[0]), label).map((args) => claim(...args)),
  ...Array.from({ length: 3 }, () => fc.tuple(at, owner, label).map((args) => obtain(...args))),
  fc.tuple(at, pick, fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false))).map((args) => use(...args)),
  fc.tuple(at, pick).map((args) => list(...args)),
  fc.tuple(at, pick, pick).map((args) => revoke(...args)),
  fc.constantFrom(1_000, 2_999, 3_000, 30_000, CHALLENGE_TTL_MS - 1, CHALLENGE_TTL_MS).map(advance),
  at.map(restart),
  fc.tuple(fc.boolean(), fc.subarray(OWNERS)).map((args) => setAllowlist(...args)),
  fc.tuple(fc.boolean(), fc.subarray(OWNERS)).map(([, listed]) => setAllowlist(false, listed)),
]

test('property: challenges and keys at two instances match the model', async () => {
  await using disposables = new AsyncDisposableStack()
  const store = createFlakyStore(disposables.use(await openTestStore()))
  const clock = createVirtualClock(BARE_START_MS)
  const listed = new Set<string>()
  const testAllowlist: TestAllowlist = { gated: false, listed, allows: (address) => !testAllowlist.gated || listed.has(address) }
  const servers = { here: await createTradingServer(), there: await createTradingServer() } as const
  const instances = new Map<Instance, Trading>()
  let starts = 0
  async function start(instance: Instance): Promise<void> {
    const random = createSeededRandom(`start ${++starts}`)
    instances.set(instance, servers[instance].serve({ ...NO_NETWORK, store: store.store, clock, random, allowlist: testAllowlist, maxPerOwner: MAX_KEYS }))
  }
  for (const instance of INSTANCES) await start(instance)
  disposables.defer(async () => {
    for (const running of instances.values()) await running.close()
    for (const { app } of Object.values(servers)) await app.close()
  })
  const notifications = new Map<string, PromiseWithResolvers<void>>()
  const notificationOf = (keyId: string) => {
    const notification = notifications.get(keyId) ?? Promise.withResolvers<void>()
    notifications.set(keyId, notification)
    return notification
  }
  // Shares the connection of both instances: they get each notification first.
  disposables.defer(await store.store.listen(REVOCATIONS_CHANNEL, (keyId) => notificationOf(keyId).resolve()))

  const seen = new Map<string, number>()
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }), async (commands) => {
      runs += 1
      testAllowlist.gated = false
      const wallets = OWNERS.map((index) => createWallet(`model ${runs} ${index}`))
      const model: Model = {
        nowMs: clock.nowMs(), gated: false, listed: new Set(), pending: { here: new Map(), there: new Map() }, old: new Map(), keys: [],
      }
      const real: Real = {
        clock, store, wallets, allowlist: testAllowlist, seen,
        app: (instance) => servers[instance].app,
        async restart(instance) {
          await instances.get(instance)?.close()
          await start(instance)
        },
        notified: (keyId) => notificationOf(keyId).promise,
      }
      await fc.asyncModelRun(() => ({ model, real }), commands)
    }),
    { numRuns: RUNS },
  )
  const expected = [
    ...[201, 401, 403, 409].map((status) => `claim returned ${status}`), 'use returned 200', 'use returned 401', 'list of several', 'revoked',
  ]
  for (const what of expected) assert.ok((seen.get(what) ?? 0) > 0, `never reached: ${what} (${[...seen].join(' ')})`)
})
