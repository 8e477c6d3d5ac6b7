// Where an asset's balances live: accounts' in the classic ledger, contracts' in contract data `[Balance, address]`.
// Local assets have no issuer flags: nobody needs authorisation, nothing is revocable, nothing can be clawed back.

import type { ContractEnv } from './host.ts'
import { address } from './host.ts'
import { checked, fail, storageKey, structCodec } from './values.ts'

const NOT_SUPPORTED = 2
const ACCOUNT_MISSING = 6
const BALANCE = 10
const DEAUTHORIZED = 11
const OVERFLOW = 12
const TRUSTLINE_MISSING = 13

const I64_MAX = 2n ** 63n - 1n

/** A contract's balance. */
const BALANCE_VALUE = structCodec({ amount: 'i128', authorized: 'bool', clawback: 'bool' })

const EMPTY = { amount: 0n, authorized: true, clawback: false }

/** The balances of one asset. */
export interface TokenBalances {
  /** 6 for a missing account, 13 for a missing trustline; a contract that never held any has 0. */
  read(env: ContractEnv, holder: string): bigint
  /** Takes away: 10 when there is too little, 11 when deauthorised, 12 past what an account can hold, 13 without trustline. */
  spend(env: ContractEnv, holder: string, amount: bigint): void
  /** Adds, with the codes of `spend`. */
  receive(env: ContractEnv, holder: string, amount: bigint): void
  isAuthorized(env: ContractEnv, holder: string): boolean
  setAuthorized(env: ContractEnv, holder: string, authorize: boolean): void
  /** Fails with the code of a balance that cannot be clawed back: here, every one. */
  requireClawback(env: ContractEnv, holder: string): void
}

const isAccount = (holder: string): boolean => holder.startsWith('G')

const balanceKey = (holder: string) => storageKey('Balance', address(holder))

/** The balances of `asset` (`native` or `CODE:ISSUER`); the issuer's own are unbounded and never written. */
export function createTokenBalances(asset: string, issuer: string | null): TokenBalances {
  const missing = issuer === null ? ACCOUNT_MISSING : TRUSTLINE_MISSING

  function readContract(env: ContractEnv, holder: string) {
    const stored = env.get('persistent', balanceKey(holder))
    return stored === undefined ? undefined : BALANCE_VALUE.fromVal(stored)
  }

  function readAccount(env: ContractEnv, holder: string): bigint {
    if (holder === issuer) return I64_MAX
    return env.classic.balance(holder, asset) ?? fail(missing)
  }

  function addToAccount(env: ContractEnv, holder: string, delta: bigint): void {
    if (delta > I64_MAX || delta < -I64_MAX) fail(OVERFLOW)
    if (holder === issuer) return
    const outcome = env.classic.add(holder, asset, delta)
    if (outcome === 'account-missing' || outcome === 'trustline-missing') fail(missing)
    if (outcome !== 'ok') fail(BALANCE)
  }

  const balances: TokenBalances = {
    read: (env, holder) => (isAccount(holder) ? readAccount(env, holder) : (readContract(env, holder)?.amount ?? 0n)),
    spend(env, holder, amount) {
      if (!balances.isAuthorized(env, holder)) fail(DEAUTHORIZED)
      if (isAccount(holder)) return addToAccount(env, holder, -amount)
      const held = readContract(env, holder)
      if ((held?.amount ?? 0n) < amount) fail(BALANCE)
      if (held === undefined) return
      env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...held, amount: held.amount - amount }))
    },
    receive(env, holder, amount) {
      if (!balances.isAuthorized(env, holder)) fail(DEAUTHORIZED)
      if (isAccount(holder)) return addToAccount(env, holder, amount)
      const held = readContract(env, holder) ?? EMPTY
      env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...held, amount: checked(held.amount + amount, OVERFLOW) }))
    },
    isAuthorized(env, holder) {
      if (!isAccount(holder)) return readContract(env, holder)?.authorized ?? true
      if (issuer !== null) readAccount(env, holder)
      return true
    },
    setAuthorized(env, holder, authorize) {
      // Without AUTH_REVOCABLE on the issuer, authorisation can be given but never taken.
      if (!authorize || holder === issuer) fail(NOT_SUPPORTED)
      if (isAccount(holder)) readAccount(env, holder)
      else env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...(readContract(env, holder) ?? EMPTY), authorized: true }))
    },
    requireClawback(env, holder) {
      if (isAccount(holder) && (issuer === null || holder === issuer)) fail(NOT_SUPPORTED)
      if (isAccount(holder)) readAccount(env, holder)
      fail(BALANCE)
    },
  }
  return balances
}
