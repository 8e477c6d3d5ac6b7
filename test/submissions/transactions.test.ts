// Client ids, and what GET /v1/tx returns to whom.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import { ClientIdInUse } from '../../src/trading/preparations.ts'
import { openSubmissions, OTHER_OWNER, OWNER, VALID_SEC } from './fixture.ts'

const REQUESTER = { address: '192.0.2.1', key: 'nk_1' }
const CALLER = { owner: OWNER, requester: REQUESTER }
const DAY_MS = 86_400_000

/** A prepared transaction of the trader. */
function prepared(hash: string, clientId: string | null, expiresAt: number) {
  return { hash, owner: OWNER, op: 'close_position', clientId, expiresAt }
}

test('a submitted transaction holds its client id for 24 hours, at prepare and at submit', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [first, second] = [fixture.sign(1), fixture.sign(2)]
  await fixture.submit(instance, first, { clientId: 'a' })
  const inUse = (error: unknown): boolean => error instanceof ClientIdInUse && error.hash === first.hash
  await assert.rejects(fixture.submit(instance, second, { clientId: 'a' }), inUse)
  await assert.rejects(fixture.settle(instance.service.recordPrepared(prepared(second.hash, 'a', 1))), inUse)
  assert.equal(fixture.chain.sent.length, 1, 'a refused transaction is not sent')
  assert.equal((await fixture.submit(instance, first, { clientId: 'a' })).stored, true, 'the same transaction may use it again')
  await fixture.pass(10)
  fixture.clock.advance(DAY_MS)
  const later = fixture.sign(2)
  await fixture.submit(instance, later, { clientId: 'a' })
  assert.equal((await fixture.settle(instance.service.transactions.findByClientId('a', CALLER)))?.row.hash, later.hash)
})

test('a client id that was only prepared, or that the network refused, is free', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [first, second] = [fixture.sign(1), fixture.sign(1, { validSec: 60 })]
  await fixture.settle(instance.service.recordPrepared(prepared(first.hash, 'a', 1)))
  await fixture.settle(instance.service.recordPrepared(prepared(second.hash, 'a', 1)))
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  assert.equal((await fixture.submit(instance, first)).outcome.kind, 'tryAgainLater')
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.submit(instance, second)
  await assert.rejects(fixture.submit(instance, first), ClientIdInUse)
})

test('a submission takes operation and client id from its preparation', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.settle(instance.service.recordPrepared({ ...prepared(signed.hash, 'from-prepare', 1), op: 'close_position_cross' }))
  await fixture.submit(instance, signed)
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.op, row?.clientId, row?.trader], ['close_position_cross', 'from-prepare', OWNER])
  const direct = fixture.sign(2)
  await fixture.submit(instance, direct)
  assert.equal((await fixture.row(instance, direct.hash))?.op, 'close_position', 'from the bytes')
})

test('of two concurrent transactions with one client id, one is submitted', async () => {
  await using fixture = await openSubmissions()
  const instances = [fixture.start(), fixture.start()]
  const signed = [fixture.sign(1), fixture.sign(1, { validSec: 60 })]
  const results = await Promise.allSettled(instances.map((instance, index) => fixture.submit(instance, signed[index] ?? fixture.sign(9), { clientId: 'a' })))
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal(fixture.chain.sent.length, 1)
})

test('concurrent submissions of one transaction are one submission', async () => {
  await using fixture = await openSubmissions()
  const instances = [fixture.start(), fixture.start()]
  const signed = fixture.sign(1)
  const results = await Promise.all([...instances, ...instances].map((instance) => fixture.submit(instance, signed)))
  assert.deepEqual(new Set(results.map(({ outcome }) => outcome.kind)), new Set(['pending']))
  await fixture.pass(10)
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
})

test('client id and envelope are for the owner only; a pending transaction of another owner does not exist', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed, { clientId: 'secret' })
  assert.equal(await fixture.row(instance, signed.hash, OTHER_OWNER), undefined)
  assert.equal(await fixture.settle(instance.service.transactions.findByClientId('secret', { owner: OTHER_OWNER, requester: REQUESTER })), undefined)
  await fixture.pass(10)
  const row = await fixture.row(instance, signed.hash, OTHER_OWNER)
  assert.deepEqual([row?.status, row?.clientId], ['SUCCESS', null], 'what the network has is public')
  const own = await fixture.row(instance, signed.hash)
  assert.deepEqual([own?.status, own?.clientId], ['SUCCESS', 'secret'])
})

test('another owner\'s bad signature does not change the owner\'s submission', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed, { clientId: 'own' })
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  assert.equal((await fixture.submit(instance, signed, { owner: OTHER_OWNER, clientId: 'other' })).outcome.kind, 'tryAgainLater')
  assert.deepEqual(await fixture.store.read.query('select client_id as id from tx.client_ids'), [{ id: 'own' }], 'only the refused one is free')
  fixture.nodes.forEach((node) => (node.send = 'rejected'))
  assert.equal((await fixture.submit(instance, signed, { owner: OTHER_OWNER })).outcome.kind, 'rejected')
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
  assert.equal((await fixture.row(instance, signed.hash, OTHER_OWNER))?.status, 'SUCCESS', 'the ledger decides over a refusal')
})

test('deletes preparations, client ids and what the network never had after a day', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [refused, applied] = [fixture.sign(1, { validSec: 60 }), fixture.sign(1)]
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  await fixture.submit(instance, refused, { clientId: 'a' })
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.settle(instance.service.recordPrepared(prepared(applied.hash, 'b', 1)))
  await fixture.submit(instance, applied, { clientId: 'b' })
  await fixture.pass(10)
  const left = async (): Promise<unknown> => {
    const [row] = await fixture.store.read.query<{ prepared: number; ids: number; submissions: number }>(
      `select (select count(*)::int from tx.prepared) as prepared, (select count(*)::int from tx.client_ids) as ids,
        (select count(*)::int from tx.submissions) as submissions`,
    )
    return [row?.prepared, row?.ids, row?.submissions]
  }
  const waitUntilPurged = async (days: number): Promise<unknown> => {
    fixture.clock.advance(days * DAY_MS)
    await fixture.pass(70, 'nothing')
    return await left()
  }
  assert.deepEqual(await left(), [1, 1, 2])
  assert.deepEqual(await waitUntilPurged(0.9), [1, 1, 2])
  assert.deepEqual(await waitUntilPurged(0.1), [0, 0, 1])
})

test('a prepared transaction is PREPARED, EXPIRED after its time bound, or what the network has', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.settle(instance.service.recordPrepared(prepared(signed.hash, 'p', signed.expiresAt ?? 0)))
  const found = await fixture.settle(instance.service.transactions.findByClientId('p', CALLER))
  assert.deepEqual([found?.row.status, found?.row.expiresAt], ['PREPARED', signed.expiresAt])
  await fixture.pass(VALID_SEC + 70)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
  fixture.chain.applied.set(signed.hash, { ledger: 1_001, closeSec: 1, succeeded: true })
  await fixture.pass(5)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('an unknown hash is looked up on the network, and unknown only when a node responds', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  assert.equal(await fixture.row(instance, signed.hash), undefined)
  fixture.nodes.forEach((node) => (node.lookup = 'fails'))
  await fixture.pass(2)
  await assert.rejects(fixture.row(instance, signed.hash), RpcFailure)
})

test('events name the order and the position once the ledger is indexed, and the log gets the row again', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.events, null, 'not indexed yet')
  const ledger = fixture.chain.applied.get(signed.hash)?.ledger ?? 0
  await archiveEvent(fixture.store, { hash: signed.hash, ledger })
  await fixture.pass(10)
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.positionId, row?.orderId, row?.events?.map(({ topic }) => topic)], [42, null, ['position_closed']])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS', 'SUCCESS'])
})

test('lists submitted transactions newest first, page by page', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const hashes: string[] = []
  for (let sequence = 1; sequence <= 5; sequence++) {
    const signed = fixture.sign(sequence)
    hashes.unshift(signed.hash)
    await fixture.submit(instance, signed)
    await fixture.pass(5)
  }
  await fixture.submit(instance, fixture.sign(6), { owner: OTHER_OWNER })
  const listed: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await fixture.settle(instance.service.transactions.list(OWNER, { limit: 2, cursor }))
    listed.push(...page.rows.map(({ hash }) => hash))
    if (page.next === null) break
    cursor = page.next
  }
  assert.deepEqual(listed, hashes)
})

async function archiveEvent(store: Awaited<ReturnType<typeof openSubmissions>>['store'], { hash, ledger }: { hash: string; ledger: number }): Promise<void> {
  await store.write.query('delete from idx.events')
  await store.write.query(
    `insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
     values (1, 'one', 1, 1, 'first', 'p', '{}', 1, 1, 'test') on conflict do nothing`,
  )
  await store.write.query(
    `insert into idx.events (seq, epoch, chain, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload, inserted_at)
     values (1, 1, 1, 'e1', 'C', 'position_closed', $1, 1, $2, '', '', '{"topic":"position_closed","positionId":42}', 1)`,
    [ledger, hash],
  )
  await store.write.query('update idx.cursor set epoch = 1, last_ledger = $1', [ledger])
}
