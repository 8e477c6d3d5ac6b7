// Turns the environment into grouped, validated settings. An invalid or contradictory setting aborts the start, with all problems in one error. Secrets are
// separate from the configuration, so that the configuration can be logged. Only this file reads process.env.

import { readSigningKeys } from './signing-keys.ts'
import type { SigningKey } from '../base/proofs/signing.ts'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseAddressList } from '../base/address-list.ts'
import { isLoopback } from '../base/hosts.ts'
import { isAccountAddress } from '../base/strkey.ts'
import { splitList } from './formats.ts'
import { isSet, parseEnvironment } from './variables.ts'
import type { Values, VariableName } from './variables.ts'
import { PASSPHRASES } from '../deployment/manifest.ts'
import type { Manifest } from '../deployment/manifest.ts'
import { selectDeployments } from '../deployment/manifest-files.ts'
import type { DeploymentChoice, SelectedDeployments } from '../deployment/manifest-files.ts'
import { CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import type { ContractKey } from '../exchange/contracts/contracts.ts'
import { STREAM_LIMITS } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'

type NetworkKind = 'local' | Manifest['network']

/** The URLs of nodes are secrets. */
type PublicManifest = Omit<Manifest, 'rpcUrls'>

export interface Config {
  readonly server: {
    readonly host: string
    readonly port: number
    readonly trustProxy: boolean | number | readonly string[]
    /** Null allows any. */
    readonly allowedHosts: readonly string[] | null
    /** Empty for none. `*` opens public reads to pages of every origin. */
    readonly webOrigins: '*' | readonly string[]
    /** Requests per minute of all keys used from one client address. */
    readonly addressCeiling: number
    readonly readyMaxLedgerAgeSec: number
    readonly readyMaxPriceAgeSec: number
    readonly drainMs: number
    readonly console: boolean
    /** Header names in lower case. Null disables the region guard. */
    readonly regionGuard: { readonly country: string; readonly region: string } | null
  }
  readonly network: {
    readonly kind: NetworkKind
    readonly passphrase: string
    /** Name in GET /v1/health. */
    readonly name: string
    /** The served deployment. Null on `local`, where the network itself reports its contracts. */
    readonly manifest: PublicManifest | null
    /** Deployments that are indexed besides the served one. */
    readonly others: readonly PublicManifest[]
    readonly contractOverrides: Readonly<Partial<Record<ContractKey, string>>>
  }
  readonly indexer: {
    readonly pollIntervalMs: number
    /** Null starts at the oldest ledger of the RPC. */
    readonly startLedger: number | null
  }
  readonly local: {
    readonly rpcHost: string
    /** Null allows any. */
    readonly allowedHosts: readonly string[] | null
    readonly generation: '1' | '2'
    readonly protocol: number
    readonly ledgerMs: number
    readonly rpcPort: number
    /** Null picks a random seed. */
    readonly seed: string | null
    readonly traders: number
  }
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** The endpoint is in Secrets. */
  readonly tracing: { readonly serviceName: string; readonly sampleRatio: number } | null
  readonly stream: StreamLimits
  readonly role: 'all' | 'api' | 'indexer'
  readonly dataDir: string
  /** Empty disables external klines; null: those of the local network. */
  readonly klinesUrls: readonly string[] | null
  /** Null lets everyone create keys. */
  readonly allowlist: { readonly addresses: readonly string[] } | { readonly file: string } | null
  readonly log: { readonly level: string; readonly format: 'auto' | 'json' | 'terminal'; readonly color: boolean }
  readonly maxKeysPerOwner: number
  readonly requireTimestamp: boolean
  readonly production: boolean
  readonly logOrigin: string
}

/** Values that must not be logged: URLs that may contain passwords or keys. */
export interface Secrets {
  readonly databaseUrl: string | null
  readonly databaseReadUrl: string | null
  readonly redisUrl: string | null
  /** Null disables the heartbeats of the keeper. */
  readonly heartbeatSecret: string | null
  readonly traces: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> } | null
  /** The new key first. Null if none is named. */
  readonly signingKeys: readonly SigningKey[] | null
  /** Empty if this process runs the local network. */
  readonly rpcUrls: readonly string[]
  /** RPC servers with more history. */
  readonly archiveRpcUrls: readonly string[]
}

export interface Settings {
  readonly config: Config
  readonly secrets: Secrets
  /** The choice of manifests, and their present content; contains URLs of nodes. Null on `local`. */
  readonly deployments: { readonly choice: DeploymentChoice; readonly selected: SelectedDeployments } | null
}

/** Lists all problems of the environment. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`invalid settings: ${problems.join('; ')}`)
    this.problems = problems
  }
}

/** Hosts of the external klines API, in the order in which they are tried. */
const PUBLIC_KLINES_URLS = ['https://api.binance.us', 'https://api4.binance.com', 'https://api1.binance.com', 'https://api.binance.com']

/** Names in GET /v1/health. */
const NETWORK_NAMES: Readonly<Record<string, string>> = {
  [PASSPHRASES.testnet]: 'testnet',
  'Test SDF Future Network ; October 2022': 'futurenet',
  [PASSPHRASES.mainnet]: 'pubnet',
  'Standalone Network ; February 2017': 'standalone',
}

const SHIPPED_MANIFESTS = join(import.meta.dirname, '../..', 'deployments')

const CONTRACT_VARIABLES = {
  market: 'CONTRACT_MARKET',
  vault: 'CONTRACT_VAULT',
  oracleShim: 'CONTRACT_ORACLE_SHIM',
  router: 'CONTRACT_ROUTER',
  usdcToken: 'CONTRACT_USDC_TOKEN',
  lpToken: 'CONTRACT_LP_TOKEN',
  vaultFactory: 'CONTRACT_VAULT_FACTORY',
  referral: 'CONTRACT_REFERRAL',
} as const satisfies Readonly<Record<ContractKey, VariableName>>

type Environment = Readonly<Record<string, string | undefined>>

/** Reads and validates the environment. Throws InvalidSettings. Without manifests, `deployments` and what they say are missing. */
export function loadSettings(environment: Environment = process.env, { readsManifests = true }: { readonly readsManifests?: boolean } = {}): Settings {
  const { values, problems } = parseEnvironment(environment)
  const choice = chooseDeployments(values)
  const selection = choice === null || !readsManifests ? null : selectDeployments(choice)
  const selected = selection?.kind === 'selected' ? selection.deployments : null
  const kind = choice === null ? 'local' : choice.network ?? selected?.served.network ?? 'custom'
  const signing = readSigningKeys(values.SIGNING_KEY_FILE ?? [])
  const secrets: Secrets = {
    signingKeys: values.SIGNING_KEY_FILE === null ? null : signing.keys,
    databaseUrl: values.DATABASE_URL,
    databaseReadUrl: values.DATABASE_READ_URL,
    redisUrl: values.REDIS_URL,
    heartbeatSecret: values.ORACLE_HEARTBEAT_SECRET,
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT === null
      ? null
      : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, headers: values.OTEL_EXPORTER_OTLP_HEADERS },
    rpcUrls: values.RPC_URL ?? selected?.served.rpcUrls ?? [],
    archiveRpcUrls: values.ARCHIVE_RPC_URL ?? [],
  }
  const allowlist = readAllowlist(values.ALLOWLIST)
  const config = groupSettings(values, { kind, selected }, allowlist.value)
  const allProblems = [
    ...problems, ...allowlist.problems, ...signing.problems, ...findContradictions(environment, config, secrets),
    ...(choice === null && values.DEPLOYMENT !== null ? ['NETWORK=local reports its own deployment: remove DEPLOYMENT'] : []),
    ...(selection?.kind === 'invalid' ? selection.problems : []),
  ]
  if (allProblems.length > 0) throw new InvalidSettings(allProblems)
  return { config, secrets, deployments: choice === null || selected === null ? null : { choice, selected } }
}

/** Null: the local network. */
function chooseDeployments(values: Values): DeploymentChoice | null {
  const network = values.NETWORK ?? (values.DEPLOYMENT !== null ? null : values.RPC_URL === null ? 'local' : 'testnet')
  if (network === 'local') return null
  return {
    folder: values.DEPLOYMENTS_DIR ?? SHIPPED_MANIFESTS,
    names: values.DEPLOYMENT ?? [],
    network,
    rpcUrls: values.RPC_URL,
    contracts: contractOverrides(values),
  }
}

function contractOverrides(values: Values): Config['network']['contractOverrides'] {
  const entries = CONTRACT_KEYS.map((key) => [key, values[CONTRACT_VARIABLES[key]]] as const)
  return Object.fromEntries(entries.filter(([, address]) => address !== null))
}

interface Network {
  readonly kind: NetworkKind
  readonly selected: SelectedDeployments | null
}

function groupSettings(values: Values, { kind, selected }: Network, allowlist: Config['allowlist']): Config {
  return {
    server: {
      host: values.HOST,
      port: values.PORT,
      trustProxy: values.TRUST_PROXY,
      allowedHosts: allowedHosts(values, kind),
      webOrigins: values.WEB_ORIGIN,
      addressCeiling: values.ADDRESS_CEILING_PER_MIN,
      readyMaxLedgerAgeSec: values.READY_MAX_LEDGER_AGE_SEC,
      readyMaxPriceAgeSec: values.READY_MAX_PRICE_AGE_SEC,
      drainMs: values.HTTP_DRAIN_MS,
      console: values.CONSOLE,
      regionGuard: values.GEO_BLOCK ? { country: values.GEO_COUNTRY_HEADER, region: values.GEO_REGION_HEADER } : null,
    },
    network: networkSettings(values, { kind, selected }),
    indexer: { pollIntervalMs: values.POLL_INTERVAL_MS, startLedger: values.START_LEDGER },
    local: {
      generation: values.LOCAL_GENERATION, protocol: values.LOCAL_PROTOCOL, ledgerMs: values.LOCAL_LEDGER_MS, rpcHost: values.LOCAL_RPC_HOST,
      rpcPort: values.LOCAL_RPC_PORT, seed: values.LOCAL_SEED, traders: values.LOCAL_TRADERS,
      allowedHosts: values.ALLOWED_HOSTS === '*' ? null : values.ALLOWED_HOSTS ?? [],
    },
    metrics: values.METRICS_PORT === null ? null : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    tracing: values.OTEL_EXPORTER_OTLP_ENDPOINT === null
      ? null
      : { serviceName: values.OTEL_SERVICE_NAME, sampleRatio: values.OTEL_TRACES_SAMPLER_ARG },
    stream: streamSettings(values),
    role: values.ROLE,
    dataDir: values.DATA_DIR,
    klinesUrls: values.KLINES_URL ?? (kind === 'local' ? null : PUBLIC_KLINES_URLS),
    allowlist,
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT, color: values.NO_COLOR === null },
    maxKeysPerOwner: values.MAX_KEYS_PER_OWNER,
    requireTimestamp: values.REQUIRE_TIMESTAMP,
    production: values.NODE_ENV === 'production',
    logOrigin: values.LOG_ORIGIN,
  }
}

/** A public deployment is behind a proxy whose host names are unknown here, and has nothing that rebinding could reach. */
function allowedHosts({ ALLOWED_HOSTS, HOST, TRUST_PROXY }: Values, kind: NetworkKind): readonly string[] | null {
  if (ALLOWED_HOSTS === '*') return null
  if (ALLOWED_HOSTS !== null) return [HOST, ...ALLOWED_HOSTS]
  return kind === 'local' && isLoopback(HOST) && TRUST_PROXY === false ? [] : null
}

function networkSettings(values: Values, { kind, selected }: Network): Config['network'] {
  const passphrase = values.NETWORK_PASSPHRASE ?? selected?.served.passphrase ?? PASSPHRASES.testnet
  const name = NETWORK_NAMES[passphrase] ?? 'custom'
  const manifest = selected === null ? null : withoutUrls(selected.served)
  return { kind, passphrase, name, manifest, others: selected?.others.map(withoutUrls) ?? [], contractOverrides: contractOverrides(values) }
}

function withoutUrls({ rpcUrls: _secret, ...manifest }: Manifest): PublicManifest {
  return manifest
}

function streamSettings(values: Values): StreamLimits {
  return {
    ...STREAM_LIMITS,
    connections: values.WS_MAX_CONNECTIONS,
    connectionsPerAddress: values.WS_MAX_CONNECTIONS_PER_IP,
    waitingBytes: values.WS_MAX_WAITING_BYTES,
    drainMs: values.WS_DRAIN_MS,
  }
}

/** `text` is a list of addresses or the path of a file, whose content is validated too. Addresses are public, so problems may quote them. */
function readAllowlist(text: string | null): { readonly value: Config['allowlist']; readonly problems: readonly string[] } {
  if (text === null) return { value: null, problems: [] }
  if (statSync(text, { throwIfNoEntry: false }) === undefined && !/[./\\]/.test(text)) {
    const addresses = splitList(text)
    const invalid = addresses.filter((address) => !isAccountAddress(address))
    return { value: { addresses }, problems: invalid.map((address) => `ALLOWLIST: ${JSON.stringify(address)} is neither an account address nor a file`) }
  }
  return { value: { file: text }, problems: findFileProblems(text) }
}

function findFileProblems(file: string): readonly string[] {
  try {
    return parseAddressList(readFileSync(file, 'utf8')).problems.map((problem) => `ALLOWLIST: ${file}, ${problem}`)
  } catch (cause) {
    return [`ALLOWLIST: cannot read ${file} (${String((cause as { code?: unknown }).code)})`]
  }
}

function findContradictions(environment: Environment, { role, network }: Config, secrets: Secrets): readonly string[] {
  const problems: string[] = []
  const hasDatabase = isSet(environment, 'DATABASE_URL')
  if (secrets.databaseReadUrl !== null && !hasDatabase) problems.push('DATABASE_READ_URL requires DATABASE_URL')
  if (role === 'all') return problems
  if (network.kind === 'local' && secrets.rpcUrls.length === 0) {
    problems.push(`ROLE=${role} with NETWORK=local requires RPC_URL. Run npm run localnet in another process and set RPC_URL to its address`)
  }
  if (!hasDatabase) problems.push(`ROLE=${role} requires DATABASE_URL. Several processes cannot share the embedded database`)
  return problems
}
