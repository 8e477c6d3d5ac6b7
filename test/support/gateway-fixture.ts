// The whole product in one process: local network, indexer and gateway on a virtual clock, over a real database. Nothing listens unless `listen` is set.

import { createVirtualClock } from '../../src/base/clock.ts'
import type { Clock, VirtualClock } from '../../src/base/clock.ts'
import { createLedgerClock } from '../../src/base/ledger-clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { createInterfaceFollower } from '../../src/deployment/interfaces.ts'
import type { InterfaceFollower } from '../../src/deployment/interfaces.ts'
import type { ReplaceableDeployment } from '../../src/exchange/deployment.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { Gateway, GatewayParts } from '../../src/gateway/gateway.ts'
import { LOCAL_NETWORK } from '../../src/indexer/identity/confirmation.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import type { Indexer } from '../../src/indexer/indexer.ts'
import type { Metrics } from '../../src/observability/metrics.ts'
import { createIndexSnapshotReader } from '../../src/projections/state/index-snapshot.ts'
import type { Store } from '../../src/store/store.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { GATEWAY_DEFAULTS } from './bare-gateway.ts'
import { createControlledTransport } from './controlled-transport.ts'
import type { RpcControls } from './controlled-transport.ts'
import { openTestStore } from './database.ts'
import { call } from './keys.ts'
import type { ApiResponse } from './keys.ts'
import { TEST_GENERATION } from './generation.ts'
import { startNetworkOn } from './network.ts'
import { connectStream } from './stream-client.ts'
import type { StreamClient } from './stream-client.ts'
import { trackCalls } from './tracked-store.ts'
import { untilIdle } from './until.ts'
import { currentDeploymentOf } from './deployments.ts'

/** Monday, 6 July 2026, 12:00:00 UTC. */
export const FIXTURE_START_MS = 1_783_339_200_000
const LEDGER_MS = 1_000
/** Generous, so that a slow machine does not fail a test. */
const STATEMENT_TIMEOUT_MS = 60_000
const IDLE_TURNS = 50
const INDEXER_STEPS_MAX = 1_000

interface GatewayFixtureOptions {
  readonly seed?: string
  readonly traders?: number
  /** Time between two ledgers; a second by default. */
  readonly ledgerMs?: number
  /** Time by which the clock of gateway and indexer is ahead of the network's; negative: behind. */
  readonly clockAheadMs?: number
  /** Of the contracts; TEST_GENERATION by default. */
  readonly generation?: '1' | '2'
  /** False: the assets have no limits of their own. */
  readonly hasAssetLimits?: boolean
  readonly log?: Log
  /** The first ledger to index; by default the network's first. */
  readonly startLedger?: number
  /** Connected to all parts, as main.ts does it. */
  readonly metrics?: Metrics
  /** True if the network's RPC server listens, with the outside market's klines. */
  readonly hasRpcServer?: boolean
  /** The addresses of the network's nodes; one by default. */
  readonly rpcUrls?: readonly string[]
  /** Replaces parts of the gateway. */
  readonly gateway?: Partial<GatewayParts>
  /** True if the gateway listens on a free port of 127.0.0.1. */
  readonly listen?: boolean
}

export interface GatewayFixture extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly indexer: Indexer
  readonly gateway: Gateway
  /** Address at which the gateway listens; changes with a restart. Empty without `listen`. */
  readonly url: string
  /** Deployment that gateway and indexer serve; replace it as a changed manifest does. */
  readonly deployment: ReplaceableDeployment
  /** Faults between gateway and network. */
  readonly rpc: RpcControls
  /** Resolves when only time can make something happen: no database call is running and the event loop is quiet. */
  idle(): Promise<void>
  /** Closes ledgers, one per second unless the options say otherwise. All actors act. */
  closeLedgers(count: number): Promise<void>
  /** Reads the prices and indexes up to the head of the chain. */
  catchUp(): Promise<void>
  /** Closes ledgers, indexes them and publishes them on the stream. */
  publishLedgers(count: number): Promise<void>
  /** Opens a stream connection; the fixture closes it at the end. */
  connect(headers?: Readonly<Record<string, string>>): Promise<StreamClient>
  /** Replaces the gateway, as a restart of its process does: same database, empty memory. Close stream connections first. */
  restartGateway(overrides?: Partial<GatewayParts>): Promise<void>
  /** Restarts indexer and gateway on the same database with other contract addresses. Close stream connections first. */
  restartWithContracts(contracts: ContractAddresses): Promise<void>
  /** Calls a control method of the local network. */
  control(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  get<Body = Record<string, unknown>>(url: string, headers?: Readonly<Record<string, string>>): Promise<ApiResponse<Body>>
}

export async function createGatewayFixture(options: GatewayFixtureOptions = {}): Promise<GatewayFixture> {
  const { seed = 'world', traders = 12, generation = TEST_GENERATION, log = silentLog, listen = false, ledgerMs = LEDGER_MS, metrics } = options
  const { hasAssetLimits = true, hasRpcServer = false, rpcUrls = ['http://local/rpc'], clockAheadMs = 0 } = options
  await using building = new AsyncDisposableStack()
  const clock = createVirtualClock(FIXTURE_START_MS)
  const ownClock: Clock = clockAheadMs === 0 ? clock : { ...clock, nowMs: () => clock.nowMs() + clockAheadMs }
  const random = createSeededRandom(seed)
  const setup = { log, seed, traders, generation, hasAssetLimits, ledgerMs }
  const network = building.use(await startNetworkOn(clock, { random: random.fork('network'), port: hasRpcServer ? 0 : null, autoClose: false, ...setup }))
  const deploymentWith = (contracts: ContractAddresses): ReplaceableDeployment =>
    currentDeploymentOf(contracts, { passphrase: network.networkPassphrase, generation: network.generation, assets: network.assets })
  const { store, running } = trackCalls(building.use(await openTestStore({ readTimeoutMs: STATEMENT_TIMEOUT_MS })))
  const { controls, transport } = createControlledTransport(network)
  const ledgerClock = createLedgerClock({ clock: ownClock, log })
  const rpc = createRpc({ urls: rpcUrls, transport, clock: ownClock, random: random.fork('rpc'), log, observer: metrics?.rpc ?? null, ledgerClock })
  let deployment = deploymentWith(network.contracts)
  const startIndexer = (name: string): Indexer => createIndexer({
    store, rpc: rpc.session(), deployment, clock: ownClock, random: random.fork(name), log, pollIntervalMs: 2_000,
    startLedger: options.startLedger ?? null,
    trust: LOCAL_NETWORK,
    ...(metrics === undefined ? {} : { onArchived: metrics.archived }),
  })
  const parts: GatewayParts = {
    ...GATEWAY_DEFAULTS,
    store, rpc, ledgerClock, clock: ownClock, log, deployment, random: random.fork('gateway'),
    observer: metrics?.http ?? null,
    // The database has the fixture's time, which passes with its ledgers.
    readDatabaseTime: async () => clock.nowMs(),
    ...options.gateway,
  }
  let indexer = startIndexer('indexer')
  const followInterfaces = (): InterfaceFollower => createInterfaceFollower({ store, deployment, clock: ownClock, log })
  let interfaces = followInterfaces()
  building.defer(() => indexer[Symbol.asyncDispose]())
  let contractChanges = 1
  let gateway = await createGateway(parts)
  building.defer(() => gateway.close())
  let url = ''
  const startListening = async (): Promise<void> => {
    if (listen) url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  }
  await startListening()
  metrics?.addSources({
    gateway: () => gateway.stats(), indexer: () => indexer.status(), rpcQueues: rpc.queues, rpcNodes: rpc.nodes, storeQueues: store.waiting,
    index: createIndexSnapshotReader({ store, clock: ownClock, log }), ledgerTime: ledgerClock, interfaces: () => deployment.current.interfaces,
  })
  const clients: StreamClient[] = []
  building.defer(async () => void (await Promise.all(clients.map((client) => client.close()))))
  const owned = building.move()

  async function restartGateway(overrides: Partial<GatewayParts> = {}): Promise<void> {
    await gateway.close()
    gateway = await createGateway({ ...parts, ...overrides })
    await startListening()
  }

  const fixture: GatewayFixture = {
    clock, network, store, restartGateway,
    rpc: controls,
    get deployment() {
      return deployment
    },
    get indexer() {
      return indexer
    },
    get gateway() {
      return gateway
    },
    get url() {
      return url
    },
    idle: () => untilIdle(() => running() > 0, IDLE_TURNS),
    async closeLedgers(count) {
      for (let ledger = 0; ledger < count; ledger++) {
        clock.advance(ledgerMs)
        await network.step()
      }
    },
    async catchUp() {
      await gateway.oracle.step()
      for (let steps = 0; steps < INDEXER_STEPS_MAX; steps++) {
        const result = await indexer.step()
        if (result.kind !== 'indexed' || !result.caughtUp) continue
        await indexer.numberSubmissions()
        return await interfaces.refresh()
      }
      throw new Error(`the index has not caught up after ${INDEXER_STEPS_MAX} steps`)
    },
    async publishLedgers(count) {
      await fixture.closeLedgers(count)
      await fixture.catchUp()
      await gateway.stream.publishCommitted()
    },
    async connect(headers) {
      const client = await connectStream(url, headers)
      clients.push(client)
      return client
    },
    async restartWithContracts(contracts) {
      await indexer[Symbol.asyncDispose]()
      deployment = deploymentWith(contracts)
      interfaces = followInterfaces()
      indexer = startIndexer(`indexer ${++contractChanges}`)
      await restartGateway({ deployment })
    },
    control: (method, params = {}) => network.rpc.call(method, params),
    get: (path, headers = {}) => call(gateway.app, path, { headers, from: '127.0.0.1' }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return fixture
}
