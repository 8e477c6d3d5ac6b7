// A process that is killed while it generates an export: after its restart the file has the same bytes as if nothing had happened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createExports } from '../../src/projections/exports/exports.ts'
import { readExportSpan } from '../../src/projections/log/export-rows.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { createIndexFixture } from '../index/fixture.ts'
import { startScript } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = new URL('./export-process.ts', import.meta.url)
const LEDGERS_PER_DAY = 4
const EVENTS_PER_LEDGER = 120
/** Text that does not compress well, so that some hundred events take several chunks. */
const NOISE = `update idx.events e set payload = e.payload || jsonb_build_object('noise', (
  select string_agg(md5(e.seq::text || n::text), '') from generate_series(1, 100) n)) where e.payload is not null`
const clock = createSystemClock()

const open = (dataDir: string): Promise<Store> => openStore({ databaseUrl: null, dataDir, clock, log: silentLog })

/** Indexes a day and the beginning of the next. Returns the day. */
async function indexDay(store: Store): Promise<number> {
  await using fixture = createIndexFixture(store)
  for (let ledger = 0; ledger < 2 * LEDGERS_PER_DAY; ledger++) {
    const events = ledger < LEDGERS_PER_DAY ? EVENTS_PER_LEDGER : 1
    for (let pick = 0; pick < events; pick++) {
      fixture.queue(pick % 3 === 0 ? fixture.exchange.close(pick, ledger) : fixture.exchange.open(pick % 7, ledger * pick))
    }
    fixture.closeLedger(86_400 / LEDGERS_PER_DAY)
  }
  await fixture.catchUp()
  await store.write.query(NOISE)
  return (await readExportSpan(store.read))?.firstDay ?? assert.fail('no day is over')
}

async function generate(store: Store, day: number): Promise<{ readonly etag: string; readonly bytes: Buffer; readonly chunks: number }> {
  await using exports = createExports({ store, clock, log: silentLog })
  const file = await exports.open('events', day, 'a caller')
  assert.ok(typeof file === 'object', JSON.stringify(file))
  const { etag, chunks } = file
  const parts: Uint8Array[] = []
  for await (const part of exports.read(file)) parts.push(part)
  return { etag, chunks, bytes: Buffer.concat(parts) }
}

test('a process killed with -9 while it generates an export leaves nothing behind, and the next one generates the identical file', async () => {
  await using folder = await temporaryFolder()
  let day: number
  let expected: Awaited<ReturnType<typeof generate>>
  {
    await using store = await open(folder.path)
    day = await indexDay(store)
    expected = await generate(store, day)
    await store.write.query('truncate idx.export_files, idx.export_chunks')
  }
  assert.ok(expected.chunks > 2, `${expected.chunks} chunks`)
  {
    await using program = startScript(SCRIPT, [folder.path, 'events', String(day)])
    await program.waitForLine(/^stored$/)
    assert.equal(await program.stop('SIGKILL'), 'SIGKILL')
  }
  await using store = await open(folder.path)
  const [left] = await store.read.query<{ files: number; chunks: number }>(
    'select (select count(*)::int from idx.export_files) as files, (select count(*)::int from idx.export_chunks) as chunks',
  )
  assert.deepEqual(left, { files: 0, chunks: 2 })
  const again = await generate(store, day)
  assert.equal(again.etag, expected.etag)
  assert.ok(again.bytes.equals(expected.bytes))
  const [stored] = await store.read.query<{ chunks: number }>('select count(*)::int as chunks from idx.export_chunks')
  assert.equal(stored?.chunks, expected.chunks)
})
