// The notification of a commit carries the rows that it added to the log, when they are few: instances publish them without reading the database. It is
// built by the statement that reads the log, in the transaction that writes it, so it says what a read after the commit returns.

import { createHash } from 'node:crypto'
import { sql, textOf } from '../../store/sql.ts'
import type { Transaction } from '../../store/store.ts'
import { INDEX_CHANNEL, notifyIndexChanged } from '../state/index-state.ts'
import { LOG_PAGE_SQL, toLogPage } from './stream-log.ts'
import type { LogHead, LogPage, RawPageRow } from './stream-log.ts'

/** Commits with more rows only send the new head. */
const ROWS_MAX = 16
/** PostgreSQL refuses payloads of 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_999
/** Instances of different versions ignore each other's rows. */
const FORMAT = createHash('sha256').update(textOf(LOG_PAGE_SQL)).digest('base64url').slice(0, 10)

/** All that a commit added to the log. */
export interface LogNotification extends LogPage {
  /** The end of the log before the commit. */
  readonly afterSeq: number
  readonly end: LogHead
}

/** Notifies every instance at the commit. Must be the transaction's last statement; it has archived `rows` events since `afterSeq`. */
export async function notifyLogPage(tx: Transaction, { afterSeq, lastSeq, rows }: { afterSeq: number; lastSeq: number; rows: number }): Promise<void> {
  if (rows > ROWS_MAX) {
    await notifyIndexChanged(tx, lastSeq)
    return
  }
  await tx.notify(
    INDEX_CHANNEL,
    sql`select case when octet_length(n.payload) <= $3::int then n.payload else $4::text end as payload from (
       select $4::text || ' ' || json_build_object('format', $5::text, 'afterSeq', $1::bigint, 'rows', json_agg(page)) as payload from (${LOG_PAGE_SQL}) page
     ) n`,
    [afterSeq, ROWS_MAX + 1, PAYLOAD_MAX_BYTES, String(lastSeq), FORMAT],
  )
}

/** Parses the page that the notification carries; undefined when it only says that the index has changed, or another version sent it. */
export function parseLogNotification(payload: string): LogNotification | undefined {
  const start = payload.indexOf('{')
  if (start === -1) return undefined
  const { format, afterSeq, rows } = JSON.parse(payload.slice(start)) as { format: string; afterSeq: number; rows: readonly RawPageRow[] | null }
  if (format !== FORMAT || rows === null) return undefined
  const { end, ...page } = toLogPage(rows, ROWS_MAX + 1)
  // The statement's limit may have cut the page.
  return end === null || page.throughSeq < end.seq ? undefined : { ...page, end, afterSeq }
}
