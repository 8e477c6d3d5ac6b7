// The local network in one call: ledger, RPC door, contracts, actors, cheats.

import { nowSec } from '../src/base/clock.ts'
import type { Clock } from '../src/base/clock.ts'
import type { Log } from '../src/base/log.ts'
import { createSeededRandom } from '../src/base/random.ts'
import type { Random } from '../src/base/random.ts'
import { ASSET_SYMBOLS } from '../src/exchange/assets.ts'
import { CONTRACT_KEYS } from '../src/exchange/contracts.ts'
import type { ContractAddresses, ContractKey } from '../src/exchange/contracts.ts'
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
import { createGenesis } from './genesis.ts'
import type { LocalGenesis, Identities } from './genesis.ts'
import { createLock } from './lock.ts'
import { createPacer } from './pacer.ts'
import { createRpcHandler } from './rpc/handler.ts'
import type { RpcHandler } from './rpc/handler.ts'
import { createFriendbot } from './rpc/friendbot.ts'
import { RETENTION_LEDGERS_DEFAULT } from './rpc/limits.ts'
import { serveRpc } from './rpc/server.ts'

export interface LocalNetworkOptions {
  readonly clock: Clock
  /** The ledger's dice; prices and traders roll their own, by the seed. */
  readonly random: Random
  readonly log: Log
  readonly seed: string
  /** Time between two ledgers. */
  readonly ledgerMs: number
  readonly host: string
  /** null: no sockets; 0: any free port. */
  readonly port: number | null
  /** How many trade; 0 to MAX_TRADERS. */
  readonly traders: number
  /** The folder that keeps the chain; null keeps it in memory. */
  readonly directory: string | null
  /** Prices that take the walk's place, from this start on. */
  readonly prices?: readonly PriceLine[]
  /** Whether ledgers close by the clock; by default only where sockets are served. */
  readonly autoClose?: boolean
  readonly networkPassphrase?: string
  /** What misbehaviours the door shows from the start, for a simulation that decides them itself. */
  readonly faults?: Faults
}

/** Somebody with an account on the network. */
export interface NamedAccount {
  readonly name: string
  readonly address: string
  /** `S…` of the accounts that nobody plays; null for the actors. */
  readonly secret: string | null
}

/** A running local network. Disposing it stops everything that it started. */
export interface LocalNetwork extends AsyncDisposable {
  readonly rpcUrl: string | null
  readonly friendbotUrl: string | null
  readonly networkPassphrase: string
  readonly contracts: ContractAddresses
  readonly accounts: readonly NamedAccount[]
  readonly rpc: RpcHandler
  readonly chain: Chain
  /** One ledger by hand: the actors act, the ledger closes. */
  step(): Promise<void>
}

/**
 * Ledgers of a new network that close at once instead of by the clock: whoever has just started it need not wait for its first prices, deposits,
 * positions and trades.
 */
const INITIAL_LEDGERS = 7

/** The passphrase of the public test network: every existing client signs for it unchanged. */
export const TEST_NETWORK_PASSPHRASE = 'Test SDF Network ; September 2015'

/**
 * Starts the network, or goes on with the one that `directory` holds. Throws what the ledger throws when the directory cannot be used, and what the
 * socket throws when the port is taken.
 */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  const isPaced = options.autoClose ?? options.port !== null
  const { chain, endDelay: catchUp, feed, genesis } = openChain(options, isPaced)
  const controls = composeControls(options, chain, feed, genesis)
  const rpc = createRpcHandler({
    chain,
    faults: controls.faults,
    friendbot: createFriendbot({ chain, clock: options.clock }),
    clock: options.clock,
    log: options.log,
    extraMethods: controlMethods(controls),
  })
  if (latestView(chain).sequence > 1) await resyncActors(controls)
  else if (isPaced) await closeInitialLedgers(controls)
  catchUp()
  const served = options.port === null ? null : await serveRpc(rpc, { host: options.host, port: options.port })
  if (isPaced) {
    controls.pacer.start()
    // What the actors do now is in the first ledger that the clock closes.
    void controls.runActors()
  }
  const { lock, pacer, deployment, identities } = controls

  return {
    rpcUrl: served?.url ?? null,
    friendbotUrl: served?.friendbotUrl ?? null,
    networkPassphrase: chain.networkPassphrase,
    contracts: Object.fromEntries(CONTRACT_KEYS.map((key) => [key, deployment[key]])) as Record<ContractKey, string>,
    accounts: namedAccounts(identities),
    rpc,
    chain,
    step: () => lock.exclusive(async () => void (await step(controls))),
    async [Symbol.asyncDispose]() {
      pacer.stop()
      controls.stopActors()
      await served?.close()
      await lock.idle()
      chain[Symbol.dispose]()
    },
  }
}

/** The first ledgers: liquidity before anybody asks for it, then the traders too. */
async function closeInitialLedgers(controls: Controls): Promise<void> {
  const { traders } = controls.actors.enabledActors()
  controls.actors.setEnabledActors({ traders: false })
  await step(controls)
  controls.actors.setEnabledActors({ traders })
  for (let closed = 1; closed < INITIAL_LEDGERS; closed++) await step(controls)
}

interface OpenedChain {
  readonly chain: Chain
  /** To be called when the first ledgers are closed. */
  readonly endDelay: () => void
  readonly feed: PriceFeed
  readonly genesis: LocalGenesis
}

/** A clock that is behind for a while: the first ledgers run ahead of it, a second each, and none may be dated in the future. */
function delayClock(clock: Clock, byMs: number): { readonly behind: Clock; readonly catchUp: () => void } {
  let backMs = byMs
  return { behind: { ...clock, nowMs: () => clock.nowMs() - backMs }, catchUp: () => void (backMs = 0) }
}

function openChain(options: LocalNetworkOptions, isPaced: boolean): OpenedChain {
  const { random, directory, traders, networkPassphrase = TEST_NETWORK_PASSPHRASE } = options
  const { behind, catchUp } = delayClock(options.clock, isPaced ? INITIAL_LEDGERS * 1_000 : 0)
  const walk = createPriceWalk(createSeededRandom(options.seed).fork('prices'))
  const feed = createPriceFeed(options.prices === undefined ? walk : createPriceReplay(options.prices, walk))
  const prices = new Map(ASSET_SYMBOLS.map((asset) => [asset, feed.quote(asset).price]))
  const genesis = createGenesis({ networkPassphrase, traders, prices, timeSec: nowSec(behind) })
  const chain = createChain({
    clock: behind,
    random: random.fork('ledger'),
    networkPassphrase,
    genesis: genesis.genesis,
    directory,
    retentionLedgers: RETENTION_LEDGERS_DEFAULT,
  })
  return { chain, endDelay: catchUp, feed, genesis }
}

type PacedControls = Controls & { runActors(): Promise<void>; stopActors(): void }

function composeControls(options: LocalNetworkOptions, chain: Chain, feed: PriceFeed, genesis: LocalGenesis): PacedControls {
  const { clock, log } = options
  const { identities, deployment } = genesis
  const { networkPassphrase } = chain
  // The actors come through a door of their own: the faults that somebody arms are for those who are being tested.
  const actorsRpc = createRpcHandler({ chain, faults: createFaults(), friendbot: null, clock, log })
  const transport: Transport = (method, params) => actorsRpc.call(method, params)
  const actors = createActors({ identities, deployment, networkPassphrase, transport, feed, random: createSeededRandom(options.seed).fork('actors'), log })
  const lock = createLock()
  const stopping = new AbortController()
  let isTurning = false

  /** A turn after a close by the clock; one that is still going on is left to end. */
  async function turn(): Promise<void> {
    if (isTurning) return
    isTurning = true
    try {
      // Between two actors the process may answer others.
      await lock.exclusive(() => actors.turn(latestView(chain), () => clock.sleep(0, stopping.signal)))
    } catch (error) {
      log.error({ error: String(error) }, 'the actors could not take their turn')
    } finally {
      isTurning = false
    }
  }

  function beat(): void {
    try {
      chain.closeLedger()
    } catch (error) {
      log.error({ error: String(error) }, 'a ledger could not be closed')
      return
    }
    void turn()
  }

  const clientOf = (identity: Identity) => createClient({ identity, networkPassphrase, transport })
  return {
    chain, clock, identities, deployment, feed, actors, lock, transport,
    faults: options.faults ?? createFaults(),
    pacer: createPacer({ clock, everyMs: options.ledgerMs, beat }),
    admin: clientOf(identities.admin),
    usdcIssuer: clientOf(identities.usdcIssuer),
    ledgerMs: options.ledgerMs,
    runActors: turn,
    stopActors: () => stopping.abort(),
  }
}

function namedAccounts(identities: Identities): readonly NamedAccount[] {
  const { users, traders, liquidityProviders, vaultLeaders, vaultDepositors, admin, usdcIssuer, lpIssuer, publisher, keeper, root } = identities
  const actors = [admin, usdcIssuer, lpIssuer, publisher, keeper, ...liquidityProviders, ...traders, ...vaultLeaders, ...vaultDepositors]
  return [
    ...users.map(({ role, address, secret }) => ({ name: role, address, secret })),
    { name: 'root', address: root.address, secret: null },
    ...actors.map(({ role, address }) => ({ name: role, address, secret: null })),
  ]
}
