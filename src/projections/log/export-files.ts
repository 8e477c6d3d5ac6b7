// Exported days as they are stored: compressed, in chunks, so that every instance serves the same bytes without a shared disk.

import type { ExportKind } from '../../resources/export.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable, Writer } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** A finished file. */
export interface ExportFile {
  readonly kind: ExportKind
  readonly day: number
  readonly state: string
  /** Without quotes. */
  readonly etag: string
  readonly bytes: number
  readonly rows: number
  readonly chunks: number
}

/** The finished files of these days, whatever their state. */
export async function listExportFiles(db: Queryable, days: readonly number[]): Promise<readonly ExportFile[]> {
  return await db.query<ExportFile>(sql`select kind, day, state, etag, bytes, rows, chunks from ${idx.export_files} where day = any($1::int[])`, [days])
}

/** The finished file of a day; null when there is none with this state. */
export async function readExportFile(db: Queryable, kind: ExportKind, day: number, state: string): Promise<ExportFile | null> {
  const [file] = await db.query<ExportFile>(
    sql`select kind, day, state, etag, bytes, rows, chunks from ${idx.export_files} where kind = $1 and day = $2 and state = $3`, [kind, day, state],
  )
  return file ?? null
}

/** A chunk of a finished file; null when the file was replaced. */
export async function readExportChunk(db: Queryable, { kind, day, state }: ExportFile, chunk: number): Promise<Uint8Array | null> {
  const [row] = await db.query<{ bytes: Uint8Array }>(
    sql`select bytes from ${idx.export_chunks} where kind = $1 and day = $2 and state = $3 and chunk = $4`, [kind, day, state, chunk],
  )
  return row?.bytes ?? null
}

/** Removes what an interrupted generation left. The finished file with another state stays until it is replaced. */
export async function discardUnfinished(db: Writable, kind: ExportKind, day: number): Promise<void> {
  await db.run(
    sql`${sql.deleteFrom(idx.export_chunks)} c where c.kind = $1 and c.day = $2 and not exists (
       select 1 from ${idx.export_files} f where f.kind = c.kind and f.day = c.day and f.state = c.state)`,
    [kind, day],
  )
}

export async function insertExportChunk(
  db: Writable, { kind, day, state }: Pick<ExportFile, 'kind' | 'day' | 'state'>, chunk: number, bytes: Uint8Array,
): Promise<void> {
  await db.run(sql`${sql.insertInto(idx.export_chunks)} (kind, day, state, chunk, bytes) values ($1, $2, $3, $4, $5)`, [kind, day, state, chunk, bytes])
}

/** Finishes a file whose chunks are stored, and removes the one that it replaces. */
export async function finishExportFile(db: Writer, file: ExportFile, nowMs: number): Promise<void> {
  const { kind, day, state, etag, bytes, rows, chunks } = file
  await db.transaction(async (tx) => {
    await tx.run(
      sql`${sql.insertInto(idx.export_files)} (kind, day, state, etag, bytes, rows, chunks, generated_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (kind, day) do update set state = excluded.state, etag = excluded.etag, bytes = excluded.bytes, rows = excluded.rows,
         chunks = excluded.chunks, generated_at = excluded.generated_at`,
      [kind, day, state, etag, bytes, rows, chunks, nowMs],
    )
    await tx.run(sql`${sql.deleteFrom(idx.export_chunks)} where kind = $1 and day = $2 and state <> $3`, [kind, day, state])
  })
}
