// The key administration commands, on a real database and a real file.

import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { CommandRejected } from '../../src/base/command-rejected.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { openAllowlist } from '../../src/keys/allowlist.ts'
import { parseKeysCommand, runKeysCommand } from '../../src/keys/operator.ts'
import type { OperatorParts } from '../../src/keys/operator.ts'
import { REVOCATIONS_CHANNEL } from '../../src/keys/records.ts'
import { FolderInUse } from '../../src/store/embedded/folder-lock.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet, obtainKey, PLAIN } from '../support/keys.ts'

const ALICE = createWallet('alice').publicKey()
const BOB = createWallet('bob').publicKey()
const clock = createVirtualClock(BARE_START_MS)
const random = createSeededRandom('operator')

/** Runs a command line and returns its output. */
async function run(line: string, parts: Partial<OperatorParts> = {}): Promise<string> {
  const output: string[] = []
  const unreachable = () => Promise.reject(new Error('this command needs no database'))
  const words = line.split(' ').filter((word) => word !== '')
  await runKeysCommand(parseKeysCommand(words), {
    openStore: unreachable, allowlist: null, maxKeysPerOwner: 20, clock, random, print: (text) => output.push(text), ...parts,
  })
  return output.join('\n')
}

/** A store that the command cannot close. */
function lend(store: Store): Pick<OperatorParts, 'openStore'> {
  return { openStore: async () => ({ ...store, [Symbol.asyncDispose]: async () => {} }) }
}

test('issues a market_maker key for a running gateway, lists it, and revokes it immediately', async () => {
  await using store = await openTestStore()
  await using bare = await createBareGateway({ store, clock })
  const { app } = bare.gateway
  const output = await run(`issue ${ALICE} --tier market_maker --label desk`, lend(store))
  const [, keyId = '', secret = ''] = /(nk_[0-9a-f]{24}):([0-9a-f]{64})/.exec(output) ?? []
  const key = { keyId, secret, tier: 'market_maker' as const, owner: ALICE, createdAt: 0, ...PLAIN }
  const me = await call(app, '/v1/account/me', { key })
  assert.deepEqual([me.body, me.headers['x-ratelimit-tier']], [{ owner: ALICE, tier: 'market_maker', keyId }, 'market_maker'])
  await obtainKey(app, createWallet('bob'))

  const allKeys = await run('list', lend(store))
  assert.equal(allKeys.split('\n').length, 2)
  const listed = await run(`list ${ALICE}`, lend(store))
  assert.match(listed, new RegExp(`^${keyId}  ${ALICE}  market_maker  issued 2026-07-06T12:00:00.000Z  used never  desk$`))
  assert.ok(!allKeys.includes(secret))

  const notified = Promise.withResolvers<void>()
  await store.listen(REVOCATIONS_CHANNEL, () => notified.resolve())
  assert.match(await run(`revoke ${keyId}`, lend(store)), new RegExp(`^Revoked ${keyId}`))
  await notified.promise
  assert.equal((await call(app, '/v1/account/me', { key })).status, 401)
  assert.match(await run(`list ${ALICE}`, lend(store)), /revoked 2026-07-06T12:00:00.000Z/)
  await assert.rejects(run(`revoke ${keyId}`, lend(store)), CommandRejected)
  assert.equal(await run(`list ${createWallet('nobody').publicKey()}`, lend(store)), 'No keys.')
})

test('issues no key beyond the limit of active keys, unless forced', async () => {
  await using store = await openTestStore()
  const parts = { ...lend(store), maxKeysPerOwner: 2 }
  await run(`issue ${ALICE}`, parts)
  const [, second = ''] = /(nk_[0-9a-f]{24}):/.exec(await run(`issue ${ALICE}`, parts)) ?? []
  await assert.rejects(run(`issue ${ALICE}`, parts), /already has the maximum of 2 active keys \(MAX_KEYS_PER_OWNER\)\. Revoke one, .* or use --force\.$/)
  await run(`issue ${BOB}`, parts)
  await run(`issue ${ALICE} --force`, parts)
  await run(`revoke ${second}`, parts)
  await assert.rejects(run(`issue ${ALICE}`, parts), CommandRejected, 'the forced key counts')
  assert.equal((await run(`list ${ALICE}`, parts)).split('\n').length, 3)
})

test('lists every key, however many there are', async () => {
  await using store = await openTestStore()
  await store.write.query(`insert into keys.api_keys (key_id, secret_sha256, owner, tier, created_at)
    select 'nk_' || lpad(to_hex(n), 24, '0'), sha256('x'), $1, 'standard', 0 from generate_series(1, 2500) n`, [ALICE])
  const lines = (await run('list', lend(store))).split('\n')
  assert.deepEqual([lines.length, new Set(lines).size], [2_500, 2_500])
})

test('edits the allowlist file, keeps comments, and running gateways reload it', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-operator-'))
  const file = join(folder.path, 'allowlist')
  writeFileSync(file, `# early access\n${ALICE} # first`)
  const allowlist = { file }
  const running = openAllowlist(allowlist, { clock, log: silentLog })
  assert.match(await run(`allow ${BOB}`, { allowlist }), /may now be issued keys/)
  assert.equal(readFileSync(file, 'utf8'), `# early access\n${ALICE} # first\n${BOB}\n`)
  clock.advance(1_000)
  assert.deepEqual([running.allows(ALICE), running.allows(BOB)], [true, true])
  assert.match(await run(`allow ${BOB}`, { allowlist }), /already on the list/)
  assert.match(await run(`disallow ${ALICE}`, { allowlist }), /was removed/)
  assert.equal(readFileSync(file, 'utf8'), `# early access\n${BOB}\n`)
  clock.advance(1_000)
  assert.deepEqual([running.allows(ALICE), running.allows(BOB)], [false, true])
  assert.match(await run(`disallow ${ALICE}`, { allowlist }), /not on the list/)
})

test('explains how to set up an allowlist file when there is none', async () => {
  for (const allowlist of [null, { addresses: [ALICE] }]) {
    await assert.rejects(run(`allow ${BOB}`, { allowlist }), /ALLOWLIST is not a file/)
  }
})

test('explains what to do while a gateway uses the embedded database', async () => {
  const openStore = () => Promise.reject(new FolderInUse('the folder ./data is in use by process 7'))
  await assert.rejects(run('list', { openStore }), /Only one process can use the embedded database at a time\. Stop the gateway .*process 7/s)
})

test('rejects an invalid command line with the usage', async () => {
  const rejected: readonly (readonly [string, RegExp])[] = [
    ['', /^missing command/],
    ['frobnicate', /^unknown command: frobnicate/],
    ['issue', /^missing address/],
    [`issue ${ALICE.slice(0, 55)}`, /is not an account address/],
    [`issue ${ALICE} --tier gold`, /^--tier must be one of standard, market_maker/],
    [`issue ${ALICE} --label ${'x'.repeat(65)}`, /^--label must have at most 64/],
    [`issue ${ALICE} --label a\tb`, /^--label must have at most 64/],
    [`issue ${ALICE} ${BOB}`, /^unexpected argument: G/],
    [`list --tier standard`, /^--tier, --label and --force are options of issue only/],
    ['revoke', /^missing key id/],
    ['allow x', /is not an account address/],
    ['list --all', /^Unknown option/],
  ]
  for (const [line, message] of rejected) {
    await assert.rejects(run(line), (error) => error instanceof CommandRejected && message.test(error.message) && error.message.includes('Usage:'), line)
  }
})
