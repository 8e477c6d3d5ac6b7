import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PROJECT_ROOT } from '../../test/tidy/tree.ts'
import { GENERATIONS } from '../exchange/contracts/generations.ts'
import { scanJson } from './json-scan.ts'
import { completeManifest, MANIFEST_NETWORKS, parseManifest } from './manifest.ts'
import type { ManifestDraft } from './manifest.ts'

const FOLDER = `${PROJECT_ROOT}deployments`
const NAMES = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''))
const NO_OVERRIDES = { rpcUrls: null, contracts: {} }

const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}.json`, 'utf8')
const OTHER = 'CBHHWFAYLB3SXJCE232DC6WNSK74IBEOROAGCI2AFBA2H5NQOH2KYKNN'

function shipped(name: string): ManifestDraft {
  const { draft, problems } = parseManifest(name, textOf(name))
  assert.deepEqual(problems, [], name)
  assert.ok(draft !== null)
  return draft
}

type Content = Record<string, unknown> & { contracts: Record<string, unknown>; assets: Record<string, unknown>[] }

function problemsAfter(change: (content: Content) => void): readonly string[] {
  const content = JSON.parse(textOf('testnet-2026-07-06')) as Content
  change(content)
  return parseManifest('x', JSON.stringify(content)).problems
}

test('every shipped manifest is valid, and the incomplete ones name what is missing', () => {
  const missing = Object.fromEntries(NAMES.map((name) => [name, completeManifest(shipped(name), NO_OVERRIDES).missing]))
  const contracts = ['market', 'vault', 'oracleShim', 'router', 'usdcToken', 'lpToken', 'vaultFactory', 'referral'].map((key) => `contracts.${key}`)
  assert.deepEqual(missing, {
    mainnet: ['rpcUrls (or set RPC_URL)', 'since', 'generation', 'assets', ...contracts],
    testnet: [],
    'testnet-2026-07-06': [],
    'testnet-staging': [],
    'testnet-staging-2026-05-31': ['generation', 'assets', 'contracts.vaultFactory', 'contracts.referral'],
  })
})

test('testnet is the live deployment with 16 assets, testnet-2026-07-06 the one of the specification with 14', () => {
  const symbols = (name: string) => shipped(name).assets?.map(({ symbol }) => symbol).join(' ')
  const first = 'BTC ETH XLM SOL XRP ADA BNB TRX HYPE DOGE ZEC LINK BCH LTC'
  assert.equal(symbols('testnet'), `${first} PUMP UNI`)
  assert.equal(symbols('testnet-2026-07-06'), first)
  assert.deepEqual([shipped('testnet').generation, shipped('testnet-2026-07-06').generation], ['2.3', '1'])
  assert.equal(shipped('testnet').contracts.market, OTHER)
})

test('accepts the deployed names of contracts, and the price source of a deployed manifest', () => {
  const content = JSON.parse(textOf('testnet')) as Content
  const { oracleShim, router, lpToken, ...rest } = content.contracts
  const noeracle = 'CBTO5K2NLG2KYHQDL5ME4SWFQ5GRR7GVU4DFATOXGVS3OUJJDFF2YYNS'
  const renamed = { ...rest, noeracleShim: oracleShim, noetherRouter: router, noeToken: lpToken, noeracle }
  const { draft, problems } = parseManifest('testnet', JSON.stringify({ ...content, contracts: renamed }))
  assert.deepEqual(problems, [])
  assert.deepEqual(draft, shipped('testnet'))
})

const INVALID: readonly (readonly [title: string, change: (content: Content) => void, problem: RegExp])[] = [
  ['an unknown member', (content) => (content['chain'] = 1), /^chain: unknown member$/],
  ['a missing member', (content) => delete content['since'], /^since: missing$/],
  ['an unknown network', (content) => (content['network'] = 'local'), /^network: must be one of testnet, mainnet, custom$/],
  ['another passphrase than that of the network', (content) => (content['passphrase'] = 'x'), /^passphrase: the passphrase of testnet is "Test SDF/],
  ['no node', (content) => (content['rpcUrls'] = []), /^rpcUrls: must be a list of 1 to 16$/],
  ['a bad URL', (content) => (content['rpcUrls'] = ['https://a.example', 'ftp://user:secret@a']), /^rpcUrls\[1\]: must be a URL that starts with https/],
  ['a bad friendbot', (content) => (content['friendbotUrl'] = 'friendbot'), /^friendbotUrl: must be a URL/],
  ['a day that does not exist', (content) => (content['since'] = '2026-02-30'), /^since: must be a date/],
  ['a time without a zone', (content) => (content['since'] = '2026-07-21 02:28:24'), /^since: must be a date/],
  ['an unknown generation', (content) => (content['generation'] = '3'), /^generation: must be one of 1, 2\.0/],
  ['a wrong checksum', ({ contracts }) => (contracts['market'] = OTHER.replace('CBH', 'CBJ')), /^contracts\.market: must be a contract address/],
  ['an account', ({ contracts }) => (contracts['market'] = `G${OTHER.slice(1)}`), /^contracts\.market: must be a contract address/],
  ['a missing contract', ({ contracts }) => delete contracts['vault'], /^contracts\.vault: missing \(null if it is not known yet\)$/],
  ['an unknown contract', ({ contracts }) => (contracts['keeper'] = OTHER), /^contracts\.keeper: unknown member$/],
  ['an inherited name', ({ contracts }) => (contracts['toString'] = OTHER), /^contracts\.toString: unknown member$/],
  ['a duplicate address', ({ contracts }) => (contracts['vault'] = contracts['market']), /^contracts\.vault: the same address as contracts\.market$/],
  ['a contract and its alias', ({ contracts }) => (contracts['noetherRouter'] = OTHER), /^contracts\.noetherRouter: the same contract as contracts\.router$/],
  ['contracts in a list', (content) => Object.assign(content, { contracts: [] }), /^contracts: must be an object$/],
  ['a duplicate symbol', ({ assets }) => Object.assign(assets[1] ?? {}, { symbol: 'BTC' }), /^assets: BTC is listed twice$/],
  ['a lower-case symbol', ({ assets }) => Object.assign(assets[0] ?? {}, { symbol: 'btc' }), /^assets\[0\]\.symbol: must be an upper-case symbol/],
  ['fractional decimals', ({ assets }) => Object.assign(assets[0] ?? {}, { decimals: 1.5 }), /^assets\[0\]\.decimals: must be an integer from 0 to 18$/],
  ['an unknown member of an asset', ({ assets }) => Object.assign(assets[2] ?? {}, { pair: 'X' }), /^assets\[2\]\.pair: unknown member$/],
  ['an asset without a pair', ({ assets }) => delete assets[0]?.['klinesPair'], /^assets\[0\]\.klinesPair: missing$/],
]

for (const [title, change, problem] of INVALID) {
  test(`rejects a manifest with ${title}, and names the place without the value`, () => {
    const problems = problemsAfter(change)
    assert.ok(problems.some((each) => problem.test(each)), problems.join('; '))
    assert.ok(!problems.join().includes('secret'))
  })
}

test('lists every problem of a manifest at once', () => {
  const problems = problemsAfter((content) => {
    Object.assign(content, { network: 'x', rpcUrls: 'y', since: 1, generation: 2, extra: true })
    Object.assign(content.contracts, { market: 'z', vault: 0 })
    Object.assign(content.assets[0] ?? {}, { name: '', decimals: -1 })
  })
  const places = new Set(problems.map((problem) => problem.split(':')[0]))
  assert.deepEqual(places, new Set([
    'assets[0].decimals', 'assets[0].name', 'contracts.market', 'contracts.vault', 'extra', 'generation', 'network', 'rpcUrls', 'since',
  ]))
})

test('reports a syntax error with line and column, and without the text', () => {
  const text = textOf('testnet').replace('"rpcUrls": [', '"rpcUrls": secret [')
  assert.deepEqual(parseManifest('x', text).problems, ['not valid JSON (line 4, column 14)'])
  assert.deepEqual(parseManifest('x', `{"a": ${'['.repeat(60_000)}`).problems, ['not valid JSON (line 1, column 38)'])
  assert.deepEqual(parseManifest('x', '{\n "a": ').problems, ['not valid JSON (line 2, column 7)'])
  assert.deepEqual(parseManifest('x', '').problems, ['not valid JSON (line 1, column 1)'])
  assert.deepEqual(parseManifest('x', '[]').problems, ['the file: must be an object'])
  assert.ok(parseManifest('x', JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`m${index}`, 0])))).problems.length <= 101)
})

test('agrees with JSON.parse on what is valid, and finds members that are written twice', () => {
  const valid = ['{}', ' [1, -0.5e+3, "a\\u00e9\\n", true, null, {"a": [[]]}] ', '""', '0']
  const invalid = ['{a: 1}', '[1,]', '{"a":1,}', '01', '1.', '"\t"', '"\\x"', '[1 2]', '{"a" 1}', '{} {}', "'a'", '\u00a01', 'nul', '[', '{"a":']
  for (const json of valid) {
    assert.equal(scanJson(json).errorAt, null, json)
    JSON.parse(json)
  }
  for (const json of invalid) {
    assert.notEqual(scanJson(json).errorAt, null, json)
    assert.throws(() => JSON.parse(json), json)
  }
  const twice = textOf('testnet').replace('"vault":', '"\\u006darket": null, "vault":')
  assert.deepEqual(parseManifest('x', twice).problems, ['contracts.market: written twice'])
})

test('the environment completes a manifest', () => {
  const draft = shipped('testnet-staging-2026-05-31')
  const rest = { generation: '1', assets: shipped('testnet').assets } as const
  const { manifest } = completeManifest({ ...draft, ...rest, rpcUrls: null }, { rpcUrls: ['http://a'], contracts: { vaultFactory: OTHER, referral: OTHER } })
  assert.deepEqual([manifest?.rpcUrls, manifest?.contracts.referral, manifest?.contracts.market], [['http://a'], OTHER, draft.contracts.market])
})

test('docs/deployments.md shows a complete manifest and names every member, network and generation', () => {
  const page = readFileSync(`${PROJECT_ROOT}docs/deployments.md`, 'utf8')
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const { draft, problems } = parseManifest('example', example)
  assert.deepEqual(problems, [])
  assert.ok(draft !== null)
  assert.deepEqual(completeManifest(draft, NO_OVERRIDES).missing, [])
  for (const member of [...Object.keys(draft), ...Object.keys(draft.assets?.[0] ?? {})]) {
    if (member !== 'name') assert.match(page, new RegExp(`^\\| \`${member}\` \\|`, 'm'))
  }
  for (const value of [...MANIFEST_NETWORKS, ...GENERATIONS]) assert.ok(page.includes(`\`${value}\``), value)
  for (const name of NAMES) assert.match(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'))
})
