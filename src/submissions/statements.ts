// All SQL statements for the tables of the schema tx.

import type { Queryable } from '../store/store.ts'
import type { PreparedRecord } from './records.ts'

/** The hash of the submitted transaction that holds a client id; null when the id is free. */
export async function findHolder(db: Queryable, id: { owner: string; clientId: string; nowMs: number }): Promise<string | null> {
  const [row] = await db.query<{ hash: string }>(
    'select hash from tx.client_ids where owner = $1 and client_id = $2 and held_until > $3', [id.owner, id.clientId, id.nowMs],
  )
  return row?.hash ?? null
}

/** Inserts a prepared transaction. Preparing the same transaction again replaces its client id. */
export async function insertPrepared(db: Queryable, { hash, owner, op, clientId, expiresAt }: PreparedRecord, nowMs: number): Promise<void> {
  await db.query(
    `insert into tx.prepared (hash, owner, op, client_id, expires_at, prepared_at) values ($1, $2, $3, $4, $5, $6)
    on conflict (hash) do update set op = excluded.op, client_id = excluded.client_id, prepared_at = excluded.prepared_at
      where prepared.owner = excluded.owner`,
    [hash, owner, op, clientId, expiresAt, nowMs],
  )
}
