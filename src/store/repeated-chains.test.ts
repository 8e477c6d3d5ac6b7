// The migration that removes what a lying node made earlier versions archive twice.

import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { after, beforeEach, test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { rebuild } from '../indexer/rebuild.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { openTestStore } from '../../test/support/database.ts'
import { dumpArchive, emptyIndex } from '../../test/index/tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const MIGRATION = new URL('./migrations/0016_repeated_chains.sql', import.meta.url)
const RAISED_TOID = 2_000_000_000n << 32n

async function runMigration(): Promise<void> {
  const statements = (await readFile(MIGRATION, 'utf8')).replaceAll(/^--.*$/gm, '').split(';').filter((statement) => statement.trim() !== '')
  await store.write.transaction(async (tx) => {
    for (const statement of statements) await tx.query(statement)
  })
}

/** What clients see of the traders and their trades. */
async function results(): Promise<unknown> {
  const traders = await store.read.query('select trader, pnl, volume from idx.traders order by trader')
  const trades = await store.read.query('select position_id, trader, kind, ledger, pnl from idx.trades order by seq')
  const ledgers = await store.read.query('select ledger, close_ts, last_seq - first_seq as more from idx.ledgers order by ledger')
  const open = await store.read.query("select count(*) as open from idx.positions where state = 'open'")
  return { traders, trades, ledgers, open }
}

/** Indexes positions and closes; returns the number of events. */
async function indexLedgers(): Promise<number> {
  await using fixture = createIndexFixture(store)
  for (let ledger = 0; ledger < 8; ledger++) {
    for (const pick of [1, 2, 3]) fixture.queue(fixture.exchange.open(pick, ledger + pick))
    fixture.queue(fixture.exchange.close(ledger, ledger))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  return (await dumpArchive(store.read)).length
}

/** Archives the first epoch again as another chain, as a false reset did. */
async function repeatChain(chain: number, events: number, options: { readonly throughSeq: number; readonly raised?: boolean }): Promise<void> {
  const raise = options.raised === true ? RAISED_TOID : 0n
  await store.write.query(
    `insert into idx.epochs (number, epoch, chain, deployment, reason, passphrase, contracts, start_ledger, started_at)
     select $1::int, 'again' || $1::int, $1::int, $1::int, 'reset', passphrase, contracts, start_ledger, started_at from idx.epochs where number = 1`,
    [chain],
  )
  const added = (chain - 1) * events
  await store.write.query(
    `insert into idx.events (seq, epoch, chain, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload, problem,
       inserted_at)
     select seq + $2::bigint, $1::int, $1::int, lpad((left(event_id, 19)::numeric + $3::numeric)::text, 19, '0') || substr(event_id, 20) || '-again' || $1::int,
       contract_id, topic, ledger + ($3::numeric / 4294967296)::bigint, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload, problem, inserted_at
     from idx.events where epoch = 1 and seq <= $4::bigint`,
    [chain, added, raise, options.throughSeq],
  )
  await store.write.query(
    `insert into idx.ledgers (epoch, ledger, close_ts, first_seq, last_seq)
     select epoch, ledger, min(ledger_close_ts), min(seq), max(seq) from idx.events where epoch = $1 group by 1, 2`,
    [chain],
  )
  await store.write.query('update idx.cursor set epoch = $1, last_seq = (select max(seq) from idx.events)', [chain])
}

test('removes the copies of a chain that was archived under wrong numbers and again under the right ones', async () => {
  const events = await indexLedgers()
  const honest = await results()
  await repeatChain(2, events, { throughSeq: events, raised: true })
  await repeatChain(3, events, { throughSeq: events })
  await rebuild(store, { clock: createSystemClock() })
  assert.notDeepEqual(await results(), honest, 'every trade is there three times, also after a rebuild')
  await runMigration()
  const [version] = await store.read.query<{ version: number | null }>('select projections_version as version from idx.cursor')
  assert.equal(version?.version, null, 'the indexer rebuilds the projections')
  await rebuild(store, { clock: createSystemClock() })
  assert.deepEqual(await results(), honest)
  assert.equal((await dumpArchive(store.read)).length, events)
})

test('keeps chains that share only a beginning, and an archive of one chain', async () => {
  const events = await indexLedgers()
  const one = await dumpArchive(store.read)
  await runMigration()
  assert.deepEqual(await dumpArchive(store.read), one)
  await repeatChain(2, events, { throughSeq: events - 5 })
  const forked = await dumpArchive(store.read)
  await runMigration()
  assert.deepEqual(await dumpArchive(store.read), forked)
})
