// The leaders of the network's trader vaults, and the depositors in them.

import type { Random } from '../../src/base/random.ts'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { Identities } from '../identities.ts'
import type { Vault } from '../contracts/shared/trader-vaults/vaults.ts'
import { reconciliation } from './calls-2.ts'
import type { Client } from './client.ts'
import type { Deployment } from './exchange-state.ts'
import type { Identity } from './identity.ts'
import type { MarketIndex } from './market-index.ts'
import type { Holdings } from './stored-entries.ts'
import type { Ticker } from './ticker.ts'
import type { SwitchableActor } from './actor.ts'
import { createVaultDepositor } from './vault-depositor.ts'
import { createVaultLeader } from './vault-leader.ts'
import type { LeaderPlan } from './vault-leader.ts'

/**
 * Only one leader trades. After each trade the factory counts its whole balance as that vault's. With two trading leaders it would soon owe far more than it
 * holds; the second vault, which keeps its deposits idle, shows the effect on a small scale.
 */
const PLANS: readonly LeaderPlan[] = [
  {
    startDelaySec: 3,
    vaultName: 'Northern Light', code: 'NORTH', stake: 60_000n * ONE_E7, markets: ['BTC', 'ETH', 'SOL', 'ZEC'], leverage: { min: 2, max: 8 },
    holdSec: 900, pauseSec: { min: 60, max: 420 },
  },
  {
    startDelaySec: 20,
    vaultName: 'Slow Money', code: 'slowmoney', stake: 1_000n * ONE_E7, markets: [], leverage: { min: 1, max: 1 }, holdSec: 0,
    pauseSec: { min: 600, max: 3_600 },
  },
]

/** Builds the leaders and the depositors. Each depositor was referred by a leader's code. */
export function createVaultActors(options: {
  identities: Identities
  clientOf(identity: Identity): Client
  deployment: Deployment
  /** Null in generation 1. */
  marketIndex: MarketIndex | null
  ticker: Ticker
  random: Random
}): readonly SwitchableActor[] {
  const { identities, clientOf, deployment, marketIndex, ticker, random } = options
  const leaders = identities.vaultLeaders.flatMap((identity, index) => {
    const plan = PLANS[index]
    if (plan === undefined) return []
    const client = clientOf(identity)
    const forGeneration2 = marketIndex === null ? {} : {
      reader: marketIndex.holdingsOf(deployment.vaultFactory),
      repair: (vault: Vault, holdings: Holdings) => reconciliation(client, deployment.vaultFactory, vault, holdings),
    }
    return [createVaultLeader({ name: identity.role, client, deployment, plan, ticker, random: random.fork(identity.role), ...forGeneration2 })]
  })
  const depositors = identities.vaultDepositors.map((identity, index) => {
    const code = PLANS[index % PLANS.length]?.code ?? ''
    return createVaultDepositor({ name: identity.role, client: clientOf(identity), deployment, code, random: random.fork(identity.role) })
  })
  return [...leaders, ...depositors]
}
