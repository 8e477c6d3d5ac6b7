// Compares the account ledger of operations with what they did to balances.

import assert from 'node:assert/strict'
import { createSeededRandom } from '../../src/base/random.ts'
import { foldCashLedger } from '../../src/projections/cash/cash-ledger-fold.ts'
import type { CashRow } from '../../src/projections/cash/cash-ledger-fold.ts'
import type { CashTransaction } from '../../src/projections/cash/cash-transaction.ts'
import type { EpochContracts } from '../../src/projections/state/epochs.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import { createCashIndex, createIndexCounts } from './cash-index.ts'
import type { IndexCounts } from './cash-index.ts'
import { ACCOUNTS, CASH_CONTRACTS, createCashExchange, randomSteps } from './cash-model.ts'
import type { CashOperation } from './cash-model.ts'

export interface CashTotals {
  calls: number
  rows: number
  /** Rows by kind and balance. */
  readonly kinds: Map<string, number>
  /** Sum of absolute movements, stroops. */
  moved: bigint
  readonly index: IndexCounts
}

export function createTotals(): CashTotals {
  return { calls: 0, rows: 0, kinds: new Map(), moved: 0n, index: createIndexCounts() }
}

const UNKNOWN_FACTS = { opened: new Map(), generation: null, fundingGrowth: new Map() }

/** Asserts that the rows of one operation add up to what each balance gained, with and without its changed entries. */
export function checkOperation(operation: CashOperation, totals: CashTotals, contracts: EpochContracts = CASH_CONTRACTS): readonly CashRow[] {
  const known: CashTransaction = { events: operation.events, changes: operation.changes, contracts, ...UNKNOWN_FACTS }
  const rows = foldCashLedger(known)
  const events = operation.events.map(({ contract, payload }) => ({ contract, ...payload }))
  const digits = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  const describe = (): string => `${operation.name} ${JSON.stringify({ rows, events }, digits, 1)}`
  assert.ok(rows.every(({ amount }) => amount !== null && amount !== 0n), describe())
  const blind = foldCashLedger({ ...known, changes: null })
  for (const account of new Set([...ACCOUNTS, ...rows.map((row) => row.account), ...operation.pools.keys()])) {
    const wallet = operation.wallets.get(account) ?? 0n
    const pool = operation.pools.get(account) ?? 0n
    assert.equal(sumOf(rows, account, 'wallet'), wallet, `wallet of ${account}: ${describe()}`)
    assert.equal(sumOf(rows, account, 'cross'), pool, `cross balance of ${account}: ${describe()}`)
    assert.equal(sumOf(blind, account, 'wallet'), wallet, `wallet of ${account} without entries: ${describe()}`)
    const isFlagged = blind.some((row) => row.account === account && row.amount === null)
    assert.ok(isFlagged || sumOf(blind, account, 'cross') === pool, `cross balance of ${account} without entries: ${describe()}`)
  }
  const keys = rows.map(({ account, seq, leg }) => `${account} ${seq} ${leg}`)
  assert.equal(new Set(keys).size, keys.length, describe())
  totals.calls += 1
  totals.rows += rows.length
  for (const { kind, balanceOf, amount } of rows) {
    const name = `${operation.name} ${kind} ${balanceOf} ${(amount ?? 0n) > 0n ? '+' : '-'}`
    totals.kinds.set(name, (totals.kinds.get(name) ?? 0) + 1)
    totals.moved += (amount ?? 0n) < 0n ? -(amount ?? 0n) : (amount ?? 0n)
  }
  return rows
}

function sumOf(rows: readonly CashRow[], account: string, balanceOf: 'wallet' | 'cross'): bigint {
  return rows.filter((row) => row.account === account && row.balanceOf === balanceOf).reduce((sum, { amount }) => sum + (amount ?? 0n), 0n)
}

/**
 * Runs random steps on a new chain, resets it, and runs as many on the next one. Checks each step, and the sums that an index with gaps holds of each chain.
 * Returns the number of calls, failed ones included.
 */
export function checkExchange(
  generation: Generation, options: { readonly steps: number; readonly seed: number; readonly liquidity?: bigint }, totals: CashTotals,
): number {
  const random = createSeededRandom(`cash index ${options.seed}`)
  const index = createCashIndex(generation, (below) => random.integer(below), totals.index)
  let calls = 0
  for (const chain of [0, 1]) {
    const exchange = createCashExchange(generation, options.liquidity)
    for (const step of randomSteps(generation, Math.ceil(options.steps / 2), options.seed * 2 + chain)) {
      const operation = exchange.perform(step)
      if (operation === null) continue
      calls += 1
      if (operation === false) continue
      checkOperation(operation, totals)
      index.observe(operation)
    }
    index.reset()
  }
  return calls
}
