// Exports: one UTC day's rows as a file.

import { Type } from 'typebox'
import type { Static } from 'typebox'
import { integerOrNull, textOrNull } from './fields.ts'

export const EXPORT_KINDS = ['events', 'trades', 'candles', 'ledger'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

const kind = Type.Unsafe<ExportKind>({
  type: 'string', enum: [...EXPORT_KINDS],
  description: 'events: contract events. trades: opens, closes and liquidations. candles: all intervals. ledger: the cash ledger of all accounts.',
  examples: ['trades'],
})

export const ExportEntry = Type.Object(
  {
    kind,
    date: Type.String({ description: 'UTC day.', examples: ['2026-07-06'] }),
    url: Type.String({ description: 'Path of the file.', examples: ['/v1/export/trades/2026-07-06.ndjson.gz'] }),
    bytes: integerOrNull({ description: 'Size of the file. Null until it has been requested for the first time.', examples: [182_311] }),
    rows: integerOrNull({ description: 'Number of rows. Null until the file has been requested for the first time.', examples: [9_120] }),
    etag: textOrNull({ description: 'Entity tag of the file. Null until it has been requested for the first time.', examples: ['"mB1Y2u0cZ5Wl"'] }),
  },
  { $id: 'ExportEntry', description: 'A day that can be downloaded.' },
)

export type ExportEntry = Static<typeof ExportEntry>
