// Every stored submission reaches a true final state, whatever is lost, dropped, killed or reset.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keypair } from '@stellar/stellar-sdk'
import { openSubmissions, OWNER, VALID_SEC } from './fixture.ts'

const STRANGER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(9))

test('continues an accepted submission that no caller waits for', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  assert.deepEqual((await fixture.submit(instance, signed)).outcome, { kind: 'pending' })
  await fixture.pass(10)
  const row = await fixture.row(instance, signed.hash)
  const applied = fixture.chain.applied.get(signed.hash)
  assert.deepEqual([row?.status, row?.ledger, row?.ts], ['SUCCESS', applied?.ledger, applied?.closeSec])
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'SUCCESS'])
})

test('stores the envelope before the first send', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  void instance.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(1)
  const rows = await fixture.store.read.query('select status, envelopes from tx.submissions where hash = $1', [signed.hash])
  assert.deepEqual(rows, [{ status: 'PENDING', envelopes: [signed.envelopeXdr] }])
})

for (const fault of ['lost request', 'lost response'] as const) {
  test(`continues a submission after a ${fault}`, async () => {
    await using fixture = await openSubmissions()
    const instance = fixture.start()
    fixture.nodes.forEach((node) => (node.send = fault))
    const signed = fixture.sign(1)
    assert.deepEqual((await fixture.submit(instance, signed)).outcome, { kind: 'unknown' })
    fixture.nodes.forEach((node) => (node.send = 'none'))
    await fixture.pass(30)
    assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
  })
}

test('sends a transaction again that the network dropped', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  fixture.chain.drop()
  await fixture.pass(10, 'nothing')
  assert.equal(fixture.chain.sent.length, 1)
  await fixture.pass(30)
  assert.ok(fixture.chain.sent.length > 1)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('stores the errors of a failed transaction', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  await fixture.pass(10, 'failing')
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.status, row?.txResultCode, row?.events], ['FAILED', 'txFailed', []])
  assert.ok(row?.resultXdr)
  const again = await fixture.submit(instance, signed)
  assert.ok(again.outcome.kind === 'failed' && again.outcome.message.startsWith('Transaction failed'))
})

test('a submission that the network never applies expires, and not before its time bound has passed on the ledger', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  for (let elapsedSec = 0; elapsedSec < VALID_SEC; elapsedSec += 10) {
    fixture.chain.drop()
    await fixture.pass(9, 'nothing')
    assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  }
  await fixture.pass(30, 'nothing')
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'EXPIRED'])
})

test('a caller that still waits learns that its transaction has expired', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'swallowed'))
  const signed = fixture.sign(1)
  const waiting = instance.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(VALID_SEC, 'nothing')
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  await fixture.pass(15, 'nothing')
  const { outcome } = await fixture.settle(waiting)
  assert.deepEqual([outcome.kind, outcome.kind === 'rejected' && outcome.result?.code], ['rejected', 'txTooLate'])
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'EXPIRED'])
})

test('submitting an expired transaction again returns its end without a send', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  await fixture.pass(VALID_SEC + 20, 'nothing')
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
  fixture.nodes.forEach((node) => (node.send = 'none'))
  const { outcome, stored } = await fixture.submit(instance, signed)
  assert.deepEqual([outcome.kind, outcome.kind === 'rejected' && outcome.result?.code, stored], ['rejected', 'txTooLate', true])
  assert.equal(fixture.chain.sent.length, 0)
  assert.deepEqual(await fixture.changes(signed.hash), ['PENDING', 'EXPIRED'])
})

test('a lagging node does not prove that a transaction has expired', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'lost response'))
  await fixture.submit(instance, signed)
  fixture.nodes.forEach((node) => (node.lag = 20))
  await fixture.pass(VALID_SEC + 20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  fixture.nodes.forEach((node) => (node.lag = 0))
  await fixture.pass(20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('one node that denies the transaction does not make it expire when another node has it: nothing is known until they agree', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes[0].lookup = 'lies'
  await fixture.submit(instance, signed)
  await fixture.pass(VALID_SEC + 20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  fixture.nodes[0].lookup = 'well'
  await fixture.pass(20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a history that begins after the submission proves nothing while the sequence number is used', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  fixture.nodes.forEach((node) => (node.lookup = 'fails'))
  await fixture.pass(VALID_SEC + 20)
  fixture.chain.oldest = 1_010
  fixture.nodes.forEach((node) => (node.lookup = 'well'))
  await fixture.pass(20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  fixture.clock.advance(86_400_000)
  await fixture.pass(10)
  fixture.clock.advance(300_000)
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'UNKNOWN')
})

test('an unused sequence number proves that an expired transaction was not applied, whatever the nodes have dropped', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  fixture.chain.oldest = 1_010
  await fixture.pass(VALID_SEC + 20, 'nothing')
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
})

test('after a reset of the network a submission expires, because the new chain does not have it', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  await fixture.submit(instance, signed)
  fixture.chain.reset()
  await fixture.pass(VALID_SEC + 20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
})

test('a transaction without a time bound never expires; it is rejected when another one has used its sequence number', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1, { validSec: null })
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  await fixture.pass(VALID_SEC + 100)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  fixture.chain.sequences.set(OWNER, 1n)
  await fixture.pass(400)
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.status, row?.txResultCode], ['REJECTED', 'txBadSeq'])
})

test('try_again_later: nothing is sent again, and the transaction stays PREPARED', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  assert.deepEqual((await fixture.submit(instance, signed)).outcome, { kind: 'tryAgainLater', fullQueue: 'network' })
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(20)
  assert.equal(fixture.chain.sent.length, 0)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PREPARED')
  await fixture.submit(instance, signed)
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a rejection ends the first submission, and a valid signature opens it again', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [forged, signed] = [fixture.sign(1, { signer: STRANGER }), fixture.sign(1)]
  assert.equal(forged.hash, signed.hash)
  assert.equal((await fixture.submit(instance, forged)).outcome.kind, 'rejected')
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.status, row?.txResultCode], ['REJECTED', 'txBadAuth'])
  await fixture.submit(instance, signed)
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a bad signature does not replace a good one that is on its way', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const [forged, signed] = [fixture.sign(1, { signer: STRANGER }), fixture.sign(1)]
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  await fixture.submit(instance, forged)
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(40)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a resubmission is never reported as rejected while the accepted copy may be queued', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  assert.equal((await fixture.submit(instance, signed)).outcome.kind, 'pending')
  fixture.nodes.forEach((node) => (node.send = 'rejected'))
  assert.equal((await fixture.submit(instance, signed)).outcome.kind, 'pending')
  await fixture.pass(10)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a refusal that proves the end of an earlier copy is stored at once', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  await fixture.submit(instance, signed)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PENDING')
  await fixture.pass(5)
  fixture.chain.sequences.set(OWNER, 1n)
  await fixture.pass(5)
  fixture.nodes.forEach((node) => (node.send = 'none'))
  const { outcome } = await fixture.submit(instance, signed)
  assert.deepEqual([outcome.kind, outcome.kind === 'rejected' && outcome.result?.code], ['rejected', 'txBadSeq'])
  const row = await fixture.row(instance, signed.hash)
  assert.deepEqual([row?.status, row?.txResultCode], ['REJECTED', 'txBadSeq'])
})

test('a later process takes over the submissions of a killed one at once', async () => {
  await using fixture = await openSubmissions()
  const first = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  void first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2)
  first.kill()
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(1)
  const second = fixture.start()
  await fixture.pass(9)
  assert.equal((await fixture.row(second, signed.hash))?.status, 'SUCCESS')
})

test('an instance that is alive keeps its submissions until its lease ends', async () => {
  await using fixture = await openSubmissions()
  const [first] = [fixture.start(), fixture.start()]
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  const waiting = first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2)
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(9)
  assert.equal(fixture.chain.sent.length, 0, 'the other one sends nothing')
  await fixture.settle(waiting)
})

test('another instance takes over when one is killed', async () => {
  await using fixture = await openSubmissions()
  const [first, second] = [fixture.start(), fixture.start()]
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  const signed = fixture.sign(1)
  void first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2)
  first.kill()
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(40)
  assert.equal((await fixture.row(second, signed.hash))?.status, 'SUCCESS')
})

test('an instance keeps its lease and reports a pending submission for as long as a caller waits', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1, { validSec: null })
  const waiting = instance.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 120_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(55, 'nothing')
  const [row] = await fixture.store.read.query<{ driver: string | null; leased: number }>('select driver, leased_until as leased from tx.submissions')
  assert.ok(row?.driver !== null && row !== undefined && row.leased > fixture.clock.nowMs() + 15_000, JSON.stringify(row))
  const { pending, oldestPendingSec } = instance.service.stats()
  assert.deepEqual([pending, Math.floor((oldestPendingSec ?? 0) / 10)], [1, 5])
  await fixture.pass(10)
  assert.equal((await fixture.settle(waiting)).outcome.kind, 'success')
  await fixture.pass(10)
  assert.deepEqual(instance.service.stats(), { ended: new Map([['SUCCESS', 1]]), corrected: 0, pending: 0, oldestPendingSec: null })
})

test('an instance that stops hands its submissions over at once', async () => {
  await using fixture = await openSubmissions()
  const [first, second] = [fixture.start(), fixture.start()]
  const signed = fixture.sign(1)
  const waiting = first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 60_000, requester: { address: 'a', key: 'k' } })
  await fixture.pass(2, 'nothing')
  await fixture.settle(first.stop())
  assert.deepEqual((await fixture.settle(waiting)).outcome, { kind: 'pending' })
  await fixture.pass(10)
  assert.equal((await fixture.row(second, signed.hash))?.status, 'SUCCESS')
})

test('submits while the database is down, reports that it could not be stored, and stores the outcome later', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  instance.database.isDown = true
  const signed = fixture.sign(1)
  assert.deepEqual(await fixture.submit(instance, signed), { outcome: { kind: 'pending' }, stored: false })
  assert.equal(fixture.chain.sent.length, 1)
  instance.database.isDown = false
  await fixture.pass(20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('a transaction that the network did not take expires when its time bound has passed', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  await fixture.submit(instance, signed)
  fixture.nodes.forEach((node) => (node.lag = 20))
  await fixture.pass(VALID_SEC + 20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PREPARED', 'a lagging node does not prove it')
  fixture.nodes.forEach((node) => (node.lag = 0))
  await fixture.pass(20)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'EXPIRED')
})

test('does not report try_again_later while the database may have stored the submission', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  instance.database.losesAnswers = true
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  const signed = fixture.sign(1)
  assert.deepEqual(await fixture.submit(instance, signed), { outcome: { kind: 'unknown' }, stored: false })
  instance.database.losesAnswers = false
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(60)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'SUCCESS')
})

test('reports try_again_later when the refusal could be stored although the submission seemed not to be', async () => {
  await using fixture = await openSubmissions()
  const instance = fixture.start()
  fixture.nodes.forEach((node) => (node.send = 'try again later'))
  await fixture.pass(1)
  instance.database.failAfter = 0
  const signed = fixture.sign(1)
  const submitting = fixture.submit(instance, signed)
  instance.database.failAfter = Number.POSITIVE_INFINITY
  assert.deepEqual((await submitting).outcome, { kind: 'tryAgainLater', fullQueue: 'network' })
  fixture.nodes.forEach((node) => (node.send = 'none'))
  await fixture.pass(40)
  assert.equal((await fixture.row(instance, signed.hash))?.status, 'PREPARED')
  assert.equal(fixture.chain.sent.length, 0)
})

test('a dead instance whose wall clock was an hour ahead keeps its submissions no longer than others', async () => {
  await using fixture = await openSubmissions()
  const first = fixture.start({ aheadMs: 3_600_000 })
  await fixture.pass(1)
  const signed = fixture.sign(1)
  fixture.nodes.forEach((node) => (node.send = 'lost request'))
  void first.service.submit(signed, { owner: OWNER, clientId: null }, { pollTimeoutMs: 30_000, requester: { address: 'a', key: 'k' } }).catch(() => {})
  await fixture.pass(2, 'nothing')
  first.kill()
  fixture.nodes.forEach((node) => (node.send = 'none'))
  const second = fixture.start()
  await fixture.pass(38)
  assert.equal((await fixture.row(second, signed.hash))?.status, 'SUCCESS')
})
