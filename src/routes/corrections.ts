// GET /v1/corrections.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { listCorrections } from '../projections/repair/corrections.ts'
import { Correction } from '../resources/correction.ts'
import type { CorrectionKind } from '../resources/correction.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { deploymentParameter, readHistory } from './deployment-parameter.ts'
import { EXAMPLE_CORRECTION } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { assetParameter, cursorParameter, limitParameter, listOf, traderParameter } from './parameters.ts'

/** Far in the future, and in milliseconds within a bigint. */
const TIME_MAX = 4_294_967_295

const time = (description: string) => Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 0, maximum: TIME_MAX, description }))

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
      from: time('Return only corrections made at or after this time, Unix seconds.'),
      to: time('Return only corrections made before this time, Unix seconds.'),
      limit: limitParameter(PAGE_LIMITS.corrections),
      deployment: deploymentParameter,
      cursor: cursorParameter,
    }),
  },
)

export function correctionsRoutes(app: App, parts: { readonly db: Queryable; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/corrections', { schema }, async (request, reply) => {
    const { trader, kind, asset, from, to, cursor, deployment: name, limit = PAGE_LIMITS.corrections.default } = request.query
    const page = await readHistory(parts, name, (db, deployment) => listCorrections(db, {
      trader, kind, asset: asset?.toUpperCase(), fromSec: from, toSec: to, deployment, cursor, limit,
    }))
    sendResponse(request, reply, pageResponse(request, reply, page, { corrections: page.rows }))
  })
}
