// All environment variables of the gateway: format, default and description. docs/configuration.md is generated from this table.

import {
  ADDRESS_CEILING_PER_WINDOW, DEFAULT_LOG_ORIGIN, MAX_KEYS_PER_OWNER, POLL_INTERVAL_MS, READY_MAX_LEDGER_AGE_SEC, READY_MAX_PRICE_AGE_SEC, STREAM_LIMITS,
} from '../limits.ts'
import {
  choice, contractAddress, headerName, hostnames, httpUrl, httpUrls, httpUrlsOrOff, integer, list, logOrigin,
  nameValuePairs, onOff, origins, ratio, text, trustProxy, url,
} from './formats.ts'
import type { Format } from './formats.ts'

export interface Variable<Value> {
  readonly format: Format<Exclude<Value, null>>
  /** Value if the variable is unset or empty. */
  readonly default: Value
  /** The default in the documentation, if it is not `default` itself. */
  readonly documentedDefault: string | null
  /** Markdown, with links relative to docs/. */
  readonly description: string
}

function variable<Value>(format: Format<Value>, defaultValue: NoInfer<Value>, description: string, documentedDefault: string | null = null): Variable<Value> {
  return { format: format as Format<Exclude<Value, null>>, default: defaultValue, documentedDefault, description }
}

/** A variable that is null if unset. */
function optional<Value>(format: Format<Value>, description: string, documentedDefault = 'unset'): Variable<Value | null> {
  return { format: format as Format<Exclude<Value, null>>, default: null, documentedDefault, description }
}

/** Ledger close times are whole seconds and strictly increase. */
const LEDGER_MIN_MS = 1_000
const TRADERS_MAX = 100
/** Protocol versions of the local network. */
const LOCAL_PROTOCOLS = { min: 27, max: 30, default: 29 }
const LEDGER_MAX = 2 ** 32 - 1
/** One year: effectively no limit. */
const READY_AGE_MAX_SEC = 31_536_000
const DRAIN_MAX_MS = 600_000
const PORT_MAX = 65_535
const KEYS_PER_OWNER_MAX = 10_000

const LOOPBACK = '127.0.0.1'
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const postgresUrl = url('postgres:', 'postgresql:')
const override = (contract: string): Variable<string | null> =>
  optional(contractAddress, `Address of the ${contract} contract. \`/v1/health\` then reports \`source: env\`.`, 'from the deployment')

const SERVER = {
  HOST: variable(text, LOOPBACK, 'Address to listen on.'),
  PORT: variable(integer(0, PORT_MAX), 8080, 'Port to listen on. `0` picks a free port.'),
  ROLE: variable(
    choice('all', 'api', 'indexer'), 'all', '`api` serves requests, `indexer` indexes the chain, `all` does both. `api` and `indexer` require `DATABASE_URL`.',
  ),
  CONSOLE: variable(onOff, true, 'Serves the web console at `/`.', 'on'),
  WEB_ORIGIN: variable(
    origins, [], 'Origins whose web pages may call the API. With `*`, pages of every origin may read public data, but not use API keys.', 'none',
  ),
  ALLOWED_HOSTS: optional(
    hostnames,
    'Host names under which clients reach the gateway and the local network, against DNS rebinding. Requests with another `Host` get 403; addresses ' +
    'and loopback names always pass. `*` allows any.', 'none on `local` if `HOST` is a loopback address and `TRUST_PROXY` is off, otherwise any',
  ),
  TRUST_PROXY: variable(trustProxy, false, 'Proxies whose `X-Forwarded-For` entries are trusted.', 'off'),
  READY_MAX_LEDGER_AGE_SEC: variable(
    integer(1, READY_AGE_MAX_SEC), READY_MAX_LEDGER_AGE_SEC, '`/readyz` returns 503 if the last indexed ledger is older, in seconds.',
  ),
  READY_MAX_PRICE_AGE_SEC: variable(
    integer(1, READY_AGE_MAX_SEC), READY_MAX_PRICE_AGE_SEC, '`/readyz` returns 503 if no price could be read for longer, in seconds.',
  ),
  HTTP_DRAIN_MS: variable(
    integer(0, DRAIN_MAX_MS), 0, 'Time to keep accepting requests during shutdown, so that load balancers notice it, in milliseconds.',
  ),
  LOG_LEVEL: variable(choice(...LOG_LEVELS), 'info', 'Level of the log on standard error.'),
  LOG_FORMAT: variable(
    choice('auto', 'json', 'terminal'), 'auto',
    'Format of the log: `json` has one object per line, `terminal` short lines for people. `auto` picks by whether standard error is a terminal.',
  ),
  NO_COLOR: optional(text, 'Any value turns off colors on a terminal.'),
  NODE_ENV: optional(text, '`production` logs a warning if the embedded database is used.'),
}

const NETWORK = {
  NETWORK: optional(
    choice('local', 'testnet', 'mainnet', 'custom'),
    '`local` runs the exchange in this process, or connects to the one at `RPC_URL` (`npm run localnet`). The others serve the newest ' +
    '[deployment](deployments.md) of this network.',
    'the network of `DEPLOYMENT`; else `testnet` if `RPC_URL` is set; else `local`',
  ),
  DEPLOYMENT: optional(
    list, 'Name of a [deployment](deployments.md), or the path of its manifest. Of several, separated by commas, the first is served and all are indexed.',
    'the newest of the network',
  ),
  DEPLOYMENTS_DIR: optional(text, 'Folder of the manifests. Changes are applied while the gateway runs.', 'the shipped `deployments`'),
  RPC_URL: optional(httpUrls, 'Stellar RPC servers. The gateway uses the healthiest one.', 'of the deployment'),
  ARCHIVE_RPC_URL: optional(httpUrls, 'RPC servers with more history, from which [lost ledgers](operating.md#lost-ledgers) are recovered.'),
  NETWORK_PASSPHRASE: optional(
    text, 'Network passphrase. `local` uses the passphrase of the test network, so that clients sign the same way.', 'of the deployment',
  ),
  CONTRACT_MARKET: override('market'),
  CONTRACT_VAULT: override('liquidity vault'),
  CONTRACT_ORACLE_SHIM: override('price shim'),
  CONTRACT_ROUTER: override('router'),
  CONTRACT_USDC_TOKEN: override('USDC token'),
  CONTRACT_LP_TOKEN: override('LP token'),
  CONTRACT_VAULT_FACTORY: override('trader vault factory'),
  CONTRACT_REFERRAL: override('referral'),
  POLL_INTERVAL_MS: variable(integer(100, 600_000), POLL_INTERVAL_MS, 'Interval at which the indexer polls for events, in milliseconds.'),
  START_LEDGER: optional(integer(1, LEDGER_MAX), 'First ledger to index when the database is empty.', 'oldest ledger of the RPC'),
  KLINES_URL: optional(
    httpUrlsOrOff, 'Base URLs of an external klines API, used for candles before the first oracle price in the index.',
    'a public exchange; on `local`, the local network',
  ),
}

const SIGNING = {
  SIGNING_KEY_FILE: optional(
    list, 'File of the Ed25519 key, in PEM format (PKCS 8), that signs the checkpoints of the log. Only its owner may read it. During a rotation, the files ' +
    'of the new key and of the one that it replaces, separated by a comma.', 'a file in `DATA_DIR` on `local`, otherwise nothing is signed',
  ),
  LOG_ORIGIN: variable(
    logOrigin, DEFAULT_LOG_ORIGIN, 'Begins the name of the log of pages, before network and deployment: your host name. Change it when you begin an empty ' +
    'database, because clients take a log of the same name that lost records as evidence against you.',
  ),
}

const DATABASE = {
  DATABASE_URL: optional(postgresUrl, 'PostgreSQL server. If unset, an embedded database in `DATA_DIR` is used.'),
  DATABASE_READ_URL: optional(postgresUrl, 'Read replica of `DATABASE_URL`.'),
  DATA_DIR: variable(text, './data', 'Folder of the embedded database and the state of the local network.'),
  REDIS_URL: optional(
    url('redis:', 'rediss:'),
    'Redis or Valkey server shared by several instances for rate limits and wallet challenges. While it is unavailable, each instance counts alone and ' +
    '`/v1/health` reports it.',
  ),
}

const ACCESS = {
  ALLOWLIST: optional(
    text, 'Accounts that may create API keys: a comma-separated list of addresses, or a file with one address per line. Changes to the file are applied.',
    'everyone',
  ),
  MAX_KEYS_PER_OWNER: variable(
    integer(1, KEYS_PER_OWNER_MAX), MAX_KEYS_PER_OWNER, 'Maximum number of active API keys per account. Accounts with more keep them, but get no new ones.',
  ),
  REQUIRE_TIMESTAMP: variable(
    onOff, false, 'Requires the header `X-Timestamp` with every request that uses an API key. Requests without it get 401 `missing_timestamp`.', 'off',
  ),
  ADDRESS_CEILING_PER_MIN: variable(
    integer(1, 1_000_000), ADDRESS_CEILING_PER_WINDOW, 'Requests per minute of all API keys used from one client address.',
  ),
  ORACLE_HEARTBEAT_SECRET: optional(
    text, 'Secret with which the publisher of prices reports itself at `POST /v1/oracle/heartbeat`, in the header `x-keeper-secret`.', 'no heartbeats',
  ),
  GEO_BLOCK: variable(onOff, false, 'Rejects trading requests (`/v1/orders`, `/v1/actions`, `/v1/tx`) from restricted regions.', 'off'),
  GEO_COUNTRY_HEADER: variable(headerName, 'cf-ipcountry', 'Header with the country of the client. Your proxy must overwrite it.'),
  GEO_REGION_HEADER: variable(headerName, 'cf-region-code', 'Header with the region of the client. Your proxy must overwrite it.'),
}

const STREAM = {
  WS_MAX_CONNECTIONS: variable(integer(1, 1_000_000), STREAM_LIMITS.connections, 'Maximum number of connections.'),
  WS_MAX_CONNECTIONS_PER_IP: variable(integer(1, 1_000_000), STREAM_LIMITS.connectionsPerAddress, 'Maximum number of connections per client address.'),
  WS_MAX_WAITING_BYTES: variable(integer(1, 2 ** 30), STREAM_LIMITS.waitingBytes, 'Maximum number of bytes queued for a slow client.'),
  WS_DRAIN_MS: variable(
    integer(1, DRAIN_MAX_MS), STREAM_LIMITS.drainMs, 'Time between the shutdown notice and the close of connections, in milliseconds.',
  ),
}

const LOCAL = {
  LOCAL_GENERATION: variable(
    choice('1', '2'), '1', 'Generation of the contracts of a new local chain. A stored chain keeps its own: use `local_reset` or another `DATA_DIR`.',
  ),
  LOCAL_PROTOCOL: variable(
    integer(LOCAL_PROTOCOLS.min, LOCAL_PROTOCOLS.max), LOCAL_PROTOCOLS.default,
    'Stellar protocol of a new or reset local chain. A stored chain keeps its own: use `local_upgradeProtocol`. The default is the newest that the SDK knows.',
  ),
  LOCAL_LEDGER_MS: variable(integer(LEDGER_MIN_MS, 600_000), LEDGER_MIN_MS, 'Ledger close time, in milliseconds.'),
  LOCAL_RPC_HOST: variable(
    text, LOOPBACK,
    'Address of the JSON-RPC server and the faucet. Everyone who can reach it controls the network. Clients that use a name need `ALLOWED_HOSTS`.',
  ),
  LOCAL_RPC_PORT: variable(integer(0, PORT_MAX), 8000, 'Port of the JSON-RPC server at `/rpc` and the faucet at `/friendbot`.'),
  LOCAL_SEED: optional(text, 'Seed of prices and traders.', 'random'),
  LOCAL_TRADERS: variable(integer(0, TRADERS_MAX), 12, 'Number of simulated traders.'),
}

const OBSERVABILITY = {
  METRICS_PORT: optional(integer(0, PORT_MAX), 'Port of the [metrics](operating.md#metrics) server.', 'no metrics'),
  METRICS_HOST: variable(text, LOOPBACK, 'Address of the metrics server. Do not expose it to the public.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl, 'OTLP/HTTP endpoint for [traces](operating.md#traces).', 'no traces'),
  OTEL_EXPORTER_OTLP_HEADERS: variable<Readonly<Record<string, string>>>(nameValuePairs, {}, 'Headers for the OTLP endpoint.', 'none'),
  OTEL_SERVICE_NAME: variable(text, 'perpetual-exchange-gateway', 'Service name in traces.'),
  OTEL_TRACES_SAMPLER_ARG: variable(ratio, 1, 'Share of traces to send.'),
}

/** The variables under the headings of the documentation. */
export const VARIABLE_GROUPS = {
  Server: SERVER,
  Network: NETWORK,
  Signing: SIGNING,
  Database: DATABASE,
  'Access control': ACCESS,
  'WebSocket stream': STREAM,
  'Local network': LOCAL,
  Observability: OBSERVABILITY,
} satisfies Readonly<Record<string, Readonly<Record<string, Variable<unknown>>>>>

export const VARIABLES = { ...SERVER, ...NETWORK, ...SIGNING, ...DATABASE, ...ACCESS, ...STREAM, ...LOCAL, ...OBSERVABILITY }

export type VariableName = keyof typeof VARIABLES
export type Values = { readonly [Name in VariableName]: (typeof VARIABLES)[Name]['default'] }

type Environment = Readonly<Record<string, string | undefined>>

export interface ParsedEnvironment {
  /** Invalid variables have their default. */
  readonly values: Values
  /** One sentence per invalid variable. The value is omitted because it may be a secret. */
  readonly problems: readonly string[]
}

/** Parses all variables. */
export function parseEnvironment(environment: Environment): ParsedEnvironment {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, { format, default: defaultValue }] of Object.entries<Variable<unknown>>(VARIABLES)) {
    values[name] = defaultValue
    if (!isSet(environment, name)) continue
    const value = format.parse(environment[name]?.trim() ?? '')
    if (value === undefined) problems.push(`${name} must be ${format.expected}`)
    else values[name] = value
  }
  return { values: values as Values, problems }
}

/** An empty value counts as unset. */
export function isSet(environment: Environment, name: string): boolean {
  return (environment[name]?.trim() ?? '') !== ''
}
