// GET /v1/corrections.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listCorrections } from '../projections/corrections.ts'
import { Correction } from '../resources/correction.ts'
import type { CorrectionKind } from '../resources/correction.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_CORRECTION } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetParameter, cursorParameter, limitParameter, listOf, traderParameter } from './parameters.ts'

const schema = operation(
  {
    id: 'listCorrections',
    tag: 'corrections',
    summary: 'List corrections',
    description:
      'The gateway compares its index with the ledger every five minutes and after lost ledgers. `npm run verify` compares the archive with the ' +
      'network. Returns what differed and was corrected, newest first, with both values.',
    ok: listOf('corrections', ref(Correction)),
    example: { corrections: [EXAMPLE_CORRECTION] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      trader: traderParameter,
      kind: Type.Optional(Type.Unsafe<CorrectionKind>({ ...Correction.properties.kind, description: 'Return only corrections of this kind.' })),
      asset: Type.Optional(assetParameter),
      limit: limitParameter(PAGE_LIMITS.corrections),
      cursor: cursorParameter,
    }),
  },
)

export function correctionsRoutes(app: App, { db }: { readonly db: Queryable }): void {
  app.get('/v1/corrections', { schema }, async (request, reply) => {
    const { trader, kind, asset, cursor, limit = PAGE_LIMITS.corrections.default } = request.query
    const page = await listCorrections(db, { trader, kind, asset: asset?.toUpperCase(), cursor, limit })
    sendResponse(request, reply, pageResponse(request, reply, page, { corrections: page.rows }))
  })
}
