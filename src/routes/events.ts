// GET /v1/events.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { listEvents } from '../projections/log/events.ts'
import { EventRow } from '../resources/event-row.ts'
import { GapRange } from '../resources/gap-range.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { deploymentParameter, readHistory } from './deployment-parameter.ts'
import { EXAMPLE_EVENT } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { beforeTsParameter, cursorParameter, FILTER_MAX_LENGTH, limitParameter, topicParameter } from './parameters.ts'

const EventsPage = Type.Object({
  events: Type.Array(ref(EventRow), { description: 'Events, newest first.' }),
  gaps: Type.Array(GapRange, { description: 'Missing ledgers in the range of this page. Empty if none are missing.' }),
})

const ledger = (description: string) => Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 0, description }))

const schema = operation(
  {
    id: 'listEvents',
    tag: 'events',
    summary: 'List contract events',
    description:
      'Returns archived contract events sorted by ledger, then event id, newest first. Includes events of earlier deployments. Events of unknown topic or ' +
      'shape are returned raw. `gaps` lists ledgers in the range of the page whose events are missing.',
    ok: EventsPage,
    example: { events: [EXAMPLE_EVENT], gaps: [] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      topic: topicParameter,
      contract: Type.Optional(Type.String({ maxLength: FILTER_MAX_LENGTH, description: 'Return only events of this contract.' })),
      from_ledger: ledger('Return only this ledger and later ones.'),
      to_ledger: ledger('Return only this ledger and earlier ones.'),
      before_ts: beforeTsParameter,
      limit: limitParameter(PAGE_LIMITS.events),
      deployment: deploymentParameter,
      cursor: cursorParameter,
    }),
  },
)

export function eventsRoutes(app: App, parts: { readonly db: Queryable; readonly deployment: CurrentDeployment }): void {
  app.get('/v1/events', { schema }, async (request, reply) => {
    const { query } = request
    const page = await readHistory(parts, query.deployment, (db, deployment) => listEvents(db, {
      deployment,
      topic: query.topic,
      contract: query.contract,
      fromLedger: query.from_ledger,
      toLedger: query.to_ledger,
      beforeTs: query.before_ts,
      cursor: query.cursor,
      limit: query.limit ?? PAGE_LIMITS.events.default,
    }))
    sendResponse(request, reply, pageResponse(request, reply, page, { events: page.rows, gaps: page.gaps }))
  })
}
