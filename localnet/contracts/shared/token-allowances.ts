// Allowances: temporary entries that expire at a ledger.

import type { ContractEnv, Val } from './host.ts'
import { address, struct } from './host.ts'
import { fail, storageKey, structCodec } from './values.ts'

const ALLOWANCE = 9

/** Maximum TTL of a temporary entry, in ledgers (soroban limits, "TTL max"). */
const TTL_MAX_LEDGERS = 3_110_400

const ALLOWANCE_VALUE = structCodec({ amount: 'i128', live_until_ledger: 'u32' })

interface Allowance {
  readonly amount: bigint
  readonly live_until_ledger: number
}

const NO_ALLOWANCE: Allowance = { amount: 0n, live_until_ledger: 0 }

const allowanceKey = (from: string, spender: string): Val =>
  storageKey('Allowance', struct({ from: address(from), spender: address(spender) }))

function currentAllowance(env: ContractEnv, from: string, spender: string): Allowance {
  const stored = env.get('temporary', allowanceKey(from, spender))
  const allowance = stored === undefined ? NO_ALLOWANCE : ALLOWANCE_VALUE.fromVal(stored)
  return allowance.live_until_ledger < env.ledger.sequence ? NO_ALLOWANCE : allowance
}

/** The remaining allowance; 0 once it has expired. */
export function readAllowance(env: ContractEnv, from: string, spender: string): bigint {
  return currentAllowance(env, from, spender).amount
}

/** Replaces the allowance. Fails with 9 if its expiration is in the past, unless the amount is 0, or too far in the future. */
export function writeAllowance(env: ContractEnv, from: string, spender: string, allowance: Allowance): void {
  const lastLedger = env.ledger.sequence + TTL_MAX_LEDGERS - 1
  if (allowance.live_until_ledger > lastLedger) fail(ALLOWANCE)
  if (allowance.amount > 0n && allowance.live_until_ledger < env.ledger.sequence) fail(ALLOWANCE)
  env.set('temporary', allowanceKey(from, spender), ALLOWANCE_VALUE.toVal(allowance))
}

/** Spends part of the allowance; fails with 9 if it is too small. */
export function spendAllowance(env: ContractEnv, from: string, spender: string, amount: bigint): void {
  const allowance = currentAllowance(env, from, spender)
  if (allowance.amount < amount) fail(ALLOWANCE)
  if (amount > 0n) writeAllowance(env, from, spender, { ...allowance, amount: allowance.amount - amount })
}
