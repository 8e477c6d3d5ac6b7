// Exported days: their rows are those of the lists, and their bytes are the same from every instance, whatever interrupts the generation.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { allEvents, allTrades, emptyIndex } from '../../../test/index/tables.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { createSystemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { ExportFile } from '../log/export-files.ts'
import { isExportable, readExportSpan } from '../log/export-rows.ts'
import { createExports } from './exports.ts'
import type { Exports } from './exports.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const DAY_SEC = 86_400
/** A chunk ends with the compressor's output that reaches 128 KiB. */
const CHUNK_MAX_BYTES = 256 * 1024
const createInstance = (): Exports => createExports({ store, clock: createSystemClock(), log: silentLog })

/** A history of some days with many events each. */
async function createDays(days: number): Promise<IndexFixture> {
  await emptyIndex(store.write)
  const fixture = createIndexFixture(store)
  for (let ledger = 0; ledger < days * 6; ledger++) {
    for (let pick = 0; pick < 30; pick++) {
      fixture.queue(pick % 3 === 0 ? fixture.exchange.close(pick, ledger) : fixture.exchange.open(pick, ledger))
      fixture.queue(fixture.exchange.other(pick))
    }
    fixture.closeLedger(DAY_SEC / 6)
    if (ledger % 6 === 0) await fixture.catchUp()
  }
  await fixture.catchUp()
  return fixture
}

async function fileOf(exports: Exports, kind: 'events' | 'trades' | 'candles' | 'ledger', day: number): Promise<ExportFile> {
  const file = await exports.open(kind, day, 'a caller')
  assert.ok(typeof file === 'object', `${kind} of day ${day}: ${JSON.stringify(file)}`)
  return file
}

async function bytesOf(exports: Exports, file: ExportFile): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of exports.read(file)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  assert.equal(bytes.length, file.bytes)
  return bytes
}

function rowsIn(bytes: Buffer): unknown[] {
  return gunzipSync(bytes).toString('utf8').split('\n').filter((line) => line !== '').map((line): unknown => JSON.parse(line))
}

test('a day has the rows of the lists in log order, and a day that is not over has no file', async () => {
  await using fixture = await createDays(3)
  await using exports = createInstance()
  const span = await readExportSpan(store.read)
  assert.ok(span !== null && span.lastDay > span.firstDay)
  const day = span.firstDay + 1
  const isOfDay = (ts: number): boolean => Math.floor(ts / DAY_SEC) === day
  const events = (await allEvents(store.read, { limit: 500 })).filter((row) => isOfDay(row.ledgerCloseTs)).toReversed()
  assert.ok(events.length > 100)
  assert.deepEqual(rowsIn(await bytesOf(exports, await fileOf(exports, 'events', day))), JSON.parse(JSON.stringify(events)))
  const trades = (await allTrades(store.read, { includeOpens: true, limit: 200 })).filter((row) => isOfDay(row.ts)).toReversed()
  const file = await fileOf(exports, 'trades', day)
  assert.deepEqual(rowsIn(await bytesOf(exports, file)), trades)
  assert.equal(file.rows, trades.length)
  for (const unavailable of [span.firstDay - 1, span.lastDay + 1]) assert.equal(await exports.open('trades', unavailable, 'a caller'), 'unavailable')
  assert.ok(fixture.nowSec() > 0)
})

test('a long file is stored and read in chunks, so that neither end holds all of it', async () => {
  await (await createDays(3))[Symbol.asyncDispose]()
  // Text that hardly compresses.
  await store.write.query(
    `update idx.events set payload = payload || jsonb_build_object('text', (select string_agg(md5(seq::text || n), '') from generate_series(1, 60) n))`,
  )
  await using exports = createInstance()
  const span = await readExportSpan(store.read)
  const file = await fileOf(exports, 'events', (span?.firstDay ?? 0) + 1)
  const lengths: number[] = []
  for await (const chunk of exports.read(file)) lengths.push(chunk.length)
  assert.ok(lengths.length > 1 && Math.max(...lengths) < CHUNK_MAX_BYTES, `chunks of ${lengths.join(', ')} bytes`)
  assert.equal(rowsIn(await bytesOf(exports, file)).length, file.rows)
})

test('instances give the same bytes, at the same time and after an interruption', async () => {
  await using fixture = await createDays(2)
  assert.ok(fixture.nowSec() > 0)
  const span = await readExportSpan(store.read)
  const day = span?.firstDay ?? 0
  await using first = createInstance()
  await using second = createInstance()
  const [one, two] = await Promise.all([fileOf(first, 'events', day), fileOf(second, 'events', day)])
  assert.equal(one.etag, two.etag)
  const bytes = await bytesOf(first, one)
  assert.deepEqual(await bytesOf(second, two), bytes)
  // What a process leaves that was killed while it wrote the file.
  await store.write.query('delete from idx.export_files')
  await store.write.query('update idx.export_chunks set bytes = $1', [new Uint8Array([1, 2, 3])])
  await using third = createInstance()
  const again = await fileOf(third, 'events', day)
  assert.equal(again.etag, one.etag)
  assert.deepEqual(await bytesOf(third, again), bytes)
})

test('a file is replaced when the log of its day was repaired, and is not available while ledgers of the day are missing', async () => {
  await using fixture = await createDays(2)
  await using exports = createInstance()
  const span = await readExportSpan(store.read)
  const day = span?.firstDay ?? 0
  const before = await fileOf(exports, 'trades', day)
  await store.write.query("update idx.epochs set epoch = 'repaired'")
  const now = await fileOf(exports, 'trades', day)
  assert.notEqual(now.state, before.state)
  assert.notEqual(now.etag, before.etag, 'rows have the name of their epoch')
  assert.equal(now.rows, before.rows)
  const [{ count } = { count: 0 }] = await store.read.query<{ count: number }>('select count(*) as count from idx.export_chunks')
  assert.equal(count, now.chunks)
  await store.write.query(
    'insert into idx.gaps (epoch, from_ledger, to_ledger, noticed_at, after_ts) select max(number), 1, 2, 0, $1::bigint from idx.epochs', [day * DAY_SEC + 60],
  )
  assert.equal(await exports.open('trades', day, 'a caller'), 'unavailable')
  assert.equal(isExportable(await readExportSpan(store.read), day), false)
  assert.ok(fixture.nowSec() > 0)
})
