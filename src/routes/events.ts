// GET /v1/events.

import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { sendResponse } from '../http/response.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS } from '../limits.ts'
import { listEvents } from '../projections/events.ts'
import { EventRow } from '../resources/event-row.ts'
import { GapRange } from '../resources/gap-range.ts'
import { ref } from '../resources/fields.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_EVENT } from './examples.ts'
import { pageResponse } from './page-response.ts'
import { beforeTs, cursor, FILTER_MAX_LENGTH, limit, topic } from './parameters.ts'

const EventsPage = Type.Object({
  events: Type.Array(ref(EventRow)),
  gaps: Type.Array(GapRange, { description: 'Ledgers inside the page\'s range that were lost and not read from elsewhere yet; empty when nothing is missing' }),
})

const ledger = (description: string) => Type.Optional(Type.Unsafe<number>({ type: 'integer', minimum: 0, description }))

const schema = operation(
  {
    id: 'listEvents',
    tag: 'events',
    summary: 'Contract events',
    description:
      'The archive of the exchange\'s events, newest first: by ledger, then event id, descending. Events of earlier deployments stay. An event whose ' +
      'topic or shape is not known is archived raw. Where ledgers were lost that belong into the page, gaps says which: their events are missing.',
    ok: EventsPage,
    example: { events: [EXAMPLE_EVENT], gaps: [] },
    headers: ['index', 'next'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      topic,
      contract: Type.Optional(Type.String({ maxLength: FILTER_MAX_LENGTH, description: 'Only events of this contract' })),
      from_ledger: ledger('Only this ledger and later ones'),
      to_ledger: ledger('Only this ledger and earlier ones'),
      before_ts: beforeTs,
      limit: limit(PAGE_LIMITS.events),
      cursor,
    }),
  },
)

export function eventsRoutes(app: App, parts: { readonly db: Queryable }): void {
  app.get('/v1/events', { schema }, async (request, reply) => {
    const { query } = request
    const page = await listEvents(parts.db, {
      topic: query.topic,
      contract: query.contract,
      fromLedger: query.from_ledger,
      toLedger: query.to_ledger,
      beforeTs: query.before_ts,
      cursor: query.cursor,
      limit: query.limit ?? PAGE_LIMITS.events.default,
    })
    sendResponse(request, reply, pageResponse(request, reply, page, { events: page.rows, gaps: page.gaps }))
  })
}
