// The process: environment -> config -> (local network) -> store -> indexer -> gateway -> signals -> exit. `main.ts rebuild` computes every projection
// anew from the archive instead, `main.ts keys` is the operator's way to API keys, `main.ts localnet` serves the local network alone, and `main.ts healthy`
// asks a process beside this one how it is. Texts for people go to stdout, structured logs to stderr.

import { join } from 'node:path'
import { pino } from 'pino'
import { askForContracts, NoLocalNetwork } from './localnet/join.ts'
import manifest from './package.json' with { type: 'json' }
import { startLocalNetwork } from './localnet/start.ts'
import type { LocalNetwork } from './localnet/start.ts'
import { createSystemClock } from './src/base/clock.ts'
import type { Log } from './src/base/log.ts'
import { createSystemRandom } from './src/base/random.ts'
import { createRpc } from './src/chain/rpc.ts'
import type { RpcClient } from './src/chain/rpc.ts'
import { tracedRpc } from './src/chain/traced-rpc.ts'
import { InvalidSettings, loadSettings, resolveContracts } from './src/config.ts'
import type { Config, Secrets, Settings } from './src/config.ts'
import type { ContractAddresses } from './src/exchange/contracts.ts'
import { createGateway } from './src/gateway.ts'
import { createIndexer } from './src/indexer/indexer.ts'
import type { Indexer } from './src/indexer/indexer.ts'
import { rebuild } from './src/indexer/rebuild.ts'
import { reportProgress } from './src/indexer/report-progress.ts'
import { openAllowlist } from './src/keys/allowlist.ts'
import { CommandRejected, parseKeysCommand, runKeysCommand } from './src/keys/operator.ts'
import { createMetrics } from './src/metrics/metrics.ts'
import type { Metrics } from './src/metrics/metrics.ts'
import { serveMetrics } from './src/metrics/server.ts'
import { createIndexSnapshotReader } from './src/projections/index-snapshot.ts'
import { createRedis } from './src/redis/redis.ts'
import type { ContractSources } from './src/resources/health.ts'
import { openStore } from './src/store/open.ts'
import { StoreUnavailable } from './src/store/store.ts'
import type { Store } from './src/store/store.ts'
import { tracedStore } from './src/store/traced-store.ts'
import type { Tracing } from './src/tracing/tracing.ts'

/** npm passes a Ctrl-C on that the process has seen already; signals this close together are one. */
const SAME_SIGNAL_MS = 1_000
/** A database server, or a local network of another process, that is still starting is waited for. */
const DEPENDENCY_ATTEMPTS = 15
const DEPENDENCY_RETRY_MS = 2_000
/** A process that is well answers by then. */
const HEALTH_CHECK_TIMEOUT_MS = 2_000

const clock = createSystemClock()
/** For waiting that must not keep the process alive. */
const idleClock = createSystemClock({ keepAlive: false })
const random = createSystemRandom()

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Aborts at the first SIGINT or SIGTERM. A later one finds no handler and ends the process at once, as the system does it. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) return
    stop.abort()
    print('\nStopping. Once more to quit at once.')
    idleClock.setTimer(SAME_SIGNAL_MS, () => {
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
    })
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return stop.signal
}

/** Folder of one network's data: what was indexed from one never meets the other. */
function dataFolder(config: Config, name: 'chain' | 'database'): string {
  return join(config.dataDir, config.network.kind, name)
}

function startNetwork(config: Config, log: Log): Promise<LocalNetwork> {
  const seed = config.local.seed ?? Buffer.from(random.bytes(6)).toString('hex')
  return startLocalNetwork({
    clock,
    random,
    log,
    seed,
    ledgerMs: config.local.ledgerMs,
    host: config.server.host,
    port: config.local.rpcPort,
    traders: config.local.traders,
    directory: dataFolder(config, 'chain'),
    networkPassphrase: config.network.passphrase,
  })
}

/** Tries until it works, for as long as it may be a matter of time. */
async function retryUntilReady<T>(work: () => Promise<T>, isWorthWaiting: (error: unknown) => boolean, log: Log, stop: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isWorthWaiting(error) || attempt >= DEPENDENCY_ATTEMPTS || stop.aborted) throw error
      log.warn({ err: error, attempt }, 'a neighbour cannot be reached; trying again')
      await clock.sleep(DEPENDENCY_RETRY_MS, stop)
    }
  }
}

function openDatabase(config: Config, secrets: Secrets, log: Log, stop: AbortSignal): Promise<Store> {
  const { databaseUrl } = secrets
  // An indexer reads nothing from it, and is not to wait for it.
  const readUrl = config.role === 'indexer' ? null : secrets.databaseReadUrl
  const open = (): Promise<Store> => openStore({ databaseUrl, readUrl, dataDir: dataFolder(config, 'database'), log, clock })
  return retryUntilReady(open, (error) => error instanceof StoreUnavailable && databaseUrl !== null, log, stop)
}

/** Opens both at the same time: each takes seconds. When one fails the other is closed again. */
async function openDependencies(settings: Settings, log: Log, stop: AbortSignal, disposables: AsyncDisposableStack) {
  const { config, secrets } = settings
  const isHost = config.network.kind === 'local' && secrets.rpcUrls.length === 0
  const [network, store] = await Promise.allSettled([isHost ? startNetwork(config, log) : null, openDatabase(config, secrets, log, stop)])
  if (network.status === 'fulfilled') disposables.use(network.value)
  if (store.status === 'fulfilled') disposables.use(store.value)
  if (network.status === 'rejected') throw network.reason
  if (store.status === 'rejected') throw store.reason
  return { network: network.value, store: store.value }
}

/** Traces, when they are wanted: what makes them is loaded only then. */
async function openTracing({ config, secrets }: Settings, disposables: AsyncDisposableStack): Promise<Tracing | null> {
  if (secrets.traces === null || config.tracing === null) return null
  const { createTracing } = await import('./src/tracing/tracing.ts')
  return disposables.use(createTracing({ ...secrets.traces, ...config.tracing, version: manifest.version }))
}

/** Where the contracts are: the local network tells, or the deployment's manifest does; the environment may override either. */
async function findContracts({ config, secrets }: Settings, network: LocalNetwork | null, log: Log, stop: AbortSignal): Promise<ContractSources> {
  const ask = (): Promise<ContractAddresses> => askForContracts(secrets.rpcUrls, clock)
  const manifest = network?.contracts ?? config.network.manifest ?? (await retryUntilReady(ask, (error) => error instanceof NoLocalNetwork, log, stop))
  return resolveContracts(manifest, config.network.contractOverrides)
}

async function serve(settings: Settings, log: Log, stop: AbortSignal): Promise<void> {
  const { config, secrets } = settings
  await using disposables = new AsyncDisposableStack()
  const { network, store: untracedStore } = await openDependencies(settings, log, stop, disposables)
  const contracts = await findContracts(settings, network, log, stop)
  const rpcUrls = network?.rpcUrl === null || network === null ? secrets.rpcUrls : [network.rpcUrl]
  const metrics = config.metrics === null ? null : createMetrics({ clock, runtime: true })
  const tracing = await openTracing(settings, disposables)
  const untracedRpc = createRpc({ urls: rpcUrls, clock, random, log, networkPassphrase: config.network.passphrase, observer: metrics?.rpc ?? null })
  const rpc = tracing === null ? untracedRpc : tracedRpc(untracedRpc, tracing.tracer)
  const store = tracing === null ? untracedStore : tracedStore(untracedStore, tracing.tracer)
  const parts: Parts = { settings, store, rpc, contracts, metrics, tracing, log, localRpcUrl: network?.rpcUrl ?? null }
  const indexing: Promise<void>[] = []
  const ended = Promise.withResolvers<void>()
  stop.addEventListener('abort', () => ended.resolve(), { once: true })
  if (stop.aborted) return
  const watching = rpc.watch(stop)
  disposables.defer(() => watching)

  if (config.role !== 'indexer') {
    const url = await serveGateway(parts, stop, disposables)
    print(describeStart(url, config, secrets, network))
  }
  if (config.role !== 'api') {
    const indexer = startIndexer(parts)
    disposables.use(indexer)
    indexing.push(indexer.run(stop), reportProgress(indexer, { hosts: rpcUrls.map(hostOf), clock, print, stop }))
  }
  if (metrics !== null && config.metrics !== null) {
    metrics.watch({ index: createIndexSnapshotReader({ db: store.read, clock, log }), rpcQueues: rpc.queues, storeQueues: store.waiting, rpcNodes: rpc.nodes })
    const { url } = disposables.use(await serveMetrics({ metrics, ...config.metrics, log }))
    print(`Metrics: ${url}`)
  }
  // Registered last, so that the indexer has ended before what it uses is closed.
  disposables.defer(async () => void (await Promise.all(indexing)))
  await ended.promise
}

/** What the parts of the process have in common. */
interface Parts {
  readonly settings: Settings
  readonly store: Store
  readonly rpc: RpcClient
  readonly contracts: ContractSources
  readonly metrics: Metrics | null
  readonly tracing: Tracing | null
  readonly log: Log
  /** Of the local network that this process serves. */
  readonly localRpcUrl: string | null
}

/**
 * Serves, and returns where. Told to stop, it announces that at once, beside the indexer's end and not behind it; prices stay fresh for whoever is still
 * served. Whatever it began has ended when `disposables` are disposed.
 */
async function serveGateway(parts: Parts, stop: AbortSignal, disposables: AsyncDisposableStack): Promise<string> {
  const { settings: { config, secrets }, store, rpc, contracts, metrics, tracing, log } = parts
  const redis = secrets.redisUrl === null ? null : disposables.use(createRedis({ url: secrets.redisUrl, clock, random, log }))
  const told = { networkName: config.network.name, networkPassphrase: config.network.passphrase, localRpcUrl: parts.localRpcUrl }
  const gateway = await createGateway({
    store, rpc, contracts, clock, random, log,
    network: { name: config.network.name, passphrase: config.network.passphrase },
    webOrigin: config.server.webOrigin,
    readyMaxLedgerAgeSec: config.server.readyMaxLedgerAgeSec,
    ...(config.server.drainMs === 0 ? {} : { drainMs: config.server.drainMs }),
    trustProxy: config.server.trustProxy,
    klinesUrls: config.klinesUrls,
    regionGuard: config.server.regionGuard,
    allowlist: openAllowlist(config.allowlist, { clock, log }),
    redis,
    streamLimits: config.stream,
    consoleOrder: config.server.console ? { root: import.meta.dirname, settings: told } : null,
    observer: metrics?.http ?? null,
    tracer: tracing?.http ?? null,
  })
  const closed = new AbortController()
  const ticking = gateway.oracle.run(closed.signal)
  const close = async (): Promise<void> => {
    await gateway.close().finally(() => closed.abort())
    await ticking
  }
  disposables.defer(close)
  // A failure is told by whoever disposes of the disposables.
  stop.addEventListener('abort', () => void close().catch(() => {}), { once: true })
  metrics?.watch({ gateway: gateway.stats })
  gateway.stream.start()
  return await gateway.listen(config.server)
}

function startIndexer({ settings, store, rpc, contracts, metrics, tracing, log }: Parts): Indexer {
  const { archiveRpcUrls } = settings.secrets
  const archive = archiveRpcUrls.length === 0 ? null : createRpc({ urls: archiveRpcUrls, clock, random, log })
  const { network, indexer: { pollIntervalMs, startLedger } } = settings.config
  const addresses = Object.fromEntries(Object.entries(contracts).map(([key, { address }]) => [key, address])) as LocalNetwork['contracts']
  const indexer = createIndexer({
    store, rpc: rpc.session(), archive, contracts: addresses, networkPassphrase: network.passphrase, clock, random, log, pollIntervalMs, startLedger,
    ...(metrics === null ? {} : { onArchived: metrics.archived }),
    ...(tracing === null ? {} : { tracer: tracing.tracer }),
  })
  metrics?.watch({ indexer: indexer.status })
  return indexer
}

/** What runs where, who has funds, and what to try. */
function describeStart(url: string, config: Config, secrets: Secrets, network: LocalNetwork | null): string {
  const database = secrets.databaseUrl === null ? `embedded, in ${dataFolder(config, 'database')}` : 'PostgreSQL server (DATABASE_URL)'
  const rows: [string, string][] = [
    ['Gateway', `${url}  (documentation: ${url}/docs)`],
    ...(config.server.console ? [['Console', `${url}/`] satisfies [string, string]] : []),
    ...(network === null ? [['Network', describeNetwork(config, secrets)] satisfies [string, string]] : []),
    ['Database', database],
  ]
  return [
    '',
    ...rows.map(describeRow),
    ...(network === null ? [] : describeLocal(network)),
    '',
    'Try:',
    `  curl -s ${url}/v1/oracle/prices`,
    `  curl -s '${url}/v1/trades?limit=3'`,
    `  curl -s ${url}/v1/health`,
    '',
  ].join('\n')
}

function describeRow([name, text]: readonly [string, string]): string {
  return `  ${name.padEnd(10)} ${text}`
}

function describeNetwork({ network }: Config, { rpcUrls }: Secrets): string {
  return `${network.kind === 'local' ? 'local, of another process' : network.name}, through ${rpcUrls.map(hostOf).join(', ')}`
}

/** A local network that this process serves: its doors, and who has funds. */
function describeLocal({ rpcUrl, friendbotUrl, accounts }: LocalNetwork): readonly string[] {
  const funded = accounts.filter(({ secret }) => secret !== null)
  return [
    describeRow(['Network', `local, JSON-RPC at ${rpcUrl}`]),
    describeRow(['Friendbot', `${friendbotUrl}?addr=G…`]),
    '',
    'Accounts with test funds, for you to play (their secrets are no secrets):',
    ...funded.map(({ name, address, secret }) => `  ${name.padEnd(6)} ${address}\n         secret ${secret}`),
  ]
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the RPC'
}

/** `main.ts rebuild`. */
async function rebuildIndex(settings: Settings, log: Log, stop: AbortSignal): Promise<void> {
  await using store = await openDatabase(settings.config, settings.secrets, log, stop)
  const { events, redecoded } = await rebuild(store, {
    clock,
    signal: stop,
    onProgress: ({ done, total }) => print(`Rebuild: ${done} of ${total} events`),
  })
  print(`Rebuild: done. ${events} events replayed, ${redecoded} of them decode differently now.`)
}

/** `main.ts keys …`. */
async function administerKeys(words: readonly string[]): Promise<void> {
  const command = parseKeysCommand(words)
  const { config, secrets } = loadSettings()
  const dataDir = dataFolder(config, 'database')
  await runKeysCommand(command, {
    openStore: () => openStore({ databaseUrl: secrets.databaseUrl, dataDir, log: createLog(config), clock }),
    allowlist: config.allowlist,
    clock, random, print,
  })
}

/** `main.ts localnet`: the exchange alone, for gateways in other processes. */
async function serveLocalNetwork({ config }: Settings, log: Log, stop: AbortSignal): Promise<void> {
  await using network = await startNetwork(config, log)
  print(['', ...describeLocal(network), ''].join('\n'))
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** `main.ts healthy`, with the environment of the process that is asked about: whether it answers. A standby is well, and so is whoever drains. */
async function reportHealth({ config }: Settings, [what]: readonly string[]): Promise<void> {
  const { server, metrics, local, role } = config
  const at = (host: string, port: number): string => `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`
  if (role === 'indexer' && metrics === null) throw new InvalidSettings(['METRICS_PORT is needed: nothing else of ROLE=indexer can be asked'])
  const gateway = role === 'indexer' && metrics !== null ? `${at(metrics.host, metrics.port)}/metrics` : `${at(server.host, server.port)}/livez`
  const limit = new AbortController()
  const timer = idleClock.setTimer(HEALTH_CHECK_TIMEOUT_MS, () => limit.abort())
  const options = { method: what === 'localnet' ? 'OPTIONS' : 'GET', signal: limit.signal }
  const { ok } = await fetch(what === 'localnet' ? `${at(server.host, local.rpcPort)}/rpc` : gateway, options)
  timer.cancel()
  if (!ok) throw new Error('it answers, and is not well')
}

function createLog(config: Config): Log {
  return pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: true }))
}

function warn({ config, secrets }: Settings, log: Log): void {
  if (config.production && secrets.databaseUrl === null) {
    print('WARNING: NODE_ENV is production and DATABASE_URL is not set. The embedded database serves one process and is for development.')
    log.warn({}, 'production without DATABASE_URL: the embedded database is for development')
  }
}

/** A failed start is told in sentences; its whole story is in the log. */
function reportFailure(error: unknown): void {
  if (error instanceof InvalidSettings) {
    process.stderr.write(`The gateway cannot start:\n${error.problems.map((problem) => `  - ${problem}`).join('\n')}\n`)
    return
  }
  if (error instanceof CommandRejected) {
    process.stderr.write(`${error.message}\n`)
    return
  }
  const { code, port, message } = error as { code?: unknown; port?: unknown; message?: unknown }
  const reason = code === 'EADDRINUSE'
    ? `port ${String(port)} is taken; PORT, LOCAL_RPC_PORT and METRICS_PORT choose other ones`
    : String(message ?? error)
  process.stderr.write(`The gateway cannot go on: ${reason}\n`)
}

const COMMANDS: readonly string[] = ['keys', 'rebuild', 'localnet', 'healthy']

async function main([command, ...words]: readonly string[]): Promise<void> {
  const stop = stopSignal()
  try {
    if (command === 'keys') return await administerKeys(words)
    if (command !== undefined && !COMMANDS.includes(command)) throw new InvalidSettings([`the command is ${COMMANDS.join(', ')} or none, not ${command}`])
    const settings = loadSettings()
    const log = createLog(settings.config)
    if (command === 'healthy') return await reportHealth(settings, words)
    if (command === 'localnet') return await serveLocalNetwork(settings, log, stop)
    warn(settings, log)
    if (command === 'rebuild') await rebuildIndex(settings, log, stop)
    else await serve(settings, log, stop)
  } catch (error) {
    if (stop.aborted && error === stop.reason) return
    process.exitCode = 1
    reportFailure(error)
  }
}

await main(process.argv.slice(2))
