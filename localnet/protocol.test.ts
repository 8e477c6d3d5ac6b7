// The protocol of a chain: chosen at its start, raised by upgrades, part of everything that is stored.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { defined } from '../src/base/assert.ts'
import type { LedgerRecord } from './history.ts'
import { BOB, PASSPHRASE, payment, startTestChain } from './ledger/test-chain.ts'
import type { TestChain } from './ledger/test-chain.ts'
import { closeMetaOf, isSigned, readHeader } from './ledger/test-header-reader.ts'
import type { ReadHeader } from './ledger/test-header-reader.ts'

const root = mkdtempSync(join(tmpdir(), 'protocol-'))
after(() => rmSync(root, { recursive: true, force: true }))

const ledgersOf = ({ chain }: TestChain): readonly LedgerRecord[] => chain.history.ledgers(1, 1_000)
const headersOf = (testChain: TestChain): readonly ReadHeader[] => ledgersOf(testChain).map(({ headerXdr }) => readHeader(headerXdr))
const formsOf = (testChain: TestChain): unknown[] => headersOf(testChain).map(({ protocol, arm }) => [protocol, arm])

test('every ledger is signed by the validator, links to the one before and is numbered, in each form', () => {
  using testChain = startTestChain({ protocol: 28 })
  testChain.apply(testChain.signed(payment(BOB)))
  testChain.chain.upgradeProtocol(30)
  testChain.apply(testChain.signed(payment(BOB)))
  const headers = headersOf(testChain)
  for (const [index, header] of headers.entries()) {
    assert(isSigned(header, PASSPHRASE), `ledger ${header.sequence}`)
    assert(!isSigned(header, 'Another network'))
    assert.equal(header.sequence, index + 1)
    assert.equal(header.previousHash, ledgersOf(testChain)[index - 1]?.hash ?? '00'.repeat(32))
  }
  assert.equal(new Set(headers.map(({ nodeId }) => Buffer.from(nodeId).toString('hex'))).size, 1)
})

test('the ledger that applies an upgrade has the old form and names it; the next has the new form', () => {
  using testChain = startTestChain({ protocol: 29 })
  testChain.close()
  testChain.send(testChain.signed(payment(BOB)))
  const sequence = testChain.chain.upgradeProtocol(30)
  testChain.close()
  assert.deepEqual(formsOf(testChain), [[29, 1], [29, 1], [30, 1], [30, 3]])
  assert.deepEqual(headersOf(testChain).map(({ upgrades }) => upgrades), [[], [], ['000000010000001e'], []])
  const meta = closeMetaOf(defined(testChain.chain.history.ledger(sequence), 'the ledger of the upgrade'))
  assert.deepEqual(meta.upgradesProcessing.map(({ upgrade }) => upgrade.type === 'ledgerUpgradeVersion' && upgrade.newLedgerVersion), [30])
  assert.equal(meta.txProcessing.length, 1, 'queued transactions are in it, as in every ledger')
  assert.deepEqual(testChain.chain.history.ledgers(1, 4).map(({ protocol }) => protocol), [29, 29, 30, 30])
})

test('refuses to upgrade to the same, an earlier, an unknown or a fractional protocol, and closes no ledger', () => {
  using testChain = startTestChain({ protocol: 29 })
  for (const [protocol, message] of [
    [29, /runs protocol 29 already and cannot go to 29/], [28, /cannot go to 28: an upgrade goes to a later protocol/], [32, /protocol 32 is unknown/],
    [29.5, /must be an integer/],
  ] as const) {
    assert.throws(() => testChain.chain.upgradeProtocol(protocol), { name: 'RangeError', message })
  }
  assert.deepEqual([testChain.chain.protocol, testChain.chain.history.latest().sequence], [29, 1])
})

test('a chain cannot start with a protocol that the local network does not have', () => {
  const message = /protocol must be 27 to 30/
  for (const protocol of [26, 31, 29.5, Number.NaN]) assert.throws(() => startTestChain({ protocol }), { name: 'RangeError', message })
  using testChain = startTestChain({ protocol: 30 })
  assert.throws(() => testChain.chain.reset({ protocol: 31 }), message)
  assert.equal(testChain.chain.history.latest().sequence, 1)
})

test('a new chain has the form of its protocol from its first ledger on', () => {
  for (const [protocol, arm] of [[27, 1], [28, 1], [29, 1], [30, 3]] as const) {
    using testChain = startTestChain({ protocol })
    testChain.close()
    assert.deepEqual(formsOf(testChain), [[protocol, arm], [protocol, arm]])
  }
})

test('from protocol 30 on, ledgers have the milliseconds of the clock; before, whole seconds', () => {
  using testChain = startTestChain({ protocol: 29 })
  const { startMs } = { startMs: testChain.clock.nowMs() }
  testChain.clock.advance(1_250)
  testChain.chain.closeLedger()
  testChain.clock.advance(1_250)
  testChain.chain.upgradeProtocol(30)
  testChain.clock.advance(1_250)
  testChain.chain.closeLedger()
  const [, before, upgrade, later] = headersOf(testChain)
  assert.deepEqual([before?.closeMs, upgrade?.closeMs, later?.closeMs], [null, null, startMs + 3_750])
  const seconds = [1, 2, 3].map((sec) => startMs / 1_000 + sec)
  assert.deepEqual([before, upgrade, later].map((header) => header?.closeSec), seconds)
  assert.deepEqual(ledgersOf(testChain).slice(1).map(({ closeTimeSec }) => closeTimeSec), seconds)
})

test('a ledger that closes ahead of the clock is in the next second, with every protocol', () => {
  for (const protocol of [29, 30]) {
    using testChain = startTestChain({ protocol })
    testChain.clock.advance(1_700)
    for (let count = 0; count < 3; count++) testChain.chain.closeLedger()
    const [, first, second, third] = headersOf(testChain).map(({ closeSec, closeMs }) => closeMs ?? closeSec * 1_000)
    const start = testChain.clock.nowMs() - 1_700
    assert.deepEqual([first, second, third], [start + (protocol === 30 ? 1_700 : 1_000), start + 2_000, start + 3_000])
  }
})

test('a stored chain keeps its protocol over a restart, whatever is configured', () => {
  const directory = join(root, 'restart')
  {
    using testChain = startTestChain({ directory, protocol: 29 })
    testChain.chain.upgradeProtocol(30)
    testChain.clock.advance(1_250)
    testChain.chain.closeLedger()
  }
  using testChain = startTestChain({ directory, protocol: 28 })
  assert.equal(testChain.chain.protocol, 30)
  testChain.chain.closeLedger()
  assert.deepEqual(formsOf(testChain), [[29, 1], [30, 1], [30, 3], [30, 3]])
  const [, , third, fourth] = headersOf(testChain)
  assert((fourth?.closeMs ?? 0) > (third?.closeMs ?? 0), 'milliseconds increase across the restart')
})

test('restoring a snapshot restores the protocol of its ledger', () => {
  using testChain = startTestChain({ protocol: 29 })
  const before = testChain.chain.snapshot()
  testChain.chain.upgradeProtocol(30)
  const upgraded = testChain.chain.snapshot()
  testChain.chain.restore(before)
  testChain.close()
  assert.deepEqual([testChain.chain.protocol, formsOf(testChain)], [29, [[29, 1], [29, 1]]])
  testChain.chain.restore(upgraded)
  testChain.close()
  assert.deepEqual([testChain.chain.protocol, formsOf(testChain)], [30, [[29, 1], [30, 1], [30, 3]]])
})

test('a reset starts with the configured protocol, or with the requested one', () => {
  const directory = join(root, 'reset')
  {
    using testChain = startTestChain({ directory, protocol: 29 })
    testChain.chain.upgradeProtocol(30)
    testChain.chain.reset()
    assert.deepEqual(formsOf(testChain), [[29, 1]])
    testChain.chain.reset({ protocol: 30 })
    testChain.close()
  }
  using testChain = startTestChain({ directory, protocol: 29 })
  assert.deepEqual([testChain.chain.protocol, formsOf(testChain)], [30, [[30, 3], [30, 3]]])
})

