// All actors of the network, in the order in which they act.

import type { Log } from '../../src/base/log.ts'
import type { Random } from '../../src/base/random.ts'
import type { ExchangeParties } from '../../src/exchange/contracts/footprint-keys.ts'
import { assetsOf, publishedSymbols } from '../assets.ts'
import { FIRST_DEPOSITS } from '../identities.ts'
import type { Identities } from '../identities.ts'
import type { LocalGeneration } from '../setup.ts'
import type { Actor } from './actor.ts'
import { createClient } from './client.ts'
import { withAddedArguments } from './calls-2.ts'
import type { Client, LedgerView, Transport } from './client.ts'
import type { Deployment } from './exchange-state.ts'
import { strategyOf } from './strategies.ts'
import type { Identity } from './identity.ts'
import { createKeeper } from './keeper.ts'
import { createMarketReader2 } from './keeper-reader-2.ts'
import { createHalts } from './halts.ts'
import { createLiquidityProvider } from './liquidity-provider.ts'
import { createMarketIndex } from './market-index.ts'
import type { PriceFeed } from './price-feed.ts'
import { createPublisher } from './publisher.ts'
import type { Publisher } from './publisher.ts'
import { createTicker } from './ticker.ts'
import { createTrader } from './trader.ts'
import { createVaultActors } from './vault-actors.ts'

/** The actors that act. `traders` includes vault leaders and depositors, and liquidity providers except for their first deposit, which they always make. */
export interface EnabledActors {
  readonly publisher: boolean
  readonly keeper: boolean
  readonly traders: boolean
}

/** The first assets of the list, which most traders use, are never halted. */
const NEVER_HALTED = 6

/** All actors. */
export interface Actors {
  readonly publisher: Publisher
  enabledActors(): EnabledActors
  setEnabledActors(changes: Partial<EnabledActors>): void
  /** Lets each enabled actor act, one after the other. `between` runs after each. */
  act(view: LedgerView, between?: () => Promise<void>): Promise<void>
  /** Drops all cached state, after the network was restored or reset. */
  forget(): void
}

/** Builds the actors. Each has its own random numbers, so one does not affect another's. */
export function createActors(options: {
  identities: Identities
  deployment: Deployment
  generation: LocalGeneration
  networkPassphrase: string
  transport: Transport
  exchange: ExchangeParties
  feed: PriceFeed
  random: Random
  log: Log
}): Actors {
  const { identities, deployment, generation, feed, random, log } = options
  const { networkPassphrase, transport } = options
  const clientOf = (identity: Identity): Client => {
    const client = createClient({ identity, networkPassphrase, transport, exchange: options.exchange })
    return generation === '1' ? client : withAddedArguments(client, deployment)
  }
  const keeperClient = clientOf(identities.keeper)
  const marketIndex = generation === '1' ? null : createMarketIndex(keeperClient, deployment.market)
  const ticker = createTicker(feed)
  const publisher = createPublisher({
    client: clientOf(identities.publisher), feed, oracle: deployment.oracle, assets: publishedSymbols(generation), random: random.fork('publisher'),
  })
  const keeper = createKeeper({
    client: keeperClient, deployment, ...(marketIndex === null ? {} : { reader: createMarketReader2(keeperClient, deployment, marketIndex) }),
  })
  const providers = identities.liquidityProviders.map((identity, index) =>
    createLiquidityProvider({
      name: identity.role,
      client: clientOf(identity),
      deployment,
      firstDeposit: FIRST_DEPOSITS[index] ?? 0n,
      random: random.fork(identity.role),
    }),
  )
  const traders = identities.traders.map((identity, index) =>
    createTrader({
      name: identity.role,
      client: clientOf(identity),
      market: deployment.market,
      assets: assetsOf(generation).map((asset) => asset.symbol),
      ticker,
      strategy: strategyOf(index),
      random: random.fork(identity.role),
      generation,
      ...(marketIndex === null ? {} : { reader: marketIndex.holdingsOf(identity.address) }),
    }),
  )
  const vaultActors = createVaultActors({ identities, clientOf, deployment, marketIndex, ticker, random })
  const listed = assetsOf(generation).map((asset) => asset.symbol)
  const halts = generation === '1'
    ? []
    : [createHalts({ client: clientOf(identities.admin), market: deployment.market, assets: listed.slice(NEVER_HALTED), random: random.fork('halts') })]
  const switchable = [...vaultActors, ...halts]
  let shifts: EnabledActors = { publisher: true, keeper: true, traders: true }

  function enabled(): readonly Actor[] {
    return [
      ...(shifts.publisher ? [publisher] : []),
      ...providers,
      ...(shifts.keeper ? [keeper] : []),
      ...(shifts.traders ? traders : []),
      ...switchable,
    ]
  }

  return {
    publisher,
    enabledActors: () => shifts,
    setEnabledActors(changes) {
      shifts = { ...shifts, ...changes }
    },
    async act(view, between) {
      const isTrading = shifts.traders && traders.length > 0
      for (const provider of providers) provider.setEnabled(isTrading)
      for (const actor of switchable) actor.setEnabled(isTrading)
      ticker.observe(view.closeTimeSec)
      for (const actor of enabled()) {
        try {
          await actor.act(view)
        } catch (error) {
          // An actor can fail like any client. That must not stop the network.
          log.warn({ actor: actor.name, error: String(error) }, 'an actor failed')
        }
        await between?.()
      }
    },
    forget() {
      ticker.forget()
      marketIndex?.forget()
      for (const actor of [publisher, keeper, ...providers, ...traders, ...switchable]) actor.forget()
    },
  }
}
