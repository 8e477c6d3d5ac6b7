// Starts the local network: ledger, RPC server, contracts, actors and control methods.

import { nowSec } from '../src/base/clock.ts'
import type { Clock } from '../src/base/clock.ts'
import type { Log } from '../src/base/log.ts'
import { createSeededRandom } from '../src/base/random.ts'
import type { Random } from '../src/base/random.ts'
import { assetsOf, PRICED_SYMBOLS } from './assets.ts'
import type { Asset } from '../src/exchange/assets.ts'
import type { Generation } from '../src/exchange/contracts/generations.ts'
import type { ExchangeParties } from '../src/exchange/contracts/footprint-keys.ts'
import { CONTRACT_KEYS } from '../src/exchange/contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from '../src/exchange/contracts/contracts.ts'
import { createClient } from './actors/client.ts'
import type { Transport } from './actors/client.ts'
import { createActors } from './actors/actors.ts'
import type { Identity } from './actors/identity.ts'
import { createPriceFeed } from './actors/price-feed.ts'
import type { PriceFeed } from './actors/price-feed.ts'
import { createPriceReplay } from './actors/price-file.ts'
import type { PriceLine } from './actors/price-file.ts'
import { createPriceWalk } from './actors/price-walk.ts'
import type { Chain } from './chain.ts'
import { controlMethods } from './control/methods.ts'
import { latestView, resyncActors, step } from './controls.ts'
import type { Controls } from './controls.ts'
import { createChain } from './create-chain.ts'
import { createFaults } from './faults.ts'
import type { Faults } from './faults.ts'
import { createGenesis, exchangeParties } from './genesis.ts'
import type { LocalGenesis } from './genesis.ts'
import type { Identities } from './identities.ts'
import { DEFAULT_PROTOCOL } from './ledger/protocol.ts'
import { createSemaphore } from '../src/base/semaphore.ts'
import { createPacer } from './pacer.ts'
import { createPriceHistory } from './price-history.ts'
import type { PriceOrigin } from './price-history.ts'
import { createRpcHandler } from './rpc/handler.ts'
import type { RpcHandler } from './rpc/handler.ts'
import { createFriendbot } from './rpc/friendbot.ts'
import { createKlines } from './rpc/klines.ts'
import { FIRST_BUILDS, FIRST_SETUP, readSetup } from './setup.ts'
import type { LocalGeneration, Setup } from './setup.ts'
import { RETENTION_LEDGERS_DEFAULT } from './rpc/limits.ts'
import { serveRpc } from './rpc/server.ts'
import type { ServeOptions } from './rpc/server.ts'

export interface LocalNetworkOptions {
  readonly clock: Clock
  /** For the ledger. Prices and actors are seeded by `seed` instead. */
  readonly random: Random
  readonly log: Log
  readonly seed: string
  /** Time between two ledgers. */
  readonly ledgerMs: number
  readonly host: string
  /** Further names by which clients reach the RPC server; null: any. Default: none. */
  readonly allowedHosts?: readonly string[] | null
  /** null: no sockets; 0: any free port. */
  readonly port: number | null
  /** The number of traders, 0 to MAX_TRADERS. */
  readonly traders: number
  /** The directory of the chain; null keeps the chain in memory. */
  readonly directory: string | null
  /** Prices that replace the random walk. Offsets count from this start. */
  readonly prices?: readonly PriceLine[]
  /** True if ledgers close on a timer. Default: only when a port is given. */
  readonly autoClose?: boolean
  readonly networkPassphrase?: string
  /** The generation of the contracts of a new chain; a stored chain keeps its own. Default: 1. */
  readonly generation?: LocalGeneration
  /** False: the assets have no limits of their own, as before the admin sets the first ones. Generation 2. */
  readonly hasAssetLimits?: boolean
  /** The protocol of a new chain, and of a reset one; a stored chain keeps its own. Default: DEFAULT_PROTOCOL. */
  readonly protocol?: number
  /** Faults of the RPC server and of ledgers, for a simulation that decides them itself. */
  readonly faults?: Faults
}

/** An account of the network. */
export interface NamedAccount {
  readonly name: string
  readonly address: string
  /** `S…` for the accounts that users may use; null for the actors. */
  readonly secret: string | null
}

/** A running local network. Disposing it stops everything that it started. */
export interface LocalNetwork extends AsyncDisposable {
  readonly rpcUrl: string | null
  readonly friendbotUrl: string | null
  /** The base URL of the outside market's klines. */
  readonly klinesUrl: string | null
  readonly networkPassphrase: string
  /** Of the current chain; a reset can change them. */
  readonly contracts: ContractAddresses
  /** In listing order. */
  readonly assets: readonly Asset[]
  /** Of the contracts that the current chain started with. */
  readonly generation: Generation
  readonly accounts: readonly NamedAccount[]
  /** The parties of the exchange of the current chain. */
  readonly exchange: ExchangeParties
  readonly rpc: RpcHandler
  readonly chain: Chain
  /** Lets pages of the gateway at this port call the local_ methods and friendbot. */
  trustGateway(port: number): void
  /** Lets the actors act, then closes one ledger. */
  step(): Promise<void>
}

/** Ledgers that a new network closes without waiting for the timer, so that prices, deposits, positions and trades exist as soon as it starts. */
const INITIAL_LEDGERS = 7

/** The passphrase of the public test network, so that existing clients sign for the local network unchanged. */
export const TEST_NETWORK_PASSPHRASE = 'Test SDF Network ; September 2015'

const ORIGIN_SETTING = 'price history'

/** Calls that may wait while another changes the network. */
const MAX_WAITING = 255

/** Starts the network, or continues the one stored in `directory`. Throws when the directory cannot be used or the port is taken. */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const isPaced = options.autoClose ?? options.port !== null
  const opened = openChain(options, isPaced)
  const { chain, endDelay, feed, prices } = opened
  const controls = composeControls(options, opened)
  const history = createPriceHistory(originOf(chain, options.seed, prices), feed)
  const rpc = createRpcHandler({
    chain,
    faults: controls.faults,
    friendbot: createFriendbot({ chain, clock: options.clock }),
    klines: createKlines(history),
    clock: options.clock,
    log: options.log,
    extraMethods: controlMethods(controls),
  })
  if (latestView(chain).sequence > 1) await resyncActors(controls)
  else if (isPaced) await closeInitialLedgers(controls)
  endDelay()
  const served = options.port === null ? null : await serveRpc(rpc, { ...servingOptions(options), port: options.port })
  if (isPaced) {
    controls.pacer.start()
    // These transactions are in the first ledger that the timer closes.
    void controls.runActors()
  }
  const { lock, pacer, identities } = controls

  return {
    rpcUrl: served?.url ?? null,
    friendbotUrl: served?.friendbotUrl ?? null,
    klinesUrl: served?.klinesUrl ?? null,
    networkPassphrase: chain.networkPassphrase,
    get contracts() {
      return Object.fromEntries(CONTRACT_KEYS.map((key) => [key, controls.deployment[key]])) as Record<ContractKey, string>
    },
    get assets() {
      return assetsOf(controls.setup.generation)
    },
    get generation() {
      return FIRST_BUILDS[controls.setup.generation]
    },
    get exchange() {
      return exchangeParties({ deployment: controls.deployment, identities, setup: controls.setup })
    },
    get accounts() {
      return namedAccounts(identities, controls.setup)
    },
    rpc,
    chain,
    trustGateway: (port) => served?.trustGateway(port),
    step: () => lock.run(async () => void (await step(controls))),
    async [Symbol.asyncDispose]() {
      pacer.stop()
      controls.stopActors()
      await served?.close()
      // After the work in progress.
      await lock.run(async () => chain[Symbol.dispose]())
    },
  }
}

function servingOptions({ host, allowedHosts = [] }: LocalNetworkOptions): Pick<ServeOptions, 'host' | 'allowedHosts'> {
  return { host, allowedHosts }
}

/** Liquidity is deposited first; the traders start one ledger later. */
async function closeInitialLedgers(controls: Controls): Promise<void> {
  const { traders } = controls.actors.enabledActors()
  controls.actors.setEnabledActors({ traders: false })
  await step(controls)
  controls.actors.setEnabledActors({ traders })
  for (let closed = 1; closed < INITIAL_LEDGERS; closed++) await step(controls)
}

interface OpenedChain {
  readonly chain: Chain
  readonly faults: Faults
  /** Ends the delay of the chain's clock, once the initial ledgers are closed. */
  readonly endDelay: () => void
  readonly feed: PriceFeed
  /** The first prices of a new chain. */
  readonly prices: ReadonlyMap<string, bigint>
  readonly genesisOf: (setup: Setup) => LocalGenesis
}

/** The origin of the price history, which the chain keeps: every start continues the same past. */
function originOf(chain: Chain, seed: string, prices: ReadonlyMap<string, bigint>): PriceOrigin {
  const stored = chain.setting(ORIGIN_SETTING)
  if (stored === undefined) {
    const origin = { seed, genesisSec: chain.history.oldest().closeTimeSec, prices }
    chain.setSetting(ORIGIN_SETTING, JSON.stringify({ ...origin, prices: [...prices].map(([asset, price]) => [asset, String(price)]) }))
    return origin
  }
  const origin = JSON.parse(stored) as { readonly seed: string; readonly genesisSec: number; readonly prices: readonly (readonly [string, string])[] }
  return { ...origin, prices: new Map(origin.prices.map(([asset, price]) => [asset, BigInt(price)])) }
}

/** Delays a clock until `endDelay` is called. The initial ledgers close a second apart and must not be dated in the future. */
function delayClock(clock: Clock, byMs: number): { readonly delayedClock: Clock; readonly endDelay: () => void } {
  let delayMs = byMs
  return { delayedClock: { ...clock, nowMs: () => clock.nowMs() - delayMs }, endDelay: () => void (delayMs = 0) }
}

function openChain(options: LocalNetworkOptions, isPaced: boolean): OpenedChain {
  const { random, directory, traders, networkPassphrase = TEST_NETWORK_PASSPHRASE, hasAssetLimits = true } = options
  const { generation = FIRST_SETUP.generation, protocol = DEFAULT_PROTOCOL } = options
  const { delayedClock, endDelay } = delayClock(options.clock, isPaced ? INITIAL_LEDGERS * 1_000 : 0)
  const walk = createPriceWalk(createSeededRandom(options.seed).fork('prices'))
  const feed = createPriceFeed(options.prices === undefined ? walk : createPriceReplay(options.prices, walk))
  const timeSec = nowSec(delayedClock)
  const prices = new Map(PRICED_SYMBOLS.map((asset) => [asset, feed.quote(asset).price]))
  const genesisOf = (setup: Setup): LocalGenesis => createGenesis({ networkPassphrase, traders, prices, timeSec, hasAssetLimits, setup })
  const faults = options.faults ?? createFaults()
  const chain = createChain({
    clock: delayedClock,
    random: random.fork('ledger'),
    networkPassphrase,
    genesis: genesisOf({ ...FIRST_SETUP, generation }).genesis,
    genesisOf: (label) => genesisOf(readSetup(label)).genesis,
    protocol,
    ledgerFaults: (before) => faults.triggerLedger(before),
    directory,
    retentionLedgers: RETENTION_LEDGERS_DEFAULT,
  })
  if (chain.protocol !== protocol) {
    options.log.info({ protocol: chain.protocol, configured: protocol }, 'the stored chain keeps its protocol; the configured one applies after a reset')
  }
  return { chain, faults, endDelay, feed, prices, genesisOf }
}

type PacedControls = Controls & { runActors(): Promise<void>; stopActors(): void }

function composeControls(options: LocalNetworkOptions, { chain, faults, feed, genesisOf }: OpenedChain): PacedControls {
  const { clock, log } = options
  const { networkPassphrase } = chain
  // The actors have a handler without faults: armed faults are for the clients under test.
  const actorsRpc = createRpcHandler({ chain, faults: createFaults(), friendbot: null, clock, log })
  const transport: Transport = (method, params) => actorsRpc.call(method, params)
  let running = openExchange()
  const { identities } = running.genesis

  /** The contracts of the chain's setup, and actors that use them. */
  function openExchange() {
    const genesis = genesisOf(readSetup(chain.genesisLabel))
    const random = createSeededRandom(options.seed).fork('actors')
    const { identities: actorIdentities, deployment, setup: { generation } } = genesis
    const exchange = exchangeParties(genesis)
    const parts = { identities: actorIdentities, deployment, generation, networkPassphrase, transport, exchange, feed, random, log }
    return { genesis, actors: createActors(parts) }
  }

  const lock = createSemaphore(1, MAX_WAITING)
  const stopping = new AbortController()
  let isRunning = false

  /** Lets the actors act once. Does nothing while they are still acting. */
  async function runActors(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      // Yields between two actors, so that the process can serve requests.
      await lock.run(() => running.actors.act(latestView(chain), () => clock.sleep(0, stopping.signal)))
    } catch (error) {
      log.error({ error: String(error) }, 'running the actors failed')
    } finally {
      isRunning = false
    }
  }

  function closeLedger(): void {
    try {
      chain.closeLedger()
    } catch (error) {
      log.error({ error: String(error) }, 'closing a ledger failed')
      return
    }
    void runActors()
  }

  const clientOf = (identity: Identity) => createClient({ identity, networkPassphrase, transport, exchange: exchangeParties(running.genesis) })
  return {
    chain, clock, identities, feed, lock, transport,
    faults,
    pacer: createPacer({ clock, everyMs: options.ledgerMs, onTick: closeLedger }),
    admin: clientOf(identities.admin),
    usdcIssuer: clientOf(identities.usdcIssuer),
    ledgerMs: options.ledgerMs,
    get setup() {
      return running.genesis.setup
    },
    get deployment() {
      return running.genesis.deployment
    },
    get actors() {
      return running.actors
    },
    followSetup() {
      if (running.genesis.genesis.label === chain.genesisLabel) return
      const enabledActors = running.actors.enabledActors()
      running = openExchange()
      running.actors.setEnabledActors(enabledActors)
    },
    runActors,
    stopActors: () => stopping.abort(),
  }
}

function namedAccounts(identities: Identities, { generation }: Setup): readonly NamedAccount[] {
  const { users, traders, liquidityProviders, vaultLeaders, vaultDepositors, admin, usdcIssuer, lpIssuer, publisher, keeper, root } = identities
  const treasuries = generation === '1' ? [] : [identities.treasury]
  const actors = [admin, usdcIssuer, lpIssuer, publisher, keeper, ...treasuries, ...liquidityProviders, ...traders, ...vaultLeaders, ...vaultDepositors]
  return [
    ...users.map(({ role, address, secret }) => ({ name: role, address, secret })),
    { name: 'root', address: root.address, secret: null },
    ...actors.map(({ role, address }) => ({ name: role, address, secret: null })),
  ]
}
