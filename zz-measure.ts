import { cpSync, mkdtempSync, fsyncSync } from 'node:fs'
import { join } from 'node:path'
import { createSystemClock } from '/work/wt/store/src/base/clock.ts'
import { silentLog } from '/work/wt/store/src/base/log.ts'
import { openEngine } from '/work/wt/store/src/store/embedded/engine.ts'
import { openEmbedded } from '/work/wt/store/src/store/open.ts'
const clock = createSystemClock()
const dir = mkdtempSync('/tmp/store/db-')
const store = await openEmbedded({ dataDir: dir, clock, log: silentLog })
await store.bulkWriter.query('create table wide (id bigint primary key, body jsonb, a text)')
for (let i = 0; i < 10; i++) await store.bulkWriter.query(`insert into wide select n, jsonb_build_object('x', repeat('y', 200)), n::text from generate_series(${i}*20000+1, ${i}*20000+20000) n`)
await store.bulkWriter.query('checkpoint')
cpSync(join(dir, 'database'), join(dir, 'idle'), { recursive: true })
for (let i = 10; i < 11; i++) await store.bulkWriter.query(`insert into wide select n, jsonb_build_object('x', repeat('y', 200)), n::text from generate_series(${i}*20000+1, ${i}*20000+18000) n`)
cpSync(join(dir, 'database'), join(dir, 'busy'), { recursive: true })
await store[Symbol.asyncDispose]()
for (const which of ['database', 'idle', 'busy']) {
  let n = 0, ms = 0
  const t0 = performance.now(), c0 = process.cpuUsage()
  const e = await openEngine({ directory: join(dir, which), disk: { fsync(d) { n++; const t = performance.now(); fsyncSync(d); ms += performance.now() - t }, onFailure(x) { throw x } } })
  const c = process.cpuUsage(c0)
  console.log(which, 'start', Math.round(performance.now() - t0), 'cpu user', Math.round(c.user/1000), 'sys', Math.round(c.system/1000), 'fsyncs', n, Math.round(ms))
  await e.close()
}
