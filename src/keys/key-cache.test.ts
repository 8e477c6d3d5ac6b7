import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { Param, Store } from '../store/store.ts'
import { MISS_TTL_MS, createKeyCache, MAX_CACHED_KEYS, KEY_TTL_MS } from './key-cache.ts'
import type { KeyCache } from './key-cache.ts'
import { KeysUnavailable, LOOKUP_BATCH, LOOKUP_TIMEOUT_MS, MAX_QUEUED_LOOKUPS, MAX_QUEUED_LOOKUPS_PER_CLIENT } from './batched-lookup.ts'
import { FLUSH_INTERVAL_MS } from './last-used-tracker.ts'

interface Statement {
  readonly keyIds: readonly string[]
  readonly done: PromiseWithResolvers<object[]>
}

interface Listener {
  readonly callback: (payload: string) => void
  readonly onConnected: (connected: boolean) => void
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
    async listen(_channel: string, callback: Listener['callback'], { onConnected }: Pick<Listener, 'onConnected'>) {
      listeners.push({ callback, onConnected })
      onConnected(true)
      return async () => {}
    },
  } as unknown as Store
  const keys = createKeyCache({ store, clock, log: silentLog })
  return {
    clock, table, statements, keys, rows,
    notifyRevoked: (keyId: string) => listeners.forEach(({ callback }) => callback(keyId)),
    setConnected: (connected: boolean) => listeners.forEach(({ onConnected }) => onConnected(connected)),
  }
}

/** Runs everything that does not wait for the clock. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const ID = 'nk_aaaaaaaaaaaaaaaaaaaaaaaa'
const CLIENT = { bucket: '192.0.2.1', wide: '192.0.2.0/24' }

const idOf = (number: number): string => `nk_${String(number).padStart(24, '0')}`
const attackerOf = (number: number) => ({ bucket: `10.${number >> 8}.${number & 255}.1`, wide: `10.${number >> 8}.${number & 255}.0/24` })

test('reads a key once and caches it until its TTL', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  const found = await keys.find(ID, CLIENT)
  assert.deepEqual([found?.identity, found?.revoked], [{ keyId: ID, owner: 'G', tier: 'standard' }, false])
  clock.advance(KEY_TTL_MS - 1)
  assert.equal(keys.find(ID, CLIENT), found, 'synchronously')
  clock.advance(1)
  const second = keys.find(ID, CLIENT)
  assert.ok(second instanceof Promise)
  await second
  assert.equal(statements.length, 2)
})

test('an invalidated key is read again, an unknown one is no error, and others stay cached', async () => {
  const { table, statements, keys } = build()
  const other = idOf(1)
  table.set(ID, { revoked: false }).set(other, { revoked: false })
  await Promise.all([keys.find(ID, CLIENT), keys.find(other, CLIENT)])
  const before = statements.length
  table.set(ID, { revoked: true })
  keys.invalidate(ID)
  keys.invalidate(idOf(2))
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)
  assert.ok(!(keys.find(other, CLIENT) instanceof Promise), 'synchronously')
  assert.equal(statements.length, before + 1)
})

test('setting the clock back does not prolong the TTL', async () => {
  const { table, keys, clock } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID, CLIENT)
  clock.step(-3_600_000)
  clock.advance(KEY_TTL_MS)
  assert.ok(keys.find(ID, CLIENT) instanceof Promise)
})

test('re-reads a key in use when its last use is stored, so that no request waits for it', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID, CLIENT)
  for (let second = 0; second < 20; second++) {
    assert.ok(!(keys.find(ID, CLIENT) instanceof Promise), `second ${second}`)
    keys.recordUse(ID)
    clock.advance(FLUSH_INTERVAL_MS)
    await turn()
  }
  assert.equal(statements.length, 21)
})

test('detects a revocation with a lost notification at the next write of last uses', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID, CLIENT)
  keys.recordUse(ID)
  table.set(ID, { revoked: true })
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)
})

test('applies a notified revocation immediately and permanently, whatever is read later', async () => {
  const { clock, table, keys, notifyRevoked } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID, CLIENT)
  keys.recordUse(ID)
  notifyRevoked(ID)
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)
  // Storing the last use re-reads the key, here from a table in which it is still active.
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)
  clock.advance(10 * KEY_TTL_MS)
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)
})

test('does not cache a read that overlaps with a revocation', async () => {
  const { table, keys, notifyRevoked, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  const early = keys.find(ID, CLIENT)
  await turn()
  const readBefore = rows([ID])
  table.set(ID, { revoked: true })
  notifyRevoked(ID)
  statements[0]?.done.resolve(readBefore)
  assert.equal((await early)?.revoked, false, 'requested before the revocation')
  const late = keys.find(ID, CLIENT)
  assert.ok(late instanceof Promise)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await late)?.revoked, true)
})

test('serves a lookup during a statement from a statement that starts later', async () => {
  const { table, keys, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  const first = keys.find(ID, CLIENT)
  await turn()
  const second = keys.find(ID, CLIENT)
  const third = keys.find(ID, CLIENT)
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
  await keys.find(ID, CLIENT)
  setConnected(false)
  for (let count = 0; count < 3; count++) await keys.find(ID, CLIENT)
  assert.equal(statements.length, 4)
  table.set(ID, { revoked: true })
  assert.equal((await keys.find(ID, CLIENT))?.revoked, true)

  const other = 'nk_bbbbbbbbbbbbbbbbbbbbbbbb'
  table.set(other, { revoked: false })
  await keys.find(other, CLIENT)
  setConnected(true)
  assert.ok(keys.find(other, CLIENT) instanceof Promise, 'read while disconnected')
  await keys.find(other, CLIENT)
  assert.ok(!(keys.find(other, CLIENT) instanceof Promise))
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
  for (let count = 0; count < 3; count++) assert.ok(disconnected.find(ID, CLIENT) instanceof Promise)
  assert.equal((await disconnected.find(ID, CLIENT))?.revoked, false)
  await disconnected[Symbol.asyncDispose]()
  assert.deepEqual([statements.length, keys.lastUsedAtMs(ID)], [0, undefined])
})

test('caches an unknown id for a short time', async () => {
  const { clock, table, statements, keys } = build()
  assert.equal(await keys.find(ID, CLIENT), undefined)
  table.set(ID, { revoked: false })
  clock.advance(MISS_TTL_MS - 1)
  assert.equal(keys.find(ID, CLIENT), undefined)
  clock.advance(1)
  assert.equal((await keys.find(ID, CLIENT))?.revoked, false)
  assert.equal(statements.length, 2)
})

/** Answers the statements from the table until no lookup is left; returns their number. */
async function answerAll({ statements, rows }: Pick<ReturnType<typeof build>, 'statements' | 'rows'>, from = 0): Promise<number> {
  let answered = from
  await turn()
  while (answered < statements.length) {
    assert.equal(statements.length, answered + 1, 'one at a time')
    const { keyIds = [], done } = statements[answered] ?? {}
    assert.ok(keyIds.length <= LOOKUP_BATCH)
    done?.resolve(rows(keyIds))
    answered += 1
    await turn()
  }
  return answered
}

/** Looks up random ids; returns how many turned out absent and how many were refused. */
function flood(keys: KeyCache, count: number, clientOf: (number: number) => typeof CLIENT) {
  const outcomes = { absent: 0, refused: 0 }
  for (let number = 0; number < count; number++) {
    void Promise.resolve(keys.find(idOf(number), clientOf(number))).then(
      () => void (outcomes.absent += 1),
      (error: unknown) => {
        assert.ok(error instanceof KeysUnavailable, String(error))
        outcomes.refused += 1
      },
    )
  }
  return outcomes
}

test('reads a flood of unknown ids one statement at a time, with a limited number of ids each and of each client', async () => {
  const built = build({ manual: true })
  const outcomes = flood(built.keys, 5_000, () => CLIENT)
  const statements = await answerAll(built)
  assert.deepEqual(outcomes, { absent: MAX_QUEUED_LOOKUPS_PER_CLIENT + 1, refused: 5_000 - MAX_QUEUED_LOOKUPS_PER_CLIENT - 1 }, 'one lookup ran at once')
  assert.equal(statements, 1 + Math.ceil(MAX_QUEUED_LOOKUPS_PER_CLIENT / LOOKUP_BATCH))
})

test('attack: a flood of unknown ids from one address turns no valid key of another address away, cached or not', async () => {
  const built = build({ manual: true })
  const { clock, table, keys, statements } = built
  const [cached, fresh] = [ID, 'nk_bbbbbbbbbbbbbbbbbbbbbbbb']
  for (const keyId of [cached, fresh]) table.set(keyId, { revoked: false })
  const warm = keys.find(cached, CLIENT)
  let answered = await answerAll(built)
  await warm
  flood(keys, 20_000, () => attackerOf(0))
  assert.ok(!(keys.find(cached, CLIENT) instanceof Promise), 'a cached key needs no lookup')
  answered = await answerAll(built, answered)
  clock.advance(KEY_TTL_MS)
  flood(keys, 20_000, () => attackerOf(0))
  const [again, first] = [keys.find(cached, CLIENT), keys.find(fresh, CLIENT)]
  await answerAll(built, answered)
  assert.deepEqual([(await again)?.revoked, (await first)?.revoked], [false, false])
  for (const keyId of [cached, fresh]) assert.ok(statements[answered + 1]?.keyIds.includes(keyId), 'in the next statement')
})

test('a key is found after a burst of unknown ids from its own address', async () => {
  const built = build({ manual: true })
  const { table, keys } = built
  table.set(ID, { revoked: false })
  flood(keys, 20_000, () => CLIENT)
  const found = keys.find(ID, CLIENT)
  await answerAll(built)
  assert.equal((await found)?.revoked, false)
})

test('attack: a flood of unknown ids from ten thousand addresses turns no valid key away', async () => {
  const built = build({ manual: true })
  const { table, keys } = built
  table.set(ID, { revoked: false })
  const outcomes = flood(keys, 10_000, attackerOf)
  const found = keys.find(ID, CLIENT)
  await answerAll(built)
  assert.equal((await found)?.revoked, false)
  assert.ok(outcomes.refused <= 10_000 - 0.8 * MAX_QUEUED_LOOKUPS, 'most of the queue was served')
})

test('attack: guessing the id of a valid key cannot get its lookup refused', async () => {
  const built = build({ manual: true })
  const { table, keys } = built
  table.set(ID, { revoked: false })
  flood(keys, 10, () => attackerOf(0))
  const guess = assert.rejects(Promise.resolve(keys.find(ID, attackerOf(0))), KeysUnavailable)
  const found = keys.find(ID, CLIENT)
  flood(keys, 5_000, () => attackerOf(0))
  await guess
  await answerAll(built)
  assert.equal((await found)?.revoked, false)
})

test('fails all lookups while a statement exceeds its timeout, and starts no other', async () => {
  const { clock, table, keys, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  const [first, other] = [keys.find(ID, CLIENT), keys.find('nk_bbbbbbbbbbbbbbbbbbbbbbbb', CLIENT)]
  await turn()
  clock.advance(LOOKUP_TIMEOUT_MS)
  await assert.rejects(Promise.resolve(first), KeysUnavailable)
  await assert.rejects(Promise.resolve(other), KeysUnavailable)
  await assert.rejects(Promise.resolve(keys.find(ID, CLIENT)), KeysUnavailable)
  assert.equal(statements.length, 1)
  statements[0]?.done.resolve(rows([ID]))
  await turn()
  assert.equal((await keys.find(ID, CLIENT))?.revoked, false, 'its late result is used')
  assert.equal(clock.pendingTimers(), 0)
})

test('fails the lookups of a failed statement and retries with the next one', async () => {
  const { table, keys, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  const failed = keys.find(ID, CLIENT)
  await turn()
  statements[0]?.done.reject(new Error('away'))
  await assert.rejects(Promise.resolve(failed), KeysUnavailable)
  const next = keys.find(ID, CLIENT)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await next)?.revoked, false)
})

test('limits the number of cached keys and re-reads an evicted one', async () => {
  const { table, keys } = build()
  const ids = Array.from({ length: MAX_CACHED_KEYS + 1 }, (_, index) => `nk_${String(index).padStart(24, '0')}`)
  for (const keyId of ids) table.set(keyId, { revoked: false })
  for (let from = 0; from < ids.length; from += MAX_QUEUED_LOOKUPS_PER_CLIENT) {
    await Promise.all(ids.slice(from, from + MAX_QUEUED_LOOKUPS_PER_CLIENT).map(async (keyId) => keys.find(keyId, CLIENT)))
  }
  assert.ok(!(keys.find(ids.at(-1) ?? '', CLIENT) instanceof Promise))
  assert.ok(keys.find(ids[0] ?? '', CLIENT) instanceof Promise)
})

test('removes a key that is no longer in the table', async () => {
  const { clock, table, keys } = build()
  table.set(ID, { revoked: false })
  await keys.find(ID, CLIENT)
  keys.recordUse(ID)
  table.delete(ID)
  clock.advance(FLUSH_INTERVAL_MS)
  await turn()
  assert.equal(await keys.find(ID, CLIENT), undefined)
})
