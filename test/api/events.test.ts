// GET /v1/events.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeCursor } from '../../src/projections/log/page.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { GapRange } from '../../src/resources/gap-range.ts'
import { END, assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages } from '../support/pagination.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'

interface Events {
  readonly events: readonly EventRow[]
  readonly gaps: readonly GapRange[]
}

let fixture: GatewayFixture
let empty: ApiResponse<Events>
let writtenAtMs: number

async function list(query = 'limit=500'): Promise<readonly EventRow[]> {
  const response = await fixture.get<Events>(`/v1/events?${query}`)
  assert.equal(response.status, 200, query)
  return response.body.events
}

/** The number of events up to this seq. */
async function countListed(throughSeq: number): Promise<number> {
  const sql = 'select count(*) as count from idx.events where seq <= $1 and not is_transfer'
  const [row] = await fixture.store.read.query<{ count: number }>(sql, [throughSeq])
  return row?.count ?? 0
}

before(async () => {
  fixture = await createGatewayFixture({ seed: 'events' })
  empty = await fixture.get<Events>('/v1/events')
  await fixture.closeLedgers(40)
  await fixture.control('local_admin', { contract: 'market', function: 'pause', args: [] })
  await fixture.control('local_admin', { contract: 'market', function: 'unpause', args: [] })
  writtenAtMs = fixture.clock.nowMs()
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

test('returns an empty list while nothing is indexed', () => {
  assert.deepEqual([empty.status, empty.body], [200, { events: [], gaps: [], ...END }])
  assert.deepEqual([empty.headers['x-ledger'], empty.headers['x-seq'], empty.headers['link']], ['0', '0', undefined])
})

test('returns rows with exactly the specified fields, by ledger then event id, descending', async () => {
  const { body, headers } = await fixture.get<Events>('/v1/events?limit=500')
  assert.deepEqual(Object.keys(body), ['events', 'gaps', 'hasMore', 'nextCursor'])
  assert.deepEqual(body.gaps, [])
  assert.ok(body.events.length > 60)
  const addresses = Object.values(fixture.network.contracts)
  for (const row of body.events) {
    assert.deepEqual(Object.keys(row), ['eventId', 'contractId', 'topic', 'ledger', 'ledgerCloseTs', 'txHash', 'seq', 'epoch', 'payload', 'insertedAt'])
    assert.match(row.eventId, /^\d{19}-\d{10}$/)
    assert.ok(addresses.includes(row.contractId))
    assert.equal(row.ledgerCloseTs, fixture.network.chain.history.ledger(row.ledger)?.closeTimeSec)
    assert.match(row.txHash, /^[0-9a-f]{64}$/)
    assert.equal((row.payload as { topic: string }).topic, row.topic)
    assert.equal(row.insertedAt, writtenAtMs)
  }
  const key = (row: EventRow) => `${String(row.ledger).padStart(10, '0')} ${row.eventId}`
  assert.deepEqual(body.events, body.events.toSorted((a, b) => (key(a) < key(b) ? 1 : -1)))
  assert.equal(new Set(body.events.map(({ eventId }) => eventId)).size, body.events.length)
  const [archived] = await fixture.store.read.query<{ seq: number }>('select max(seq) as seq from idx.events')
  assert.equal(headers['x-seq'], String(archived?.seq), 'x-seq is the end of the log, which counts transfers too')
  assert.equal(headers['cache-control'], 'no-cache')
})

test('returns every event of the exchange\'s contracts', async () => {
  const { contracts, chain } = fixture.network
  const indexed = new Set([contracts.market, contracts.vault, contracts.vaultFactory, contracts.referral])
  const emitted = [...chain.history.events({ afterId: null, fromLedger: 1, untilLedger: chain.history.latest().sequence + 1, contractIds: null })]
    .filter(({ contractId, type }) => indexed.has(contractId) && type === 'contract')
  assert.deepEqual((await list()).map(({ eventId }) => eventId).toReversed(), emitted.map(({ id }) => id))
})

/** The payload's keys after `topic`, with the JSON type of each. */
const PAYLOADS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  position_opened: { positionId: 'number', trader: 'string', asset: 'string', direction: 'number', size: 'string', entryPrice: 'string' },
  position_closed: {
    positionId: 'number', trader: 'string', asset: 'string', direction: 'number', size: 'string', entryPrice: 'string', closePrice: 'string', pnl: 'string',
  },
  paused: {},
  unpaused: {},
  exposure_synced: { asset: 'string', assetUnrealizedPnl: 'string', totalUnrealizedPnl: 'string', release: 'string' },
  loss_received: { amount: 'string' },
  pnl_settled: { pnl: 'string' },
}

test('decodes payloads to named fields: amounts as strings, ids as numbers', async () => {
  const rows = await list()
  for (const [topic, keys] of Object.entries(PAYLOADS)) {
    const payload = rows.find((row) => row.topic === topic)?.payload as Record<string, unknown> | undefined
    assert.ok(payload, `an event ${topic}`)
    const { topic: named, ...own } = payload
    assert.equal(named, topic)
    assert.deepEqual(Object.fromEntries(Object.entries(own).map(([key, value]) => [key, typeof value])), keys, topic)
  }
})

test('filters by topic, by contract and by both', async () => {
  const all = await list()
  const { market, vault, referral } = fixture.network.contracts
  assert.deepEqual(await list('limit=500&topic=position_opened'), all.filter(({ topic }) => topic === 'position_opened'))
  assert.deepEqual(await list(`limit=500&contract=${vault}`), all.filter(({ contractId }) => contractId === vault))
  const paused = await list(`contract=${market}&topic=paused`)
  assert.deepEqual(paused.map(({ topic, contractId }) => [topic, contractId]), [['paused', market]])
  const queries = [
    `contract=${referral}&topic=paused`, 'topic=POSITION_OPENED', 'topic=%25', `topic=${'x'.repeat(100)}`, `contract=${market.toLowerCase()}`,
  ]
  for (const query of queries) {
    assert.deepEqual(await list(query), [], query)
  }
})

test('from_ledger and to_ledger are inclusive, before_ts is exclusive', async () => {
  const all = await list()
  const ledgers = [...new Set(all.map(({ ledger }) => ledger))]
  const [high = 0, low = 0] = [ledgers[2], ledgers.at(-3)]
  assert.deepEqual(await list(`limit=500&from_ledger=${low}`), all.filter(({ ledger }) => ledger >= low))
  assert.deepEqual(await list(`limit=500&to_ledger=${high}`), all.filter(({ ledger }) => ledger <= high))
  assert.deepEqual(await list(`limit=500&from_ledger=${low}&to_ledger=${high}`), all.filter(({ ledger }) => ledger >= low && ledger <= high))
  assert.deepEqual(await list(`from_ledger=${high}&to_ledger=${high}`), all.filter(({ ledger }) => ledger === high))
  assert.deepEqual(await list(`from_ledger=${high}&to_ledger=${low}`), [])
  const ts = all.find(({ ledger }) => ledger === high)?.ledgerCloseTs ?? 0
  assert.deepEqual(await list(`limit=500&before_ts=${ts}`), all.filter(({ ledgerCloseTs }) => ledgerCloseTs < ts))
  assert.deepEqual(await list(`limit=500&before_ts=${ts + 1}`), all.filter(({ ledgerCloseTs }) => ledgerCloseTs <= ts))
  assert.deepEqual(await list(`limit=500&before_ts=${ts}&from_ledger=${low}&topic=position_closed`), all.filter((row) =>
    row.ledgerCloseTs < ts && row.ledger >= low && row.topic === 'position_closed'))
  assert.deepEqual(await list('from_ledger=0&to_ledger=0&before_ts=0'), [])
  assert.deepEqual(await list(`limit=500&to_ledger=${Number.MAX_SAFE_INTEGER}&before_ts=${Number.MAX_SAFE_INTEGER}`), all)
  assert.deepEqual(await list(`from_ledger=${Number.MAX_SAFE_INTEGER}`), [])
})

test('returns rows and head from one snapshot, even while indexing', async () => {
  const heads = new Set<string | undefined>()
  for (let round = 0; round < 6; round++) {
    await fixture.closeLedgers(3)
    const settled = fixture.catchUp()
    const responses = await Promise.all(Array.from({ length: 4 }, () => fixture.get<Events>('/v1/events?limit=500')))
    await settled
    for (const { body, headers } of responses) {
      assert.equal(await countListed(Number(headers['x-seq'])), body.events.length)
      assert.ok(Number(headers['x-ledger']) >= (body.events[0]?.ledger ?? 0))
      heads.add(headers['x-seq'])
    }
  }
  assert.ok(heads.size > 1)
})

test('returns fifty rows by default', async () => {
  const all = await list()
  assert.deepEqual((await fixture.get<Events>('/v1/events')).body.events, all.slice(0, 50))
  const { body, headers } = await fixture.get<Events>(`/v1/events?limit=${all.length}`)
  assert.deepEqual([body.events.length, headers['link']], [all.length, undefined])
})

test('rejects out-of-range integers, repeated and overlong parameters with a 400 that names them', async () => {
  await assertRejected(fixture, '/v1/events', [
    ...badIntegers('limit', 1, 500), ...badIntegers('from_ledger', 0), ...badIntegers('to_ledger', 0), ...badIntegers('before_ts', 0),
    'topic=a&topic=b', `contract=a&contract=a`, 'topic=%00', `topic=${'x'.repeat(200)}`, `contract=${'C'.repeat(200)}`,
  ])
})

test('accepts only the cursors of its own list', async () => {
  const own = cursorIn((await fixture.get('/v1/events?limit=1')).headers['link'])
  const foreign = [encodeCursor('trades', [5]), encodeCursor('positions-open', [5]), encodeCursor('events', ['5']), encodeCursor('events', [-5])]
  await assertForeignCursorsRejected(fixture, '/v1/events', own, foreign)
})

test('pages contain every row once, even within a ledger and while new events arrive', async () => {
  const { market } = fixture.network.contracts
  for (const [query, limit] of [['', 3], [`contract=${market}`, 2], [`from_ledger=3&before_ts=${Number.MAX_SAFE_INTEGER}`, 7]] as const) {
    const atStart = await list(`${query}&limit=500`)
    assert.ok(new Set(atStart.map(({ ledgerCloseTs }) => ledgerCloseTs)).size < atStart.length, 'rows share a second')
    let rounds = 0
    const pages = await followPages(fixture, `/v1/events?${query}&limit=${limit}`, 'events', async () => {
      if (rounds++ > 5) return
      await fixture.closeLedgers(2)
      await fixture.catchUp()
    })
    assert.deepEqual(pages.flat(), atStart, query)
    assert.ok(pages.slice(0, -1).every((page) => page.length === limit))
  }
})
