// A transaction that the network does not take leaves nothing for good, and one that it may have taken is in the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SUBMISSIONS_MAX } from '../../src/limits.ts'
import { REFUSED_KEPT_MAX } from '../../src/trading/journal.ts'
import { openSubmissions, OTHER_OWNER, OWNER, VALID_SEC } from './fixture.ts'
import type { SubmissionFixture } from './fixture.ts'

const DAY_MS = 86_400_000

async function countRows(fixture: SubmissionFixture, table: string): Promise<number> {
  const [row] = await fixture.store.read.query<{ count: number }>(`select count(*) as count from ${table}`)
  return row?.count ?? Number.NaN
}

for (const [fault, status] of [['rejected', 'REJECTED'], ['try again later', 'PREPARED'], ['refused', 'PREPARED']] as const) {
  test(`a submission whose send is ${fault} is not logged, frees its client id, and can be looked up`, async () => {
    await using fixture = await openSubmissions()
    const instance = fixture.start()
    fixture.nodes.forEach((node) => (node.send = fault))
    const [first, second] = [fixture.sign(1), fixture.sign(1, { validSec: 60 })]
    await fixture.submit(instance, first, { clientId: 'a' })
    assert.deepEqual([await fixture.changes(first.hash), await countRows(fixture, 'tx.client_ids')], [[], 0])
    const row = await fixture.row(instance, first.hash)
    assert.deepEqual([row?.status, row?.clientId], [status, 'a'])
    fixture.nodes.forEach((node) => (node.send = 'none'))
    assert.equal((await fixture.submit(instance, second, { clientId: 'a' })).outcome.kind, 'pending')
    assert.deepEqual(await fixture.changes(second.hash), ['PENDING'])
  })
}

test('of what is refused, the newest hundred of an owner are kept for a day', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'rejected'))
  await fixture.submit(instance, fixture.sign(1), { owner: OTHER_OWNER })
  const hashes: string[] = []
  for (let sequence = 1; sequence <= REFUSED_KEPT_MAX + 20; sequence++) {
    const signed = fixture.sign(sequence)
    hashes.push(signed.hash)
    await fixture.submit(instance, signed, { clientId: `id-${sequence}` })
    fixture.clock.advance(1)
  }
  assert.deepEqual([await countRows(fixture, 'tx.submissions'), await countRows(fixture, 'tx.client_ids')], [REFUSED_KEPT_MAX + 1, 0])
  assert.equal(await fixture.row(instance, hashes[0] ?? ''), undefined)
  assert.equal((await fixture.row(instance, hashes.at(-1) ?? ''))?.status, 'REJECTED')
  fixture.clock.advance(DAY_MS)
  await fixture.pass(70)
  for (const table of ['tx.submissions', 'tx.submission_changes', 'tx.client_ids', 'tx.prepared']) assert.equal(await countRows(fixture, table), 0, table)
})

test('a purge continues until everything that is due is deleted', async () => {
  await using fixture = await openSubmissions()
  fixture.start()
  await fixture.store.write.query(
    `insert into tx.prepared (hash, owner, op, expires_at, prepared_at) select 'h' || n, 'G', 'open_position', 0, 0 from generate_series(1, 2500) n`,
  )
  await fixture.pass(20)
  assert.equal(await countRows(fixture, 'tx.prepared'), 0)
})

test('submitting again what another transaction has replaced adds nothing to the log', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1, { validSec: null })
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  fixture.chain.sequences.set(OWNER, 1n)
  await fixture.pass(400)
  fixture.nodes.forEach((node) => (node.send = 'none'))
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'REJECTED'])
  for (let count = 0; count < 3; count++) assert.equal((await fixture.submit(instance, signed)).outcome.kind, 'rejected')
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'REJECTED'])
  fixture.clock.advance(2 * DAY_MS)
  await fixture.pass(70)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'REJECTED', 'what was logged stays')
})

test('a submission of a process that dies before the send is answered is logged when another one continues it', async () => {
  await using fixture = await openSubmissions()
  const first = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  void first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2)
  assert.deepEqual(await fixture.changes(signed.hash), [])
  first.kill()
  fixture.nodes.forEach((node) => (node.send = 'none'))
  fixture.start()
  await fixture.pass(40)
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
})

test('an accepted submission is in the log while its caller waits', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  const waiting = instance.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2)
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING'])
  await fixture.pass(10)
  assert.equal((await fixture.settle(waiting)).outcome.kind, 'success')
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
})

test('a caller that disconnects does not turn a refused submission into a pending one', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'rejected'))
  const signed = fixture.sign(1)
  const caller = new AbortController()
  const options = { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' }, signal: caller.signal }
  const submitting = instance.service.submit(signed, { owner: OWNER, clientId: null }, options)
  caller.abort()
  await fixture.settle(submitting)
  assert.deepEqual([(await fixture.row(instance, signed.hash))?.status, await fixture.changes(signed.hash)], ['REJECTED', []])
})

test('an envelope that has expired on the ledger is answered without a row and a send; one that was applied returns its result', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [expired, applied] = [fixture.sign(2), fixture.sign(1)]
  await fixture.pass(VALID_SEC + 10)
  fixture.chain.applied.set(applied.hash, { ledger: 1_001, closeSec: 1, succeeded: true })
  const { outcome } = await fixture.submit(instance, expired)
  assert.deepEqual([outcome.kind, outcome.kind === 'rejected' && outcome.result?.code], ['rejected', 'txTooLate'])
  assert.deepEqual([await countRows(fixture, 'tx.submissions'), fixture.chain.sent.length], [0, 0])
  assert.equal((await fixture.submit(instance, applied)).outcome.kind, 'success')
})

test('attack: an address that has used up its share writes nothing more', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const submitting = Array.from({ length: SUBMISSIONS_MAX }, (_, index) => instance.service.submit(
    fixture.sign(index + 1), { owner: OWNER, clientId: null }, { pollTimeoutMs: 1_000, requester: { address: 'a', key: `k${index % 4}` } },
  ))
  await fixture.pass(1)
  assert.equal(await countRows(fixture, 'tx.submissions'), SUBMISSIONS_MAX / 2)
  const outcomes = await Promise.all(submitting.map((one) => fixture.settle(one)))
  assert.equal(outcomes.filter(({ outcome }) => outcome.kind === 'tryAgainLater').length, SUBMISSIONS_MAX / 2)
})

test('a refusal of the gateway does not hide that an earlier copy is on its way', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const options = { pollTimeoutMs: 1_000, requester: { address: 'a', key: 'k' } }
  const others = Array.from({ length: SUBMISSIONS_MAX / 2 }, (_, index) => instance.service.submit(
    fixture.sign(index + 2), { owner: OTHER_OWNER, clientId: null }, options,
  ))
  const again = await fixture.settle(instance.service.submit(signed, { owner: OWNER, clientId: null }, options))
  assert.deepEqual(again, { outcome: { kind: 'pending' }, stored: true })
  await Promise.all(others.map((one) => fixture.settle(one)))
})
