// The whole product in one process without sockets: local network stepped by hand, indexer, gateway, on a virtual clock. Only the database is real in
// time as well. It is what main.ts starts, with other doors.

import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { resolveContracts } from '../../src/config.ts'
import type { ContractAddresses } from '../../src/exchange/contracts.ts'
import { createGateway } from '../../src/gateway.ts'
import type { Gateway, GatewayParts } from '../../src/gateway.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import type { Indexer } from '../../src/indexer/indexer.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { createIndexSnapshotReader } from '../../src/projections/index-snapshot.ts'
import type { Store } from '../../src/store/store.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { busyStore } from './busy-store.ts'
import { openTestStore } from './database.ts'
import { createControlledTransport } from './controlled-transport.ts'
import type { RpcControls } from './controlled-transport.ts'
import { untilIdle } from './until.ts'

/** Monday, 6 July 2026, 12:00:00 UTC. */
export const FIXTURE_START_MS = 1_783_339_200_000
const LEDGER_MS = 1_000
/** A busy machine is no finding: statements may take as long as they need. */
const PATIENCE_MS = 60_000
/** Whoever does not wait for the database has done so after so many turns of the event loop. */
const IDLE_TURNS = 50
/** A loop that should end does so within this many steps. */
const STEPS_MAX = 1_000

export interface GatewayFixtureOptions {
  readonly seed?: string
  readonly traders?: number
  readonly log?: Log
  /** Where the index begins; by default with the network's first ledger. */
  readonly startLedger?: number
  /** What is to be told of everything, as main.ts does it. */
  readonly metrics?: Metrics
  /** What differs in the gateway. */
  readonly gateway?: Partial<GatewayParts>
}

/** An answer as tests look at it. */
export interface GatewayResponse<Body> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly text: string
}

export interface GatewayFixture extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly store: Store
  readonly indexer: Indexer
  readonly gateway: Gateway
  /** What stands between gateway and network. */
  readonly rpc: RpcControls
  /** Resolves when nothing more happens by itself: the database has answered, and whoever waits waits for time. */
  idle(): Promise<void>
  /** Closes ledgers, a second each, everybody acting. */
  closeLedgers(count: number): Promise<void>
  /** Lets the index and the prices catch up with the chain. */
  catchUp(): Promise<void>
  /** Another gateway in the place of this one, as after a restart of its process: on the same database, with nothing in memory. */
  restartGateway(differently?: Partial<GatewayParts>): Promise<void>
  /** Indexer and gateway begin anew on the same database with these addresses, as after an upgrade whose manifest has others. */
  restartWithContracts(contracts: ContractAddresses): Promise<void>
  /** One of the local network's extra methods. */
  control(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  get<Body = Record<string, unknown>>(url: string, headers?: Readonly<Record<string, string>>): Promise<GatewayResponse<Body>>
}

export async function createGatewayFixture(options: GatewayFixtureOptions = {}): Promise<GatewayFixture> {
  const { seed = 'world', traders = 12, log = silentLog } = options
  await using building = new AsyncDisposableStack()
  const clock = createVirtualClock(FIXTURE_START_MS)
  const random = createSeededRandom(seed)
  const network = building.use(
    await startLocalNetwork({ clock, random: random.fork('network'), log, seed, ledgerMs: LEDGER_MS, host: '', port: null, traders, directory: null }),
  )
  const { store, busy } = busyStore(building.use(await openTestStore({ readTimeoutMs: PATIENCE_MS })))
  const { switches, transport } = createControlledTransport(network)
  const rpc = createRpc({ urls: ['http://local/rpc'], transport, clock, random: random.fork('rpc'), log, observer: options.metrics?.rpc ?? null })
  const networkPassphrase = network.networkPassphrase
  const startIndexer = (contracts: ContractAddresses, name: string): Indexer => createIndexer({
    store, rpc: rpc.session(), contracts, networkPassphrase, clock, random: random.fork(name), log, pollIntervalMs: 2_000,
    startLedger: options.startLedger ?? null,
    ...(options.metrics === undefined ? {} : { onArchived: options.metrics.archived }),
  })
  let indexer = startIndexer(network.contracts, 'indexer')
  building.defer(() => indexer[Symbol.asyncDispose]())
  let manifests = 1
  // A test asks more often than the public may; tests of the limit give their own.
  const parts: GatewayParts = {
    store, rpc, contracts: resolveContracts(network.contracts, {}), clock, log,
    network: { name: 'testnet', passphrase: networkPassphrase },
    random: random.fork('gateway'),
    webOrigin: null,
    trustProxy: false,
    klinesUrls: [],
    redis: null,
    regionGuard: null,
    observer: options.metrics?.http ?? null,
    rateLimits: { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 },
    ...options.gateway,
  }
  let gateway = await createGateway(parts)
  building.defer(() => gateway.close())
  const readIndexSnapshot = createIndexSnapshotReader({ db: store.read, clock, log })
  options.metrics?.addSources({
    gateway: () => gateway.stats(), indexer: () => indexer.status(), rpcQueues: rpc.queues, rpcNodes: rpc.nodes, storeQueues: store.waiting,
    index: readIndexSnapshot,
  })
  const owned = building.move()

  return {
    clock, network, store,
    rpc: switches,
    get indexer() {
      return indexer
    },
    get gateway() {
      return gateway
    },
    idle: () => untilIdle(() => busy() > 0, IDLE_TURNS),
    async closeLedgers(count) {
      for (let ledger = 0; ledger < count; ledger++) {
        clock.advance(LEDGER_MS)
        await network.step()
      }
    },
    async catchUp() {
      await gateway.oracle.step()
      for (let steps = 0; steps < STEPS_MAX; steps++) {
        const result = await indexer.step()
        if (result.kind === 'indexed' && result.caughtUp) return
      }
      throw new Error('the index does not catch up')
    },
    async restartGateway(differently = {}) {
      await gateway.close()
      gateway = await createGateway({ ...parts, ...differently })
    },
    async restartWithContracts(contracts) {
      await indexer[Symbol.asyncDispose]()
      indexer = startIndexer(contracts, `indexer ${++manifests}`)
      await gateway.close()
      gateway = await createGateway({ ...parts, contracts: resolveContracts(contracts, {}) })
    },
    control: (method, params = {}) => network.rpc.call(method, params),
    async get<Body>(url: string, headers: Readonly<Record<string, string>> = {}): Promise<GatewayResponse<Body>> {
      const answer = await gateway.app.inject({ url, headers })
      const body = answer.body === '' ? undefined : answer.json<unknown>()
      return { status: answer.statusCode, headers: answer.headers as GatewayResponse<Body>['headers'], body: body as Body, text: answer.body }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
