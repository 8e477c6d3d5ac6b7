// Nodes that lie about outcomes: a swallowed transaction is never reported as successful, an applied one never as failed, and what one node alone reported is
// confirmed or corrected.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSubmissions, OWNER, VALID_SEC } from './fixture.ts'
import type { SubmissionFixture } from './fixture.ts'

/** The evidence of a row: its state, its ledger, and how many nodes report it. */
async function evidence(fixture: SubmissionFixture, instance: ReturnType<SubmissionFixture['start']>, hash: string): Promise<readonly unknown[]> {
  const row = await fixture.row(instance, hash)
  return [row?.status, row?.ledger, row?.confirmedBy, row?.nodes]
}

test('one of three nodes swallows a transaction and reports its success: it expires', async () => {
  await using fixture = await openSubmissions({ nodeCount: 3 })
  const instance = fixture.start()
  const [liar, ...others] = fixture.nodes
  Object.assign(liar, { send: 'swallowed', lookup: 'invents' })
  others.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  const { outcome } = await fixture.submit(instance, signed, { pollTimeoutMs: 10_000 })
  assert.ok(outcome.kind === 'pending' || outcome.kind === 'unknown', outcome.kind)
  await fixture.pass(VALID_SEC + 60, 'nothing')
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['EXPIRED', null, null, null])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'EXPIRED'])
})

test('one of three nodes swallows a transaction and reports its success: another node gets it, and it is applied', async () => {
  await using fixture = await openSubmissions({ nodeCount: 3 })
  const instance = fixture.start()
  Object.assign(fixture.nodes[0], { send: 'swallowed', lookup: 'invents' })
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(30)
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['SUCCESS', fixture.chain.applied.get(signed.hash)?.ledger, 2, 3])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
})

for (const waiting of ['the caller', 'the driver'] as const) {
  test(`one of three nodes reports that an applied transaction failed: ${waiting} gets the success that the others report`, async () => {
    await using fixture = await openSubmissions({ nodeCount: 3 })
    const instance = fixture.start()
    fixture.nodes[0].lookup = 'denies success'
    const signed = fixture.sign(1)
    if (waiting === 'the caller') {
      const answer = instance.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 20_000, requester: { address: 'a', key: 'k' } })
      await fixture.pass(10)
      const { outcome } = await answer
      assert.deepEqual([outcome.kind, outcome.kind === 'success' && outcome.confirmedBy], ['success', 2])
    } else await fixture.submit(instance, signed)
    await fixture.pass(10)
    assert.deepEqual(await evidence(fixture, instance, signed.hash), ['SUCCESS', fixture.chain.applied.get(signed.hash)?.ledger, 2, 3])
    assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
  })
}

test('two nodes that contradict each other: nothing is reported, until a day has passed', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes[0].lookup = 'denies success'
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(VALID_SEC + 60)
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['PENDING', null, null, null])
  fixture.clock.advance(86_400_000)
  await fixture.pass(310)
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['UNKNOWN', null, null, null])
})

test('an outcome that one node reports while the other does not respond says so, and is confirmed later', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes[1].lookup = 'fails'
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(15)
  const { ledger } = fixture.chain.applied.get(signed.hash) ?? {}
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['SUCCESS', ledger, 1, 2])
  fixture.nodes[1].lookup = 'well'
  await fixture.pass(60)
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['SUCCESS', ledger, 2, 2])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS', 'SUCCESS'])
})

test('a false failure that one node reports alone is corrected when the others respond again, also by another instance', async () => {
  await using fixture = await openSubmissions({ nodeCount: 3 })
  const instance = fixture.start()
  const [liar, ...others] = fixture.nodes
  liar.lookup = 'denies success'
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  others.forEach((node) => (node.lookup = 'fails'))
  await fixture.pass(20)
  const { ledger } = fixture.chain.applied.get(signed.hash) ?? {}
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['FAILED', ledger, 1, 3])
  instance.kill()
  const next = fixture.start()
  others.forEach((node) => (node.lookup = 'well'))
  await fixture.pass(90)
  assert.deepEqual(await evidence(fixture, next, signed.hash), ['SUCCESS', ledger, 2, 3])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'FAILED', 'SUCCESS'])
})

test('a false success that one node reports alone is corrected when the others respond again: the transaction expires', async () => {
  await using fixture = await openSubmissions({ nodeCount: 3 })
  const instance = fixture.start()
  const [liar, ...others] = fixture.nodes
  Object.assign(liar, { send: 'swallowed', lookup: 'invents' })
  others.forEach((node) => Object.assign(node, { send: 'lost request', lookup: 'fails' }))
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(20, 'nothing')
  assert.equal((await evidence(fixture, instance, signed.hash))[0], 'SUCCESS')
  others.forEach((node) => (node.lookup = 'well'))
  await fixture.pass(VALID_SEC + 90, 'nothing')
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['EXPIRED', null, null, null])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS', 'PENDING', 'EXPIRED'])
})

test('events of a transaction in the archive correct a failure that every node reports', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.lookup = 'denies success'))
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(10)
  const { ledger = 0, closeSec = 0 } = fixture.chain.applied.get(signed.hash) ?? {}
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['FAILED', ledger, 2, 2])
  await archiveEvent(fixture, signed.hash, { ledger, closeSec })
  await fixture.pass(10)
  assert.deepEqual(await evidence(fixture, instance, signed.hash), ['SUCCESS', ledger, null, null])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'FAILED', 'SUCCESS'])
})

/** Archives an event of a transaction, as the index of a chain that began an hour ago does. */
async function archiveEvent(
  fixture: SubmissionFixture, txHash: string, { ledger, closeSec }: { readonly ledger: number; readonly closeSec: number },
): Promise<void> {
  const db = fixture.store.write
  await db.query(
    `insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
     values (1, 'test', 1, 1, 'first', 'test', '{}', 1, $1, 'test')`, [fixture.clock.nowMs() - 3_600_000],
  )
  await db.query(
    `insert into idx.events (seq, epoch, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, inserted_at, chain)
     values (1, 1, 'one', 'C', 'position_opened', $1, $2, $3, '', '', 0, 1)`, [ledger, closeSec, txHash],
  )
}
