// An asset's balances: of accounts in the classic ledger, of contracts in contract data `[Balance, address]`. Issuers have no flags on the
// local network: no authorization required, nothing revocable, no clawback.

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

const EMPTY_BALANCE = { amount: 0n, authorized: true, clawback: false }

/** The balances of one asset. */
export interface TokenBalances {
  /** Fails with 6 for a missing account, with 13 for a missing trustline. 0 for a contract without an entry. */
  read(env: ContractEnv, holder: string): bigint
  /** Subtracts. Fails with 10 if the balance is too small, 11 if deauthorized, 12 above what an account can hold, 13 without a trustline. */
  spend(env: ContractEnv, holder: string, amount: bigint): void
  /** Adds, with the error codes of `spend`. */
  receive(env: ContractEnv, holder: string, amount: bigint): void
  isAuthorized(env: ContractEnv, holder: string): boolean
  setAuthorized(env: ContractEnv, holder: string, authorize: boolean): void
  /** Always fails: no balance can be clawed back here. */
  requireClawback(env: ContractEnv, holder: string): void
}

const isAccount = (holder: string): boolean => holder.startsWith('G')

const balanceKey = (holder: string) => storageKey('Balance', address(holder))

/** The balances of `asset` (`native` or `CODE:ISSUER`). The issuer's balance is unlimited and never stored. */
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
    const result = env.classic.add(holder, asset, delta)
    if (result === 'account-missing' || result === 'trustline-missing') fail(missing)
    if (result !== 'ok') fail(BALANCE)
  }

  const balances: TokenBalances = {
    read: (env, holder) => (isAccount(holder) ? readAccount(env, holder) : (readContract(env, holder)?.amount ?? 0n)),
    spend(env, holder, amount) {
      if (!balances.isAuthorized(env, holder)) fail(DEAUTHORIZED)
      if (isAccount(holder)) return addToAccount(env, holder, -amount)
      const balance = readContract(env, holder)
      if ((balance?.amount ?? 0n) < amount) fail(BALANCE)
      if (balance === undefined) return
      env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...balance, amount: balance.amount - amount }))
    },
    receive(env, holder, amount) {
      if (!balances.isAuthorized(env, holder)) fail(DEAUTHORIZED)
      if (isAccount(holder)) return addToAccount(env, holder, amount)
      const balance = readContract(env, holder) ?? EMPTY_BALANCE
      env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...balance, amount: checked(balance.amount + amount, OVERFLOW) }))
    },
    isAuthorized(env, holder) {
      if (!isAccount(holder)) return readContract(env, holder)?.authorized ?? true
      if (issuer !== null) readAccount(env, holder)
      return true
    },
    setAuthorized(env, holder, authorize) {
      // Without AUTH_REVOCABLE on the issuer, authorization can be granted but not revoked.
      if (!authorize || holder === issuer) fail(NOT_SUPPORTED)
      if (isAccount(holder)) readAccount(env, holder)
      else env.set('persistent', balanceKey(holder), BALANCE_VALUE.toVal({ ...(readContract(env, holder) ?? EMPTY_BALANCE), authorized: true }))
    },
    requireClawback(env, holder) {
      if (isAccount(holder) && (issuer === null || holder === issuer)) fail(NOT_SUPPORTED)
      if (isAccount(holder)) readAccount(env, holder)
      fail(BALANCE)
    },
  }
  return balances
}
