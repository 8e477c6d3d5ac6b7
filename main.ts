// The process: environment -> config -> (local network) -> store -> indexer -> gateway -> signals -> exit. Subcommands: `rebuild` recomputes all projections
// from the archive, `verify` compares the index with the network, `move` copies the embedded database to a server, `keys` administers API keys, and
// `localnet` runs only the local network. Messages for people go to stdout, logs to stderr.

import { join } from 'node:path'
import { startLocalNetwork } from 'perpetual-exchange-localnet'
import type { LocalNetwork } from 'perpetual-exchange-localnet'
import { fetchDeployment, LocalNetworkUnreachable } from 'perpetual-exchange-localnet/discover'
import type { LocalDeployment } from 'perpetual-exchange-localnet/discover'
import manifest from './package.json' with { type: 'json' }
import { createSystemClock } from './src/base/clock.ts'
import { createLedgerClock } from './src/base/ledger-clock.ts'
import type { LedgerClock } from './src/base/ledger-clock.ts'
import { CommandRejected } from './src/base/command-rejected.ts'
import type { Log } from './src/base/log.ts'
import { createSystemRandom } from './src/base/random.ts'
import { retry } from './src/base/retry.ts'
import { createReplaceableRpc } from './src/chain/rpc/replaceable-rpc.ts'
import { createRpc } from './src/chain/rpc/rpc.ts'
import type { RpcClient } from './src/chain/rpc/rpc.ts'
import { tracedRpc } from './src/chain/rpc/traced-rpc.ts'
import { InvalidSettings, loadSettings } from './src/config/config.ts'
import type { Config, Secrets, Settings } from './src/config/config.ts'
import { declarationOf } from './src/deployment/declaration.ts'
import type { Declared } from './src/deployment/declaration.ts'
import { createDeploymentFollower } from './src/deployment/follow-deployment.ts'
import { createInterfaceFollower } from './src/deployment/interfaces.ts'
import { createCurrentDeployment, createDeployment } from './src/exchange/deployment.ts'
import type { ReplaceableDeployment } from './src/exchange/deployment.ts'
import { createGateway } from './src/gateway/gateway.ts'
import type { SigningKey } from './src/base/proofs/signing.ts'
import { localSigningKeys } from './src/config/signing-keys.ts'
import { createSubmissionVerifier } from './src/gateway/submission-verifier.ts'
import { chainTrust } from './src/indexer/identity/confirmation.ts'
import { createIndexer } from './src/indexer/indexer.ts'
import type { IndexerOptions } from './src/indexer/options.ts'
import { runSideIndexers } from './src/indexer/side-indexers.ts'
import type { Indexer } from './src/indexer/indexer.ts'
import { INDEXER_LOCK } from './src/indexer/options.ts'
import { describeStatus } from './src/indexer/status.ts'
import type { IndexerStatus } from './src/indexer/status.ts'
import { rebuild } from './src/indexer/repair/rebuild.ts'
import { serveFolder } from './src/indexer/repair/task-channel.ts'
import { runTaskCommand } from './src/indexer/repair/task-command.ts'
import { openAllowlist } from './src/keys/allowlist.ts'
import { parseKeysCommand, runKeysCommand } from './src/keys/operator.ts'
import { createLogger } from './src/observability/logger.ts'
import { createMetrics } from './src/observability/metrics.ts'
import type { Metrics } from './src/observability/metrics.ts'
import { serveMetrics } from './src/observability/server.ts'
import { createIndexSnapshotReader } from './src/projections/state/index-snapshot.ts'
import { createRedis } from './src/gateway/redis/redis.ts'
import { moveDatabase, parseMoveCommand } from './src/store/move/move.ts'
import { openStore } from './src/store/open.ts'
import { describeLocal, describeStart, hostOf } from './src/gateway/start-message.ts'
import { StoreUnavailable } from './src/store/store.ts'
import type { Store } from './src/store/store.ts'
import { tracedStore } from './src/store/traced-store.ts'
import type { Tracing } from './src/observability/tracing.ts'

/** npm forwards a Ctrl-C that the process has already received. Signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000
/** Retries while a database server, or the local network of another process, is still starting. */
const DEPENDENCY_ATTEMPTS = 15
const DEPENDENCY_RETRY_MS = { min: 2_000, max: 2_000 } as const

const clock = createSystemClock()
/** For timers that must not keep the process alive. */
const idleClock = createSystemClock({ keepAlive: false })
const random = createSystemRandom()

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Aborts at the first SIGINT or SIGTERM. The next one finds no handler, so it kills the process. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) return
    stop.abort()
    print('\nStopping. Press Ctrl-C again to quit immediately.')
    idleClock.setTimer(SAME_SIGNAL_MS, () => {
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
    })
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return stop.signal
}

/** Each network has its own folder, so that their data never mixes. */
function dataFolder(config: Config, name: 'chain' | 'database'): string {
  return join(config.dataDir, config.network.kind, name)
}

function startNetwork(config: Config, log: Log): Promise<LocalNetwork> {
  const { seed, generation, protocol, ledgerMs, rpcHost: host, rpcPort: port, allowedHosts, traders } = config.local
  return startLocalNetwork({
    clock, random, log, seed: seed ?? Buffer.from(random.bytes(6)).toString('hex'), generation, protocol, ledgerMs, host, port, allowedHosts, traders,
    directory: dataFolder(config, 'chain'), networkPassphrase: config.network.passphrase,
  })
}

/** Retries `work` while it fails with a retryable error, up to DEPENDENCY_ATTEMPTS times. */
function retryUntilReady<T>(work: () => Promise<T>, isRetryable: (error: unknown) => boolean, log: Log, stop: AbortSignal): Promise<T> {
  const mayRetry = (error: unknown, attempt: number): boolean => {
    if (!isRetryable(error) || attempt >= DEPENDENCY_ATTEMPTS || stop.aborted) return false
    log.warn({ err: error, attempt }, 'dependency unreachable, retrying')
    return true
  }
  return retry({ clock, pauseMs: DEPENDENCY_RETRY_MS, signal: stop, mayRetry }, work)
}

function openDatabase(config: Config, secrets: Secrets, log: Log, stop: AbortSignal): Promise<Store> {
  const { databaseUrl } = secrets
  // An indexer does not read from the replica and must not wait for it.
  const readUrl = config.role === 'indexer' ? null : secrets.databaseReadUrl
  const open = (): Promise<Store> => openStore({ databaseUrl, readUrl, dataDir: dataFolder(config, 'database'), log, clock, stop })
  return retryUntilReady(open, (error) => error instanceof StoreUnavailable && databaseUrl !== null, log, stop)
}

const runsLocalNetwork = ({ config, secrets }: Settings): boolean => config.network.kind === 'local' && secrets.rpcUrls.length === 0

/** Without a named key, the process of a local network creates its own. */
function signingKeysOf(settings: Settings): readonly SigningKey[] {
  const { secrets: { signingKeys }, config: { dataDir, network } } = settings
  return signingKeys ?? (runsLocalNetwork(settings) ? localSigningKeys(join(dataDir, network.kind, 'signing-key.pem'), random) : [])
}

/** Opens both concurrently, because each takes seconds. If one fails, the other is closed. */
async function openDependencies(settings: Settings, log: Log, stop: AbortSignal, disposables: AsyncDisposableStack) {
  const { config, secrets } = settings
  const [network, store] = await Promise.allSettled([runsLocalNetwork(settings) ? startNetwork(config, log) : null, openDatabase(config, secrets, log, stop)])
  if (network.status === 'fulfilled') disposables.use(network.value)
  if (store.status === 'fulfilled') disposables.use(store.value)
  if (network.status === 'rejected') throw network.reason
  if (store.status === 'rejected') throw store.reason
  return { network: network.value, store: store.value }
}

/** Loads the tracing library only if tracing is configured. */
async function openTracing({ config, secrets }: Settings, disposables: AsyncDisposableStack): Promise<Tracing | null> {
  if (secrets.traces === null || config.tracing === null) return null
  const { createTracing } = await import('./src/observability/tracing.ts')
  return disposables.use(createTracing({ ...secrets.traces, ...config.tracing, version: manifest.version }))
}

/** Finds what the manifest declares, or the local network reports. */
async function findDeclared({ config, secrets }: Settings, network: LocalNetwork | null, log: Log, stop: AbortSignal): Promise<Declared> {
  const ask = (): Promise<LocalDeployment> => fetchDeployment(secrets.rpcUrls, clock)
  const mayRetry = (error: unknown): boolean => error instanceof LocalNetworkUnreachable
  return network ?? config.network.manifest ?? (await retryUntilReady(ask, mayRetry, log, stop))
}

async function serve(settings: Settings, log: Log, stop: AbortSignal): Promise<void> {
  const { config, secrets } = settings
  await using disposables = new AsyncDisposableStack()
  const { network, store: untracedStore } = await openDependencies(settings, log, stop, disposables)
  const declared = await findDeclared(settings, network, log, stop)
  const deployment = createCurrentDeployment(createDeployment(declarationOf(declared, config.network, config.network.others)))
  const rpcUrls = network?.rpcUrl === null || network === null ? secrets.rpcUrls : [network.rpcUrl]
  const metrics = config.metrics === null ? null : createMetrics({ clock, runtime: true })
  const tracing = await openTracing(settings, disposables)
  const ledgerClock = createLedgerClock({ clock, log })
  const rpc = createReplaceableRpc((urls) => {
    const client = createRpc({ urls, clock, random, log, networkPassphrase: config.network.passphrase, observer: metrics?.rpc ?? null, ledgerClock })
    return tracing === null ? client : tracedRpc(client, tracing.tracer)
  }, rpcUrls)
  const store = tracing === null ? untracedStore : tracedStore(untracedStore, tracing.tracer)
  const local = { localRpcUrl: network?.rpcUrl ?? null, localKlinesUrls: localKlinesUrls(secrets, network) }
  const parts: Parts = { settings, store, rpc, ledgerClock, deployment, metrics, tracing, log, ...local }
  const indexing: Promise<void>[] = []
  const stopped = Promise.withResolvers<void>()
  stop.addEventListener('abort', () => stopped.resolve(), { once: true })
  if (stop.aborted) return
  const readLocal = async (): Promise<Declared> => network ?? (await fetchDeployment(secrets.rpcUrls, clock))
  const manifests = createDeploymentFollower({ deployments: settings.deployments, network: config.network, declared, readLocal, deployment, rpc, clock, log })
  const interfaces = createInterfaceFollower({ store, deployment, clock, log })
  const watching = Promise.all([rpc.watch(stop), manifests.run(stop), interfaces.run(stop)])
  disposables.defer(async () => void (await watching))

  if (config.role !== 'indexer') {
    const url = await serveGateway(parts, stop, disposables)
    network?.trustGateway(Number(new URL(url).port || 80))
    print(describeStart(url, { config, secrets, network, databaseFolder: dataFolder(config, 'database') }))
  }
  if (config.role !== 'api') {
    const hosts = rpcUrls.map(hostOf)
    const onStatus = (status: IndexerStatus): void => print(describeStatus(status, hosts))
    const indexer = startIndexer(parts, onStatus)
    disposables.use(indexer)
    if (secrets.databaseUrl === null) indexing.push(serveFolder(dataFolder(config, 'database'), store, { clock, signal: stop }))
    indexing.push(indexer.run(stop), runOtherIndexers(parts, stop))
  }
  if (metrics !== null && config.metrics !== null) {
    metrics.addSources({
      index: createIndexSnapshotReader({ store, clock, log }), ledgerTime: ledgerClock,
      interfaces: () => deployment.current.interfaces, manifestProblems: manifests.problems,
      rpcQueues: rpc.queues, storeQueues: store.waiting, rpcNodes: rpc.nodes,
    })
    const { url } = disposables.use(await serveMetrics({ metrics, ...config.metrics, log }))
    print(`Metrics: ${url}`)
  }
  // Registered last, so that the indexer finishes before its dependencies are closed.
  disposables.defer(async () => void (await Promise.all(indexing)))
  await stopped.promise
}

interface Parts {
  readonly settings: Settings
  readonly store: Store
  readonly rpc: RpcClient
  readonly ledgerClock: LedgerClock
  readonly deployment: ReplaceableDeployment
  readonly metrics: Metrics | null
  readonly tracing: Tracing | null
  readonly log: Log
  /** URL of the local network in this process, if any. */
  readonly localRpcUrl: string | null
  readonly localKlinesUrls: readonly string[]
}

type IndexerParts = Pick<Parts, 'settings' | 'store' | 'rpc' | 'deployment' | 'metrics' | 'tracing' | 'log'>

/** The local network serves klines beside its RPC, also in another process. */
function localKlinesUrls({ rpcUrls }: Secrets, network: LocalNetwork | null): readonly string[] {
  if (network !== null) return network.klinesUrl === null ? [] : [network.klinesUrl]
  return rpcUrls.map((url) => new URL(url).origin)
}

/**
 * Starts the gateway and returns its URL. On `stop` it announces the shutdown immediately, while the indexer still
 * stops, and keeps prices fresh until the last request is served. Disposing `disposables` waits for the end of the shutdown.
 */
async function serveGateway(parts: Parts, stop: AbortSignal, disposables: AsyncDisposableStack): Promise<string> {
  const { settings: { config, secrets }, store, rpc, ledgerClock, deployment, metrics, tracing, log } = parts
  const redis = secrets.redisUrl === null ? null : disposables.use(createRedis({ url: secrets.redisUrl, clock, random, log }))
  const consoleSettings = { networkName: config.network.name, networkPassphrase: config.network.passphrase, localRpcUrl: parts.localRpcUrl }
  const gateway = await createGateway({
    store, rpc, ledgerClock, deployment, clock, random, log,
    allowedHosts: config.server.allowedHosts,
    webOrigins: config.server.webOrigins,
    addressCeiling: config.server.addressCeiling,
    readyMaxLedgerAgeSec: config.server.readyMaxLedgerAgeSec,
    readyMaxPriceAgeSec: config.server.readyMaxPriceAgeSec,
    ...(config.server.drainMs === 0 ? {} : { drainMs: config.server.drainMs }),
    trustProxy: config.server.trustProxy,
    klinesUrls: config.klinesUrls ?? parts.localKlinesUrls,
    hasKlinesOfEveryAsset: config.klinesUrls === null,
    regionGuard: config.server.regionGuard,
    allowlist: openAllowlist(config.allowlist, { clock, log }),
    maxKeysPerOwner: config.maxKeysPerOwner,
    requireTimestamp: config.requireTimestamp,
    heartbeatSecret: secrets.heartbeatSecret,
    signingKeys: signingKeysOf(parts.settings),
    logOrigin: config.logOrigin,
    redis,
    streamLimits: config.stream,
    consoleBuild: config.server.console ? { root: import.meta.dirname, settings: consoleSettings } : null,
    observer: metrics?.http ?? null,
    tracer: tracing?.http ?? null,
  })
  const closed = new AbortController()
  const running = Promise.all([gateway.oracle.run(closed.signal), gateway.submissions.run(closed.signal)])
  const close = async (): Promise<void> => {
    await gateway.close().finally(() => closed.abort())
    await running
  }
  disposables.defer(close)
  // Errors surface when `disposables` are disposed.
  stop.addEventListener('abort', () => void close().catch(() => {}), { once: true })
  metrics?.addSources({ gateway: gateway.stats })
  gateway.stream.start()
  return await gateway.listen(config.server)
}

/** Indexes the other deployments of the configuration, each in its own index. */
function runOtherIndexers(parts: Parts, stop: AbortSignal): Promise<void> {
  return runSideIndexers({
    ...parts, clock,
    createIndexer: (own) => createIndexer({ ...indexerOptions({ ...parts, metrics: null }), ...own }),
  }, stop)
}

function startIndexer(parts: IndexerParts, onStatus?: (status: IndexerStatus) => void): Indexer {
  const indexer = createIndexer({ ...indexerOptions(parts), ...(onStatus === undefined ? {} : { onStatus }) })
  parts.metrics?.addSources({ indexer: indexer.status })
  return indexer
}

function indexerOptions({ settings, store, rpc, deployment, metrics, tracing, log }: IndexerParts): IndexerOptions {
  const { archiveRpcUrls } = settings.secrets
  const archive = archiveRpcUrls.length === 0 ? null : createRpc({ urls: archiveRpcUrls, clock, random, log })
  const { network, indexer: { pollIntervalMs, startLedger } } = settings.config
  return {
    store, rpc: rpc.session(), archive, deployment, clock, random, log, pollIntervalMs, startLedger,
    trust: chainTrust(network.kind, settings.secrets.rpcUrls.length === 0),
    ...(metrics === null ? {} : { onArchived: metrics.archived }),
    ...(tracing === null ? {} : { tracer: tracing.tracer }),
  }
}

/** `main.ts rebuild` and `main.ts verify`. */
async function runTask(kind: 'rebuild' | 'verify', settings: Settings, log: Log, stop: AbortSignal): Promise<void> {
  const { config, secrets } = settings
  process.exitCode = await runTaskCommand(kind, {
    openStore: () => openDatabase(config, secrets, log, stop),
    folder: dataFolder(config, 'database'), clock, print, signal: stop,
    async createWorker(store) {
      if (kind === 'rebuild') return async (signal) => void (await rebuild(store, { clock, random, log }, signal))
      if (runsLocalNetwork(settings)) throw new CommandRejected('The local network runs in the gateway\'s process. Start the gateway, then verify.')
      const declared = await findDeclared(settings, null, log, stop)
      const deployment = createCurrentDeployment(createDeployment(declarationOf(declared, config.network, config.network.others)))
      const rpc = createRpc({ urls: secrets.rpcUrls, clock, random, log, networkPassphrase: config.network.passphrase })
      const parts = { settings, store, rpc, deployment, metrics: null, tracing: null, log }
      // The driver compares the submissions.
      const [indexer, submissions] = [startIndexer(parts), createSubmissionVerifier({ ...parts, clock, random })]
      return async (signal) => void (await Promise.all([indexer.run(signal), submissions.run(signal)]))
    },
  })
}

/** `main.ts keys …`. */
async function administerKeys(words: readonly string[]): Promise<void> {
  const command = parseKeysCommand(words)
  const { config, secrets } = loadSettings()
  await runKeysCommand(command, {
    openStore: () => openStore({ databaseUrl: secrets.databaseUrl, dataDir: dataFolder(config, 'database'), log: createLogger(config.log), clock }),
    allowlist: config.allowlist, maxKeysPerOwner: config.maxKeysPerOwner,
    clock, random, print,
  })
}

/** `main.ts move …`. */
async function moveToServer(words: readonly string[], stop: AbortSignal): Promise<void> {
  const url = parseMoveCommand(words)
  const { config } = loadSettings()
  await moveDatabase(url, { dataDir: dataFolder(config, 'database'), lockName: INDEXER_LOCK, log: createLogger(config.log), clock, print, stop })
}

/** `main.ts localnet`: runs the exchange for gateways in other processes. */
async function serveLocalNetwork({ config }: Settings, log: Log, stop: AbortSignal): Promise<void> {
  await using network = await startNetwork(config, log)
  print(['', ...describeLocal(network), ''].join('\n'))
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

function warn({ config, secrets }: Settings, log: Log): void {
  if (config.production && secrets.databaseUrl === null) {
    print('WARNING: NODE_ENV=production without DATABASE_URL. The embedded database supports only one process and is meant for development.')
    log.warn({}, 'NODE_ENV=production without DATABASE_URL: using the embedded development database')
  }
}

function reportFailure(error: unknown, command: string | undefined): void {
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
    ? `port ${String(port)} is already in use. Set PORT, LOCAL_RPC_PORT or METRICS_PORT to another port`
    : String(message ?? error)
  process.stderr.write(`${command === undefined ? 'The gateway' : `npm run ${command}`} failed: ${reason}\n`)
}

const COMMANDS: readonly string[] = ['keys', 'rebuild', 'verify', 'move', 'localnet']

async function main([command, ...words]: readonly string[]): Promise<void> {
  const stop = stopSignal()
  try {
    if (command === 'keys') return await administerKeys(words)
    if (command === 'move') return await moveToServer(words, stop)
    if (command !== undefined && !COMMANDS.includes(command)) {
      throw new InvalidSettings([`unknown command ${command}. Use ${COMMANDS.join(', ')}, or no command to start the gateway`])
    }
    const settings = loadSettings()
    const log = createLogger(settings.config.log)
    if (command === 'localnet') return await serveLocalNetwork(settings, log, stop)
    warn(settings, log)
    if (command === 'rebuild' || command === 'verify') await runTask(command, settings, log, stop)
    else await serve(settings, log, stop)
  } catch (error) {
    if (stop.aborted && error === stop.reason) return
    process.exitCode = 1
    reportFailure(error, command)
  }
}

await main(process.argv.slice(2))
