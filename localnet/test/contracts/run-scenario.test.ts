import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeArgument, encodeValue, readVectors, type RecordedStep, type Scenario } from './recorded-calls.ts'
import { runFiles, runScenario } from './run-scenario.ts'

const TOKEN_TRANSFER: RecordedStep = {
  c: 'usdc', f: 'transfer', a: ['a:dave', 'a:erin', 'i:500000000'], r: { ok: null },
  ev: [['usdc', ['transfer', '@dave', '@erin'], '500000000']],
  b: { 'usdc:dave': '-', 'usdc:erin': '500000000' },
}
const FACTORY: RecordedStep = {
  c: 'factory', f: 'initialize', a: ['a:admin', 'a:market', 'a:usdc'], r: { ok: null },
  ev: [['factory', ['initialized'], ['@admin', '@market', '@usdc']]],
  d: { 'factory/I/Admin': '@admin', 'factory/I/Initialized': true, 'factory/I/Market': '@market', 'factory/I/Usdc': '@usdc' },
}
const VAULT_CREATED: RecordedStep = {
  t: 60, c: 'factory', f: 'create_vault', a: ['a:alice', 't:First'], r: { ok: 0 },
  ev: [['factory', ['vault_created', 0], ['@alice', 'str:First']]],
  d: {
    'factory/I/NextVaultId': 1,
    'factory/P/Vault(0)': {
      circulating_shares: '0', created_at: '1780000060', hwm_nav: '10000000', id: 0, leader: '@alice', leader_shares: '0', name: 'str:First',
      paused: false, profit_share_bps: 1000, realized_pnl: '0', total_usdc: '0',
    },
    'factory/P/VaultList': [0],
  },
}
const VAULT_DEPOSIT: RecordedStep = {
  c: 'factory', f: 'deposit', a: ['a:alice', 'w:0', 'i:70000000', 'i:0'], r: { ok: '70000000' },
  ev: [['usdc', ['transfer', '@alice', '@factory'], '70000000'], ['factory', ['deposit', 0], ['@alice', '70000000', '70000000']]],
  d: {
    'factory/P/Shares(0,@alice)': '70000000',
    'factory/P/Vault(0)': {
      circulating_shares: '70000000', created_at: '1780000060', hwm_nav: '10000000', id: 0, leader: '@alice', leader_shares: '70000000',
      name: 'str:First', paused: false, profit_share_bps: 1000, realized_pnl: '0', total_usdc: '70000000',
    },
  },
  b: { 'usdc:alice': '9999930000000', 'usdc:factory': '70000000' },
}
const UNSIGNED: RecordedStep = { s: 'none', c: 'factory', f: 'create_vault', a: ['a:bob', 't:Second'], r: { err: 'auth' } }
const UNKNOWN_VAULT: RecordedStep = { c: 'factory', f: 'get_vault', a: ['w:7'], r: { err: 5 } }
const UNSIGNED_IN_CALL: RecordedStep = { c: 'factory', f: 'leader_open_position', a: ['a:alice', 'w:0', 's:BTC', 'i:1', 'w:1', 'w:0'], r: { err: 1 } }
const PRICES_ONLY: RecordedStep = { t: 1, p: { BTC: ['500000000000', 0, null], ETH: null } }
const UNREADABLE: RecordedStep = { c: 'oracle', f: 'lastprice', a: ['s:ETH'], r: { err: 32 } }
const READABLE: RecordedStep = { c: 'oracle', f: 'lastprice', a: ['s:BTC'], r: { ok: ['500000000000', '1780000061'] } }

const STEPS = [
  TOKEN_TRANSFER, FACTORY, VAULT_CREATED, VAULT_DEPOSIT, UNSIGNED, UNKNOWN_VAULT, UNSIGNED_IN_CALL, PRICES_ONLY, UNREADABLE, READABLE,
]

const scenarioWith = (planted: RecordedStep, original: RecordedStep): Scenario =>
  ({ name: 'planted', steps: STEPS.map((step) => (step === original ? planted : step)) })

test('equal calls are counted, steps without a call are not', () => {
  assert.deepEqual(runScenario({ name: 'equal', steps: STEPS }), { name: 'equal', equal: 9, calls: 9, difference: null })
})

const PLANTED: Readonly<Record<string, readonly [planted: RecordedStep, original: RecordedStep, difference: RegExp]>> = {
  'another result': [{ ...VAULT_DEPOSIT, r: { ok: '70000001' } }, VAULT_DEPOSIT, /result\n.*70000001.*\n.*"70000000"/],
  'a result of another type': [{ ...VAULT_CREATED, r: { ok: '0' } }, VAULT_CREATED, /result/],
  'an error instead of a result': [{ ...VAULT_CREATED, r: { err: 4 } }, VAULT_CREATED, /recorded: \{"err":4\}\n {2}local: {4}\{"ok":0\}/],
  'a result instead of an error': [{ ...UNKNOWN_VAULT, r: { ok: null } }, UNKNOWN_VAULT, /result/],
  'another error code': [{ ...UNKNOWN_VAULT, r: { err: 6 } }, UNKNOWN_VAULT, /recorded: \{"err":6\}\n {2}local: {4}\{"err":5\}/],
  'an error of the host instead of a missing signature': [{ ...UNSIGNED, r: { err: 'trap' } }, UNSIGNED, /trap.*\n.*auth/],
  'another amount in an event': [
    { ...TOKEN_TRANSFER, ev: [['usdc', ['transfer', '@dave', '@erin'], '500000001']] }, TOKEN_TRANSFER, /event 0\n.*500000001.*\n.*500000000/,
  ],
  'another topic': [{ ...FACTORY, ev: [['factory', ['started'], ['@admin', '@market', '@usdc']]] }, FACTORY, /event 0/],
  'an event of another contract': [{ ...FACTORY, ev: [['market', ['initialized'], ['@admin', '@market', '@usdc']]] }, FACTORY, /event 0/],
  'events in another order': [{ ...VAULT_DEPOSIT, ev: (VAULT_DEPOSIT.ev ?? []).toReversed() }, VAULT_DEPOSIT, /event 0/],
  'a missing event': [{ ...VAULT_DEPOSIT, ev: (VAULT_DEPOSIT.ev ?? []).slice(0, 1) }, VAULT_DEPOSIT, /event 1\n {2}recorded: nothing/],
  'an event that the local contract does not emit': [
    { ...TOKEN_TRANSFER, ev: [...(TOKEN_TRANSFER.ev ?? []), ['usdc', ['burn', '@dave'], '1']] }, TOKEN_TRANSFER, /event 1\n.*\n {2}local: {4}nothing/,
  ],
  'another stored value': [{ ...FACTORY, d: { ...FACTORY.d, 'factory/I/Usdc': '@lp' } }, FACTORY, /storage factory\/I\/Usdc\n.*@lp.*\n.*@usdc/],
  'another durability': [
    { ...VAULT_CREATED, d: { ...VAULT_CREATED.d, 'factory/P/NextVaultId': 1 } }, VAULT_CREATED, /storage factory\/P\/NextVaultId\n.*\n {2}local: {4}nothing/,
  ],
  'an entry that is not recorded': [{ ...VAULT_CREATED, d: {} }, VAULT_CREATED, /storage factory\/I\/NextVaultId\n {2}recorded: nothing/],
  'a removed entry': [{ ...FACTORY, d: { ...FACTORY.d, 'factory/I/Initialized': '-' } }, FACTORY, /storage factory\/I\/Initialized/],
  'another balance': [{ ...TOKEN_TRANSFER, b: { 'usdc:dave': '1', 'usdc:erin': '500000000' } }, TOKEN_TRANSFER, /balance usdc:dave\n.*"1"\n.*"-"/],
  'a missing balance': [{ ...TOKEN_TRANSFER, b: { 'usdc:dave': '-' } }, TOKEN_TRANSFER, /balance usdc:erin\n {2}recorded: nothing/],
  'a balance of the other token': [{ ...TOKEN_TRANSFER, b: { ...TOKEN_TRANSFER.b, 'lp:vault': '1' } }, TOKEN_TRANSFER, /balance lp:vault/],
  'another time': [{ ...VAULT_CREATED, t: 61 }, VAULT_CREATED, /storage factory\/P\/Vault\(0\)/],
  'another price': [{ ...PRICES_ONLY, p: { BTC: ['500000000001', 0, null] } }, PRICES_ONLY, /lastprice.*: result/],
}

for (const [name, [planted, original, difference]] of Object.entries(PLANTED)) {
  test(`reports ${name}, with both sides`, () => {
    const result = runScenario(scenarioWith(planted, original))
    assert.match(result.difference ?? 'no difference', difference)
    assert.ok(result.equal < result.calls)
  })
}

test('reports the first difference of each scenario and the total of equal calls', () => {
  const wrong = { ...TOKEN_TRANSFER, r: { ok: '1' } }
  const alsoWrong = { ...UNKNOWN_VAULT, r: { err: 6 } }
  const files = [
    { name: 'a.json', scenarios: [{ name: 'one', steps: [wrong, alsoWrong] }, { name: 'two', steps: [TOKEN_TRANSFER] }] },
    { name: 'b.json', scenarios: [{ name: 'three', steps: [alsoWrong] }] },
  ]
  const { differences, summary } = runFiles(files)
  assert.equal(summary, '1 of 4 steps equal')
  assert.equal(differences.length, 2)
  assert.match(differences[0] ?? '', /^a\.json: one, step 0, usdc\.transfer\(.*\): result/)
  assert.match(differences[1] ?? '', /^b\.json: three, step 0, factory\.get_vault\(\["w:7"\]\): result/)
})

test('an argument of an unknown type fails', () => {
  assert.throws(() => decodeArgument('x:1'), /x:1 has no known type/)
})

test('arguments and values keep their structure', () => {
  const argument = { list: ['u:18446744073709551615', 'b:1'], nested: { amount: 'i:-5', name: 't:a:b' } }
  assert.deepEqual(encodeValue(decodeArgument(argument)), { list: ['18446744073709551615', true], nested: { amount: '-5', name: 'str:a:b' } })
})

test('reads every file of a folder except the calls that are not compared, and fails for a folder without files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vectors-'))
  try {
    assert.throws(() => readVectors(folder), /has no recorded calls/)
    for (const name of ['b.json', 'a.json', 'trader-vaults-published.json']) writeFileSync(join(folder, name), JSON.stringify([{ name, steps: [] }]))
    writeFileSync(join(folder, 'README.md'), '# Calls')
    assert.deepEqual(readVectors(folder).map(({ name, scenarios }) => [name, scenarios[0]?.name]), [['a.json', 'a.json'], ['b.json', 'b.json']])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
