// Records of transactions that this gateway cannot read yet, because they have a form of a later protocol. Nodes drop them after a week.

import { KNOWN_PROTOCOL } from '../../base/protocol.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'

/** A transaction's record as a node returned it, base64. */
export interface TransactionRecord {
  readonly envelopeXdr: string
  readonly metaXdr: string
}

export interface KeptTransaction extends TransactionRecord {
  readonly txHash: string
  /** Of its first event. */
  readonly seq: number
}

/** While this many wait for an upgrade, no more are read: about a hundred megabytes, and a gigabyte if all are as long as they can be. */
export const KEPT_TRANSACTIONS_MAX = 5_000

/** After this time a record that could not be read is requested again: the node may have sent a wrong one. */
const REQUEST_AGAIN_MS = 60 * 60_000

/** The seqs of those that this version could not read. */
export async function listUnreadableSeqs(db: Queryable, contractEpochs: readonly number[], nowMs: number): Promise<readonly number[]> {
  const rows = await db.query<{ seq: number }>(
    sql`select seq from ${idx.kept_transactions} where contract_epoch = any($1::int[]) and known_protocol >= $2::int and kept_at > $3::bigint`,
    [contractEpochs, KNOWN_PROTOCOL, nowMs - REQUEST_AGAIN_MS],
  )
  return rows.map(({ seq }) => seq)
}

/** The records of these transactions that an earlier version kept, by hash. */
export async function readKeptTransactions(
  db: Queryable, contractEpochs: readonly number[], hashes: readonly string[],
): Promise<ReadonlyMap<string, TransactionRecord>> {
  const rows = await db.query<TransactionRecord & { txHash: string }>(
    sql`select tx_hash as "txHash", envelope_xdr as "envelopeXdr", meta_xdr as "metaXdr" from ${idx.kept_transactions}
     where contract_epoch = any($1::int[]) and tx_hash = any($2::text[]) and known_protocol < $3::int`,
    [contractEpochs, hashes, KNOWN_PROTOCOL],
  )
  return new Map(rows.map(({ txHash, ...record }) => [txHash, record]))
}

/** Keeps records that this version cannot read. */
export async function keepTransactions(tx: Writable, contractEpoch: number, transactions: readonly KeptTransaction[], nowMs: number): Promise<void> {
  if (transactions.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.kept_transactions)} as k (contract_epoch, tx_hash, seq, envelope_xdr, meta_xdr, known_protocol, kept_at)
     select $1::int, tx_hash, seq, envelope_xdr, meta_xdr, $6::int, $7::bigint
     from unnest($2::text[], $3::bigint[], $4::text[], $5::text[]) seen (tx_hash, seq, envelope_xdr, meta_xdr)
     on conflict (contract_epoch, tx_hash) do update
       set seq = excluded.seq, envelope_xdr = excluded.envelope_xdr, meta_xdr = excluded.meta_xdr, known_protocol = excluded.known_protocol,
         kept_at = excluded.kept_at`,
    [contractEpoch, ...arraysOf(transactions, { txHash: 'text', seq: 'bigint', envelopeXdr: 'text', metaXdr: 'text' }), KNOWN_PROTOCOL, nowMs],
  )
}

/** Drops the records of transactions that were read. */
export async function dropKeptTransactions(tx: Writable, contractEpoch: number, hashes: readonly string[]): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(idx.kept_transactions)} where contract_epoch = $1::int and tx_hash = any($2::text[])`, [contractEpoch, hashes])
}
