import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { fc } from '../../../test/support/fuzz.ts'
import type { ChainEvent, EventsPage } from '../../chain/rpc/responses.ts'
import { endOf, eventId } from '../../../test/index/node.ts'
import { BadPage, checkPage, cutToLedgers } from './events-page.ts'
import { endOfTransaction } from '../../projections/log/toid.ts'

/** An event; `index` is its position in the ledger. */
function event(ledger: number, index: number, closeSec = 1_000 + ledger * 5): ChainEvent {
  return { id: eventId(ledger, index, index), ledger, closeSec, contractId: 'C', txHash: '00', topicsXdr: [], valueXdr: '' }
}

function page(events: readonly ChainEvent[], cursor: string, change: Partial<EventsPage> = {}): EventsPage {
  return { events, cursor, latestLedger: 20, latestLedgerCloseSec: 1_100, oldestLedger: 1, oldestLedgerCloseSec: 1_005, ...change }
}

const AFTER_4 = { cursor: endOf(4), startLedger: 1 }
const FROM_5 = { cursor: null, startLedger: 5 }
const REQUESTED = { limit: 3, contractIds: ['C'] }
const good = [event(5, 0), event(5, 1), event(7, 0)]

test('accepts a valid page, from a cursor and from a start ledger', () => {
  for (const from of [AFTER_4, FROM_5]) {
    checkPage(page(good, endOf(20)), from, REQUESTED)
    checkPage(page(good, good[2]?.id ?? ''), from, REQUESTED)
    checkPage(page([], endOf(20)), from, REQUESTED)
    checkPage(page([], endOf(4)), from, REQUESTED)
  }
})

const BAD: readonly [what: string, page: EventsPage][] = [
  ['too many events', page([...good, event(8, 0)], endOf(20))],
  ['the previous page', page([event(4, 1)], endOf(20))],
  ['a duplicate event', page([event(5, 0), event(5, 0)], endOf(20))],
  ['events out of order', page(good.toReversed(), endOf(20))],
  ['an id of another ledger', page([{ ...event(5, 0), ledger: 6 }], endOf(20))],
  ['a malformed event id', page([{ ...event(5, 0), id: '5-0' }], endOf(20))],
  ['an event after the latest ledger', page([event(21, 0)], endOf(20))],
  ['a cursor before the requested position', page([], endOf(3))],
  ['a cursor before the last event', page(good, endOf(5))],
  ['a cursor after the latest ledger', page(good, endOf(21))],
  ['a malformed cursor', page(good, 'x')],
  ['an inverted ledger range', page(good, endOf(20), { oldestLedger: 21 })],
  ['two close times in one ledger', page([event(5, 0, 1_025), event(5, 1, 1_026)], endOf(20))],
  ['descending close times', page([event(5, 0, 1_025), event(6, 0, 1_024)], endOf(20))],
]

for (const [what, bad] of BAD) {
  test(`rejects a page with ${what}`, () => {
    for (const from of [AFTER_4, FROM_5]) assert.throws(() => checkPage(bad, from, REQUESTED), BadPage)
  })
}

test('drops an incomplete last ledger, unless the page has no other', () => {
  const cut = cutToLedgers(page(good, good[2]?.id ?? ''))
  assert.deepEqual([cut.events.map(({ ledger }) => ledger), cut.cursor, cut.through?.ledger, cut.through?.closeSec], [[5, 5], endOf(5), 5, 1_025])
  const inOne = cutToLedgers(page(good.slice(0, 2), good[1]?.id ?? ''))
  assert.deepEqual([inOne.events.length, inOne.cursor, inOne.through], [1, endOfTransaction(good[0]?.id ?? ''), null], 'of whole transactions')
  const whole = cutToLedgers(page(good, endOf(9)))
  assert.deepEqual([whole.events.length, whole.cursor, whole.through], [3, endOf(9), { ledger: 9, closeSec: null }])
  assert.equal(cutToLedgers(page([], endOf(20))).through?.closeSec, 1_100, 'the close time of the latest ledger is known')
})

test('drops an incomplete last transaction of a page inside one ledger, unless the page has no other', () => {
  const first = [5, 6].map((index) => ({ ...event(5, 0), id: eventId(5, 1, index) }))
  const second = [7, 8].map((index) => ({ ...event(5, 0), id: eventId(5, 2, index) }))
  const cut = cutToLedgers(page([...first, ...second], second[1]?.id ?? ''))
  assert.deepEqual([cut.events, cut.cursor, cut.through], [first, endOfTransaction(first[1]?.id ?? ''), null])
  const alone = cutToLedgers(page(second, second[1]?.id ?? ''))
  assert.deepEqual([alone.events, alone.cursor, alone.through], [second, second[1]?.id, null])
})

test('pages of any length add up to the whole chain, and a completely read ledger is complete', () => {
  const chain = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(chain, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 }), (ledgers, limits) => {
      const events = ledgers.flatMap((count, ledger) => Array.from({ length: count }, (_, index) => event(ledger + 1, index)))
      let cursor = endOf(0)
      const read: string[] = []
      for (let poll = 0; cursor !== endOf(ledgers.length); poll++) {
        assert.ok(poll < 200, 'the chain was not read in 200 polls')
        // Every third page is long enough for the longest ledger.
        const limit = poll % 3 === 2 ? 7 : limits[poll % limits.length] ?? 1
        const following = events.filter(({ id }) => id > cursor)
        const returned = following.slice(0, limit)
        const response = page(returned, returned.length === limit ? returned.at(-1)?.id ?? '' : endOf(ledgers.length))
        checkPage(response, { cursor, startLedger: 1 }, { ...REQUESTED, limit })
        const taken = cutToLedgers(response)
        read.push(...taken.events.map(({ id }) => id))
        assert.ok(taken.cursor > cursor, 'the cursor advances')
        const through = taken.through?.ledger ?? 0
        assert.ok(events.every(({ ledger, id }) => ledger > through || read.includes(id)), `ledger ${through} was not read completely`)
        cursor = taken.cursor
      }
      assert.deepEqual(read, events.map(({ id }) => id))
    }),
  )
})
