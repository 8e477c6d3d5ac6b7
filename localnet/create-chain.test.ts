import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Chain, Genesis } from './chain.ts'
import { address, symbol, u32, vec } from './contracts/shared/host.ts'
import type { EventRecord } from './history.ts'
import { contractDataKey, trustlineKey } from './ledger/keys.ts'
import {
  ALICE, BOB, COUNTER, counterCode, UNFUNDED, payment, START_BALANCE, startTestChain, TEST_GENESIS, type TestChain, USDC,
} from './ledger/test-chain.ts'
import { toHex } from './ledger/xdr-writer.ts'
import { valFromBase64 } from './scval.ts'

const root = mkdtempSync(join(tmpdir(), 'chain-'))
after(() => rmSync(root, { recursive: true, force: true }))

const alice = address(ALICE.publicKey())
const increment = (testChain: TestChain) => testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))

function counted(testChain: TestChain): unknown {
  const simulation = testChain.simulate(testChain.call(COUNTER, 'count', [alice]))
  const val = valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
  return val.type === 'u32' ? val.value : val
}

const eventsOf = (chain: Chain): readonly EventRecord[] => {
  const untilLedger = chain.history.latest().sequence + 1
  return [...chain.history.events({ afterId: null, fromLedger: 1, untilLedger, contractIds: null })]
}

/** The whole history of a chain. */
function historyOf({ history }: Chain): unknown {
  const { sequence } = history.oldest()
  return {
    ledgers: history.ledgers(sequence, 10_000).map(({ headerEntryXdr, metadataXdr }) => ({ headerEntryXdr, metadataXdr })),
    transactions: history.transactionsAfter(0, 0, 10_000).map(({ hash, resultMetaXdr, envelopeXdr }) => ({ hash, resultMetaXdr, envelopeXdr })),
  }
}

const everythingOf = (testChain: TestChain): unknown => ({
  history: historyOf(testChain.chain), events: eventsOf(testChain.chain), counted: counted(testChain), balance: testChain.balanceOf(ALICE),
})

test('reopens a chain with the same state, history and events, and continues it', () => {
  const directory = join(root, 'again')
  const before = ((): unknown => {
    using testChain = startTestChain({ directory })
    for (let count = 0; count < 3; count++) increment(testChain)
    testChain.send(testChain.signed(payment(BOB)))
    return everythingOf(testChain)
  })()
  using testChain = startTestChain({ directory })
  assert.deepEqual(everythingOf(testChain), before)
  assert.equal(testChain.chain.pending(), 0, 'the queue is lost, as on a real node')
  const { sequence, hash, closeTimeSec } = testChain.chain.history.latest()
  increment(testChain)
  const next = testChain.chain.history.latest()
  assert.deepEqual([next.sequence, next.previousHash], [sequence + 1, hash])
  assert(next.closeTimeSec > closeTimeSec)
  assert.equal(counted(testChain), 4)
})

test('two chains with the same seed and transactions are identical byte for byte', () => {
  const [one, other] = [0, 1].map(() => {
    using testChain = startTestChain()
    increment(testChain)
    testChain.apply(testChain.signed([payment(BOB), payment(UNFUNDED)]))
    testChain.closeMany(3)
    return historyOf(testChain.chain)
  })
  assert.deepEqual(one, other)
})

test('the clock offset survives a restart', () => {
  const directory = join(root, 'offset')
  {
    using testChain = startTestChain({ directory })
    testChain.chain.advance(86_400)
    testChain.close()
  }
  using testChain = startTestChain({ directory })
  assert.equal(testChain.chain.clockOffsetSec, 86_400)
  const before = testChain.chain.history.latest().closeTimeSec
  testChain.clock.advance(10_000)
  testChain.chain.closeLedger()
  assert(testChain.chain.history.latest().closeTimeSec - before < 86_400)
})

test('refuses to open a chain of another network or without its contracts', () => {
  const directory = join(root, 'foreign')
  startTestChain({ directory })[Symbol.dispose]()
  assert.throws(() => startTestChain({ directory, networkPassphrase: 'Another network' }), /another network's chain/)
  const genesis = { contracts: [{ address: COUNTER, code: counterCode }], accounts: [], trustlines: [], calls: [] }
  assert.throws(() => startTestChain({ directory, genesis }), /another network's chain/)
  startTestChain({ directory })[Symbol.dispose]()
})

test('refuses to open a chain that is already open', () => {
  const directory = join(root, 'twice')
  using testChain = startTestChain({ directory })
  assert.throws(() => startTestChain({ directory }), /Cannot open the ledger/)
  testChain.close()
})

test('restoring a snapshot restores state, history and clock, and clears the queue', () => {
  using testChain = startTestChain()
  increment(testChain)
  const expected = { history: historyOf(testChain.chain), balance: testChain.balanceOf(ALICE), offset: testChain.chain.clockOffsetSec }
  const id = testChain.chain.snapshot()
  const later = increment(testChain)
  testChain.chain.advance(3_600)
  testChain.close()
  testChain.send(testChain.signed(payment(BOB)))
  testChain.chain.restore(id)
  assert.deepEqual({ history: historyOf(testChain.chain), balance: testChain.balanceOf(ALICE), offset: testChain.chain.clockOffsetSec }, expected)
  assert.equal(testChain.chain.history.transaction(later.hash), undefined)
  assert.deepEqual([counted(testChain), testChain.chain.pending()], [1, 0])
  const again = increment(testChain)
  assert.equal(again.ledger, later.ledger)
  assert.equal(counted(testChain), 2)
  assert.equal(testChain.chain.history.transaction(again.hash)?.ledger, again.ledger)
})

test('a snapshot can be restored repeatedly, also from branches that started at it', () => {
  using testChain = startTestChain()
  increment(testChain)
  const [first, ids] = [testChain.chain.snapshot(), eventsOf(testChain.chain).map(({ id }) => id)]
  for (let round = 0; round < 3; round++) {
    increment(testChain)
    const second = testChain.chain.snapshot()
    increment(testChain)
    testChain.chain.restore(second)
    assert.equal(counted(testChain), 2)
    testChain.chain.restore(first)
    assert.deepEqual([counted(testChain), eventsOf(testChain.chain).map(({ id }) => id)], [1, ids])
  }
})

test('a restored chain survives a restart', () => {
  const directory = join(root, 'restored')
  const expected = ((): unknown => {
    using testChain = startTestChain({ directory })
    increment(testChain)
    const id = testChain.chain.snapshot()
    increment(testChain)
    testChain.chain.restore(id)
    testChain.apply(testChain.signed(payment(BOB)))
    return historyOf(testChain.chain)
  })()
  using testChain = startTestChain({ directory })
  assert.deepEqual(historyOf(testChain.chain), expected)
  assert.equal(counted(testChain), 1)
})

test('drops the oldest of many snapshots, and rejects an unknown id', () => {
  using testChain = startTestChain()
  const ids = Array.from({ length: 9 }, () => testChain.chain.snapshot())
  assert.throws(() => testChain.chain.restore(ids[0] ?? ''), { name: 'RangeError' })
  assert.throws(() => testChain.chain.restore('nothing'), { name: 'RangeError' })
  testChain.chain.restore(ids[1] ?? '')
})

test('a reset restarts at ledger 1 with a later close time', () => {
  using testChain = startTestChain()
  const record = increment(testChain)
  const { closeTimeSec, hash } = testChain.chain.history.latest()
  testChain.chain.reset()
  const first = testChain.chain.history.latest()
  assert.deepEqual([first.sequence, testChain.chain.history.oldest().sequence, counted(testChain)], [1, 1, 0])
  assert(first.closeTimeSec > closeTimeSec && first.hash !== hash)
  assert.equal(testChain.chain.history.transaction(record.hash), undefined)
  assert.deepEqual(eventsOf(testChain.chain), [])
  assert.equal(testChain.balanceOf(ALICE), START_BALANCE)
  assert.equal(increment(testChain).ledger, 2)
})

test('a reset survives a restart', () => {
  const directory = join(root, 'reset')
  {
    using testChain = startTestChain({ directory })
    increment(testChain)
    testChain.chain.reset()
  }
  using testChain = startTestChain({ directory })
  assert.deepEqual([testChain.chain.history.latest().sequence, counted(testChain)], [1, 0])
})

test('rolls back a failed call, and stores nothing of a rejected envelope', () => {
  using testChain = startTestChain()
  const before = contractDataKey(COUNTER, 'persistent', vec(symbol('Before')))
  const call = testChain.prepare(COUNTER, 'fail_when_armed', [u32(7)])
  testChain.apply(testChain.prepare(COUNTER, 'arm', [], { source: BOB }))
  assert.equal(testChain.apply(call).status, 'FAILED')
  assert.deepEqual(testChain.chain.entries([before]), [])
  const rejected = testChain.signed(payment(BOB), { signers: [BOB] })
  assert.equal(testChain.chain.send(rejected.toXdr()).status, 'ERROR')
  testChain.close()
  assert.equal(testChain.chain.history.transaction(toHex(rejected.hash())), undefined)
})

test('keeps the retained ledgers completely, and nothing older', () => {
  using testChain = startTestChain({ retentionLedgers: 5 })
  const old = increment(testChain)
  testChain.closeMany(10)
  const { history } = testChain.chain
  assert.equal(history.oldest().sequence, history.latest().sequence - 4)
  assert.equal(history.ledger(old.ledger), undefined)
  assert.equal(history.transaction(old.hash), undefined)
  assert.deepEqual(eventsOf(testChain.chain), [])
  assert.deepEqual(history.ledgers(1, 100).length, 5)
  assert.equal(counted(testChain), 1, 'the state is kept')
})

test('a grant creates the account, opens the trustline and adds to balances immediately', () => {
  using testChain = startTestChain()
  const grantee = UNFUNDED.publicKey()
  const line = () => testChain.chain.entries([trustlineKey(grantee, USDC)]).length
  assert.equal(line(), 0)
  testChain.chain.grant(grantee, USDC, 700n)
  assert.equal(line(), 1)
  testChain.chain.grant(grantee, 'native', 1_000n)
  const before = testChain.balanceOf(UNFUNDED)
  testChain.chain.grant(grantee, 'native', 500n)
  assert.equal(testChain.balanceOf(UNFUNDED), before + 500n)
  assert.equal(testChain.account(UNFUNDED).numSubEntries, 1)
  const record = testChain.apply(testChain.signed(payment(BOB, '0.00001'), { source: UNFUNDED }))
  assert.equal(record.status, 'SUCCESS')
})

test('notifies listeners of each closed ledger once it is readable, until they unsubscribe', () => {
  using testChain = startTestChain()
  const closed: number[] = []
  const stop = testChain.chain.onClose((sequence) => {
    assert.equal(testChain.chain.history.latest().sequence, sequence)
    closed.push(sequence)
  })
  testChain.closeMany(2)
  stop()
  testChain.close()
  assert.deepEqual(closed, [2, 3])
})

test('names the index of a key that does not decode', () => {
  using testChain = startTestChain()
  const good = trustlineKey(ALICE.publicKey(), USDC)
  assert.equal(testChain.chain.entries([good, good]).length, 2)
  assert.throws(() => testChain.chain.entries([good, 'AAAA']), /cannot unmarshal key value AAAA at index 1/)
})

test('creates a missing directory', () => {
  const directory = join(root, 'deep', 'folder')
  startTestChain({ directory })[Symbol.dispose]()
  assert(readdirSync(directory).length > 0)
})

test('a chain has other hashes after a reset, and its headers contain the previous hash', () => {
  using testChain = startTestChain()
  for (let count = 0; count < 3; count++) increment(testChain)
  const hashesOf = (): string[] => {
    const ledgers = testChain.chain.history.ledgers(1, 10)
    for (const [index, { previousHash }] of ledgers.entries()) if (index > 0) assert.equal(previousHash, ledgers[index - 1]?.hash)
    return ledgers.map(({ hash }) => hash)
  }
  const before = new Set(hashesOf())
  testChain.chain.reset()
  for (let count = 0; count < 3; count++) increment(testChain)
  assert.deepEqual(hashesOf().filter((hash) => before.has(hash)), [])
})

test('a reset to another genesis survives a restart, and restoring a snapshot returns to the genesis before', () => {
  const directory = join(root, 'geneses')
  const other = { ...TEST_GENESIS, label: 'other', accounts: TEST_GENESIS.accounts.slice(0, 1), trustlines: [], contracts: TEST_GENESIS.contracts.slice(1) }
  const genesisOf = (label: string): Genesis => (label === 'other' ? other : TEST_GENESIS)
  const hasCounter = ({ chain }: TestChain): boolean => chain.codeOf(COUNTER) !== undefined
  {
    using testChain = startTestChain({ directory, genesisOf })
    const id = testChain.chain.snapshot()
    testChain.chain.reset({ genesisLabel: 'other' })
    assert.deepEqual([testChain.chain.genesisLabel, hasCounter(testChain)], ['other', false])
    testChain.chain.restore(id)
    assert.deepEqual([testChain.chain.genesisLabel, hasCounter(testChain)], ['', true])
    testChain.chain.reset({ genesisLabel: 'other' })
  }
  using testChain = startTestChain({ directory, genesisOf })
  assert.deepEqual([testChain.chain.genesisLabel, hasCounter(testChain)], ['other', false])
  testChain.chain.reset()
  assert.deepEqual([testChain.chain.genesisLabel, hasCounter(testChain)], ['other', false])
})
