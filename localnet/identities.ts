// The key pairs of the local network, all derived from its passphrase.

import { assert } from '../src/base/assert.ts'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import { createIdentity } from './actors/identity.ts'
import type { Identity } from './actors/identity.ts'

/** The key pairs that exist from the first ledger. */
export interface Identities {
  /** The network's root account. Friendbot pays from it. */
  readonly root: Identity
  readonly admin: Identity
  readonly usdcIssuer: Identity
  readonly lpIssuer: Identity
  readonly publisher: Identity
  readonly keeper: Identity
  /** Receives the protocol's share of the fees, in generation 2. */
  readonly treasury: Identity
  readonly liquidityProviders: readonly Identity[]
  readonly traders: readonly Identity[]
  /** Leaders of trader vaults, and depositors in them. */
  readonly vaultLeaders: readonly Identity[]
  readonly vaultDepositors: readonly Identity[]
  /** Funded accounts for users of the local network. Their secrets are public. */
  readonly users: readonly Identity[]
}

/** All of these traders have accounts from genesis, so that a later start can use more traders. */
export const MAX_TRADERS = 100

const VAULT_LEADERS = 2
const VAULT_DEPOSITORS = 2

const USERS = ['alice', 'bob', 'carol'] as const

/** The first deposit of each liquidity provider, in 7-decimal USDC. Together they are the market's capacity. */
export const FIRST_DEPOSITS: readonly bigint[] = [20_000_000n, 10_000_000n, 5_000_000n].map((usdc) => usdc * ONE_E7)

/** The identities of the network with this passphrase. */
export function createIdentities(networkPassphrase: string, traders: number): Identities {
  assert(Number.isInteger(traders) && traders >= 0 && traders <= MAX_TRADERS, `between 0 and ${MAX_TRADERS} traders`)
  const one = (role: string): Identity => createIdentity(networkPassphrase, role)
  const many = (role: string, count: number): Identity[] => Array.from({ length: count }, (_, index) => one(`${role}-${index + 1}`))
  return {
    root: one(''),
    admin: one('admin'),
    usdcIssuer: one('usdc-issuer'),
    lpIssuer: one('lp-issuer'),
    publisher: one('publisher'),
    keeper: one('keeper'),
    treasury: one('treasury'),
    liquidityProviders: many('liquidity-provider', FIRST_DEPOSITS.length),
    traders: many('trader', traders),
    vaultLeaders: many('vault-leader', VAULT_LEADERS),
    vaultDepositors: many('vault-depositor', VAULT_DEPOSITORS),
    users: USERS.map(one),
  }
}
