// Moves an embedded database to a PostgreSQL server: with the real engine, a real server and the real program.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { CommandRejected } from '../../src/base/command-rejected.ts'
import { silentLog } from '../../src/base/log.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { Health } from '../../src/resources/health.ts'
import { openEmbedded } from '../../src/store/open.ts'
import { moveDatabase, parseMoveCommand, SEEDED_TABLES } from '../../src/store/move/move.ts'
import type { MoveParts } from '../../src/store/move/move.ts'
import { countRows, readContent, readSequences, readTables } from '../../src/store/move/tables.ts'
import { withOwnConnection } from '../../src/store/server/writer-lock.ts'
import type { Queryable } from '../../src/store/store.ts'
import { checkPageLog } from '../sim/checkers/page-log.ts'
import { bearer, createWallet, signChallenge } from '../support/keys.ts'
import { startMain } from '../support/main-process.ts'
import { startPostgres, WITHOUT_OWN_POSTGRES } from '../support/postgres.ts'
import { startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const skip = WITHOUT_OWN_POSTGRES
const clock = createSystemClock({ keepAlive: false })
const disposables = new AsyncDisposableStack()
let serverUrl: string
/** The data folder of a gateway that has indexed some trades and issued a key. */
let dataDir: string
let key: IssuedKey

before(async () => {
  if (skip !== false) return
  const folder = disposables.use(await temporaryFolder())
  const server = disposables.use(await startPostgres(disposables.use(await temporaryFolder()).path, ['fsync=off']))
  serverUrl = server.url
  dataDir = folder.path
  await using main = startMain({ DATA_DIR: dataDir, LOCAL_SEED: 'move', LOCAL_TRADERS: '6' })
  key = await issueKey(await main.url())
  await until(async () => {
    const { indexer } = await main.get<Health>('/v1/health')
    return Object.values(indexer.archived ?? {}).reduce((sum, count) => sum + count, 0) > 30
  }, 'events')
  await main.stop('SIGTERM')
})
after(() => disposables.disposeAsync())

async function issueKey(url: string): Promise<IssuedKey> {
  const wallet = createWallet('moved')
  const address = wallet.publicKey()
  const post = async <Body>(path: string, body: object): Promise<Body> => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    assert.ok(response.ok, `${path}: ${response.status}`)
    return (await response.json()) as Body
  }
  const { challengeHex } = await post<{ challengeHex: string }>('/v1/keys/challenge', { address })
  return await post<IssuedKey>('/v1/keys', { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
}

let databases = 0

async function createDatabase(options = ''): Promise<string> {
  const name = `target_${++databases}`
  await withOwnConnection(serverUrl, 'test', clock, (db) => db.query(`create database ${name} ${options}`))
  return new URL(`/${name}`, serverUrl).href
}

const databaseFolder = (): string => join(dataDir, 'local/database')

async function move(url: string, overrides: Partial<MoveParts> = {}): Promise<void> {
  const { signal } = new AbortController()
  await moveDatabase(url, { dataDir: databaseFolder(), lockName: 'indexer', clock, log: silentLog, print: () => {}, stop: signal, ...overrides })
}

function rejection(url: string, pattern: RegExp, overrides: Partial<MoveParts> = {}): Promise<void> {
  return assert.rejects(move(url, overrides), (error) => error instanceof CommandRejected && pattern.test(error.message) && !error.message.includes('hunter2'))
}

async function contentOf(db: Queryable): Promise<unknown> {
  const tables = await readTables(db)
  const contents: unknown[] = []
  for (const table of tables) contents.push([table.name, await readContent(db, table)])
  return [contents, [...(await readSequences(db))]]
}

const onServer = <T>(url: string, work: (db: Queryable) => Promise<T>): Promise<T> => withOwnConnection(url, 'test', clock, work)

async function countOnServer(url: string): Promise<number> {
  return await onServer(url, async (db) => {
    let rows = 0
    for (const table of await readTables(db)) if (!SEEDED_TABLES.has(table.name)) rows += await countRows(db, table)
    return rows
  })
}

/** A digest of the user's tables of the embedded database. */
async function contentOfSource(): Promise<unknown> {
  await using store = await openEmbedded({ dataDir: databaseFolder(), clock, log: silentLog })
  return await contentOf(store.read)
}

test('the program moves history and keys, and a gateway on the server continues with them', { skip }, async () => {
  const url = await createDatabase()
  const expected = await contentOfSource()
  await using program = startProgram([process.execPath, 'main.ts', 'move', '--to', url.replace('postgres@', 'postgres:hunter2@')], { DATA_DIR: dataDir })
  assert.equal(await program.exited, 0, program.errors())
  assert.match(program.output(), /idx\.events: (\d+) of \1 rows\n/)
  assert.match(program.output(), /Moved \d+ rows to 127\.0\.0\.1:\d+\/target_\d+\./)
  assert.ok(!`${program.output()}${program.errors()}`.includes('hunter2'))
  assert.deepEqual(await onServer(url, contentOf), expected)
  assert.deepEqual(await contentOfSource(), expected, 'the source is unchanged')
  const { records } = await onServer(url, checkPageLog)

  await using main = startMain({ DATA_DIR: dataDir, DATABASE_URL: url, LOCAL_SEED: 'move', LOCAL_TRADERS: '6' })
  const response = await fetch(`${await main.url()}/v1/account/me`, { headers: { authorization: bearer(key) } })
  assert.equal(response.status, 200, 'the key works')
  const events = async (): Promise<number> => (await onServer(url, (db) => db.query<{ rows: number }>('select count(*) as rows from idx.events')))[0]?.rows ?? 0
  const moved = await events()
  await until(async () => (await events()) > moved, 'the indexer to continue')
  assert.equal((await onServer(url, (db) => db.query('select number from idx.epochs'))).length, 1, 'in the same epoch')
  await main.stop('SIGTERM')
  const continued = await onServer(url, checkPageLog)
  assert.deepEqual(continued.records.slice(0, records.length), records, 'the log of pages continues with its records')
  assert.ok(continued.records.length > records.length)
})

test('moves values that are hard to copy, over several batches', { skip }, async () => {
  await using folder = await temporaryFolder()
  const hard = ['', 'a"b\\c,d(e)', 'null', 'NULL', '{}', '\t\n\r', '🙂\u202e', "it''s", '\\x00']
  {
    await using store = await openEmbedded({ dataDir: folder.path, clock, log: silentLog })
    await store.write.query(`
      insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
      values (1, 'e', 1, 1, 'first', 'test', '{"a": [1, null, "x"]}', 1, 1, 'test')`)
    await store.write.query(`
      insert into idx.events (seq, epoch, chain, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload,
        problem, inserted_at)
      select n, 1, 1, n::text, 'C', ($1::text[])[1 + n % $2], n, n, 'h', '', '', case n % 3 when 0 then null when 1 then 'null'::jsonb
        else jsonb_build_object('n', 12345678901234567890123456789.000) end, null, n from generate_series(1, 2500) n`, [hard, hard.length])
    await store.write.query("insert into idx.asset_hours select 'BTC', n, n * 1e30 + 0.10 from generate_series(1, 10) n")
  }
  const url = await createDatabase()
  await move(url, { dataDir: folder.path })
  await using store = await openEmbedded({ dataDir: folder.path, clock, log: silentLog })
  assert.deepEqual(await onServer(url, contentOf), await contentOf(store.read))
  const sql = 'select topic, payload::text as payload from idx.events where seq between 1000 and 1020 order by seq'
  assert.deepEqual(await onServer(url, (db) => db.query(sql)), await store.read.query(sql))
})

test('stops when the target is not empty, and changes nothing in it', { skip }, async () => {
  const foreign = await createDatabase()
  await onServer(foreign, (db) => db.query('create table customers (id int primary key); insert into customers values (1)'))
  await rejection(foreign, /not empty\. It has public\.customers/)
  assert.deepEqual(await onServer(foreign, (db) => db.query('select * from customers')), [{ id: 1 }])
  assert.deepEqual(await onServer(foreign, (db) => db.query("select nspname from pg_namespace where nspname in ('idx', 'keys')")), [], 'no schema was created')

  const used = await createDatabase()
  await move(used)
  const contentBefore = await onServer(used, contentOf)
  await rejection(used, /not empty\. .* has \d+ rows/)
  assert.deepEqual(await onServer(used, contentOf), contentBefore)
})

test('an interrupted or failed move leaves nothing behind, and can be repeated', { skip }, async () => {
  const url = await createDatabase()
  const stop = new AbortController()
  await rejection(url, /^Stopped\. Nothing was moved/, { stop: stop.signal, print: () => stop.abort() })
  assert.equal(await countOnServer(url), 0)

  await onServer(url, (db) => db.query('alter table idx.events add constraint planted check (seq < 3)'))
  await rejection(url, /refused: .*planted.* Nothing was moved/)
  assert.equal(await countOnServer(url), 0)
  await onServer(url, (db) => db.query('alter table idx.events drop constraint planted'))

  // The triggers drop and change rows, as a faulty copy would.
  await onServer(url, (db) => db.query(`
    create function planted() returns trigger language plpgsql as 'begin if new.seq = 2 then return null; end if; return new; end';
    create trigger planted before insert on idx.events for each row execute function planted()`))
  await rejection(url, /not complete: "idx"\."events" has \d+ rows, its copy has \d+\. Nothing was moved/)
  await onServer(url, (db) => db.query(`
    create or replace function planted() returns trigger language plpgsql as 'begin if new.seq = 2 then new.topic = ''x''; end if; return new; end'`))
  await rejection(url, /the checksum of the copy of "idx"\."events" differs/)
  assert.equal(await countOnServer(url), 0)
  await onServer(url, (db) => db.query('drop trigger planted on idx.events; drop function planted()'))

  await move(url)
  assert.deepEqual(await onServer(url, contentOf), await contentOfSource())
})

test('explains what is wrong with the target or the source', { skip }, async () => {
  const { hostname, port } = new URL(serverUrl)
  await rejection(await createDatabase("encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0"), /encoding LATIN1/)
  await onServer(serverUrl, (db) => db.query("create role limited login password 'hunter2'"))
  const limited = new URL(await createDatabase())
  limited.username = 'limited'
  limited.password = 'hunter2'
  await rejection(limited.href, /role limited may not create/)
  await rejection(`postgres://postgres:hunter2@${hostname}:${port}/absent`, /"absent" does not exist.*Nothing was moved/)
  await rejection(`postgres://postgres:hunter2@127.0.0.1:1/x`, /Cannot use 127\.0\.0\.1:1\/x: /)
  await rejection(await createDatabase(), /no embedded database/, { dataDir: join(dataDir, 'nowhere') })
  assert.ok(!readdirSync(dataDir).includes('nowhere'), 'no database was created')

  await using store = await openEmbedded({ dataDir: databaseFolder(), clock, log: silentLog })
  await rejection(await createDatabase(), /in use\. Stop the gateway/)
  assert.ok(store)
})

test('does not repeat arguments, which may contain a password', () => {
  for (const words of [[], ['--to'], ['--to', 'mysql://a:hunter2@b'], ['--to', 'hunter2'], ['hunter2'], ['--hunter2'], ['--to=postgres://a', 'hunter2']]) {
    assert.throws(() => parseMoveCommand(words), (error) => error instanceof CommandRejected && /Usage:/.test(error.message) && !/hunter2/.test(error.message))
  }
  assert.equal(parseMoveCommand(['--to', 'postgres://a/b']), 'postgres://a/b')
})

test('a new database has rows only in the tables that are not counted', { skip }, async () => {
  await using folder = await temporaryFolder()
  await using store = await openEmbedded({ dataDir: folder.path, clock, log: silentLog })
  const tables = await readTables(store.read)
  const filled: string[] = []
  for (const table of tables) {
    assert.ok(table.key.length > 0, `${table.name} needs a primary key`)
    if ((await countRows(store.read, table)) > 0) filled.push(table.name)
  }
  assert.deepEqual(new Set(filled), SEEDED_TABLES)
})
