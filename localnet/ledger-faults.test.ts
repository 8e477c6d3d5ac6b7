// Faults of the network's ledgers: dropped transaction sets, equal seconds, and a protocol that no program knows.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hash } from '@stellar/stellar-sdk'
import { createFaults } from './faults.ts'
import type { FaultRequest } from './faults.ts'
import { ALICE, BOB, COUNTER, PASSPHRASE, payment, START_BALANCE, startTestChain } from './ledger/test-chain.ts'
import type { TestChain } from './ledger/test-chain.ts'
import { closeMetaOf, isSigned, readHeader } from './ledger/test-header-reader.ts'
import type { ReadHeader } from './ledger/test-header-reader.ts'
import { toHex } from './ledger/xdr-writer.ts'
import { valFromBase64 } from './scval.ts'

function startFaultyChain(protocol: number, ...requests: readonly FaultRequest[]): TestChain {
  const faults = createFaults()
  const testChain = startTestChain({ protocol, ledgerFaults: (before) => faults.triggerLedger(before) })
  for (const request of requests) faults.arm(request)
  return testChain
}

function latestHeader({ chain }: TestChain): ReadHeader {
  return readHeader(chain.history.latest().headerXdr)
}

for (const [protocol, arm] of [[28, 2], [30, 4]] as const) {
  test(`a dropped transaction set of protocol ${protocol} leaves a ledger without transactions; they stay queued and are in the next one`, () => {
    using testChain = startFaultyChain(protocol, { name: 'dropped_transactions' })
    const transaction = testChain.signed(payment(BOB))
    testChain.send(transaction)
    const before = testChain.chain.history.latest()
    testChain.close()
    const ledger = testChain.chain.history.latest()
    const header = latestHeader(testChain)
    assert.deepEqual([header.arm, header.txSetHash, header.sequence], [arm, '00'.repeat(32), before.sequence + 1])
    assert.equal(header.closeMs, protocol === 30 ? testChain.clock.nowMs() : null)
    assert(isSigned(header, PASSPHRASE), 'the validators signed the proposed set')
    assert.deepEqual([testChain.chain.pending(), testChain.balanceOf(ALICE)], [1, START_BALANCE])
    const meta = closeMetaOf(ledger)
    assert.deepEqual([meta.txProcessing.length, meta.txSet.type], [0, 'v1TxSet'])
    assert.notEqual(toHex(hash(meta.txSet.toXdr())), header.txSetHash, 'an ordinary empty set')

    testChain.close()
    assert.equal(testChain.recordOf(transaction).status, 'SUCCESS')
    const applied = testChain.recordOf(transaction)
    const next = latestHeader(testChain)
    assert.deepEqual([next.arm, applied.ledger, testChain.chain.pending()], [arm - 1, ledger.sequence + 1, 0])
    const { proposed } = header
    assert.deepEqual([proposed?.previousHash, proposed?.previousProtocol], [before.hash, protocol])
    assert.notEqual(proposed?.txSetHash, next.txSetHash, 'each set names the ledger before it')
    // The proposed set differs from the applied one by that hash only.
    const set = Buffer.from(closeMetaOf(testChain.chain.history.latest()).txSet.toXdr())
    Buffer.from(before.hash, 'hex').copy(set, 4)
    assert.equal(proposed?.txSetHash, createHash('sha256').update(set).digest('hex'))
  })
}

test('a set is not dropped before protocol 28: the fault waits for the upgrade', () => {
  using testChain = startFaultyChain(27, { name: 'dropped_transactions' })
  testChain.close()
  assert.equal(latestHeader(testChain).arm, 1)
  testChain.chain.upgradeProtocol(28)
  assert.equal(latestHeader(testChain).arm, 1)
  testChain.close()
  assert.equal(latestHeader(testChain).arm, 2)
})

test('an upgrade can be in a ledger whose transactions were dropped', () => {
  using testChain = startFaultyChain(29, { name: 'dropped_transactions' })
  testChain.send(testChain.signed(payment(BOB)))
  testChain.chain.upgradeProtocol(30)
  const { arm, protocol, upgrades } = latestHeader(testChain)
  assert.deepEqual([arm, protocol, upgrades, testChain.chain.pending()], [2, 30, ['000000010000001e'], 1])
})

test('a transaction whose sets are dropped too often leaves the queue, as one that never fits', () => {
  using testChain = startFaultyChain(30, { name: 'dropped_transactions', count: null })
  testChain.send(testChain.signed(payment(BOB)))
  testChain.closeMany(4)
  assert.equal(testChain.chain.pending(), 0)
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE)
})

test('ledgers of protocol 30 can close in the same second, each with later milliseconds', () => {
  using testChain = startFaultyChain(30, { name: 'equal_seconds', count: 3 })
  const start = latestHeader(testChain)
  const timestamps: unknown[] = []
  for (let count = 0; count < 3; count++) {
    testChain.close()
    const simulation = testChain.simulate(testChain.call(COUNTER, 'clock', []))
    timestamps.push(valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? ''))
  }
  const headers = testChain.chain.history.ledgers(1, 10).map(({ headerXdr }) => readHeader(headerXdr))
  assert.deepEqual(headers.map(({ closeSec }) => closeSec - start.closeSec), [0, 0, 0, 0])
  assert.deepEqual(headers.map(({ closeMs }) => Number(closeMs) - Number(start.closeMs)), [0, 1, 2, 3])
  assert.deepEqual(timestamps, Array.from({ length: 3 }, () => ({ type: 'u64', value: BigInt(start.closeSec) })), 'contracts see whole seconds')
  testChain.close()
  assert.equal(latestHeader(testChain).closeMs, testChain.clock.nowMs(), 'then the clock again')
})

test('no ledger repeats a second below protocol 30, and none follows its last millisecond in the same second', () => {
  using older = startFaultyChain(29, { name: 'equal_seconds', count: null })
  older.chain.closeLedger()
  older.chain.closeLedger()
  const seconds = older.chain.history.ledgers(1, 10).map(({ closeTimeSec }) => closeTimeSec)
  assert.equal(new Set(seconds).size, 3)

  using testChain = startFaultyChain(30)
  testChain.clock.advance(1_999)
  testChain.chain.closeLedger()
  const last = latestHeader(testChain).closeMs ?? 0
  const faults = createFaults()
  faults.arm({ name: 'equal_seconds' })
  assert.deepEqual(faults.triggerLedger({ protocol: 30, closeTimeMs: last }), [])
  assert.deepEqual(faults.triggerLedger({ protocol: 30, closeTimeMs: last + 1 }), ['equal_seconds'])
  assert.deepEqual(faults.armed(), [])
})

test('an unreleased protocol has headers of an unknown form, with valid hashes and the sequence at its place from the end', () => {
  using testChain = startTestChain({ protocol: 30 })
  assert.throws(() => testChain.chain.upgradeProtocol(31), /protocol 31 is unknown.*unreleased: true/)
  testChain.chain.upgradeProtocol(31, true)
  const upgrade = latestHeader(testChain)
  assert.deepEqual([upgrade.protocol, upgrade.arm, upgrade.upgrades], [31, 3, ['000000010000001f']])
  testChain.apply(testChain.signed(payment(BOB)))
  testChain.close()
  assert.throws(() => latestHeader(testChain), /unknown form 5/)
  for (const { headerXdr, hash: ledgerHash, previousHash, sequence } of testChain.chain.history.ledgers(2, 10)) {
    const header = Buffer.from(headerXdr, 'base64')
    assert.equal(createHash('sha256').update(header).digest('hex'), ledgerHash)
    assert.equal(testChain.chain.history.ledger(sequence - 1)?.hash, previousHash)
    assert.equal(header.readUInt32BE(header.length - 240 + 64), sequence)
    assert.equal(header.readUInt32BE(0), 31)
  }
  testChain.chain.reset()
  assert.equal(latestHeader(testChain).protocol, 30, 'a reset leads back')
})

test('a fault of ledgers affects every n-th ledger, no call, and takes no method', () => {
  const faults = createFaults()
  faults.arm({ name: 'dropped_transactions', everyNth: 2, count: 2 })
  const before = { protocol: 30, closeTimeMs: 0 }
  assert.deepEqual(faults.trigger('getEvents'), [])
  const hits = Array.from({ length: 5 }, () => faults.triggerLedger(before).length)
  assert.deepEqual(hits, [0, 1, 0, 1, 0])
  assert.throws(() => faults.arm({ name: 'equal_seconds', method: 'getEvents' }), /method must be absent: the fault affects ledgers/)
  assert.throws(() => faults.arm({ name: 'equal_seconds', by: 1 }), /unknown parameter by, expected: no parameters/)
})
