// The handles of a running local network: what the cheats pull.

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
import type { Identities } from './genesis.ts'
import type { Lock } from './lock.ts'
import type { Pacer } from './pacer.ts'
import { RpcError } from './rpc/rpc-error.ts'

/** What a cheat may reach. Cheats run under the lock, except where nothing on the ledger changes. */
export interface Controls {
  readonly chain: Chain
  readonly clock: Clock
  readonly identities: Identities
  readonly deployment: Deployment
  readonly feed: PriceFeed
  readonly actors: Actors
  readonly faults: Faults
  readonly pacer: Pacer
  readonly lock: Lock
  readonly transport: Transport
  /** Clients of those who act for the cheats. */
  readonly admin: Client
  readonly usdcIssuer: Client
  readonly ledgerMs: number
}

/** A transaction that a cheat made was refused or failed; `data` says by which contract code. */
export const TRANSACTION_FAILED = -32_000

/** Ledgers that a cheat closes, at most, to bring one transaction through. */
const MAX_CLOSES = 8

/** The ledger that was closed last. */
export function latestView(chain: Chain): LedgerView {
  const { sequence, closeTimeSec } = chain.history.latest()
  return { sequence, closeTimeSec }
}

/** Everybody takes a turn, then one ledger closes. */
export async function step({ actors, chain }: Pick<Controls, 'actors' | 'chain'>): Promise<number> {
  await actors.turn(latestView(chain))
  return chain.closeLedger()
}

/**
 * Brings one call onto the ledger now, closing as many ledgers as it takes, and returns the ledger that holds it. The invocation is built anew for each
 * attempt. Throws RpcError when the network refuses it.
 */
export async function applyInvocation(chain: Chain, client: Client, invocation: () => Invocation, options?: SendOptions): Promise<number> {
  let isSent = false
  // What the account had under way before comes first.
  let outcome = await client.settle(latestView(chain))
  for (let closes = 0; closes < MAX_CLOSES; closes++) {
    if (!isSent && outcome.kind !== 'pending') {
      const answer = await client.invoke(invocation(), latestView(chain), options)
      if (answer.kind === 'refused') throw transactionFailure(answer.reason, answer.code)
      isSent = answer.kind === 'sent'
    }
    chain.closeLedger()
    outcome = await client.settle(latestView(chain))
    if (isSent && outcome.kind === 'failed') throw transactionFailure(outcome.reason, outcome.code)
    if (isSent && outcome.kind === 'applied') return outcome.ledger
  }
  throw transactionFailure(`no ledger of ${MAX_CLOSES} took the transaction`, null)
}

function transactionFailure(reason: string, contractCode: number | null): RpcError {
  return new RpcError(TRANSACTION_FAILED, `the transaction failed: ${reason}`, { reason, contractCode })
}

/** The actors find their feet on a network that is not the one they knew: the prices go on from the oracle's. */
export async function resyncActors(controls: Pick<Controls, 'chain' | 'actors' | 'feed' | 'transport' | 'deployment' | 'identities'>): Promise<void> {
  controls.actors.forget()
  const { transport } = controls
  const reader = createClient({ identity: controls.identities.publisher, networkPassphrase: controls.chain.networkPassphrase, transport })
  const prices = await readOraclePrices(reader, controls.deployment.oracle)
  controls.feed.setPrices(new Map([...prices].map(([asset, { price }]) => [asset, price])))
}
