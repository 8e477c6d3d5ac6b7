// What an operator does from a console, on a real database and a real file.

import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { openAllowlist } from '../../src/keys/allowlist.ts'
import { CommandRejected, parseKeysCommand, runKeysCommand } from '../../src/keys/operator.ts'
import type { OperatorParts } from '../../src/keys/operator.ts'
import { REVOCATIONS_CHANNEL } from '../../src/keys/records.ts'
import { FolderInUse } from '../../src/store/embedded/lock-file.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet, obtainKey } from '../support/keys.ts'

const ALICE = createWallet('alice').publicKey()
const BOB = createWallet('bob').publicKey()
const clock = createVirtualClock(BARE_START_MS)
const random = createSeededRandom('operator')

/** Runs a line as typed behind `keys` and returns what was said. */
async function run(line: string, parts: Partial<OperatorParts> = {}): Promise<string> {
  const said: string[] = []
  const unreachable = () => Promise.reject(new Error('this command needs no database'))
  const words = line.split(' ').filter((word) => word !== '')
  await runKeysCommand(parseKeysCommand(words), { openStore: unreachable, allowlist: null, clock, random, print: (text) => said.push(text), ...parts })
  return said.join('\n')
}

/** The store as a command gets it: ending the command does not end it. */
function lend(store: Store): Pick<OperatorParts, 'openStore'> {
  return { openStore: async () => ({ ...store, [Symbol.asyncDispose]: async () => {} }) }
}

test('issues a market_maker key that works at a running gateway, lists it, revokes it there at once', async () => {
  await using store = await openTestStore()
  await using bare = await createBareGateway({ store, clock })
  const { app } = bare.gateway
  const said = await run(`issue ${ALICE} --tier market_maker --label desk`, lend(store))
  const [, keyId = '', secret = ''] = /(nk_[0-9a-f]{24}):([0-9a-f]{64})/.exec(said) ?? []
  const key = { keyId, secret, tier: 'market_maker' as const, owner: ALICE, createdAt: 0 }
  const me = await call(app, '/v1/account/me', { key })
  assert.deepEqual([me.body, me.headers['x-ratelimit-tier']], [{ owner: ALICE, tier: 'market_maker', keyId }, 'market_maker'])
  await obtainKey(app, createWallet('bob'))

  const everyone = await run('list', lend(store))
  assert.equal(everyone.split('\n').length, 2)
  const listed = await run(`list ${ALICE}`, lend(store))
  assert.match(listed, new RegExp(`^${keyId}  ${ALICE}  market_maker  issued 2026-07-06T12:00:00.000Z  used never  desk$`))
  assert.ok(!everyone.includes(secret))

  const rung = Promise.withResolvers<void>()
  await store.listen(REVOCATIONS_CHANNEL, () => rung.resolve())
  assert.match(await run(`revoke ${keyId}`, lend(store)), new RegExp(`^Revoked ${keyId}`))
  await rung.promise
  assert.equal((await call(app, '/v1/account/me', { key })).status, 401)
  assert.match(await run(`list ${ALICE}`, lend(store)), /revoked 2026-07-06T12:00:00.000Z/)
  await assert.rejects(run(`revoke ${keyId}`, lend(store)), CommandRejected)
  assert.equal(await run(`list ${createWallet('nobody').publicKey()}`, lend(store)), 'No keys.')
})

test('edits the allowlist\'s file, which running gateways take up; comments stay', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-operator-'))
  const file = join(folder.path, 'allowlist')
  writeFileSync(file, `# early access\n${ALICE} # first`)
  const allowlist = { file }
  const running = openAllowlist(allowlist, { clock, log: silentLog })
  assert.match(await run(`allow ${BOB}`, { allowlist }), /may be issued keys/)
  assert.equal(readFileSync(file, 'utf8'), `# early access\n${ALICE} # first\n${BOB}\n`)
  clock.advance(1_000)
  assert.deepEqual([running.allows(ALICE), running.allows(BOB)], [true, true])
  assert.match(await run(`allow ${BOB}`, { allowlist }), /on the list already/)
  assert.match(await run(`disallow ${ALICE}`, { allowlist }), /off the list/)
  assert.equal(readFileSync(file, 'utf8'), `# early access\n${BOB}\n`)
  clock.advance(1_000)
  assert.deepEqual([running.allows(ALICE), running.allows(BOB)], [false, true])
  assert.match(await run(`disallow ${ALICE}`, { allowlist }), /not on the list/)
})

test('says what to do where there is no file to edit', async () => {
  for (const allowlist of [null, { addresses: [ALICE] }]) {
    await assert.rejects(run(`allow ${BOB}`, { allowlist }), /ALLOWLIST does not name a file/)
  }
})

test('says what to do while a gateway has the embedded database', async () => {
  const openStore = () => Promise.reject(new FolderInUse('the folder ./data is in use by process 7'))
  await assert.rejects(run('list', { openStore }), /serves one process at a time\. Stop the gateway, .*process 7/s)
})

test('refuses words that make no command, with the usage', async () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /^what is to be done\?/],
    ['frobnicate', /^there is no frobnicate/],
    ['issue', /^an address is missing/],
    [`issue ${ALICE.slice(0, 55)}`, /is not an account address/],
    [`issue ${ALICE} --tier gold`, /^the tier is one of standard, market_maker/],
    [`issue ${ALICE} --label ${'x'.repeat(65)}`, /^a label has at most 64/],
    [`issue ${ALICE} --label a\tb`, /^a label has at most 64/],
    [`issue ${ALICE} ${BOB}`, /^what is G/],
    [`list --tier standard`, /^--tier and --label belong to issue/],
    ['revoke', /^revoke takes the id of a key/],
    ['allow x', /is not an account address/],
    ['list --all', /^Unknown option/],
  ]
  for (const [line, message] of refused) {
    await assert.rejects(run(line), (error) => error instanceof CommandRejected && message.test(error.message) && error.message.includes('Usage:'), line)
  }
})
