import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { Param, Store } from '../store/store.ts'
import { MISS_TTL_MS, createKeyCache, MAX_CACHED_KEYS, KEY_TTL_MS } from './key-cache.ts'
import { KeysUnavailable, LOOKUP_BATCH, LOOKUP_TIMEOUT_MS, MAX_QUEUED_LOOKUPS } from './batched-lookup.ts'
import { FLUSH_INTERVAL_MS } from './last-used-tracker.ts'

interface Statement {
  readonly keyIds: readonly string[]
  readonly done: PromiseWithResolvers<object[]>
}

interface Listener {
  readonly callback: (payload: string) => void
  readonly onHeard: (heard: boolean) => void
}

/** A table of keys behind doors that the test opens one statement at a time, with the answer of its choice. */
function build(options: { patient?: boolean } = {}) {
  const clock = createVirtualClock(1_000_000)
  const table = new Map<string, { revoked: boolean }>()
  const statements: Statement[] = []
  const listeners: Listener[] = []
  function rows(keyIds: readonly string[]): object[] {
    return keyIds.filter((keyId) => table.has(keyId)).map((keyId) => ({
      keyId, owner: 'G', tier: 'standard', secretSha256: new Uint8Array(32), revoked: table.get(keyId)?.revoked === true,
    }))
  }
  const query = (_sql: string, params?: readonly Param[]): Promise<object[]> => {
    const keyIds = params?.[0] as readonly string[]
    const statement = { keyIds, done: Promise.withResolvers<object[]>() }
    statements.push(statement)
    if (options.patient !== true) statement.done.resolve(rows(keyIds))
    return statement.done.promise
  }
  const store = {
    engine: 'embedded',
    read: { query },
    write: { query },
    async listen(_channel: string, callback: Listener['callback'], onHeard: Listener['onHeard']) {
      listeners.push({ callback, onHeard })
      onHeard(true)
      return async () => {}
    },
  } as unknown as Store
  const keys = createKeyCache({ store, clock, log: silentLog })
  return {
    clock, table, statements, keys, rows,
    ring: (keyId: string) => listeners.forEach(({ callback }) => callback(keyId)),
    setHeard: (heard: boolean) => listeners.forEach(({ onHeard }) => onHeard(heard)),
  }
}

/** Lets everything run that waits for nothing. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const ID = 'nk_aaaaaaaaaaaaaaaaaaaaaaaa'

test('a key is read once and trusted for a while', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  const found = await keys.find(ID)
  assert.deepEqual([found?.identity, found?.revoked], [{ keyId: ID, owner: 'G', tier: 'standard' }, false])
  clock.advance(KEY_TTL_MS - 1)
  assert.equal(keys.find(ID), found, 'at once')
  clock.advance(1)
  const anew = keys.find(ID)
  assert.ok(anew instanceof Promise)
  await anew
  assert.equal(statements.length, 2)
})

test('a clock that was set back does not prolong the trust', async () => {
  const { table, keys, clock } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  clock.step(-3_600_000)
  clock.advance(KEY_TTL_MS)
  assert.ok(keys.find(ID) instanceof Promise)
})

test('a key in use is read again where its use is written down, so that it is never waited for', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  for (let second = 0; second < 20; second++) {
    assert.ok(!(keys.find(ID) instanceof Promise), `second ${second}`)
    keys.recordUse(ID)
    clock.advance(FLUSH_INTERVAL_MS)
    await turn()
  }
  assert.equal(statements.length, 21)
})

test('a revocation that nobody told is noticed at the next write of uses', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  table.set(ID, { revoked: true })
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID))?.revoked, true)
})

test('a revocation that was told counts at once and for good, whatever is read later', async () => {
  const { clock, table, keys, ring } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  ring(ID)
  assert.equal((await keys.find(ID))?.revoked, true)
  // The write of its last use reads it once more, here from a table that still has it active.
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID))?.revoked, true)
  clock.advance(10 * KEY_TTL_MS)
  assert.equal((await keys.find(ID))?.revoked, true)
})

test('what was being read while a key was revoked is not trusted afterwards', async () => {
  const { table, keys, ring, statements, rows } = build({ patient: true })
  table.set(ID, { revoked: false })
  const early = keys.find(ID)
  await turn()
  const readBefore = rows([ID])
  table.set(ID, { revoked: true })
  ring(ID)
  statements[0]?.done.resolve(readBefore)
  assert.equal((await early)?.revoked, false, 'asked before the revocation')
  const late = keys.find(ID)
  assert.ok(late instanceof Promise)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await late)?.revoked, true)
})

test('who asks while a statement is under way is answered by one that begins later', async () => {
  const { table, keys, statements, rows } = build({ patient: true })
  table.set(ID, { revoked: false })
  const first = keys.find(ID)
  await turn()
  const second = keys.find(ID)
  const third = keys.find(ID)
  statements[0]?.done.resolve(rows([ID]))
  await first
  await turn()
  assert.equal(statements.length, 2)
  table.set(ID, { revoked: true })
  statements[1]?.done.resolve(rows([ID]))
  assert.deepEqual([(await second)?.revoked, (await third)?.revoked], [true, true])
})

test('while the bell is not heard nothing is trusted, and what was trusted before must be read again', async () => {
  const { table, keys, statements, setHeard } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  setHeard(false)
  for (let count = 0; count < 3; count++) await keys.find(ID)
  assert.equal(statements.length, 4)
  table.set(ID, { revoked: true })
  assert.equal((await keys.find(ID))?.revoked, true)

  const other = 'nk_bbbbbbbbbbbbbbbbbbbbbbbb'
  table.set(other, { revoked: false })
  await keys.find(other)
  setHeard(true)
  assert.ok(keys.find(other) instanceof Promise, 'read while nothing was heard')
  await keys.find(other)
  assert.ok(!(keys.find(other) instanceof Promise))
})

test('a store that cannot be listened to leaves every use to the database', async () => {
  const { table, keys, statements } = build()
  table.set(ID, { revoked: false })
  const deaf = createKeyCache({
    store: {
      engine: 'embedded',
      read: { query: async () => [{ keyId: ID, owner: 'G', tier: 'standard', secretSha256: new Uint8Array(32), revoked: false }] },
      listen: () => Promise.reject(new Error('away')),
    } as unknown as Store,
    clock: createVirtualClock(0),
    log: silentLog,
  })
  for (let count = 0; count < 3; count++) assert.ok(deaf.find(ID) instanceof Promise)
  assert.equal((await deaf.find(ID))?.revoked, false)
  await deaf[Symbol.asyncDispose]()
  assert.deepEqual([statements.length, keys.lastUsedAtMs(ID)], [0, undefined])
})

test('an id that does not exist is remembered for a moment', async () => {
  const { clock, table, statements, keys } = build()
  assert.equal(await keys.find(ID), undefined)
  table.set(ID, { revoked: false })
  clock.advance(MISS_TTL_MS - 1)
  assert.equal(keys.find(ID), undefined)
  clock.advance(1)
  assert.equal((await keys.find(ID))?.revoked, false)
  assert.equal(statements.length, 2)
})

test('a flood of unknown ids is one statement at a time, of a bounded number of ids', async () => {
  const { keys, statements } = build({ patient: true })
  const outcomes: string[] = []
  for (let count = 0; count < MAX_QUEUED_LOOKUPS + 100; count++) {
    void Promise.resolve(keys.find(`nk_${String(count).padStart(24, '0')}`)).then(
      () => outcomes.push('absent'),
      (error: unknown) => outcomes.push(error instanceof KeysUnavailable ? 'unknown' : String(error)),
    )
  }
  let answered = 0
  while (answered < statements.length || answered === 0) {
    await turn()
    assert.equal(statements.length, answered + 1, 'one at a time')
    assert.ok((statements[answered]?.keyIds.length ?? 0) <= LOOKUP_BATCH)
    statements[answered]?.done.resolve([])
    answered += 1
    await turn()
  }
  assert.equal(outcomes.filter((outcome) => outcome === 'unknown').length, 99, 'one was asked for at once, and so many waited')
  assert.equal(outcomes.filter((outcome) => outcome === 'absent').length, MAX_QUEUED_LOOKUPS + 1)
  assert.equal(answered, 1 + MAX_QUEUED_LOOKUPS / LOOKUP_BATCH)
})

test('a statement that takes too long leaves everyone without an answer until it ends, and starts no other', async () => {
  const { clock, table, keys, statements, rows } = build({ patient: true })
  table.set(ID, { revoked: false })
  const [first, other] = [keys.find(ID), keys.find('nk_bbbbbbbbbbbbbbbbbbbbbbbb')]
  await turn()
  clock.advance(LOOKUP_TIMEOUT_MS)
  await assert.rejects(Promise.resolve(first), KeysUnavailable)
  await assert.rejects(Promise.resolve(other), KeysUnavailable)
  await assert.rejects(Promise.resolve(keys.find(ID)), KeysUnavailable)
  assert.equal(statements.length, 1)
  statements[0]?.done.resolve(rows([ID]))
  await turn()
  assert.equal((await keys.find(ID))?.revoked, false, 'its late answer serves who comes now')
  assert.equal(clock.pendingTimers(), 0)
})

test('a statement that fails leaves its askers without an answer, and the next one is tried', async () => {
  const { table, keys, statements, rows } = build({ patient: true })
  table.set(ID, { revoked: false })
  const failed = keys.find(ID)
  await turn()
  statements[0]?.done.reject(new Error('away'))
  await assert.rejects(Promise.resolve(failed), KeysUnavailable)
  const next = keys.find(ID)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await next)?.revoked, false)
})

test('so many keys are known at most; one that was forgotten is read again', async () => {
  const { table, keys } = build()
  const ids = Array.from({ length: MAX_CACHED_KEYS + 1 }, (_, index) => `nk_${String(index).padStart(24, '0')}`)
  for (const keyId of ids) table.set(keyId, { revoked: false })
  for (let from = 0; from < ids.length; from += MAX_QUEUED_LOOKUPS) {
    await Promise.all(ids.slice(from, from + MAX_QUEUED_LOOKUPS).map(async (keyId) => keys.find(keyId)))
  }
  assert.ok(!(keys.find(ids.at(-1) ?? '') instanceof Promise))
  assert.ok(keys.find(ids[0] ?? '') instanceof Promise)
})

test('a key that is gone from the table is not trusted any longer', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  table.delete(ID)
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal(await keys.find(ID), undefined)
})
