import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { InvalidSettings, loadSettings } from './config.ts'
import type { Config } from './config.ts'
import { resolveContracts } from '../deployment/declaration.ts'
import { STREAM_LIMITS } from '../limits.ts'

const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const ROUTER = 'CDH4CY3XMUZ7H73LC3WJYR3AG56U4MTIBMR2WHNORXDTWLLBOQII44S4'

function configOf(environment: Record<string, string>): Config {
  return loadSettings(environment).config
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadSettings(environment)
  } catch (error) {
    if (error instanceof InvalidSettings) return error.problems
    throw error
  }
  return []
}

test('checks the Host header where DNS rebinding could reach something, and never by default behind a proxy', () => {
  const hostsOf = (environment: Record<string, string>) => loadSettings(environment).config.server.allowedHosts
  assert.deepEqual(hostsOf({ HOST: '::1' }), [])
  for (const environment of [{ HOST: '0.0.0.0' }, { TRUST_PROXY: '1' }, { NETWORK: 'testnet' }, { ALLOWED_HOSTS: '*' }]) {
    assert.equal(hostsOf(environment), null, JSON.stringify(environment))
  }
  assert.deepEqual(hostsOf({ NETWORK: 'testnet', HOST: '0.0.0.0', ALLOWED_HOSTS: 'API.example, exchange' }), ['0.0.0.0', 'api.example', 'exchange'])
  const { local } = loadSettings({ HOST: '0.0.0.0' }).config
  assert.deepEqual([local.rpcHost, local.allowedHosts], ['127.0.0.1', []], 'the local RPC stays on loopback')
  assert.deepEqual(loadSettings({ ALLOWED_HOSTS: 'exchange' }).config.local.allowedHosts, ['exchange'])
  for (const text of ['a.example:80', 'https://a.example', 'a b', ',']) assert.throws(() => loadSettings({ ALLOWED_HOSTS: text }), InvalidSettings, text)
})

test('defaults to the local network', () => {
  const { config, secrets } = loadSettings({})
  assert.deepEqual(config, {
    server: {
      host: '127.0.0.1', port: 8080, trustProxy: false, allowedHosts: [], webOrigins: [], addressCeiling: 12_000, readyMaxLedgerAgeSec: 300,
      readyMaxPriceAgeSec: 60, drainMs: 0, console: true, regionGuard: null,
    },
    network: { kind: 'local', passphrase: 'Test SDF Network ; September 2015', name: 'testnet', manifest: null, others: [], contractOverrides: {} },
    indexer: { pollIntervalMs: 2000, startLedger: null },
    local: { generation: '1', protocol: 29, ledgerMs: 1000, rpcHost: '127.0.0.1', allowedHosts: [], rpcPort: 8000, seed: null, traders: 12 },
    metrics: null,
    tracing: null,
    stream: STREAM_LIMITS,
    role: 'all',
    dataDir: './data',
    klinesUrls: null,
    allowlist: null,
    log: { level: 'info', format: 'auto', color: true },
    maxKeysPerOwner: 20,
    requireTimestamp: false,
    production: false,
    logOrigin: 'localhost',
  } satisfies Config)
  assert.deepEqual(secrets, {
    databaseUrl: null, databaseReadUrl: null, redisUrl: null, traces: null, rpcUrls: [], archiveRpcUrls: [], heartbeatSecret: null,
    signingKeys: null,
  })
})

test('NETWORK=testnet sets the manifest, the public RPC and the external klines', () => {
  const { config, secrets } = loadSettings({ NETWORK: 'testnet' })
  assert.equal(config.network.manifest?.contracts.market, 'CBHHWFAYLB3SXJCE232DC6WNSK74IBEOROAGCI2AFBA2H5NQOH2KYKNN')
  assert.deepEqual(secrets.rpcUrls, ['https://soroban-testnet.stellar.org'])
  assert.equal(config.klinesUrls?.length, 4)
})

test('RPC_URL alone selects the test network', () => {
  const { config, secrets } = loadSettings({ RPC_URL: 'https://a.example/key, http://b.example' })
  assert.equal(config.network.kind, 'testnet')
  assert.deepEqual(secrets.rpcUrls, ['https://a.example/key', 'http://b.example'])
})

test('NETWORK=local with RPC_URL connects to the local network of another process', () => {
  const { config, secrets } = loadSettings({ NETWORK: 'local', RPC_URL: 'http://a.example/rpc', ROLE: 'api', DATABASE_URL: 'postgres://a/b' })
  assert.deepEqual([config.network.kind, config.network.manifest, config.klinesUrls], ['local', null, null])
  assert.deepEqual(secrets.rpcUrls, ['http://a.example/rpc'])
})

test('reads the OpenTelemetry variables, with endpoint and headers as secrets', () => {
  const { config, secrets } = loadSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.example:4318', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a=b, y=', OTEL_TRACES_SAMPLER_ARG: '0.01',
  })
  assert.deepEqual(secrets.traces, { endpoint: 'http://a.example:4318', headers: { 'x-key': 'a=b', y: '' } })
  assert.deepEqual(config.tracing, { serviceName: 'perpetual-exchange-gateway', sampleRatio: 0.01 })
})

test('treats an empty value as unset', () => {
  assert.equal(configOf({ PORT: '', RPC_URL: ' ', WEB_ORIGIN: '' }).network.kind, 'local')
})

test('reports overridden contracts with source env', () => {
  const { network } = configOf({ NETWORK: 'testnet', CONTRACT_MARKET: ROUTER })
  assert.ok(network.manifest !== null)
  const contracts = resolveContracts(network.manifest.contracts, network.contractOverrides)
  assert.deepEqual(contracts.market, { address: ROUTER, source: 'env' })
  assert.equal(contracts.router.source, 'manifest')
})

test('derives the network name from the passphrase', () => {
  assert.equal(configOf({ NETWORK_PASSPHRASE: 'Public Global Stellar Network ; September 2015' }).network.name, 'pubnet')
  assert.equal(configOf({ NETWORK_PASSPHRASE: 'my own' }).network.name, 'custom')
})

test('TRUST_PROXY accepts true, off, hops, or addresses and ranges', () => {
  const trustOf = (text: string) => configOf({ TRUST_PROXY: text }).server.trustProxy
  assert.equal(trustOf('true'), true)
  assert.equal(trustOf('off'), false)
  assert.equal(trustOf('2'), 2)
  assert.deepEqual(trustOf('10.0.0.0/8, ::1,192.0.2.1'), ['10.0.0.0/8', '::1', '192.0.2.1'])
})

test('WEB_ORIGIN accepts origins, or * for every page', () => {
  const originsOf = (text: string) => configOf({ WEB_ORIGIN: text }).server.webOrigins
  assert.deepEqual(originsOf('https://app.example/'), ['https://app.example'])
  assert.deepEqual(originsOf('https://app.example, http://localhost:5173'), ['https://app.example', 'http://localhost:5173'])
  assert.equal(originsOf('*'), '*')
})

function copyTestnet(folder: string, name: string, change: object = {}): void {
  const content = JSON.parse(readFileSync(new URL('../../deployments/testnet.json', import.meta.url), 'utf8')) as object
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...content, ...change }))
}

test('DEPLOYMENT selects a manifest by name or path, and with it the network', () => {
  const { config, secrets, deployments } = loadSettings({ DEPLOYMENT: 'testnet-2026-07-06' })
  assert.deepEqual([config.network.kind, config.network.manifest?.contracts.market, config.network.manifest?.assets.length], ['testnet', MARKET, 14])
  assert.deepEqual(secrets.rpcUrls, ['https://soroban-testnet.stellar.org'])
  assert.deepEqual([deployments?.choice.names, deployments?.selected.served.contracts.market], [['testnet-2026-07-06'], MARKET], 'to follow its files')
  assert.equal(loadSettings({}).deployments, null, 'the local network reports its own')
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  copyTestnet(folder.path, 'mine', { network: 'custom', passphrase: 'my own', rpcUrls: ['https://rpc.example/hunter2'] })
  const own = loadSettings({ DEPLOYMENT: join(folder.path, 'mine.json') })
  assert.deepEqual([own.config.network.kind, own.config.network.name, own.config.network.passphrase], ['custom', 'custom', 'my own'])
  assert.deepEqual([own.config.network.manifest?.name, own.secrets.rpcUrls], ['mine', ['https://rpc.example/hunter2']])
  assert.doesNotMatch(JSON.stringify(own.config), /hunter2/)
  const overridden = loadSettings({ DEPLOYMENT: 'mine', DEPLOYMENTS_DIR: folder.path, RPC_URL: 'http://127.0.0.1:8000/rpc' })
  assert.deepEqual(overridden.secrets.rpcUrls, ['http://127.0.0.1:8000/rpc'])
})

test('the first of several deployments is served, the others are indexed, and all are on one network', () => {
  const { network } = configOf({ DEPLOYMENT: 'testnet, testnet-2026-07-06' })
  assert.deepEqual([network.manifest?.name, network.others.map(({ name }) => name)], ['testnet', ['testnet-2026-07-06']])
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  copyTestnet(folder.path, 'mine', { network: 'custom', passphrase: 'my own' })
  assert.deepEqual(problemsOf({ DEPLOYMENT: `testnet,${join(folder.path, 'mine.json')},testnet` }), [
    'DEPLOYMENT: mine is on another network than testnet', 'DEPLOYMENT: testnet has the same market as testnet',
    'DEPLOYMENT: two files have the same name',
  ])
  const nowhere = join(folder.path, 'nowhere.json')
  assert.deepEqual(
    problemsOf({ DEPLOYMENT: `${nowhere},${join(folder.path, 'mine.json')}`, NETWORK: 'testnet' }), [`${nowhere}: cannot be read (ENOENT)`],
    'the second file is not compared in place of the first',
  )
})

test('without DEPLOYMENT, the newest manifest of the network is served, staging excluded', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  const selected = (): string | undefined => configOf({ NETWORK: 'testnet', DEPLOYMENTS_DIR: folder.path }).network.manifest?.name
  assert.match(problemsOf({ NETWORK: 'testnet', DEPLOYMENTS_DIR: folder.path })[0] ?? '', /has no manifest of testnet: add testnet\.json, or set DEPLOYMENT$/)
  copyTestnet(folder.path, 'testnet')
  copyTestnet(folder.path, 'testnet-staging', { since: '2027-01-01' })
  copyTestnet(folder.path, 'testnet-2026-12-16', { since: '2026-12-16T17:30:00Z' })
  copyTestnet(folder.path, 'mainnet', { network: 'mainnet', since: '2027-01-01' })
  writeFileSync(join(folder.path, 'testnet-notes.txt'), 'not a manifest')
  assert.equal(selected(), 'testnet-2026-12-16')
  copyTestnet(folder.path, 'testnet', { since: '2026-12-17' })
  assert.equal(selected(), 'testnet')
  copyTestnet(folder.path, 'testnet-2026-12-17', { since: '2026-12-17' })
  assert.match(problemsOf({ NETWORK: 'testnet', DEPLOYMENTS_DIR: folder.path }).join(), /have the same since: set DEPLOYMENT/)
  copyTestnet(folder.path, 'testnet-2026-12-17', { since: null })
  assert.equal(selected(), 'testnet', 'a template is older than every complete manifest')
  writeFileSync(join(folder.path, 'testnet-2026-12-18.json'), '{')
  assert.match(problemsOf({ NETWORK: 'testnet', DEPLOYMENTS_DIR: folder.path }).join(), /testnet-2026-12-18\.json: not valid JSON \(line 1, column 2\)$/)
})

test('the health check does not depend on the manifests, which may have been damaged since the start', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  writeFileSync(join(folder.path, 'testnet.json'), '{')
  const environment = { NETWORK: 'testnet', DEPLOYMENTS_DIR: folder.path, PORT: '81' }
  assert.equal(problemsOf(environment).length, 1)
  assert.equal(loadSettings(environment, { readsManifests: false }).config.server.port, 81)
})

test('an incomplete manifest names what is missing, and the environment may provide it', () => {
  const [problem = '', ...more] = problemsOf({ NETWORK: 'mainnet' })
  assert.deepEqual(more, [])
  assert.match(problem, /mainnet\.json is incomplete, .* not known yet: rpcUrls \(or set RPC_URL\), since, generation, assets, contracts\.market, /)
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  const { contracts } = JSON.parse(readFileSync(new URL('../../deployments/testnet.json', import.meta.url), 'utf8')) as { readonly contracts: object }
  copyTestnet(folder.path, 'half', { contracts: { ...contracts, market: null, vault: null } })
  const half = { DEPLOYMENT: 'half', DEPLOYMENTS_DIR: folder.path }
  assert.match(problemsOf(half).join(), /not known yet: contracts\.market, contracts\.vault\./)
  const { network } = configOf({ ...half, CONTRACT_MARKET: MARKET, CONTRACT_VAULT: ROUTER })
  assert.ok(network.manifest !== null)
  const { market, router } = resolveContracts(network.manifest.contracts, network.contractOverrides)
  assert.deepEqual([market, router.source], [{ address: MARKET, source: 'env' }, 'manifest'])
})

test('rejects a manifest that is unreadable, too large, or of another network than NETWORK', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  const at = (name: string): readonly string[] => problemsOf({ DEPLOYMENT: name, DEPLOYMENTS_DIR: folder.path }).map((each) => each.replace(folder.path, ''))
  mkdirSync(join(folder.path, 'folder.json'))
  writeFileSync(join(folder.path, 'large.json'), ' '.repeat(70_000))
  assert.deepEqual(at('nowhere'), ['/nowhere.json: cannot be read (ENOENT)'])
  assert.deepEqual(at('folder'), ['/folder.json: not a file'])
  assert.deepEqual(problemsOf({ NETWORK: 'testnet', DEPLOYMENTS_DIR: '/nowhere' }), ['/nowhere: cannot be read (ENOENT)'])
  assert.deepEqual(at('large'), ['/large.json: larger than 65536 bytes'])
  assert.deepEqual(problemsOf({ DEPLOYMENT: 'testnet', NETWORK: 'mainnet' }), ['DEPLOYMENT: testnet is a deployment on testnet, but NETWORK is mainnet'])
  assert.deepEqual(problemsOf({ DEPLOYMENT: 'testnet', NETWORK: 'local' }), ['NETWORK=local reports its own deployment: remove DEPLOYMENT'])
})

const INVALID: readonly (readonly [variable: string, value: string])[] = [
  ['PORT', '65536'], ['PORT', 'http'], ['PORT', '-1'], ['PORT', '80.5'],
  ['NETWORK', 'futurenet'], ['DEPLOYMENT', ','], ['RPC_URL', 'localhost:8000'], ['RPC_URL', 'ftp://a'], ['DATABASE_URL', 'mysql://a'], ['DATABASE_URL', 'db'],
  ['CONTRACT_MARKET', 'C123'], ['CONTRACT_MARKET', MARKET.replace('CAE', 'CAF')], ['CONTRACT_MARKET', `G${MARKET.slice(1)}`],
  ['TRUST_PROXY', 'yes'], ['TRUST_PROXY', '10.0.0.0/33'], ['TRUST_PROXY', '10.0.0.0/8/8'], ['TRUST_PROXY', '17'], ['TRUST_PROXY', ','],
  ['WEB_ORIGIN', 'webapp.example'], ['WEB_ORIGIN', 'https://app.example/path'], ['WEB_ORIGIN', '*, https://app.example'],
  ['WEB_ORIGIN', 'https://app.example, other'],
  ['WEB_ORIGIN', ','],
  ['POLL_INTERVAL_MS', '0'], ['START_LEDGER', '0'], ['LOCAL_LEDGER_MS', '999'], ['LOCAL_GENERATION', '2.1'],
  ['LOCAL_PROTOCOL', '26'], ['LOCAL_PROTOCOL', '31'], ['LOCAL_TRADERS', '-1'], ['LOCAL_RPC_PORT', 'x'],
  ['ROLE', 'reader'], ['LOG_LEVEL', 'loud'], ['LOG_FORMAT', 'xml'], ['KLINES_URL', 'api.example'], ['REDIS_URL', 'http://a'], ['GEO_BLOCK', 'yes'],
  ['HTTP_DRAIN_MS', '-1'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'], ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'], ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
]

for (const [variable, value] of INVALID) {
  test(`rejects ${variable}=${value} without repeating the value`, () => {
    const problems = problemsOf({ [variable]: value })
    assert.equal(problems.length, 1, problems.join('; '))
    assert.match(problems[0] ?? '', new RegExp(`^${variable} must be \\S`))
    if (value.length > 4) assert.ok(!problems[0]?.includes(value))
  })
}

test('reports all problems at once', () => {
  const problems = problemsOf({ PORT: 'x', ROLE: 'y', LOG_LEVEL: 'z', CONTRACT_LP_TOKEN: 'w' })
  const named = new Set(problems.map((problem) => problem.split(' ')[0]))
  assert.deepEqual(named, new Set(['CONTRACT_LP_TOKEN', 'PORT', 'ROLE', 'LOG_LEVEL']))
})

test('rejects contradictory settings', () => {
  assert.match(problemsOf({ DATABASE_READ_URL: 'postgres://a/b' })[0] ?? '', /^DATABASE_READ_URL requires DATABASE_URL$/)
  assert.match(problemsOf({ NETWORK: 'testnet', ROLE: 'api' })[0] ?? '', /^ROLE=api requires DATABASE_URL/)
  assert.match(problemsOf({ ROLE: 'indexer', DATABASE_URL: 'postgres://a/b' })[0] ?? '', /^ROLE=indexer with NETWORK=local requires RPC_URL/)
  assert.deepEqual(problemsOf({ NETWORK: 'testnet', ROLE: 'api', DATABASE_URL: 'postgres://a/b', DATABASE_READ_URL: 'postgres://c/b' }), [])
})

const ALICE = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const BOB = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

test('ALLOWLIST accepts addresses, or a file with one address per line and comments', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  const file = join(folder.path, 'allowlist')
  writeFileSync(file, `# early access\n${ALICE}\n\n  ${BOB}   # Bob\r\n`)
  assert.deepEqual(configOf({ ALLOWLIST: `${ALICE}, ${BOB},` }).allowlist, { addresses: [ALICE, BOB] })
  assert.deepEqual(configOf({ ALLOWLIST: file }).allowlist, { file })
  assert.equal(configOf({ ALLOWLIST: ' ' }).allowlist, null)
})

test('rejects invalid allowlist entries with their position', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-config-'))
  const file = join(folder.path, 'allowlist')
  const wrong = `${ALICE.slice(0, -1)}A`
  writeFileSync(file, `${ALICE}\n${wrong}\n# fine\n${MARKET}\n`)
  assert.deepEqual(problemsOf({ ALLOWLIST: file }).map((problem) => problem.replace(file, 'FILE')), [
    `ALLOWLIST: FILE, line 2 is not an account address: "${wrong}"`, `ALLOWLIST: FILE, line 4 is not an account address: "${MARKET}"`,
  ])
  assert.deepEqual(problemsOf({ ALLOWLIST: `${ALICE},${wrong},x`, PORT: 'x' }), [
    'PORT must be an integer from 0 to 65535',
    `ALLOWLIST: "${wrong}" is neither an account address nor a file`,
    'ALLOWLIST: "x" is neither an account address nor a file',
  ])
  assert.match(problemsOf({ ALLOWLIST: join(folder.path, 'nowhere') })[0] ?? '', /^ALLOWLIST: cannot read .*nowhere \(ENOENT\)$/)
  assert.match(problemsOf({ ALLOWLIST: folder.path })[0] ?? '', /cannot read .* \(EISDIR\)/)
})

test('keeps secrets out of the configuration', () => {
  const { config } = loadSettings({
    NETWORK: 'testnet', DATABASE_URL: 'postgres://u:hunter2@db/x', RPC_URL: 'https://rpc.example/hunter2', REDIS_URL: 'redis://:hunter2@r',
  })
  assert.doesNotMatch(JSON.stringify(config), /hunter2/)
})

test('enables the region guard only with GEO_BLOCK=on, with the configured headers', () => {
  assert.equal(configOf({ GEO_COUNTRY_HEADER: 'X-Country' }).server.regionGuard, null)
  assert.deepEqual(configOf({ GEO_BLOCK: 'on' }).server.regionGuard, { country: 'cf-ipcountry', region: 'cf-region-code' })
  const named = configOf({ GEO_BLOCK: 'on', GEO_COUNTRY_HEADER: 'X-Country', GEO_REGION_HEADER: 'X-Region' })
  assert.deepEqual(named.server.regionGuard, { country: 'x-country', region: 'x-region' })
  assert.equal(problemsOf({ GEO_BLOCK: 'yes', GEO_COUNTRY_HEADER: 'a b' }).length, 2)
})

test('SIGNING_KEY_FILE is refused while others may read it, and is a secret', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'config-'))
  const file = join(folder.path, 'key.pem')
  writeFileSync(file, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  const load = (names: string): number | undefined => loadSettings({ SIGNING_KEY_FILE: names }).secrets.signingKeys?.length
  assert.equal(load(file), 1)
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode)
    assert.throws(() => load(file), (error) => error instanceof InvalidSettings && error.message.includes(`others may read ${file}. Run chmod 600`))
  }
  chmodSync(file, 0o600)
  assert.throws(() => load(`${file},${file}`), /both files have the same key/)
  writeFileSync(file, generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  assert.throws(() => load(file), /is not an Ed25519 key/)
  assert.throws(() => load(`${file}.absent`), /cannot read .*ENOENT/)
})
