// Epochs: parts of the log with one set of contracts on one chain. A network reset starts a new chain.

import type { EventContractKey } from '../../exchange/contracts/contracts.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** The addresses of the contracts that emit events. */
export type EventContracts = Readonly<Record<EventContractKey, string>>

/** The contracts of an epoch. */
export type EpochContracts = EventContracts & Readonly<Record<'usdcToken' | 'router', string>>

export type EpochReason = 'first' | 'contracts' | 'reset'

export interface Epoch {
  /** Counts from one, in log order. */
  readonly number: number
  /** A short random name, shown to clients. */
  readonly epoch: string
  /** Increases with every network reset. */
  readonly chain: number
  /** Number of the first epoch with this market on this chain; position ids are unique within it. */
  readonly contractEpoch: number
  readonly reason: EpochReason
  readonly passphrase: string
  /** The deployment's name. */
  readonly name: string
  readonly contracts: EpochContracts
  readonly startLedger: number
  /** The last indexed cursor; null for the current epoch, and for one that ended before its first page. */
  readonly finalCursor: string | null
}

const COLUMNS = columns(idx.epochs, 'e', {
  number: 'number', epoch: 'epoch', chain: 'chain', contractEpoch: 'contract_epoch', reason: expression<EpochReason>(sql`e.reason`), passphrase: 'passphrase',
  name: 'name', contracts: expression<EpochContracts>(sql`e.contracts`), startLedger: 'start_ledger', finalCursor: 'final_cursor',
})

/** Every epoch, oldest first: one per reset or redeployment. */
export async function listEpochs(db: Queryable): Promise<readonly Epoch[]> {
  return await db.query(sql`select ${COLUMNS} from ${idx.epochs} e order by e.number`)
}

/** Adds an epoch, and begins its range of seq at `firstSeq`. */
export async function insertEpoch(tx: Writable, epoch: Epoch, firstSeq: number, nowMs: number): Promise<void> {
  await insertRows(tx, idx.epochs, [epoch], {
    number: 'number', epoch: 'epoch', chain: 'chain', contract_epoch: 'contractEpoch', reason: 'reason', passphrase: 'passphrase',
    contracts: ({ contracts }) => JSON.stringify(contracts), start_ledger: 'startLedger', started_at: { all: nowMs }, name: 'name',
  })
  await beginEpochRange(tx, epoch.number, firstSeq)
}

/** Stores the cursor up to which an epoch that is no longer current was indexed; null when it is the current one. */
export async function setFinalCursor(tx: Writable, number: number, finalCursor: string | null): Promise<void> {
  await tx.run(sql`${sql.update(idx.epochs)} set final_cursor = $2 where number = $1`, [number, finalCursor])
}

/** Begins a range of an epoch: from `firstSeq` on, events belong to this epoch. */
export async function beginEpochRange(tx: Writable, epoch: number, firstSeq: number): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(idx.epoch_ranges)} where first_seq >= $1::bigint`, [firstSeq])
  await tx.run(
    sql`${sql.update(idx.epoch_ranges)} set last_seq = $1::bigint - 1 where first_seq = (select max(first_seq) from ${idx.epoch_ranges})`, [firstSeq],
  )
  await tx.run(sql`${sql.insertInto(idx.epoch_ranges)} (first_seq, epoch) values ($1, $2)`, [firstSeq, epoch])
}

/** Renames an epoch: clients that know the old name must read its log again. */
export async function renameEpoch(tx: Writable, number: number, name: string): Promise<void> {
  await tx.run(sql`${sql.update(idx.epochs)} set epoch = $2 where number = $1`, [number, name])
}
