// Account data from the index: GET /v1/account/me/events, /v1/account/me/positions, /v1/account/me/orders, /v1/account/me/fills, /v1/account/volume.

import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { App } from '../http/app.ts'
import { CACHE_REVALIDATE, sendResponse } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { ACCOUNT_POSITION_EVENTS_MAX_ROWS, PAGE_LIMITS } from '../limits.ts'
import { listAccountEvents } from '../projections/log/account-events.ts'
import { listFills } from '../projections/positions/position-fills.ts'
import { listOpenPositions } from '../projections/positions/positions.ts'
import { readTraderVolume } from '../projections/trades/volumes.ts'
import { AccountVolume } from '../resources/account-volume.ts'
import { EventRow } from '../resources/event-row.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { Fill } from '../resources/fill.ts'
import { OpenPosition } from '../resources/open-position.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_FILL, EXAMPLE_ORDER_EVENT, EXAMPLE_POSITION, EXAMPLE_POSITION_EVENT } from './examples.ts'
import { privatePageResponse, serialiseBody, stateResponse } from './page-response.ts'
import { addressParameter, atLedgerParameter, atParameter, beforeTsParameter, cursorParameter, limitParameter, listOf, topicParameter } from './parameters.ts'

const CONCERNS =
  'Includes events whose payload names the account in any role, and executions and cancellations of its orders. Events of stop-limit and trailing stop ' +
  'orders, which emit no placement event, are added shortly after they are indexed, at their position in the log.'

const listMyEvents = operation(
  {
    id: 'listAccountEvents',
    tag: 'account',
    summary: 'List your account events',
    description: `Returns the events of your account, newest first. ${CONCERNS}`,
    ok: listOf('events', ref(EventRow)),
    example: { events: [EXAMPLE_ORDER_EVENT, EXAMPLE_POSITION_EVENT] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  {
    querystring: Type.Object({
      topic: topicParameter, before_ts: beforeTsParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.events), cursor: cursorParameter,
    }),
  },
)

const listMyOrders = operation(
  {
    id: 'listAccountOrderEvents',
    tag: 'account',
    summary: 'List your order events',
    description: `Returns your order_placed, order_executed and order_cancelled events, newest first. ${CONCERNS}`,
    ok: listOf('events', ref(EventRow)),
    example: { events: [EXAMPLE_ORDER_EVENT] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  {
    querystring: Type.Object({
      before_ts: beforeTsParameter, at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.accountOrders), cursor: cursorParameter,
    }),
  },
)

const listMyFills = operation(
  {
    id: 'listAccountFills',
    tag: 'account',
    summary: 'List your fills',
    description:
      'Returns every change of your positions, newest first: what was opened or closed, at which price, and what it moved. Fees, funding and payouts come ' +
      'from the transaction: they are null until it has been read, a few seconds after its ledger, and stay null when the nodes had dropped it before.',
    ok: listOf('fills', ref(Fill)),
    example: { fills: [EXAMPLE_FILL] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  { querystring: Type.Object({ at_ledger: atLedgerParameter, limit: limitParameter(PAGE_LIMITS.fills), cursor: cursorParameter }) },
)

const listMyPositions = operation(
  {
    id: 'listAccountPositions',
    tag: 'account',
    summary: 'List your positions and position events',
    description:
      'Returns up to 500 of your open positions, newest first, and your 200 newest position_opened, position_closed and position_liquidated events. Both ' +
      'come from the same state of the index. With cursor, the positions continue, and the events are again the newest ones. The Link header continues the ' +
      'positions at /v1/positions/open, which also takes nextCursor.',
    ok: Type.Object({
      positions: Type.Array(ref(OpenPosition), { description: 'Open positions.' }),
      events: Type.Array(ref(EventRow), { description: 'Position events.' }),
    }),
    example: { positions: [EXAMPLE_POSITION], events: [EXAMPLE_POSITION_EVENT] },
    headers: ['index', 'next'],
    errors: [400, '400 ledger_not_indexed'],
    requiresKey: true,
  },
  { querystring: Type.Object({ at_ledger: atLedgerParameter, cursor: cursorParameter }) },
)

const getVolume = operation(
  {
    id: 'getAccountVolume',
    tag: 'account',
    summary: 'Get the 14-day volume of an account',
    description:
      'Returns the notional that an account opened and closed in the past 14 × 86,400 seconds. Liquidations do not count. The market contract, which sets ' +
      'fee tiers, counts the same trades by calendar day.',
    ok: ref(AccountVolume),
    example: { address: EXAMPLE_TRADER, volume14d: '20000000000' } satisfies AccountVolume,
    headers: ['index'],
    errors: [400, '400 ledger_not_indexed', 503],
  },
  {
    querystring: Type.Object({
      address: addressParameter('Account (G…) or contract (C…).'),
      at_ledger: atLedgerParameter,
    }),
  },
)

export function accountFeedsRoutes(app: App, parts: { readonly db: Queryable; readonly clock: Clock }): void {
  const { db, clock } = parts

  app.get('/v1/account/me/events', { schema: listMyEvents, config: { requiresKey: true } }, async (request, reply) => {
    const { topic, before_ts, at_ledger: atLedger, cursor, limit = PAGE_LIMITS.events.default } = request.query
    const page = await listAccountEvents(db, { account: callerKey(request).owner, topic, beforeTs: before_ts, atLedger, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { events: page.rows }))
  })

  app.get('/v1/account/me/orders', { schema: listMyOrders, config: { requiresKey: true } }, async (request, reply) => {
    const { before_ts, at_ledger: atLedger, cursor, limit = PAGE_LIMITS.accountOrders.default } = request.query
    const page = await listAccountEvents(db, { account: callerKey(request).owner, kind: 'order', beforeTs: before_ts, atLedger, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { events: page.rows }))
  })

  app.get('/v1/account/me/fills', { schema: listMyFills, config: { requiresKey: true } }, async (request, reply) => {
    const { at_ledger: atLedger, cursor, limit = PAGE_LIMITS.fills.default } = request.query
    const page = await listFills(db, { trader: callerKey(request).owner, atLedger, cursor, limit })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { fills: page.rows }))
  })

  app.get('/v1/account/me/positions', { schema: listMyPositions, config: { requiresKey: true } }, async (request, reply) => {
    const { owner } = callerKey(request)
    const { at_ledger: atLedger, cursor } = request.query
    const positions = await listOpenPositions(db, { trader: owner, atLedger, cursor })
    // Only events up to the state that the positions were read from.
    const events = await listAccountEvents(db, {
      account: owner, kind: 'position', limit: ACCOUNT_POSITION_EVENTS_MAX_ROWS,
      ...(atLedger === undefined ? { throughSeq: positions.head.seq } : { atLedger }),
    })
    const body = { positions: positions.rows, events: events.rows }
    sendResponse(request, reply, privatePageResponse(`/v1/positions/open?trader=${owner}${atParameter(atLedger)}`, reply, positions, body))
  })

  app.get('/v1/account/volume', { schema: getVolume }, async (request, reply) => {
    const { address, at_ledger: atLedger } = request.query
    const { volume14d, head } = await readTraderVolume(db, { trader: address, nowSec: nowSec(clock), atLedger })
    const volume: AccountVolume = { address, volume14d }
    sendResponse(request, reply, stateResponse(serialiseBody(reply, volume), head, CACHE_REVALIDATE))
  })
}
