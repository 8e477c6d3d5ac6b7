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
  readonly onConnectionChange: (connected: boolean) => void
}

/** A key cache on a fake store. With `manual`, the test settles each statement itself. */
function build(options: { manual?: boolean } = {}) {
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
    if (options.manual !== true) statement.done.resolve(rows(keyIds))
    return statement.done.promise
  }
  const store = {
    engine: 'embedded',
    read: { query },
    write: { query },
    async listen(_channel: string, callback: Listener['callback'], onConnectionChange: Listener['onConnectionChange']) {
      listeners.push({ callback, onConnectionChange })
      onConnectionChange(true)
      return async () => {}
    },
  } as unknown as Store
  const keys = createKeyCache({ store, clock, log: silentLog })
  return {
    clock, table, statements, keys, rows,
    notifyRevoked: (keyId: string) => listeners.forEach(({ callback }) => callback(keyId)),
    setConnected: (connected: boolean) => listeners.forEach(({ onConnectionChange }) => onConnectionChange(connected)),
  }
}

/** Runs everything that does not wait for the clock. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const ID = 'nk_aaaaaaaaaaaaaaaaaaaaaaaa'

test('reads a key once and caches it until its TTL', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  const found = await keys.find(ID)
  assert.deepEqual([found?.identity, found?.revoked], [{ keyId: ID, owner: 'G', tier: 'standard' }, false])
  clock.advance(KEY_TTL_MS - 1)
  assert.equal(keys.find(ID), found, 'synchronously')
  clock.advance(1)
  const second = keys.find(ID)
  assert.ok(second instanceof Promise)
  await second
  assert.equal(statements.length, 2)
})

test('setting the clock back does not prolong the TTL', async () => {
  const { table, keys, clock } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  clock.step(-3_600_000)
  clock.advance(KEY_TTL_MS)
  assert.ok(keys.find(ID) instanceof Promise)
})

test('re-reads a key in use when its last use is stored, so that no request waits for it', async () => {
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

test('detects a revocation with a lost notification at the next write of last uses', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  table.set(ID, { revoked: true })
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID))?.revoked, true)
})

test('applies a notified revocation immediately and permanently, whatever is read later', async () => {
  const { clock, table, keys, notifyRevoked } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  notifyRevoked(ID)
  assert.equal((await keys.find(ID))?.revoked, true)
  // Storing the last use re-reads the key, here from a table in which it is still active.
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID))?.revoked, true)
  clock.advance(10 * KEY_TTL_MS)
  assert.equal((await keys.find(ID))?.revoked, true)
})

test('does not cache a read that overlaps with a revocation', async () => {
  const { table, keys, notifyRevoked, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  const early = keys.find(ID)
  await turn()
  const readBefore = rows([ID])
  table.set(ID, { revoked: true })
  notifyRevoked(ID)
  statements[0]?.done.resolve(readBefore)
  assert.equal((await early)?.revoked, false, 'requested before the revocation')
  const late = keys.find(ID)
  assert.ok(late instanceof Promise)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await late)?.revoked, true)
})

test('serves a lookup during a statement from a statement that starts later', async () => {
  const { table, keys, statements, rows } = build({ manual: true })
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

test('caches nothing while the listener is disconnected, and invalidates all entries', async () => {
  const { table, keys, statements, setConnected } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  setConnected(false)
  for (let count = 0; count < 3; count++) await keys.find(ID)
  assert.equal(statements.length, 4)
  table.set(ID, { revoked: true })
  assert.equal((await keys.find(ID))?.revoked, true)

  const other = 'nk_bbbbbbbbbbbbbbbbbbbbbbbb'
  table.set(other, { revoked: false })
  await keys.find(other)
  setConnected(true)
  assert.ok(keys.find(other) instanceof Promise, 'read while disconnected')
  await keys.find(other)
  assert.ok(!(keys.find(other) instanceof Promise))
})

test('reads the database at each use when listening fails', async () => {
  const { table, keys, statements } = build()
  table.set(ID, { revoked: false })
  const disconnected = createKeyCache({
    store: {
      engine: 'embedded',
      read: { query: async () => [{ keyId: ID, owner: 'G', tier: 'standard', secretSha256: new Uint8Array(32), revoked: false }] },
      listen: () => Promise.reject(new Error('away')),
    } as unknown as Store,
    clock: createVirtualClock(0),
    log: silentLog,
  })
  for (let count = 0; count < 3; count++) assert.ok(disconnected.find(ID) instanceof Promise)
  assert.equal((await disconnected.find(ID))?.revoked, false)
  await disconnected[Symbol.asyncDispose]()
  assert.deepEqual([statements.length, keys.lastUsedAtMs(ID)], [0, undefined])
})

test('caches an unknown id for a short time', async () => {
  const { clock, table, statements, keys } = build()
  assert.equal(await keys.find(ID), undefined)
  table.set(ID, { revoked: false })
  clock.advance(MISS_TTL_MS - 1)
  assert.equal(keys.find(ID), undefined)
  clock.advance(1)
  assert.equal((await keys.find(ID))?.revoked, false)
  assert.equal(statements.length, 2)
})

test('reads a flood of unknown ids one statement at a time, with a limited number of ids each', async () => {
  const { keys, statements } = build({ manual: true })
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
  assert.equal(outcomes.filter((outcome) => outcome === 'unknown').length, 99, 'one lookup ran, and the queue was full')
  assert.equal(outcomes.filter((outcome) => outcome === 'absent').length, MAX_QUEUED_LOOKUPS + 1)
  assert.equal(answered, 1 + MAX_QUEUED_LOOKUPS / LOOKUP_BATCH)
})

test('fails all lookups while a statement exceeds its timeout, and starts no other', async () => {
  const { clock, table, keys, statements, rows } = build({ manual: true })
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
  assert.equal((await keys.find(ID))?.revoked, false, 'its late result is used')
  assert.equal(clock.pendingTimers(), 0)
})

test('fails the lookups of a failed statement and retries with the next one', async () => {
  const { table, keys, statements, rows } = build({ manual: true })
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

test('limits the number of cached keys and re-reads an evicted one', async () => {
  const { table, keys } = build()
  const ids = Array.from({ length: MAX_CACHED_KEYS + 1 }, (_, index) => `nk_${String(index).padStart(24, '0')}`)
  for (const keyId of ids) table.set(keyId, { revoked: false })
  for (let from = 0; from < ids.length; from += MAX_QUEUED_LOOKUPS) {
    await Promise.all(ids.slice(from, from + MAX_QUEUED_LOOKUPS).map(async (keyId) => keys.find(keyId)))
  }
  assert.ok(!(keys.find(ids.at(-1) ?? '') instanceof Promise))
  assert.ok(keys.find(ids[0] ?? '') instanceof Promise)
})

test('removes a key that is no longer in the table', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID)
  keys.recordUse(ID)
  table.delete(ID)
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal(await keys.find(ID), undefined)
})
