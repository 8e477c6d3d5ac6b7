import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntryChange, EntryChanges, PositionEntry } from './entry-changes.ts'
import { agreesWithEvents } from './entry-plausibility.ts'

const ENTRY: PositionEntry = {
  asset: 'BTC', collateral: 100n, direction: 0, entry_cumulative_funding: 0n, entry_price: 50n, id: 7, leverage: 10, liquidation_price: 45n, margin_mode: 0,
  size: 1_000n, timestamp: 1, trader: 'GA',
}
const OPENED = { topic: 'position_opened', positionId: 7, trader: 'GA', asset: 'BTC', direction: 0, size: '1000', entryPrice: '50' }
const CLOSED = { ...OPENED, topic: 'position_closed' }
const REDUCED = { topic: 'position_reduced', positionId: 7, trader: 'GA', asset: 'BTC', closedSize: '400', remainingSize: '600' }

function changed(change: EntryChange<PositionEntry>): EntryChanges {
  return { positions: new Map([[7, change]]), orders: new Map(), crossBalances: new Map() }
}

test('entries that fit the events are plausible', () => {
  assert.ok(agreesWithEvents(changed({ before: null, after: ENTRY }), [OPENED]))
  assert.ok(agreesWithEvents(changed({ before: ENTRY, after: null }), [CLOSED]))
  assert.ok(agreesWithEvents(changed({ before: ENTRY, after: { ...ENTRY, size: 600n } }), [REDUCED]))
  assert.ok(agreesWithEvents(changed({ before: ENTRY, after: null }), [{ topic: 'cross_liq', trader: 'GA' }]))
  assert.ok(agreesWithEvents(changed({ before: ENTRY, after: null }), [null]), 'an event that was not decoded may name the position')
})

test('entries that contradict the events are not', () => {
  const lies: readonly (readonly [EntryChange<PositionEntry>, readonly Readonly<Record<string, unknown>>[]])[] = [
    [{ before: null, after: { ...ENTRY, trader: 'GB' } }, [OPENED]],
    [{ before: null, after: { ...ENTRY, entry_price: 51n } }, [OPENED]],
    [{ before: null, after: { ...ENTRY, asset: 'ETH' } }, [OPENED]],
    [{ before: ENTRY, after: ENTRY }, [OPENED]],
    [{ before: ENTRY, after: ENTRY }, [CLOSED]],
    [{ before: { ...ENTRY, direction: 1 }, after: null }, [CLOSED]],
    [{ before: ENTRY, after: { ...ENTRY, size: 700n } }, [REDUCED]],
    [{ before: ENTRY, after: null }, []],
    [{ before: ENTRY, after: null }, [{ topic: 'cross_liq', trader: 'GB' }]],
  ]
  for (const [change, payloads] of lies) assert.equal(agreesWithEvents(changed(change), payloads), false)
  assert.equal(agreesWithEvents({
    positions: new Map(), crossBalances: new Map(),
    orders: new Map([[3, { before: null, after: { trader: 'GB' } as never }]]),
  }, [{ topic: 'order_placed', orderId: 3, trader: 'GA' }]), false)
})
