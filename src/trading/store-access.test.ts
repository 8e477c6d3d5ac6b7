import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { createPreparations } from './preparations.ts'
import type { PreparedRecord } from './submission-records.ts'
import { createStoreFailures } from './store-access.ts'

test('an outage of the database is two lines in a minute, however many transactions are prepared in it', async () => {
  const lines: (readonly [Readonly<Record<string, unknown>>, string])[] = []
  const clock = createVirtualClock(60_000)
  const log = { warn: (fields: object, message: string) => void lines.push([fields as never, message]) } as unknown as Log
  const failures = createStoreFailures({ clock, log })
  const query = (): Promise<never> => Promise.reject(new StoreUnavailable('connection lost'))
  const preparations = createPreparations({ store: { read: { query }, write: { query, run: query } } as unknown as Store, clock, failures })
  for (let index = 0; index < 500; index++) {
    assert.equal(await preparations.recordPrepared({ owner: 'G', clientId: null, hash: `hash ${index}` } as unknown as PreparedRecord), false)
  }
  assert.deepEqual(lines.map(([{ code, hash }]) => [code, hash]), [['preparation_not_stored', 'hash 0']])
  clock.advance(60_000)
  assert.deepEqual(lines.slice(1).map(([{ code, count }]) => [code, count]), [['preparation_not_stored', 500]])
})
