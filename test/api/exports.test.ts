// Every exported file has the rows of the lists for its day, over HTTP.

import { strict as assert } from 'node:assert'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { foldTicks } from '../../src/projections/candles/candles.ts'
import type { ExportKind } from '../../src/resources/export.ts'
import { createIndexFixture } from '../index/fixture.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'

type Row = Readonly<Record<string, unknown>>

const DAY_SEC = 86_400
const LEDGERS_PER_DAY = 8

const store = await openTestStore()
const fixture = createIndexFixture(store)
let bare: BareGateway
/** A whole day, counted from 1970-01-01. */
let day = 0

after(async () => {
  await bare[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

before(async () => {
  bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
  const firstDay = Math.floor(fixture.nowSec() / DAY_SEC)
  for (let ledger = 0; ledger < 3 * LEDGERS_PER_DAY; ledger++) {
    for (let pick = 0; pick < 30; pick++) {
      fixture.queue(pick % 3 === 0 ? fixture.exchange.close(pick, ledger) : fixture.exchange.open(pick % 7, ledger))
      fixture.queue(fixture.exchange.other(pick))
    }
    fixture.closeLedger(DAY_SEC / LEDGERS_PER_DAY)
    await fixture.catchUp()
    await foldTicks(store.write, ['BTC', 'ETH'].map((asset) => ({ asset, price: BigInt(1_000 + ledger), timestampSec: fixture.nowSec() - 1 })))
  }
  // The node of this test has no transactions to read.
  await store.write.query('truncate idx.unread_transactions')
  day = firstDay + 1
})

async function read(path: string): Promise<{ readonly body: Row; readonly next: string | undefined }> {
  const { statusCode, body, headers } = await bare.gateway.app.inject({ method: 'GET', url: path })
  assert.equal(statusCode, 200, `${path}: ${body}`)
  return { body: JSON.parse(body) as Row, next: /<(.+)>/.exec(String(headers['link'] ?? ''))?.[1] }
}

/** All rows of a list, newest first. */
async function list(path: string, member: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let url: string | undefined = path; url !== undefined;) {
    const page = await read(url)
    rows.push(...(page.body[member] as Row[]))
    url = page.next
  }
  return rows
}

async function exported(kind: ExportKind): Promise<Row[]> {
  const date = new Date(day * DAY_SEC * 1000).toISOString().slice(0, 10)
  const response = await bare.gateway.app.inject({ method: 'GET', url: `/v1/export/${kind}/${date}.ndjson.gz` })
  assert.equal(response.statusCode, 200, response.body)
  return gunzipSync(response.rawPayload).toString('utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Row)
}

const isOfDay = (ts: unknown): boolean => Math.floor(Number(ts) / DAY_SEC) === day

/** Removes the label, which depends on the time of the request. */
function withoutLabel({ deployment: _label, ...row }: Row): Row {
  return row
}

for (const [kind, path, member, time] of [
  ['events', '/v1/events?limit=500', 'events', 'ledgerCloseTs'], ['trades', '/v1/trades?include_opens=true&limit=200', 'trades', 'ts'],
] as const) {
  test(`the file of ${kind} has the rows of the list for its day`, async () => {
    const rows = (await list(path, member)).filter((row) => isOfDay(row[time])).toReversed()
    assert.ok(rows.length > 100, `${rows.length} rows`)
    assert.deepEqual(await exported(kind), rows.map(withoutLabel))
  })
}

test('the file of the cash ledger has the rows of every account for its day', async () => {
  const file = await exported('ledger')
  const accounts = await store.read.query<{ account: string }>('select distinct account from idx.cash_ledger')
  let rows = 0
  for (const { account } of accounts) {
    const listed = (await list(`/v1/traders/${account}/ledger?limit=100`, 'ledger')).filter(({ ts }) => isOfDay(ts))
    rows += listed.length
    const own = file.filter((row) => row['account'] === account).map(({ account: _account, ...row }) => row)
    assert.deepEqual(own.toReversed(), listed.map(withoutLabel), account)
  }
  assert.ok(rows > 0)
  assert.equal(file.length, rows)
})

test('the file of candles has the candles that end in its day, of every asset and interval', async () => {
  const file = await exported('candles')
  const series = Map.groupBy(file, ({ asset, interval }) => `asset=${String(asset)}&interval=${String(interval)}`)
  assert.deepEqual(new Set(file.map(({ asset }) => asset)).size >= 2, true)
  for (const [name, rows] of series) {
    const times = rows.map(({ time }) => Number(time))
    const listed = await list(`/v1/candles?${name}&from=${Math.min(...times)}&to=${Math.max(...times) + 1}&limit=5000`, 'candles')
    assert.deepEqual(rows.map(({ asset: _asset, interval: _interval, ...row }) => row), listed, name)
  }
  for (const [interval, seconds] of [['1h', 3_600], ['1d', DAY_SEC]] as const) {
    const listed = await list(`/v1/candles?asset=BTC&interval=${interval}&from=${(day - 2) * DAY_SEC}&to=${(day + 2) * DAY_SEC}&limit=5000`, 'candles')
    const expected = listed.filter(({ time }) => isOfDay(Number(time) + seconds - 1))
    assert.deepEqual(series.get(`asset=BTC&interval=${interval}`)?.map(({ time }) => time), expected.map(({ time }) => time), interval)
  }
})
