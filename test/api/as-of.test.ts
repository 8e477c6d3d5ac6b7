// at_ledger, and daily exports, over HTTP.

import { strict as assert } from 'node:assert'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { ExportEntry } from '../../src/resources/export.ts'
import type { RealizedTrade } from '../../src/resources/realized-trade.ts'
import { createClient } from '../../client/src/client.ts'
import { createIndexFixture } from '../index/fixture.ts'
import { TRADERS } from '../index/accounts.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'

const store = await openTestStore()
const fixture = createIndexFixture(store)
let bare: BareGateway
/** The head when the first answers were recorded. */
let past = 0
const recorded = new Map<string, string>()

after(async () => {
  await bare[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const PATHS = [
  '/v1/trades?limit=5', '/v1/positions/open', `/v1/positions/open?trader=${TRADERS[0]}`, '/v1/leaderboard?sort=volume&limit=2', '/v1/vaults?limit=3',
  '/v1/leaderboard/totals?scope=testnet', '/v1/vaults/0/trades?limit=3', '/v1/vaults/0/history?limit=3',
  `/v1/traders/${TRADERS[0]}/pnl?interval=1h&from=1800000000&to=1800400000`,
]

const get = (path: string, headers: Record<string, string> = {}) => bare.gateway.app.inject({ method: 'GET', url: path, headers })

async function trade(ledgers: number): Promise<void> {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < 6; pick++) fixture.queue(pick % 3 === 2 ? fixture.exchange.close(pick, ledger) : fixture.exchange.open(pick, ledger))
    fixture.closeLedger(20_000)
  }
  await fixture.catchUp()
}

before(async () => {
  bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
  await trade(8)
  past = Number((await get('/v1/trades')).headers['x-ledger'])
  for (const path of PATHS) recorded.set(path, (await get(path)).body)
  await trade(8)
})

const at = (path: string, ledger: number): string => `${path}${path.includes('?') ? '&' : '?'}at_ledger=${ledger}`

test('an answer as of a past ledger is the recorded one, names its ledger, and may be cached', async () => {
  for (const path of PATHS) {
    const response = await get(at(path, past))
    assert.equal(response.statusCode, 200, path)
    assert.deepEqual(JSON.parse(response.body), JSON.parse(recorded.get(path) ?? ''), path)
    assert.equal(response.headers['x-ledger'], String(past))
    assert.equal(response.headers['cache-control'], 'public, max-age=3600')
    assert.equal((await get(at(path, past), { 'if-none-match': String(response.headers['etag']) })).statusCode, 304)
  }
  const stats = await get(at('/v1/markets/stats', past))
  assert.deepEqual(Object.keys(JSON.parse(stats.body) as object), ['stats', 'solvency'])
})

test('pages as of a ledger continue as of that ledger', async () => {
  const seen: unknown[] = []
  for (let url: string | undefined = at('/v1/trades?limit=2', past); url !== undefined;) {
    const response = await get(url)
    assert.equal(response.headers['x-ledger'], String(past))
    seen.push(...(JSON.parse(response.body) as { trades: unknown[] }).trades)
    url = /<(.+)>/.exec(String(response.headers['link'] ?? ''))?.[1]
  }
  const all = JSON.parse((await get(at('/v1/trades?limit=200', past))).body) as { trades: unknown[] }
  assert.deepEqual(seen, all.trades)
  assert.ok(seen.length > 4)
})

test('the answer as of the newest ledger must be revalidated', async () => {
  const head = Number((await get('/v1/trades')).headers['x-ledger'])
  assert.equal((await get(at('/v1/trades', head))).headers['cache-control'], 'no-cache')
})

test('a ledger that is not indexed is rejected with the range, and at_ledger is rejected where only the present is known', async () => {
  const head = Number((await get('/v1/trades')).headers['x-ledger'])
  for (const path of [...PATHS, '/v1/markets/stats', `/v1/leaderboard/rank?trader=${TRADERS[0]}`]) {
    const response = await get(at(path, head + 1))
    assert.equal(response.statusCode, 400)
    const { error, last } = JSON.parse(response.body) as { error: string; last: number }
    assert.deepEqual([error, last], ['ledger_not_indexed', head], path)
  }
  for (const path of ['/v1/events', '/v1/funding', '/v1/pool', '/v1/account/me/orders/open', '/v1/health']) {
    const response = await get(at(path, past))
    if (path.startsWith('/v1/account')) assert.equal(response.statusCode, 401)
    else assert.match((JSON.parse(response.body) as { message: string }).message, /^querystring\/at_ledger is not supported/, path)
  }
})

test('a day is listed, downloaded with its rows, and cached for good', async () => {
  const listed = JSON.parse((await get('/v1/export?limit=1')).body) as { exports: ExportEntry[] }
  assert.deepEqual(listed.exports.map(({ kind }) => kind), ['events', 'trades', 'candles', 'ledger'])
  const entry = listed.exports.find(({ kind }) => kind === 'trades')
  const response = await get(entry?.url ?? '')
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'application/gzip')
  assert.match(String(response.headers['cache-control']), /immutable/)
  const rows = gunzipSync(response.rawPayload).toString('utf8').trim().split('\n').map((line) => JSON.parse(line) as RealizedTrade)
  const dates = new Set(rows.map(({ ts }) => new Date(ts * 1000).toISOString().slice(0, 10)))
  assert.deepEqual([...dates], [entry?.date])
  const etag = String(response.headers['etag'])
  assert.match(etag, /^"/)
  assert.equal((await get(entry?.url ?? '', { 'if-none-match': etag })).statusCode, 304)
  const again = JSON.parse((await get('/v1/export?limit=1')).body) as { exports: ExportEntry[] }
  const file = again.exports.find(({ kind }) => kind === 'trades')
  assert.deepEqual([file?.etag, file?.rows, file?.bytes], [etag, rows.length, response.rawPayload.length])
})

test('the client downloads a day as bytes', async () => {
  const client = createClient({ url: await bare.gateway.listen({ host: '127.0.0.1', port: 0 }) })
  const { body: { exports: [entry] } } = await client.listExports({ limit: 1 })
  const { body } = await client.downloadExport({ kind: 'events', file: `${entry?.date}.ndjson.gz` })
  const rows = gunzipSync(body).toString('utf8').trim().split('\n').map((line) => JSON.parse(line) as { eventId: string })
  assert.ok(rows.length > 0 && rows.every(({ eventId }) => eventId.length > 0))
})

test('the list of exports has pages, and days that are not over have no file', async () => {
  const dates: string[] = []
  for (let url: string | undefined = '/v1/export?limit=1'; url !== undefined;) {
    const response = await get(url)
    dates.push(...new Set((JSON.parse(response.body) as { exports: ExportEntry[] }).exports.map(({ date }) => date)))
    url = /<(.+)>/.exec(String(response.headers['link'] ?? ''))?.[1]
  }
  assert.ok(dates.length > 2)
  assert.deepEqual(dates, dates.toSorted().toReversed())
  const today = new Date(fixture.nowSec() * 1000).toISOString().slice(0, 10)
  for (const date of [today, '1999-01-01', '2027-02-30']) {
    const response = await get(`/v1/export/events/${date}.ndjson.gz`)
    assert.equal(response.statusCode, 404, date)
    assert.equal((JSON.parse(response.body) as { error: string }).error, 'export_not_available')
  }
  assert.equal((await get('/v1/export/events/yesterday.ndjson.gz')).statusCode, 400)
})
