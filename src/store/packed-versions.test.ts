// The migrations that pack versions, and transactions to read, into blocks.

import { strict as assert } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { openTestStore } from '../../test/support/database.ts'
import { dumpProjections } from '../../test/index/tables.ts'
import { describeSchema } from './test-describe-schema.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const MIGRATIONS = ['0053_packed_versions.sql', '0054_unread_transactions_in_blocks.sql'].map((name) => new URL(`./migrations/${name}`, import.meta.url))

/** The tables as they were before, with the same content. */
const UNPACK = `
  alter table idx.interest_versions rename to packed_interest_versions;
  alter table idx.packed_interest_versions drop constraint interest_versions_pkey;
  create table idx.interest_versions (
    deployment integer not null, asset text not null, seq bigint not null, long_size numeric not null, short_size numeric not null, positions bigint not null,
    primary key (deployment, asset, seq));
  insert into idx.interest_versions select b.deployment, b.asset, v.* from idx.packed_interest_versions b
    cross join unnest(b.seqs, b.long_sizes, b.short_sizes, b.positions) v;
  drop table idx.packed_interest_versions;
  alter table idx.trader_total_versions rename to packed_trader_total_versions;
  alter table idx.packed_trader_total_versions drop constraint trader_total_versions_pkey;
  create table idx.trader_total_versions (seq bigint primary key, traders bigint not null, volume numeric not null, trades bigint not null);
  insert into idx.trader_total_versions select v.* from idx.packed_trader_total_versions b cross join unnest(b.seqs, b.traders, b.volumes, b.trades) v;
  drop table idx.packed_trader_total_versions;
  alter table idx.unread_transactions rename to packed_unread_transactions;
  alter table idx.packed_unread_transactions drop constraint unread_transactions_pkey;
  create table idx.unread_transactions (
    deployment integer not null, tx_hash text not null, seq bigint not null, ledger bigint not null,
    constraint unread_transactions_pkey primary key (deployment, seq));
  insert into idx.unread_transactions select b.deployment, e.tx_hash, e.seq, e.ledger from idx.packed_unread_transactions b
    cross join unnest(b.seqs) as seqs (seq) join idx.events e using (seq);
  drop table idx.packed_unread_transactions;
`

test('leaves the rows that a rebuild makes, and a rebuild that was under way begins again', async () => {
  await store.write.query('update idx.cursor set reserved_seq = 900')
  await using fixture = createIndexFixture(store)
  const { exchange } = fixture
  for (let ledger = 0; ledger < 12; ledger++) {
    for (let pick = 0; pick < 40; pick++) fixture.queue(pick % 3 === 2 ? exchange.close(pick, ledger) : exchange.open(pick + ledger, ledger))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  const [schema, live] = [await describeSchema(store.read), await dumpProjections(store.read)]
  assert.ok(live['interest_versions']?.some((row) => row.includes(',1024,')) === true, 'an asset has several blocks')
  assert.ok((live['unread_transactions']?.length ?? 0) > 1, 'transactions to read have several blocks')
  await store.write.query('update idx.cursor set projections_version = 0')
  for (let step = 0; step < 3; step++) assert.equal(await fixture.indexer.rebuild(), 'page')

  await store.write.query(UNPACK)
  assert.notDeepEqual(await dumpProjections(store.read), live)
  for (const migration of MIGRATIONS) await store.write.query(await readFile(migration, 'utf8'))
  assert.deepEqual(await dumpProjections(store.read), live)
  assert.equal(await describeSchema(store.read), schema)
  assert.ok(await fixture.indexer.observe() > 0, 'what is observed before that is applied')
  const observed = await dumpProjections(store.read)
  await fixture.finishRebuild()
  assert.deepEqual(await dumpProjections(store.read), observed)
})
