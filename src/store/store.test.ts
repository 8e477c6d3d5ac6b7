// The behaviour of both engines: the same statements, the same results, the same errors.

import { strict as assert } from 'node:assert'
import test, { after } from 'node:test'
import { AssertionFailure } from '../base/assert.ts'
import { I128_MAX, I128_MIN } from '../base/fixed-point.ts'
import { openTestStore, testServerUrl } from '../../test/support/database.ts'
import { StatementFailed, StatementTimeout, StoreUnavailable } from './store.ts'
import type { Store } from './store.ts'

const NEVER_ENDING = 'select count(*) from generate_series(1, 1000000000000)'

/** Shared by the tests: starting an engine takes about a second. */
const store = await openTestStore({ newEngine: true })
after(() => store[Symbol.asyncDispose]())

async function createTable(): Promise<void> {
  await store.write.query('drop table if exists note')
  await store.write.query('create table note (id int primary key, body text)')
}

/** `payload` resolves with the first notification. */
async function listenOnce(channel: string): Promise<{ payload: Promise<string>; stop: () => Promise<void> }> {
  const { promise: payload, resolve } = Promise.withResolvers<string>()
  return { payload, stop: await store.listen(channel, resolve) }
}

test('amounts of any i128 size and their sums are exact', async () => {
  await store.write.query('create table amount (value numeric(39, 0))')
  const values = [I128_MAX, I128_MAX, I128_MIN, 0n, -1n]
  await store.write.query('insert into amount select unnest($1::numeric[])', [values])
  const rows = await store.read.query<{ value: string }>('select value from amount order by value')
  assert.deepEqual(rows.map(({ value }) => value), [I128_MIN, -1n, 0n, I128_MAX, I128_MAX].map(String))
  const [sums] = await store.read.query('select sum(value) filter (where value > 0) as above, array_agg(value order by value) as all from amount')
  assert.deepEqual(sums, { above: String(2n * I128_MAX), all: [I128_MIN, -1n, 0n, I128_MAX, I128_MAX].map(String) })
  const [alone] = await store.read.query<{ value: string }>('select $1::numeric as value', [I128_MIN])
  assert.equal(alone?.value, String(I128_MIN))
})

test('an 8-byte integer is a number while that is exact; beyond, an assertion fails', async () => {
  const [row] = await store.read.query('select $1::bigint as one, array[$1::bigint, null] as several', [Number.MAX_SAFE_INTEGER])
  assert.deepEqual(row, { one: Number.MAX_SAFE_INTEGER, several: [Number.MAX_SAFE_INTEGER, null] })
  for (const sql of ['select 9007199254740993::bigint as one', 'select array[-9007199254740993::bigint] as several']) {
    await assert.rejects(store.read.query(sql, []), AssertionFailure)
  }
  assert.deepEqual(await store.read.query('select 1 as fine'), [{ fine: 1 }])
})

test('every type of value round-trips', async () => {
  const texts = ['', 'NULL', 'a "b" \\c, {d}', 'ü€😀\n', "it's"]
  const [row] = await store.read.query(
    `select $1::text[] as texts, $2::boolean as yes, $3::bytea as bytes, $4::jsonb as json, $5::float8 as float, $6::int[] as ints,
      $7::text as nothing, $8::boolean[] as flags, to_timestamp(0) as epoch, date '2026-01-31' as day`,
    [texts, true, new Uint8Array([0, 255, 92]), '{"a":[1,"2"]}', 0.1, [1, null, -3], null, [true, false]],
  )
  assert.deepEqual(row, {
    texts, yes: true, bytes: new Uint8Array([0, 255, 92]), json: { a: [1, '2'] }, float: 0.1, ints: [1, null, -3],
    nothing: null, flags: [true, false], epoch: '1970-01-01 00:00:00+00', day: '2026-01-31',
  })
})

test('a read cannot write', async () => {
  await createTable()
  for (const sql of ["insert into note values (1, 'x')", 'create table other (id int)', 'drop table note', "select nextval('s')"]) {
    if (sql.includes('nextval')) await store.write.query('create sequence s')
    await assert.rejects(store.read.query(sql), (error) => error instanceof StatementFailed && error.code === '25006', sql)
  }
  await store.write.query("insert into note values (1, 'x')")
  assert.deepEqual(await store.read.query('select id from note'), [{ id: 1 }])
})

test('the error of a refused statement has its code and constraint, and none of its parameters', async () => {
  await createTable()
  await store.write.query("insert into note values (1, 'x')")
  const failed = await store.write.query('insert into note values ($1, $2)', [1, 'a secret']).catch((error: unknown) => error)
  assert.ok(failed instanceof StatementFailed)
  assert.deepEqual([failed.code, failed.constraint], ['23505', 'note_pkey'])
  assert.ok(!JSON.stringify([failed.message, String(failed.cause), Object.entries(failed)]).includes('a secret'))
})

const ENDS_WITH_ENGINE = testServerUrl() === null && 'an embedded engine in memory ends with such a read: src/store/embedded/time-limit.test.ts has one on disk'

test('a read ends at its time limit, and later statements succeed', { skip: ENDS_WITH_ENGINE }, async () => {
  await using impatient = await openTestStore({ newEngine: true, readTimeoutMs: 300 })
  await assert.rejects(impatient.read.query(NEVER_ENDING), StatementTimeout)
  assert.deepEqual(await impatient.read.query('select 1 as fine'), [{ fine: 1 }])
})

test('reads never delay a writer', { skip: ENDS_WITH_ENGINE }, async () => {
  await using impatient = await openTestStore({ newEngine: true, readTimeoutMs: 1_500 })
  await impatient.write.query('create table note (id int)')
  let ended = 0
  const reads = [1, 2, 3].map(() => impatient.read.query(NEVER_ENDING).catch((error: unknown) => error).finally(() => ended++))
  await impatient.write.transaction(async (tx) => {
    await tx.query('insert into note values (1)')
  })
  assert.equal(ended, 0, 'the writer was done before any of the reads')
  for (const outcome of await Promise.all(reads)) assert.ok(outcome instanceof StatementTimeout)
})

test('a transaction is all or nothing', async () => {
  await createTable()
  const work = store.write.transaction(async (tx) => {
    await tx.query("insert into note values (1, 'x')")
    throw new RangeError('no')
  })
  await assert.rejects(work, RangeError)
  assert.deepEqual(await store.read.query('select * from note'), [])
  const result = await store.write.transaction(async (tx) => {
    await Promise.all([tx.query("insert into note values (1, 'x')"), tx.query("insert into note values (2, 'y')")])
    return (await tx.query<{ count: number }>('select count(*) from note'))[0]?.count
  })
  assert.equal(result, 2)
  assert.equal((await store.read.query('select * from note')).length, 2)
})

test('a transaction is invisible before its commit', async () => {
  await createTable()
  let seen: Promise<object[]> | undefined
  await store.write.transaction(async (tx) => {
    await tx.query("insert into note values (1, 'x')")
    seen = store.read.query('select count(*) from note')
    await tx.query("insert into note values (2, 'y')")
  })
  const counts = (await seen)?.map((row) => (row as { count: number }).count)
  assert.ok(counts?.[0] === 0 || counts?.[0] === 2, 'all of it or none of it')
})

test('a transaction that ignores a failed statement raises at its commit', async () => {
  await createTable()
  const work = store.write.transaction(async (tx) => {
    await tx.query("insert into note values (1, 'x')")
    await tx.query('select 1/0').catch(() => {})
  })
  await assert.rejects(work, (error) => error instanceof StatementFailed && error.code === '25P02')
  assert.deepEqual(await store.read.query('select * from note'), [])
})

test('an ended transaction refuses further statements', async () => {
  await createTable()
  let leaked: Parameters<Parameters<Store['write']['transaction']>[0]>[0] | undefined
  await store.write.transaction(async (tx) => void (leaked = tx))
  await assert.rejects(async () => leaked?.query("insert into note values (1, 'x')"), StoreUnavailable)
  assert.deepEqual(await store.read.query('select * from note'), [])
})

test('a deferred constraint that fails at COMMIT raises', async () => {
  await store.write.query('create table node (id int primary key, parent int references node deferrable initially deferred)')
  const work = store.write.transaction((tx) => tx.query('insert into node values (1, 2)'))
  await assert.rejects(work, (error) => error instanceof StatementFailed && error.code === '23503')
})

test('a notification is delivered after its commit, and not after a rollback', async () => {
  await createTable()
  const { payload, stop } = await listenOnce('Price Feed')
  await assert.rejects(store.write.transaction(async (tx) => {
    await tx.query('select pg_notify($1, $2)', ['Price Feed', 'rolled back'])
    throw new RangeError('no')
  }), RangeError)
  await store.write.transaction(async (tx) => {
    await tx.query('select pg_notify($1, $2)', ['Price Feed', 'committed'])
    await tx.query("insert into note values (1, 'x')")
  })
  assert.equal(await payload, 'committed')
  assert.deepEqual(await store.read.query('select id from note'), [{ id: 1 }])
  await stop()
})

test('a transaction notifies of its commit with what a statement returns in it, and not after a rollback', async () => {
  await createTable()
  const received: string[] = []
  const stopAll = await store.listen('Price Feed', (payload) => received.push(payload))
  const { payload, stop } = await listenOnce('Last')
  const notes = "select string_agg(body, ' ' order by id) || $1::text as payload from note"
  await assert.rejects(store.write.transaction(async (tx) => {
    await tx.notify('Price Feed', notes, ['rolled back'])
    throw new RangeError('no')
  }), RangeError)
  await store.write.transaction(async (tx) => {
    await tx.query("insert into note values (1, 'one'), (2, 'two')")
    await tx.notify('Price Feed', notes, ["'!"])
    await tx.query('delete from note')
    await tx.notify('Last', "select 'last' as payload", [])
    assert.deepEqual(received, [])
  })
  assert.equal(await payload, 'last')
  assert.deepEqual(received, ["one two'!"])
  await stop()
  await stopAll()
})

test('the holder of the lock keeps the plan of a notification, and plans it again for a table that took the place of another one', async () => {
  await createTable()
  const received: string[] = []
  const stop = await store.listen('notes', (payload) => received.push(payload))
  await using lock = await store.tryLock('notifier')
  assert.ok(lock !== undefined)
  const notes = 'select string_agg(body, $1::text) as payload from note'
  for (const [id, body] of ['one', 'two'].entries()) {
    await lock.db.transaction(async (tx) => {
      await tx.query('insert into note values ($1, $2)', [id, body])
      await tx.notify('notes', notes, [' '])
    })
  }
  assert.equal((await lock.db.query('select 1 from pg_prepared_statements where strpos(statement, $1) > 0', [notes])).length, 1)
  await lock.db.query('alter table note rename to replaced')
  await lock.db.query('create table note (body text not null)')
  await lock.db.transaction(async (tx) => {
    await tx.query('insert into note values ($1)', ['three'])
    await tx.notify('notes', notes, [' '])
  })
  const { payload, stop: stopLast } = await listenOnce('last')
  await lock.db.transaction((tx) => tx.notify('last', "select 'last' as payload", []))
  assert.equal(await payload, 'last')
  assert.deepEqual(received, ['one', 'one two', 'three'])
  await stop()
  await stopLast()
})

test('a listener may prepare a notification of the lock\'s holder before the commit, and gets it only if it is committed', async () => {
  const calls: string[] = []
  const received = Promise.withResolvers<void>()
  const stop = await store.listen('prepared', (payload) => {
    calls.push(`committed ${payload}`)
    received.resolve()
  }, { prepare: (payload) => calls.push(`prepared ${payload}`) })
  await store.write.query('create table checked (id int unique deferrable initially deferred)')
  await using lock = await store.tryLock('notifier')
  const insert = (ids: readonly number[], payload: string) => lock?.db.transaction(async (tx) => {
    for (const id of ids) await tx.query('insert into checked values ($1)', [id])
    await tx.notify('prepared', 'select $1::text as payload', [payload])
  })
  await assert.rejects(async () => insert([1, 1], 'refused by COMMIT'), StatementFailed)
  await insert([1, 2], 'accepted')
  await received.promise
  assert.deepEqual(calls, ['prepared refused by COMMIT', 'prepared accepted', 'committed accepted'])
  await stop()
})

test('a notification whose statement failed on its values is sent with other values', async () => {
  const { payload, stop } = await listenOnce('quotients')
  await using lock = await store.tryLock('notifier')
  assert.ok(lock !== undefined)
  const send = (divisor: string): Promise<void> =>
    lock.db.transaction((tx) => tx.notify('quotients', 'select (12 / $1::int)::text as payload', [divisor]))
  await assert.rejects(send('0'), StatementFailed)
  await send('3')
  assert.equal(await payload, '4')
  await stop()
})

test('a listener that stopped receives nothing, while the others still do', async () => {
  const received: string[] = []
  const stopFirst = await store.listen('prices', (payload) => received.push(`first ${payload}`))
  const { payload, stop } = await listenOnce('prices')
  await stopFirst()
  await store.write.query("notify prices, 'changed'")
  assert.equal(await payload, 'changed')
  assert.deepEqual(received, [])
  await stop()
})

const NEEDS_SERVER = testServerUrl() === null && 'the embedded engine has no connection to lose; see embedded/time-limit.test.ts'

test('a listener learns when it may miss notifications, and when they arrive again', { skip: NEEDS_SERVER }, async () => {
  const changes: boolean[] = []
  let change = Promise.withResolvers<void>()
  const stop = await store.listen('prices', () => {}, {
    onConnected(now) {
      if (changes.at(-1) !== now) change.resolve()
      changes.push(now)
    },
  })
  await change.promise
  change = Promise.withResolvers()
  await store.write.query(`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'gateway notifications'`)
  await change.promise
  assert.equal(changes.at(-1), false)
  change = Promise.withResolvers()
  await change.promise
  assert.equal(changes.at(-1), true)
  await stop()
})

test('the writer lock has one holder at a time, within one process too', async () => {
  await createTable()
  const first = await store.tryLock('indexer')
  assert.ok(first !== undefined)
  assert.equal(await store.tryLock('indexer'), undefined)
  await using other = await store.tryLock('something else')
  assert.ok(other !== undefined)
  await first.db.transaction((tx) => tx.query("insert into note values (1, 'x')"))
  await first[Symbol.asyncDispose]()
  await assert.rejects(first.db.query("insert into note values (2, 'y')"), StoreUnavailable)
  assert.equal(first.lost.aborted, false, 'a released lock is not a lost one')
  await using second = await store.tryLock('indexer')
  assert.ok(second !== undefined)
  assert.deepEqual(await store.read.query('select id from note'), [{ id: 1 }])
})

test('a closed store refuses statements', async () => {
  const closed = await openTestStore({ newEngine: true })
  await closed[Symbol.asyncDispose]()
  await assert.rejects(closed.read.query('select 1'), StoreUnavailable)
  await assert.rejects(closed.write.query('select 1'), StoreUnavailable)
})
