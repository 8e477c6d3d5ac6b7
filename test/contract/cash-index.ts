// The account ledger as an index of a faulty network holds it: pages are missing and filled later, repeated, or read before the changed entries are known,
// and the chain is reset. Rows have the primary key of their table.

import assert from 'node:assert/strict'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import type { OpenedPosition } from '../../src/exchange/settlement/position-changes.ts'
import { foldCashLedger } from '../../src/projections/cash/cash-ledger-fold.ts'
import type { CashRow } from '../../src/projections/cash/cash-ledger-fold.ts'
import { bigOf, numberOf, textOf } from '../../src/projections/log/payload.ts'
import type { CashOperation } from './cash-model.ts'
import { ACCOUNTS, CASH_CONTRACTS } from './cash-model.ts'

export interface IndexCounts {
  pages: number
  /** Pages that were missing and filled later. */
  gaps: number
  repeated: number
  resets: number
}

export function createIndexCounts(): IndexCounts {
  return { pages: 0, gaps: 0, repeated: 0, resets: 0 }
}

export interface CashIndex {
  /** Reads an operation of the current chain, at once or later. */
  observe(operation: CashOperation): void
  /** Fills all gaps and compares every sum with what the chain moved; then another chain begins. */
  reset(): void
}

const PAGE_OPERATIONS = 7
/** One page of this many is missing at first, is repeated, or is read before the changed entries of its transactions are known. */
const [MISSING, REPEATED, BLIND] = [6, 5, 4]

/** `draw` returns an integer below its argument. */
export function createCashIndex(generation: Generation, draw: (below: number) => number, counts: IndexCounts): CashIndex {
  const rows = new Map<string, { readonly row: CashRow; readonly epoch: number }>()
  let epoch = 1
  let lastSeq = 0
  let page: CashOperation[] = []
  let missing: { readonly operations: readonly CashOperation[]; readonly firstSeq: number }[] = []
  let opened = new Map<number, OpenedPosition>()
  let moved = new Map<string, bigint>()

  function apply(operations: readonly CashOperation[], firstSeq: number, knowsEntries: boolean): void {
    let seq = firstSeq
    for (const { events, changes } of operations) {
      const first = seq
      const archived = events.map((event) => ({ ...event, seq: first + event.seq - 1 }))
      seq += events.length
      // A transaction is folded again when its changes become known: its rows replace the ones before.
      for (const [key, { row }] of rows) if (row.seq >= first && row.seq < seq) rows.delete(key)
      const known = { generation, fundingGrowth: new Map(), contracts: CASH_CONTRACTS, opened }
      for (const row of foldCashLedger({ events: archived, changes: knowsEntries ? changes : null, ...known })) {
        const key = `${row.seq} ${row.account} ${row.leg}`
        assert.ok(!rows.has(key), `two rows have the key ${key}`)
        rows.set(key, { row, epoch })
      }
      for (const event of events) {
        if (event.topic !== 'position_opened') continue
        const position = { asset: textOf(event, 'asset'), direction: numberOf(event, 'direction'), entryPrice: bigOf(event, 'entryPrice') }
        opened.set(numberOf(event, 'positionId'), position)
      }
    }
  }

  function endPage(): void {
    if (page.length === 0) return
    const operations = page
    const firstSeq = lastSeq + 1
    page = []
    lastSeq += operations.reduce((sum, { events }) => sum + events.length, 0)
    counts.pages += 1
    if (draw(MISSING) === 0) {
      counts.gaps += 1
      missing.push({ operations, firstSeq })
      return
    }
    const isBlind = draw(BLIND) === 0
    apply(operations, firstSeq, !isBlind)
    const isRepeated = draw(REPEATED) === 0
    if (isRepeated) counts.repeated += 1
    if (isBlind || isRepeated) apply(operations, firstSeq, true)
  }

  return {
    observe(operation) {
      for (const [account, amount] of operation.wallets) moved.set(`wallet ${account}`, (moved.get(`wallet ${account}`) ?? 0n) + amount)
      for (const [account, amount] of operation.pools) moved.set(`cross ${account}`, (moved.get(`cross ${account}`) ?? 0n) + amount)
      page.push(operation)
      if (page.length >= PAGE_OPERATIONS) endPage()
    },
    reset() {
      endPage()
      // The latest gap first: what was opened in an earlier one is not known yet.
      for (const { operations, firstSeq } of missing.toReversed()) apply(operations, firstSeq, true)
      for (const account of ACCOUNTS) for (const balanceOf of ['wallet', 'cross'] as const) {
        const own = [...rows.values()].filter((each) => each.epoch === epoch && each.row.account === account && each.row.balanceOf === balanceOf)
        const sum = own.reduce((total, { row }) => total + (row.amount ?? 0n), 0n)
        assert.equal(sum, moved.get(`${balanceOf} ${account}`) ?? 0n, `${balanceOf} of ${account} on chain ${epoch}`)
      }
      counts.resets += 1
      epoch += 1
      missing = []
      opened = new Map()
      moved = new Map()
    },
  }
}
