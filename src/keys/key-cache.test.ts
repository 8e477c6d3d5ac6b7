import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { textOf } from '../store/sql.ts'
import type { Param, Store } from '../store/store.ts'
import { UNRESTRICTED } from './restrictions.ts'
import { createKeyCache, MAX_CACHED_KEYS, KEY_TTL_MS } from './key-cache.ts'
import type { KeyCache } from './key-cache.ts'
import { LookupFailed, LOOKUP_BATCH, LOOKUP_TIMEOUT_MS } from '../base/batched-lookup.ts'
import { FLUSH_INTERVAL_MS } from './last-used-tracker.ts'
import { ISSUES_CHANNEL, REVOCATIONS_CHANNEL } from './records.ts'

interface Statement {
  readonly keyIds: readonly string[]
  readonly done: PromiseWithResolvers<object[]>
}

interface Listener {
  readonly channel: string
  readonly callback: (payload: string) => void
  readonly onConnected: ((connected: boolean) => void) | undefined
}

interface StoredKey {
  readonly revoked: boolean
  /** By default keys have the seqs 1, 2, 3 … */
  readonly seq?: number
}

const PLAIN_COLUMNS = {
  scopes: null, expiresAt: null, cidrs: null, caps: null, parent: null, rotation: 0, previousSha256: null, previousUntil: null,
} as const

/** A key cache on a fake store. With `manual`, the test settles each statement that reads keys itself, with `manualIds` each one that reads ids. */
function build(options: { manual?: boolean; manualIds?: boolean } = {}) {
  const clock = createVirtualClock(1_000_000)
  const table = new Map<string, StoredKey>()
  const statements: Statement[] = []
  const idReads: PromiseWithResolvers<object[]>[] = []
  const listeners: Listener[] = []
  function rows(keyIds: readonly string[]): object[] {
    return keyIds.filter((keyId) => table.has(keyId)).map((keyId) => ({
      keyId, owner: 'G', tier: 'standard', secretSha256: new Uint8Array(32), revoked: table.get(keyId)?.revoked === true,
      ...PLAIN_COLUMNS,
    }))
  }
  function idRows([afterSeq, limit, missing]: readonly unknown[]): object[] {
    const all = [...table].map(([keyId, { revoked, seq }], index) => ({ seq: seq ?? index + 1, keyId, isActive: !revoked }))
    const found = all.filter(({ seq }) => seq > Number(afterSeq)).toSorted((a, b) => a.seq - b.seq).slice(0, Number(limit))
    return [...all.filter(({ seq }) => (missing as readonly number[]).includes(seq)), ...found]
  }
  const query = (statement: Parameters<typeof textOf>[0], params: readonly Param[] = []): Promise<object[]> => {
    const done = Promise.withResolvers<object[]>()
    if (textOf(statement).includes('union all')) {
      idReads.push(done)
      if (options.manualIds !== true) done.resolve(idRows(params))
      return done.promise
    }
    const keyIds = params[0] as readonly string[]
    statements.push({ keyIds, done })
    if (options.manual !== true) done.resolve(rows(keyIds))
    return done.promise
  }
  const store = {
    engine: 'embedded',
    lookups: { query },
    write: { query },
    async listen(channel: string, callback: Listener['callback'], { onConnected }: Partial<Pick<Listener, 'onConnected'>> = {}) {
      listeners.push({ channel, callback, onConnected })
      onConnected?.(true)
      return async () => {}
    },
  } as unknown as Store
  const keys = createKeyCache({ store, clock, log: silentLog })
  const notify = (channel: string, keyId: string): void => {
    for (const listener of listeners) if (listener.channel === channel) listener.callback(keyId)
  }
  return {
    clock, table, statements, idReads, keys, rows,
    notifyIssued: (keyId: string) => notify(ISSUES_CHANNEL, keyId),
    notifyRevoked: (keyId: string) => notify(REVOCATIONS_CHANNEL, keyId),
    setConnected: (connected: boolean) => listeners.forEach(({ onConnected }) => onConnected?.(connected)),
  }
}

/** Runs everything that does not wait for the clock. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

const ID = 'nk_aaaaaaaaaaaaaaaaaaaaaaaa'
const CLIENT = '192.0.2.1'

const idOf = (number: number): string => `nk_${String(number).padStart(12, '0')}${'0'.repeat(12)}`
const attackerOf = (number: number): string => `10.${number >> 8}.${number & 255}.1`

test('reads a key once and caches it until its TTL', async () => {
  const { clock, table, statements, keys } = build()
  table.set(ID, { revoked: false })
  const found = await keys.find(ID, CLIENT)
  const identity = { keyId: ID, owner: 'G', tier: 'standard', restrictions: UNRESTRICTED, parent: null, rotation: 0, secretUntil: null }
  assert.deepEqual([found?.identity, found?.revoked], [identity, false])
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
  await keys.load()
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
  await keys.load()
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
      lookups: {
        query: async () => [
          { seq: 1, keyId: ID, isActive: true, owner: 'G', tier: 'standard', secretSha256: new Uint8Array(32), revoked: false, ...PLAIN_COLUMNS },
        ],
      },
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

/** Looks up ids that do not exist; returns how many turned out absent and how many were refused. */
function flood(keys: KeyCache, count: number, addressOf: (number: number) => string) {
  const outcomes = { absent: 0, refused: 0 }
  for (let number = 1; number <= count; number++) {
    void Promise.resolve(keys.find(idOf(number), addressOf(number))).then(
      () => void (outcomes.absent += 1),
      (error: unknown) => {
        assert.ok(error instanceof LookupFailed, String(error))
        outcomes.refused += 1
      },
    )
  }
  return outcomes
}

test('attack: a flood of unknown ids looks up no key, and shares the reads of new ids', async () => {
  const { keys, statements, idReads } = build()
  const outcomes = flood(keys, 5_000, attackerOf)
  await turn()
  assert.deepEqual(outcomes, { absent: 5_000, refused: 0 })
  assert.equal(statements.length, 0)
  assert.ok(idReads.length < 5_000 / 20, `${idReads.length} reads of ids`)
})

test('finds a key that another instance issued a moment ago, without its notification', async () => {
  const { keys, table } = build()
  await keys.load()
  assert.equal(await keys.find(ID, CLIENT), undefined)
  table.set(ID, { revoked: false })
  assert.equal((await keys.find(ID, CLIENT))?.revoked, false)
})

test('finds a key whose transaction commits after that of a later key', async () => {
  const { keys, table, clock } = build()
  table.set(idOf(1), { revoked: false, seq: 1 }).set(idOf(3), { revoked: false, seq: 3 })
  await keys.load()
  clock.advance(60_000)
  table.set(ID, { revoked: false, seq: 2 })
  assert.equal((await keys.find(ID, CLIENT))?.revoked, false)
})

test('a read of new ids that began before the request does not prove that an id is unknown', async () => {
  const { keys, table, idReads } = build({ manualIds: true })
  const early = keys.find(idOf(1), CLIENT)
  await turn()
  const late = keys.find(ID, CLIENT)
  table.set(ID, { revoked: false })
  idReads[0]?.resolve([])
  assert.equal(await early, undefined)
  await turn()
  idReads[1]?.resolve([{ seq: 1, keyId: ID, isActive: true }])
  assert.equal((await late)?.revoked, false)
})

test('a key whose issue was notified does not wait for a read of new ids', async () => {
  const { keys, table, notifyIssued, idReads } = build({ manualIds: true })
  const loading = keys.load()
  await turn()
  table.set(ID, { revoked: false })
  notifyIssued(ID)
  assert.equal((await keys.find(ID, CLIENT))?.revoked, false)
  assert.equal(idReads.length, 1)
  idReads[0]?.resolve([])
  await loading
})

test('attack: unknown ids that wait for a read turn no key away, neither cached, known nor new', async () => {
  const { keys, table, idReads, clock } = build({ manualIds: true })
  const [cached, known, fresh] = [idOf(1_000_001), idOf(1_000_002), idOf(1_000_003)]
  for (const keyId of [cached, known]) table.set(keyId, { revoked: false })
  const loading = keys.load()
  await turn()
  idReads[0]?.resolve([{ seq: 1, keyId: cached, isActive: true }, { seq: 2, keyId: known, isActive: true }])
  await loading
  await keys.find(cached, CLIENT)
  clock.advance(KEY_TTL_MS)
  const outcomes = flood(keys, 6_000, () => attackerOf(0))
  assert.equal((await keys.find(cached, CLIENT))?.revoked, false)
  assert.equal((await keys.find(known, CLIENT))?.revoked, false)
  const found = keys.find(fresh, CLIENT)
  table.set(fresh, { revoked: false })
  await turn()
  for (let read = 1; read < idReads.length; read++) {
    idReads[read]?.resolve(read === 1 ? [] : [{ seq: 3, keyId: fresh, isActive: true }])
    await turn()
  }
  assert.equal((await found)?.revoked, false)
  assert.ok(outcomes.refused > 0 && outcomes.absent > 0, 'the queue is bounded')
})

test('reads many keys one statement at a time, with a limited number of ids each', async () => {
  const built = build({ manual: true })
  const { keys, table } = built
  for (let number = 0; number < 2_000; number++) table.set(idOf(number), { revoked: false })
  await keys.load()
  const found = Array.from({ length: 2_000 }, async (_, number) => keys.find(idOf(number), CLIENT))
  assert.equal(await answerAll(built), 1 + Math.ceil(1_999 / LOOKUP_BATCH), 'one lookup ran at once')
  assert.ok((await Promise.all(found)).every((key) => key?.revoked === false))
})

test('a slow statement fails who waited too long, and not who came after', async () => {
  const { clock, table, keys, statements, rows } = build({ manual: true })
  const [other, third] = [idOf(1), idOf(2)]
  for (const keyId of [ID, other, third]) table.set(keyId, { revoked: false })
  await keys.load()
  const first = keys.find(ID, CLIENT)
  await turn()
  clock.advance(LOOKUP_TIMEOUT_MS - 1)
  const second = keys.find(other, CLIENT)
  clock.advance(1)
  await assert.rejects(Promise.resolve(first), LookupFailed)
  await turn()
  statements[1]?.done.resolve(rows([other]))
  assert.equal((await second)?.revoked, false)
  const next = keys.find(third, CLIENT)
  await turn()
  statements[2]?.done.resolve(rows([third]))
  assert.equal((await next)?.revoked, false)
  statements[0]?.done.resolve(rows([ID]))
  await turn()
  assert.ok(!(keys.find(ID, CLIENT) instanceof Promise), 'its late result is used')
  assert.equal(clock.pendingTimers(), 0)
})

test('starts no third statement while two are slow', async () => {
  const { clock, table, keys, statements } = build({ manual: true })
  for (let number = 0; number < 3; number++) table.set(idOf(number), { revoked: false })
  await keys.load()
  for (const number of [0, 1, 2]) {
    const failing = assert.rejects(Promise.resolve(keys.find(idOf(number), CLIENT)), LookupFailed)
    await turn()
    clock.advance(LOOKUP_TIMEOUT_MS)
    await failing
  }
  assert.equal(statements.length, 2)
})

test('fails the lookups of a failed statement and retries with the next one', async () => {
  const { table, keys, statements, rows } = build({ manual: true })
  table.set(ID, { revoked: false })
  await keys.load()
  const failed = keys.find(ID, CLIENT)
  await turn()
  statements[0]?.done.reject(new Error('away'))
  await assert.rejects(Promise.resolve(failed), LookupFailed)
  const next = keys.find(ID, CLIENT)
  await turn()
  statements[1]?.done.resolve(rows([ID]))
  assert.equal((await next)?.revoked, false)
})

test('limits the number of cached keys and re-reads an evicted one', async () => {
  const { table, keys } = build()
  const ids = Array.from({ length: MAX_CACHED_KEYS + 1 }, (_, index) => idOf(index))
  for (const keyId of ids) table.set(keyId, { revoked: false })
  await keys.load()
  for (const keyId of ids) await keys.find(keyId, CLIENT)
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
