// What the index knows of an account: GET /v1/account/me/events, /v1/account/me/positions, /v1/account/me/orders, /v1/account/volume.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { App } from '../http/app.ts'
import { CACHE_REVALIDATE, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { ACCOUNT_POSITION_EVENTS_MAX_ROWS, ADDRESS_LENGTH, PAGE_LIMITS } from '../limits.ts'
import { listAccountEvents } from '../projections/account-events.ts'
import { listOpenPositions } from '../projections/positions.ts'
import { readTraderVolume } from '../projections/volumes.ts'
import { AccountVolume } from '../resources/account-volume.ts'
import { EventRow } from '../resources/event-row.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { OpenPosition } from '../resources/open-position.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_ORDER_EVENT, EXAMPLE_POSITION, EXAMPLE_POSITION_EVENT } from './examples.ts'
import { privatePageResponse, serialiseBody } from './page-response.ts'
import { beforeTs, cursor, limit, listOf, topic } from './parameters.ts'

const CONCERNS =
  'An event concerns the account when its payload names it in any role, and when it is the execution or cancellation of one of its orders. Orders whose ' +
  'placement emits no event (stop-limit, trailing stop) join a moment later, at their own place in the order.'

const listMyEvents = operation(
  {
    id: 'listAccountEvents',
    tag: 'account',
    summary: 'Events that concern the caller',
    description: `Newest first. ${CONCERNS}`,
    ok: listOf('events', ref(EventRow)),
    example: { events: [EXAMPLE_ORDER_EVENT, EXAMPLE_POSITION_EVENT] },
    headers: ['index', 'next'],
    errors: [400],
    requiresKey: true,
  },
  {
    querystring: Type.Object({ topic, before_ts: beforeTs, limit: limit(PAGE_LIMITS.events), cursor }),
  },
)

const listMyOrders = operation(
  {
    id: 'listAccountOrderEvents',
    tag: 'account',
    summary: 'What happened to the caller\'s orders',
    description: `Events of the topics order_placed, order_executed and order_cancelled, newest first. ${CONCERNS}`,
    ok: listOf('events', ref(EventRow)),
    example: { events: [EXAMPLE_ORDER_EVENT] },
    headers: ['index', 'next'],
    errors: [400],
    requiresKey: true,
  },
  { querystring: Type.Object({ before_ts: beforeTs, limit: limit(PAGE_LIMITS.accountOrders), cursor }) },
)

const listMyPositions = operation(
  {
    id: 'listAccountPositions',
    tag: 'account',
    summary: 'The caller\'s open positions and what happened to positions',
    description:
      'Open positions, newest first, up to 500 (the Link header continues them at /v1/positions/open), and the newest 200 of the caller\'s ' +
      'position_opened, position_closed and position_liquidated events, both as of one state of the index.',
    ok: Type.Object({ positions: Type.Array(ref(OpenPosition)), events: Type.Array(ref(EventRow)) }),
    example: { positions: [EXAMPLE_POSITION], events: [EXAMPLE_POSITION_EVENT] },
    headers: ['index', 'next'],
    errors: [],
    requiresKey: true,
  },
  {},
)

const getVolume = operation(
  {
    id: 'getAccountVolume',
    tag: 'account',
    summary: 'What an account has traded in fourteen days',
    description:
      'Rolling seconds up to now: opens and matched closes at full size, liquidations nothing. The market\'s own record, which fee tiers go by, counts the ' +
      'same by calendar days.',
    ok: ref(AccountVolume),
    example: { address: EXAMPLE_TRADER, volume14d: '20000000000' } satisfies AccountVolume,
    headers: ['index'],
    errors: [400, 503],
  },
  {
    querystring: Type.Object({
      address: Type.String({ minLength: ADDRESS_LENGTH, maxLength: ADDRESS_LENGTH, description: 'The account (G…) or contract (C…)' }),
    }),
  },
)

export function accountFeedsRoutes(app: App, parts: { readonly db: Queryable; readonly clock: Clock }): void {
  const { db, clock } = parts

  app.get('/v1/account/me/events', { schema: listMyEvents, config: { requiresKey: true } }, async (request, reply) => {
    const { topic, before_ts, cursor, limit = PAGE_LIMITS.events.default } = request.query
    const page = await listAccountEvents(db, { account: callerKey(request).owner, topic, beforeTs: before_ts, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { events: page.rows }))
  })

  app.get('/v1/account/me/orders', { schema: listMyOrders, config: { requiresKey: true } }, async (request, reply) => {
    const { before_ts, cursor, limit = PAGE_LIMITS.accountOrders.default } = request.query
    const page = await listAccountEvents(db, { account: callerKey(request).owner, kind: 'order', beforeTs: before_ts, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { events: page.rows }))
  })

  app.get('/v1/account/me/positions', { schema: listMyPositions, config: { requiresKey: true } }, async (request, reply) => {
    const { owner } = callerKey(request)
    const positions = await listOpenPositions(db, { trader: owner })
    // Nothing that was indexed since: the positions are what these events have led to.
    const events = await listAccountEvents(db, {
      account: owner, kind: 'position', throughSeq: positions.head.seq, limit: ACCOUNT_POSITION_EVENTS_MAX_ROWS,
    })
    const body = { positions: positions.rows, events: events.rows }
    sendResponse(request, reply, privatePageResponse(`/v1/positions/open?trader=${owner}`, reply, positions, body))
  })

  app.get('/v1/account/volume', { schema: getVolume }, async (request, reply) => {
    const { address } = request.query
    const { volume14d, head } = await readTraderVolume(db, { trader: address, nowSec: nowSec(clock) })
    const volume: AccountVolume = { address, volume14d }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, volume), { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })
}
