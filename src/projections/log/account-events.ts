// The events of each account: the feeds of the account endpoints.

import { ACCOUNT_ROLES, ORDER_TOPICS, POSITION_TOPICS } from '../../exchange/events.ts'
import type { EventRow } from '../../resources/event-row.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { EVENT_COLUMNS, toEventRow } from './events.ts'
import type { RawEventRow } from './events.ts'
import type { LogBounds } from './log-list.ts'
import { clampToSafeInteger, listLog } from './log-list.ts'
import { isOrderEnd } from '../orders/orders-fold.ts'
import { readOrderOwners } from '../orders/orders.ts'
import type { OwnerlessEvent } from '../orders/ownerless-events.ts'
import { insertOwnerlessEvents } from '../orders/ownerless-events.ts'
import type { Page } from './page.ts'
import { numberOf } from './payload.ts'

/** Kinds of events with a separate list. */
type AccountEventKind = 'order' | 'position'

export interface AccountEventsFilter extends AsOf, Pick<LogBounds, 'beforeTs'> {
  readonly account: string
  readonly topic?: string | undefined
  readonly kind?: AccountEventKind | undefined
  /** Only events up to this seq. */
  readonly throughSeq?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

const TOPICS_OF_KIND: Readonly<Record<AccountEventKind, readonly string[]>> = { order: ORDER_TOPICS, position: POSITION_TOPICS }

/** The events that concern an account, newest first (specification, "GET /v1/account/me/events", "GET /v1/account/me/orders"). */
export async function listAccountEvents(db: Queryable, filter: AccountEventsFilter): Promise<Page<EventRow>> {
  const { account, topic, kind, throughSeq, ...rest } = filter
  const page = await listLog<RawEventRow>(db, {
    ...rest,
    // A cursor is valid only for the list that issued it.
    kind: `account-${kind ?? 'events'}`,
    table: idx.account_events,
    detail: idx.events,
    equals: { account, topic },
    ...(kind === undefined ? {} : { oneOf: { expression: sql`r.topic`, values: TOPICS_OF_KIND[kind] } }),
    ...(throughSeq === undefined ? {} : { span: (bind) => ({ high: sql`${bind(clampToSafeInteger(throughSeq))}::bigint` }) }),
    columns: EVENT_COLUMNS,
    keepsSeq: true,
  })
  return { ...page, rows: page.rows.map(toEventRow) }
}

/** An event in one account's feed. */
interface AccountEvent {
  readonly account: string
  readonly seq: number
  readonly topic: string
}

/** The changes of a page to the feeds. */
interface AccountChanges {
  readonly events: readonly AccountEvent[]
  readonly ownerless: readonly OwnerlessEvent[]
}

/** Adds a page's events to the feeds of their accounts. Each event must be applied exactly once, after the orders that it places. */
export async function applyAccountEvents(tx: Writable, contractEpoch: number, events: readonly ArchivedEvent[]): Promise<void> {
  const ended = events.filter(isOrderEnd).map((event) => numberOf(event, 'orderId'))
  const changes = foldAccountEvents(events, await readOrderOwners(tx, contractEpoch, ended))
  await insertOwnerlessEvents(tx, contractEpoch, changes.ownerless)
  await insertAccountEvents(tx, changes.events)
}

/** Computes the feeds: an event concerns every account in its payload, and the owner of an order that it ends. Pure. */
function foldAccountEvents(events: readonly ArchivedEvent[], owners: ReadonlyMap<number, string>): AccountChanges {
  const rows: AccountEvent[] = []
  const ownerless: OwnerlessEvent[] = []
  for (const event of events) {
    const { seq, topic, payload } = event
    if (payload === null) continue
    const accounts = accountsIn(payload)
    if (isOrderEnd(event)) {
      const orderId = numberOf(event, 'orderId')
      const owner = owners.get(orderId)
      if (owner === undefined) ownerless.push({ seq, orderId, ts: event.ledgerCloseTs, topic })
      else accounts.add(owner)
    }
    for (const account of accounts) rows.push({ account, seq, topic })
  }
  return { events: rows, ownerless }
}

/** The accounts that an event names. */
export function accountsIn(payload: Payload): Set<string> {
  return new Set(ACCOUNT_ROLES.map((role) => payload[role]).filter((name) => typeof name === 'string'))
}

async function insertAccountEvents(tx: Writable, events: readonly AccountEvent[]): Promise<void> {
  await insertRows(tx, idx.account_events, events, { account: 'account', seq: 'seq', topic: 'topic' })
}
