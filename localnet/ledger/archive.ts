// The history on disk: ledgers, their transactions and their events, by branch.

import type { EventRecord } from '../history.ts'
import type { ClosedTransaction } from './close.ts'
import type { LedgerDatabase } from './database.ts'
import type { BranchRange } from './timeline.ts'
import { packBody } from './transaction-body.ts'

export interface LedgerRow {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  readonly closeTimeSec: number
  /** LedgerHeader. */
  readonly header: Uint8Array
  /** Concatenated LedgerKeys. */
  readonly evicted: Uint8Array
}

/** Writes to the history, inside the caller's transaction. */
export interface Archive {
  add(branch: number, ledger: LedgerRow, transactions: readonly ClosedTransaction[], events: readonly EventRecord[]): void
  /** Deletes ledgers `from` to `to` of a branch, both included. */
  drop(branch: number, from: number, to: number): void
  /** The range of ledgers that each branch contains. */
  branches(): readonly BranchRange[]
}

export function createArchive({ sql }: LedgerDatabase): Archive {
  const addLedger = sql.prepare(
    'insert into ledgers (branch, sequence, hash, previous_hash, close_time, header, evicted) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const addTransaction = sql.prepare(
    `insert into transactions (branch, ledger, position, hash, inner_hash, close_time, soroban, success, inclusion_fee, body)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addEvent = sql.prepare(
    `insert into events (branch, id, ledger, close_time, tx_index, operation_index, type, contract, tx_hash, success, topics, value)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const dropLedgers = sql.prepare('delete from ledgers where branch = ? and sequence between ? and ?')
  const dropTransactions = sql.prepare('delete from transactions where branch = ? and ledger between ? and ?')
  const dropEvents = sql.prepare('delete from events where branch = ? and id >= ? and id < ?')
  const branchRanges = sql.prepare('select branch, min(sequence) as low, max(sequence) as high from ledgers group by branch order by branch')

  return {
    add(branch, ledger, transactions, events) {
      const { sequence, hash, previousHash, closeTimeSec, header, evicted } = ledger
      addLedger.run(branch, sequence, hash, previousHash, closeTimeSec, header, evicted)
      transactions.forEach((tx, index) => {
        const { envelope } = tx
        const innerHash = envelope.feeBump === null ? null : envelope.transaction.hash
        addTransaction.run(
          branch, sequence, index + 1, envelope.hash, innerHash, closeTimeSec, Number(tx.soroban), Number(tx.success), tx.inclusionFee,
          packBody({ ...tx, envelope: envelope.bytes }),
        )
      })
      for (const event of events) {
        addEvent.run(
          branch, event.id, sequence, closeTimeSec, event.transactionIndex, event.operationIndex, event.type, event.contractId,
          event.txHash, Number(event.successful), event.topics.join(' '), event.value,
        )
      }
    },
    drop(branch, from, to) {
      dropLedgers.run(branch, from, to)
      dropTransactions.run(branch, from, to)
      dropEvents.run(branch, firstIdOf(from), firstIdOf(to + 1))
    },
    branches: () =>
      branchRanges.all().map((row) => ({ branch: Number(row['branch']), from: Number(row['low']), to: Number(row['high']) })),
  }
}

/** A lower bound for the event ids of a ledger, above those of every earlier ledger. */
export function firstIdOf(ledger: number): string {
  return (BigInt(ledger) << 32n).toString().padStart(19, '0')
}
