// The past on the disk: ledgers, their transactions and their events, on branches.

import type { EventRecord } from '../history.ts'
import type { ClosedTransaction } from './close.ts'
import type { LedgerDatabase } from './database.ts'
import { packBody } from './transaction-body.ts'

/** A ledger as it is archived. */
export interface LedgerRow {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  readonly closeTimeSec: number
  /** LedgerHeader. */
  readonly header: Uint8Array
  /** LedgerKey after LedgerKey. */
  readonly evicted: Uint8Array
}

/** The ledgers that a branch holds. */
export interface BranchSpan {
  readonly branch: number
  readonly from: number
  readonly to: number
}

/** The write side; all inside the caller's transaction. */
export interface Archive {
  add(branch: number, ledger: LedgerRow, transactions: readonly ClosedTransaction[], events: readonly EventRecord[]): void
  /** Forgets ledgers `from` to `to` of a branch. */
  drop(branch: number, from: number, to: number): void
  branches(): readonly BranchSpan[]
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
  const spans = sql.prepare('select branch, min(sequence) as low, max(sequence) as high from ledgers group by branch order by branch')

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
      spans.all().map((row) => ({ branch: Number(row['branch']), from: Number(row['low']), to: Number(row['high']) })),
  }
}

/** An event id below all those of a ledger and above all those before it. */
export function firstIdOf(ledger: number): string {
  return (BigInt(ledger) << 32n).toString().padStart(19, '0')
}
