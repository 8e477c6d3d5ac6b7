// The only reader of the environment: environment -> flat record -> validated, grouped Config. A malformed or contradictory setting stops the start,
// with every problem listed at once. Secrets stand apart, so that the rest can be shown.

import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import testnet from '../deployments/testnet.json' with { type: 'json' }
import { parseAddressList } from './base/address-list.ts'
import { isAccountAddress, isContractAddress } from './base/strkey.ts'
import { CONTRACT_KEYS } from './exchange/contracts.ts'
import type { ContractAddresses, ContractKey } from './exchange/contracts.ts'
import { POLL_INTERVAL_MS, READY_MAX_LEDGER_AGE_SEC, STREAM_LIMITS } from './limits.ts'
import type { StreamLimits } from './limits.ts'

export type NetworkKind = 'local' | 'testnet'

export interface Config {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly trustProxy: boolean | number | readonly string[]
    readonly webOrigin: string | null
    /** Not ready when the last indexed ledger closed longer ago. */
    readonly readyMaxLedgerAgeSec: number
    /** Told to end, it goes on taking requests for this long, so that a balancer notices. */
    readonly drainMs: number
    /** Whether the web page is served. */
    readonly console: boolean
    /** Where the proxy tells a client's region; null: the guard is off. Names in lower case. */
    readonly regionGuard: { readonly country: string; readonly region: string } | null
  }
  readonly network: {
    readonly kind: NetworkKind
    readonly passphrase: string
    /** What health calls it. */
    readonly name: string
    /** The deployment's own list; null on `local`, where the network itself tells. */
    readonly manifest: ContractAddresses | null
    readonly contractOverrides: Readonly<Partial<Record<ContractKey, string>>>
  }
  readonly indexer: {
    readonly pollIntervalMs: number
    /** null: the RPC's oldest. */
    readonly startLedger: number | null
  }
  readonly local: {
    readonly ledgerMs: number
    readonly rpcPort: number
    /** null: rolled at the start. */
    readonly seed: string | null
    readonly traders: number
  }
  /** Where metrics are served; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** How traces are told; null: not at all. The address stands with the secrets. */
  readonly tracing: { readonly serviceName: string; readonly sampleRatio: number } | null
  readonly stream: StreamLimits
  readonly role: 'all' | 'api' | 'indexer'
  readonly dataDir: string
  /** Empty: no outside klines. */
  readonly klinesUrls: readonly string[]
  /** Who may be issued a key; null: everyone. */
  readonly allowlist: { readonly addresses: readonly string[] } | { readonly file: string } | null
  readonly logLevel: string
  readonly production: boolean
}

/** What must not be shown or logged: addresses that may carry passwords or keys. */
export interface Secrets {
  readonly databaseUrl: string | null
  readonly databaseReadUrl: string | null
  /** null: nothing is shared between instances. */
  readonly redisUrl: string | null
  /** Where traces are sent; null: nowhere. */
  readonly traces: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | null
  /** Empty on a `local` network that this process serves itself. */
  readonly rpcUrls: readonly string[]
  /** Nodes with more history; empty: none. */
  readonly archiveRpcUrls: readonly string[]
}

export interface Settings {
  readonly config: Config
  readonly secrets: Secrets
}

/** Raised with everything that is wrong with the environment. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the environment holds ${problems.length === 1 ? 'a setting' : `${problems.length} settings`} that cannot be used`)
    this.problems = problems
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Close times of ledgers are whole seconds and grow. */
const LEDGER_MIN_MS = 1_000
const TRADERS_MAX = 100
const PROXY_HOPS_MAX = 16
const LEDGER_MAX = 2 ** 32 - 1
/** A year: an index of any age is served. */
const READY_AGE_MAX_SEC = 31_536_000
const DRAIN_MAX_MS = 600_000

/** The outside exchange, host by host in the order in which they are tried. */
const PUBLIC_KLINES_URLS = ['https://api.binance.us', 'https://api4.binance.com', 'https://api1.binance.com', 'https://api.binance.com']

const NETWORK_NAMES: Readonly<Record<string, string>> = {
  'Test SDF Network ; September 2015': 'testnet',
  'Test SDF Future Network ; October 2022': 'futurenet',
  'Public Global Stellar Network ; September 2015': 'pubnet',
  'Standalone Network ; February 2017': 'standalone',
}

const CONTRACT_VARIABLES: Readonly<Record<ContractKey, string>> = {
  market: 'CONTRACT_MARKET',
  vault: 'CONTRACT_VAULT',
  oracleShim: 'CONTRACT_ORACLE_SHIM',
  router: 'CONTRACT_ROUTER',
  usdcToken: 'CONTRACT_USDC_TOKEN',
  lpToken: 'CONTRACT_LP_TOKEN',
  vaultFactory: 'CONTRACT_VAULT_FACTORY',
  referral: 'CONTRACT_REFERRAL',
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads and judges the environment. Throws InvalidSettings. */
export function loadSettings(environment: Environment = process.env): Settings {
  const reader = createReader(environment)
  const network = readNetwork(reader)
  const secrets: Secrets = {
    databaseUrl: reader.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databaseReadUrl: reader.url('DATABASE_READ_URL', ['postgres:', 'postgresql:']),
    redisUrl: reader.url('REDIS_URL', ['redis:', 'rediss:']),
    traces: readTraces(reader),
    rpcUrls: readRpcUrls(reader, network.kind),
    archiveRpcUrls: readArchiveUrls(reader),
  }
  const config: Config = {
    server: {
      host: reader.text('HOST') ?? '127.0.0.1',
      port: reader.integer('PORT', { fallback: 8080, min: 0, max: 65_535 }),
      trustProxy: readTrustProxy(reader),
      webOrigin: readOrigin(reader),
      readyMaxLedgerAgeSec: reader.integer('READY_MAX_LEDGER_AGE_SEC', { fallback: READY_MAX_LEDGER_AGE_SEC, min: 1, max: READY_AGE_MAX_SEC }),
      drainMs: reader.integer('HTTP_DRAIN_MS', { fallback: 0, min: 0, max: DRAIN_MAX_MS }),
      console: reader.choice('CONSOLE', ['on', 'off'], 'on') === 'on',
      regionGuard: readRegionGuard(reader),
    },
    network,
    indexer: {
      pollIntervalMs: reader.integer('POLL_INTERVAL_MS', { fallback: POLL_INTERVAL_MS, min: 100, max: 600_000 }),
      startLedger: reader.integer('START_LEDGER', { fallback: null, min: 1, max: LEDGER_MAX }),
    },
    local: {
      ledgerMs: reader.integer('LOCAL_LEDGER_MS', { fallback: LEDGER_MIN_MS, min: LEDGER_MIN_MS, max: 600_000 }),
      rpcPort: reader.integer('LOCAL_RPC_PORT', { fallback: 8000, min: 0, max: 65_535 }),
      seed: reader.text('LOCAL_SEED'),
      traders: reader.integer('LOCAL_TRADERS', { fallback: 12, min: 0, max: TRADERS_MAX }),
    },
    metrics: readMetrics(reader),
    tracing: readTracing(reader, secrets),
    stream: readStreamLimits(reader),
    role: reader.choice('ROLE', ['all', 'api', 'indexer'], 'all'),
    dataDir: reader.text('DATA_DIR') ?? './data',
    klinesUrls: readKlinesUrls(reader, network.kind),
    allowlist: readAllowlist(reader),
    logLevel: reader.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    production: reader.text('NODE_ENV') === 'production',
  }
  refuseContradictions(reader, config, secrets)
  if (reader.problems.length > 0) throw new InvalidSettings(reader.problems)
  return { config, secrets }
}

interface Reader {
  readonly problems: string[]
  /** The value, or null when the variable is not set; an empty value counts as not set. */
  text(name: string): string | null
  integer<Fallback extends number | null>(name: string, options: { fallback: Fallback; min: number; max: number }): number | Fallback
  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice
  url(name: string, protocols: readonly string[]): string | null
  /** Notes that the variable is wrong. The value itself is not repeated: it may be a secret. */
  refuse(name: string, takes: string): void
}

function createReader(environment: Environment): Reader {
  const problems: string[] = []
  const reader: Reader = {
    problems,
    text(name) {
      const value = environment[name]?.trim()
      return value === undefined || value === '' ? null : value
    },
    integer(name, { fallback, min, max }) {
      const text = reader.text(name)
      if (text === null) return fallback
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
      if (value >= min && value <= max) return value
      reader.refuse(name, `an integer from ${min} to ${max}`)
      return fallback
    },
    choice(name, choices, fallback) {
      const text = reader.text(name)
      const chosen = text === null ? fallback : choices.find((choice) => choice === text)
      if (chosen !== undefined) return chosen
      reader.refuse(name, `one of ${choices.join(', ')}`)
      return fallback
    },
    url(name, protocols) {
      const text = reader.text(name)
      if (text === null || isUrl(text, protocols)) return text
      reader.refuse(name, `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
      return null
    },
    refuse(name, takes) {
      problems.push(`${name} takes ${takes}`)
    },
  }
  return reader
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

function readNetwork(reader: Reader): Config['network'] {
  const kind = reader.choice('NETWORK', ['local', 'testnet'], reader.text('RPC_URL') === null ? 'local' : 'testnet')
  const passphrase = reader.text('NETWORK_PASSPHRASE') ?? testnet.passphrase
  const contractOverrides: Partial<Record<ContractKey, string>> = {}
  for (const key of CONTRACT_KEYS) {
    const address = reader.text(CONTRACT_VARIABLES[key])
    if (address === null) continue
    if (isContractAddress(address)) contractOverrides[key] = address
    else reader.refuse(CONTRACT_VARIABLES[key], 'a contract address: C and 55 more characters, checksum included')
  }
  const name = NETWORK_NAMES[passphrase] ?? 'custom'
  return { kind, passphrase, name, manifest: kind === 'local' ? null : testnet.contracts, contractOverrides }
}

function readRpcUrls(reader: Reader, kind: NetworkKind): readonly string[] {
  const text = reader.text('RPC_URL')
  if (text === null) return kind === 'local' ? [] : testnet.rpcUrls
  const urls = listOf(text)
  if (urls.length > 0 && urls.every((url) => isUrl(url, ['http:', 'https:']))) return urls
  reader.refuse('RPC_URL', 'one or more http:// or https:// addresses, comma separated')
  return []
}

function readArchiveUrls(reader: Reader): readonly string[] {
  const urls = listOf(reader.text('ARCHIVE_RPC_URL') ?? '')
  if (urls.every((url) => isUrl(url, ['http:', 'https:']))) return urls
  reader.refuse('ARCHIVE_RPC_URL', 'http:// or https:// addresses, comma separated')
  return []
}

function readMetrics(reader: Reader): Config['metrics'] {
  const port = reader.integer('METRICS_PORT', { fallback: null, min: 0, max: 65_535 })
  return port === null ? null : { host: reader.text('METRICS_HOST') ?? '127.0.0.1', port }
}

/** The names are OpenTelemetry's own. */
function readTraces(reader: Reader): Secrets['traces'] {
  const endpoint = reader.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])
  const pairs = listOf(reader.text('OTEL_EXPORTER_OTLP_HEADERS') ?? '').map((pair) => /^([\w-]+)=(.*)$/.exec(pair))
  if (pairs.some((pair) => pair === null)) reader.refuse('OTEL_EXPORTER_OTLP_HEADERS', 'name=value pairs, comma separated')
  if (endpoint === null) return null
  return { endpoint, headers: Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? '']]))) }
}

function readTracing(reader: Reader, { traces }: Secrets): Config['tracing'] {
  const share = reader.text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  if (!/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(share)) reader.refuse('OTEL_TRACES_SAMPLER_ARG', 'a share from 0 to 1')
  const serviceName = reader.text('OTEL_SERVICE_NAME') ?? 'perpetual-exchange-gateway'
  return traces === null ? null : { serviceName, sampleRatio: Number(share) }
}

function readTrustProxy(reader: Reader): Config['server']['trustProxy'] {
  const text = reader.text('TRUST_PROXY')
  if (text === null || text === 'false' || text === 'off') return false
  if (text === 'true') return true
  if (/^\d{1,2}$/.test(text) && Number(text) <= PROXY_HOPS_MAX) return Number(text)
  const ranges = listOf(text)
  if (ranges.length > 0 && ranges.every(isAddressRange)) return ranges
  reader.refuse('TRUST_PROXY', `true, a number of hops (at most ${PROXY_HOPS_MAX}), or addresses and CIDR ranges, comma separated`)
  return false
}

function readOrigin(reader: Reader): string | null {
  const text = reader.text('WEB_ORIGIN')
  if (text === null) return null
  const origin = isUrl(text, ['http:', 'https:']) ? new URL(text).origin : null
  if (origin === text || `${origin}/` === text) return origin
  reader.refuse('WEB_ORIGIN', 'one origin as browsers send it, such as https://app.example')
  return null
}

function readKlinesUrls(reader: Reader, kind: NetworkKind): readonly string[] {
  const text = reader.text('KLINES_URL')
  if (text === 'off') return []
  if (text === null) return kind === 'local' ? [] : PUBLIC_KLINES_URLS
  const urls = listOf(text)
  if (urls.length > 0 && urls.every((url) => isUrl(url, ['http:', 'https:']))) return urls
  reader.refuse('KLINES_URL', 'off, or one or more http:// or https:// base addresses, comma separated')
  return []
}

function readStreamLimits(reader: Reader): StreamLimits {
  const limit = (name: string, fallback: number, max: number): number => reader.integer(name, { fallback, min: 1, max })
  return {
    connections: limit('WS_MAX_CONNECTIONS', STREAM_LIMITS.connections, 1_000_000),
    connectionsPerAddress: limit('WS_MAX_CONNECTIONS_PER_IP', STREAM_LIMITS.connectionsPerAddress, 1_000_000),
    messagesPerSecond: limit('WS_MESSAGES_PER_SECOND', STREAM_LIMITS.messagesPerSecond, 100_000),
    waitingBytes: limit('WS_MAX_WAITING_BYTES', STREAM_LIMITS.waitingBytes, 2 ** 30),
    pingIntervalMs: limit('WS_PING_INTERVAL_MS', STREAM_LIMITS.pingIntervalMs, 3_600_000),
    frameBytes: limit('WS_MAX_FRAME_BYTES', STREAM_LIMITS.frameBytes, 2 ** 24),
    replayFrames: limit('WS_REPLAY_LIMIT', STREAM_LIMITS.replayFrames, 100_000_000),
    drainMs: limit('WS_DRAIN_MS', STREAM_LIMITS.drainMs, DRAIN_MAX_MS),
  }
}

/** Header names, in lower case as requests carry them; read even when the guard is off, so that a mistake shows before it is switched on. */
function readRegionGuard(reader: Reader): Config['server']['regionGuard'] {
  const country = readHeaderName(reader, 'GEO_COUNTRY_HEADER', 'cf-ipcountry')
  const region = readHeaderName(reader, 'GEO_REGION_HEADER', 'cf-region-code')
  return reader.choice('GEO_BLOCK', ['on', 'off'], 'off') === 'on' ? { country, region } : null
}

function readHeaderName(reader: Reader, name: string, fallback: string): string {
  const text = reader.text(name) ?? fallback
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) reader.refuse(name, 'the name of a header: letters, digits and hyphens')
  return text.toLowerCase()
}

/** Addresses in the variable itself, or the path of a file with them, which is judged too. Addresses are public: what is wrong with one may be shown. */
function readAllowlist(reader: Reader): Config['allowlist'] {
  const text = reader.text('ALLOWLIST')
  if (text === null) return null
  if (statSync(text, { throwIfNoEntry: false }) === undefined && !/[./\\]/.test(text)) {
    const addresses = listOf(text)
    const wrong = addresses.filter((address) => !isAccountAddress(address))
    for (const address of wrong) reader.problems.push(`ALLOWLIST: ${JSON.stringify(address)} is neither an account address nor a file`)
    return { addresses }
  }
  try {
    const { problems } = parseAddressList(readFileSync(text, 'utf8'))
    for (const problem of problems) reader.problems.push(`ALLOWLIST: ${text}, ${problem}`)
  } catch (cause) {
    reader.problems.push(`ALLOWLIST: ${text} cannot be read (${String((cause as { code?: unknown }).code)})`)
  }
  return { file: text }
}

function refuseContradictions(reader: Reader, config: Config, secrets: Secrets): void {
  const { problems } = reader
  if (secrets.databaseReadUrl !== null && reader.text('DATABASE_URL') === null) {
    problems.push('DATABASE_READ_URL needs DATABASE_URL: a replica is of something')
  }
  if (config.role === 'all') return
  if (config.network.kind === 'local' && secrets.rpcUrls.length === 0) {
    problems.push(`ROLE=${config.role} and NETWORK=local need RPC_URL: one process serves the local network, and the others are told where`)
  }
  if (reader.text('DATABASE_URL') === null) {
    problems.push(`ROLE=${config.role} needs DATABASE_URL: the embedded database serves one process only`)
  }
}

/** The contracts as health shows them: the deployment's own list, with what the environment overrides. */
export function resolveContracts(
  manifest: ContractAddresses,
  overrides: Config['network']['contractOverrides'],
): Readonly<Record<ContractKey, { readonly address: string; readonly source: 'manifest' | 'env' }>> {
  const entries = CONTRACT_KEYS.map((key) => {
    const override = overrides[key]
    return [key, override === undefined ? { address: manifest[key], source: 'manifest' } : { address: override, source: 'env' }]
  })
  return Object.fromEntries(entries) as ReturnType<typeof resolveContracts>
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim()).filter((item) => item !== '')
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more !== undefined) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32))
}
