// The record of a transaction has other events than the archive. If the archive is wrong, it is corrected; if the record is a lie, it stays.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { readTask } from '../../src/projections/repair/tasks.ts'
import type { Task } from '../../src/projections/repair/tasks.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const NODES = ['http://node-0', 'http://node-1', 'http://node-2']
const LEDGERS = 60
/** More than a verification of one ledger and a rebuild need. */
const ROUNDS = 40

async function openIndexed(seed: string): Promise<GatewayFixture> {
  const fixture = await createGatewayFixture({ traders: 8, seed, generation: '2', rpcUrls: NODES })
  await fixture.closeLedgers(LEDGERS)
  await fixture.catchUp()
  return fixture
}

/** Reads records, verifies and rebuilds until nothing is left to do. */
async function settle({ indexer }: GatewayFixture): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await indexer.observe()
    await indexer.verify()
    await indexer.rebuild()
  }
}

/** Returns a hash of the archive, short enough for the message of a failure. */
async function archiveOf({ store }: GatewayFixture): Promise<string> {
  const rows = await store.read.query('select event_id, tx_hash, topics_xdr, value_xdr from idx.events order by event_id')
  return hash('sha256', JSON.stringify(rows))
}

async function verification({ store }: GatewayFixture): Promise<Task<'verify'>> {
  return defined(await readTask(store.read, 'verify'), 'a verification')
}

for (const damage of ['event', 'transfer']) test(`corrects an archived ${damage} with another value when the record of its transaction is read`, async () => {
  await using fixture = await openIndexed('contradicted archive')
  const honest = await archiveOf(fixture)
  const other = xdr.ScVal.scvU32(7).toXdr('base64')
  const [damaged] = await fixture.store.write.query<{ ledger: number }>(
    `update idx.events set value_xdr = $1 where seq = (
      select min(e.seq) from idx.events e where e.is_transfer = $2 and e.tx_hash = (
        select f.tx_hash from idx.events f where f.seq = (select unnest(seqs) from idx.unread_transactions order by 1 offset 3 limit 1)
      )) returning ledger`,
    [other, damage === 'transfer'],
  )
  assert.notEqual(await archiveOf(fixture), honest)
  await settle(fixture)
  assert.equal(await archiveOf(fixture), honest)
  const { state, progress: { range, replaced, isPartial } } = await verification(fixture)
  assert.deepEqual([state, range?.fromLedger, range?.throughLedger, replaced, isPartial], ['done', damaged?.ledger, damaged?.ledger, 1, true])
  const corrections = await fixture.get<{ readonly corrections: readonly { readonly kind: string }[] }>('/v1/corrections')
  assert.ok(corrections.body.corrections.some(({ kind }) => kind === 'event'), corrections.text)
})

test('the record that one of three nodes invents changes nothing, and its ledger is verified once', async () => {
  await using fixture = await openIndexed('lying record')
  const honest = await archiveOf(fixture)
  let known: unknown
  fixture.rpc.lies.set(defined(NODES[0], 'a node'), (method, result) => {
    if (method !== 'getTransaction' || result['status'] !== 'SUCCESS') return result
    // The meta of another transaction of the exchange.
    known ??= result['resultMetaXdr']
    return { ...result, resultMetaXdr: known }
  })
  const { epoch } = (await fixture.store.read.query<{ epoch: string }>('select coalesce(name, epoch) as epoch from idx.epochs'))[0] ?? {}
  await settle(fixture)
  assert.equal(await archiveOf(fixture), honest)
  const { id, state, progress } = await verification(fixture)
  assert.deepEqual([state, progress.added + progress.replaced + progress.removed, progress.problem], ['done', 0, null])
  await settle(fixture)
  const ledgers = await fixture.store.read.query<{ count: number }>('select count(distinct ledger) as count from idx.events')
  assert.ok((await verification(fixture)).id <= Number(ledgers[0]?.count), 'no ledger is verified twice')
  assert.ok(id > 0)
  const [after] = await fixture.store.read.query<{ epoch: string }>('select coalesce(name, epoch) as epoch from idx.epochs')
  assert.equal(after?.epoch, epoch, 'readers keep their position')
})
