// GET /v1/export, /v1/export/{kind}/{file}. Not in the specification.

import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Exports } from '../projections/exports/exports.ts'
import type { App } from '../http/app.ts'
import { HttpFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { matchesEtag, sendResponse } from '../http/response.ts'
import { requesterOf } from '../http/requester.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listExportFiles } from '../projections/log/export-files.ts'
import { isExportable, readExportSpan } from '../projections/log/export-rows.ts'
import { readHead } from '../projections/state/index-state.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../projections/log/page.ts'
import { EXPORT_KINDS, ExportEntry } from '../resources/export.ts'
import type { ExportKind } from '../resources/export.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { pageResponse } from './page-response.ts'
import { cursorParameter, limitParameter, listOf } from './parameters.ts'

const DAY_MS = 86_400_000
const CURSOR_KIND = 'exports'

const EXAMPLE: ExportEntry = {
  kind: 'trades', date: '2026-07-06', url: '/v1/export/trades/2026-07-06.ndjson.gz', bytes: 182_311, rows: 9_120, etag: '"mB1Y2u0cZ5Wl"',
}

const list = operation(
  {
    id: 'listExports',
    tag: 'exports',
    summary: 'List the days that can be downloaded',
    description:
      'Returns the UTC days that are over and indexed completely, newest first, with the file of each kind. A day of which ledgers are missing is not ' +
      'listed. The limit counts days.',
    ok: listOf('exports', ref(ExportEntry)),
    example: { exports: [EXAMPLE] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  { querystring: Type.Object({ limit: limitParameter(PAGE_LIMITS.exports), cursor: cursorParameter }) },
)

const download = operation(
  {
    id: 'downloadExport',
    tag: 'exports',
    summary: 'Download one day',
    description:
      'Returns the rows of one UTC day by ledger close time (candles by the start of their bucket), oldest first, as gzip-compressed JSON lines. Rows are ' +
      'those of the lists without `deployment`; trades include opens, candles have `asset` and `interval`, rows of the cash ledger have `account`. The ' +
      'file never changes: it has a strong entity tag. The first request generates it; while that takes long, it returns 503 with Retry-After.',
    ok: Type.String({ description: 'JSON lines, compressed with gzip.' }),
    contentType: 'application/gzip',
    example: '',
    errors: [400, '404 export_not_available', 503, '503 export_in_progress'],
  },
  {
    params: Type.Object({
      kind: Type.Unsafe<ExportKind>({ type: 'string', enum: [...EXPORT_KINDS], description: 'Kind of rows.', examples: ['trades'] }),
      file: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}\\.ndjson\\.gz$', description: 'UTC day.', examples: ['2026-07-06.ndjson.gz'] }),
    }),
  },
)

export function exportsRoutes(app: App, { db, exports: files }: { readonly db: Queryable; readonly exports: Exports }): void {
  app.get('/v1/export', { schema: list }, async (request, reply) => {
    const { limit = PAGE_LIMITS.exports.default, cursor } = request.query
    const span = await readExportSpan(db)
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : dayOfCursor(cursor)
    const days: number[] = []
    let day = Math.min(before - 1, span?.lastDay ?? -1)
    for (; day >= (span?.firstDay ?? 0) && days.length < limit; day--) if (isExportable(span, day)) days.push(day)
    const stored = new Map((await listExportFiles(db, days)).map((file) => [`${file.kind} ${file.day}`, file]))
    const rows = days.flatMap((listed) => EXPORT_KINDS.map((kind): ExportEntry => {
      const file = stored.get(`${kind} ${listed}`)
      const date = dateOf(listed)
      return {
        kind, date, url: `/v1/export/${kind}/${date}.ndjson.gz`, bytes: file?.bytes ?? null, rows: file?.rows ?? null,
        etag: file === undefined ? null : `"${file.etag}"`,
      }
    }))
    const next = span !== null && day >= span.firstDay ? encodeCursor(CURSOR_KIND, [day + 1]) : null
    sendResponse(request, reply, pageResponse(request, reply, { rows, next, head: await readHead(db), gaps: [] }, { exports: rows }))
  })

  app.get('/v1/export/:kind/:file', { schema: download }, async (request, reply) => {
    const { kind, file: name } = request.params
    const day = new Date(`${name.slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`).getTime() / DAY_MS
    const file = Number.isInteger(day) && name.startsWith(dateOf(day)) ? await files.open(kind, day, requesterOf(request).address) : 'unavailable'
    if (file === 'unavailable') throw new HttpFailure({ status: 404, body: { error: 'export_not_available', message: UNAVAILABLE } })
    if (file === 'generating') {
      const body = { error: 'export_in_progress', retryable: true, message: IN_PROGRESS }
      throw new HttpFailure({ status: 503, body, headers: { 'retry-after': '2' }, isCallersDoing: true })
    }
    const etag = `"${file.etag}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=31536000, immutable' })
    const ifNoneMatch = request.raw.headers['if-none-match']
    if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, `W/${etag}`)) return await reply.code(304).send()
    const headers = {
      'content-type': 'application/gzip', 'content-length': file.bytes, 'content-disposition': `attachment; filename="${kind}-${name}"`,
    }
    reply.headers(headers)
    return await reply.send(Readable.from(files.read(file), { objectMode: false }))
  })
}

const UNAVAILABLE = 'This day is not over, not indexed, or incomplete. GET /v1/export lists the days that can be downloaded.'
const IN_PROGRESS = 'The file is being generated. Retry after two seconds.'

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

function dayOfCursor(cursor: string): number {
  const [day] = decodeCursor(CURSOR_KIND, cursor, 1)
  if (typeof day !== 'number') throw new InvalidCursor(INVALID_CURSOR)
  return day
}
