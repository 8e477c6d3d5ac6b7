// A reused engine is a fresh database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable } from '../../src/store/store.ts'
import { openTestEmbedded } from './database.ts'
import { createStorePool } from './store-pool.ts'

const open = () => openTestEmbedded({ newEngine: true })

test('a store from the pool has the rows and sequences of a migrated database, and no lock or listener of its last user', async () => {
  await using pool = createStorePool()
  const first = await pool.take('', open)
  const baseline = await first.write.query('select * from idx.cursor')
  await first.write.query('update idx.cursor set last_seq = 7')
  await first.write.query(`insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
    values (1, 'one', 1, 1, 'first', 'passphrase', '{}', 1, 0, 'test')`)
  await first.write.query('insert into idx.ledgers values (1, 2, 3, 4, 5)')
  const [before] = await first.write.query<{ seq: number }>("select nextval('keys.api_keys_seq_seq') as seq")
  assert.ok(await first.tryLock('writer'))
  const received: string[] = []
  await first.listen('channel', (payload) => received.push(payload))
  await first[Symbol.asyncDispose]()

  await using second = await pool.take('', () => assert.fail('the engine is reused'))
  assert.deepEqual(await second.write.query('select * from idx.cursor'), baseline)
  assert.deepEqual(await second.write.query('select * from idx.ledgers'), [], 'rows that refer to others are removed')
  assert.deepEqual(await second.write.query("select nextval('keys.api_keys_seq_seq') as seq"), [before])
  assert.ok(await second.tryLock('writer'))
  await second.write.query("notify channel, 'x'")
  assert.deepEqual(received, [])
  await assert.rejects(first.write.query('select 1'), StoreUnavailable)
  await assert.rejects(first.write.transaction(async () => {}), StoreUnavailable)
})

test('an engine whose schema a test has changed is not reused', async () => {
  await using pool = createStorePool()
  const first = await pool.take('', open)
  await first.write.query('create table public.extra (id int)')
  await first[Symbol.asyncDispose]()
  let opened = 0
  await using second = await pool.take('', async () => {
    opened += 1
    return await open()
  })
  assert.equal(opened, 1)
  assert.equal((await second.read.query('select 1')).length, 1)
})
