// Compares a transaction's changed entries with its events. A node can alter entries without contradicting itself; the events were confirmed before.

import type { EntryChange, EntryChanges, PositionEntry } from './entry-changes.ts'

/** An event of the market: `topic` and the fields of that topic; null: not decoded. */
export type MarketPayload = Readonly<Record<string, unknown>> | null

/** True unless a changed position, or the order of an event, contradicts the events. */
export function agreesWithEvents({ positions, orders }: EntryChanges, payloads: readonly MarketPayload[]): boolean {
  const known = payloads.filter((payload) => payload !== null)
  for (const [id, change] of positions) {
    const own = known.filter((payload) => payload['positionId'] === id)
    // An account's liquidation names no positions in generation 1; what cannot be decoded may name any.
    const isNamed = own.length > 0 || known.length < payloads.length || known.some(({ topic, trader }) => topic === 'cross_liq' && trader === traderOf(change))
    if (!isNamed || !own.every((payload) => agrees(change, payload))) return false
  }
  return known.every((payload) => {
    const order = payload['topic'] === 'order_placed' ? orders.get(Number(payload['orderId'])) : undefined
    return order === undefined || order.after?.trader === payload['trader']
  })
}

function traderOf({ before, after }: EntryChange<PositionEntry>): string | undefined {
  return (before ?? after)?.trader
}

function agrees({ before, after }: EntryChange<PositionEntry>, payload: Readonly<Record<string, unknown>>): boolean {
  const entry = before ?? after
  if (entry === null || (typeof payload['trader'] === 'string' && entry.trader !== payload['trader'])) return false
  if (typeof payload['asset'] === 'string' && entry.asset !== payload['asset']) return false
  switch (payload['topic']) {
    case 'position_opened':
      return before === null && entry.entry_price === amountOf(payload['entryPrice']) && entry.direction === payload['direction']
    case 'position_closed':
      return after === null && entry.entry_price === amountOf(payload['entryPrice']) && entry.direction === payload['direction']
    case 'position_liquidated':
      return after === null && entry.direction === payload['direction']
    case 'position_reduced':
      return after === null || after.size <= (amountOf(payload['remainingSize']) ?? after.size)
    default:
      return true
  }
}

function amountOf(value: unknown): bigint | null {
  return typeof value === 'string' && /^-?\d{1,40}$/.test(value) ? BigInt(value) : null
}
