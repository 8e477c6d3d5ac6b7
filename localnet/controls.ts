// The parts of a running local network that the control methods use.

import type { Clock } from '../src/base/clock.ts'
import { createClient } from './actors/client.ts'
import type { Client, LedgerView, SendOptions, Transport } from './actors/client.ts'
import type { Actors } from './actors/actors.ts'
import type { Invocation } from './actors/envelope.ts'
import type { Deployment } from './actors/exchange-state.ts'
import { readOraclePrices } from './actors/exchange-state.ts'
import type { PriceFeed } from './actors/price-feed.ts'
import type { Chain } from './chain.ts'
import type { Faults } from './faults.ts'
import type { Identities } from './identities.ts'
import type { Semaphore } from '../src/base/semaphore.ts'
import type { Pacer } from './pacer.ts'
import { RpcError } from './rpc/rpc-error.ts'
import type { Setup } from './setup.ts'

/** The parts that a control method may use. A method that changes the network holds the lock. */
export interface Controls {
  readonly chain: Chain
  readonly clock: Clock
  readonly identities: Identities
  /** Of the current chain. A reset or restored snapshot can change the setup, its addresses and the actors: read them when they are needed. */
  readonly setup: Setup
  readonly deployment: Deployment
  readonly feed: PriceFeed
  readonly actors: Actors
  readonly faults: Faults
  readonly pacer: Pacer
  readonly lock: Semaphore
  readonly transport: Transport
  /** Accounts that the control methods sign with. */
  readonly admin: Client
  readonly usdcIssuer: Client
  readonly ledgerMs: number
  /** Replaces setup, deployment and actors when the chain has another setup now. */
  followSetup(): void
}

/** A transaction of a control method was refused or failed; `data` contains the contract code. */
const TRANSACTION_FAILED = -32_000

/** The most ledgers that a control method closes to apply one transaction. */
const MAX_CLOSES = 8

/** The latest ledger. */
export function latestView(chain: Chain): LedgerView {
  const { sequence, closeTimeSec } = chain.history.latest()
  return { sequence, closeTimeSec }
}

/** Lets the actors act, then closes one ledger. */
export async function step({ actors, chain }: Pick<Controls, 'actors' | 'chain'>): Promise<number> {
  await actors.act(latestView(chain))
  return chain.closeLedger()
}

/**
 * Applies one call, closing as many ledgers as needed, and returns the ledger that contains it. The invocation is rebuilt for each attempt. Throws RpcError
 * when the network refuses it.
 */
export async function applyInvocation(chain: Chain, client: Client, invocation: () => Invocation, options?: SendOptions): Promise<number> {
  let isSent = false
  // An earlier transaction of the account comes first.
  let outcome = await client.settle(latestView(chain))
  for (let closes = 0; closes < MAX_CLOSES; closes++) {
    if (!isSent && outcome.kind !== 'pending') {
      const result = await client.invoke(invocation(), latestView(chain), options)
      if (result.kind === 'refused') throw transactionFailure(result.reason, result.code)
      isSent = result.kind === 'sent'
    }
    chain.closeLedger()
    outcome = await client.settle(latestView(chain))
    if (isSent && outcome.kind === 'failed') throw transactionFailure(outcome.reason, outcome.code)
    if (isSent && outcome.kind === 'applied') return outcome.ledger
  }
  throw transactionFailure(`not applied within ${MAX_CLOSES} ledgers`, null)
}

function transactionFailure(reason: string, contractCode: number | null): RpcError {
  return new RpcError(TRANSACTION_FAILED, `the transaction failed: ${reason}`, { reason, contractCode })
}

/**
 * Follows the chain's setup, makes the actors drop their cached state, and continues the price feed from the oracle's prices. For a network that was
 * started, restored or reset.
 */
export async function resyncActors(controls: Controls): Promise<void> {
  controls.followSetup()
  controls.actors.forget()
  const { transport } = controls
  const reader = createClient({ identity: controls.identities.publisher, networkPassphrase: controls.chain.networkPassphrase, transport })
  const prices = await readOraclePrices(reader, controls.deployment.oracle)
  controls.feed.setPrices(new Map([...prices].map(([asset, { price }]) => [asset, price])))
}
