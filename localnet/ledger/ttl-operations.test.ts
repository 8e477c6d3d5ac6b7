import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Operation, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import type { LedgerEntryResult } from '../chain.ts'
import { address, symbol, u32, type Val, vec, VOID } from '../contracts/shared/host.ts'
import { toScVal, valFromBase64 } from '../scval.ts'
import { openDatabase } from './database.ts'
import { contractDataKey, instanceKey, type LedgerKey } from './keys.ts'
import { ALICE, COUNTER, metaOf, PASSPHRASE, resultOf, startTestChain, type TestChain } from './test-chain.ts'
import { closeMetaOf } from './test-header-reader.ts'

/** Minimum TTLs in ledgers. */
const PERSISTENT = 120_960
const TEMPORARY = 720

const alice = address(ALICE.publicKey())
const COUNT = contractDataKey(COUNTER, 'persistent', vec(symbol('Count'), alice))
const TEMPORARY_KEY = contractDataKey(COUNTER, 'temporary', vec(symbol('Passing')))

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ledger-ttl-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const served = (testChain: TestChain, key: LedgerKey): LedgerEntryResult | undefined => testChain.chain.entries([key])[0]
const ledgerOf = (testChain: TestChain): number => testChain.chain.history.latest().sequence

function returned(testChain: TestChain, name: string, args: readonly Val[] = []): Val {
  const simulation = testChain.simulate(testChain.call(COUNTER, name, args))
  assert.equal(simulation['error'], undefined)
  return valFromBase64((simulation['results'] as { xdr: string }[])[0]?.xdr ?? '')
}

/** A chain with ALICE's count of 1. Before it is reopened, the TTL of the entry is set to ledger 1, so that it is archived. */
function startWithArchivedCount(): TestChain {
  {
    using testChain = startTestChain({ directory })
    testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
  }
  {
    using database = openDatabase(directory)
    database.sql.prepare('update entries set live_until = 1 where key = ?').run(COUNT)
  }
  return startTestChain({ directory })
}

/** A simulated and signed TTL operation on these keys. */
function ttlOperation(
  testChain: TestChain,
  operation: xdr.Operation,
  keys: { readonly readOnly?: LedgerKey[]; readonly readWrite?: LedgerKey[] },
): Transaction {
  const parse = (list: readonly LedgerKey[] = []) => list.map((key) => xdr.LedgerKey.fromXdr(key, 'base64'))
  const footprintOnly = new SorobanDataBuilder().setFootprint(parse(keys.readOnly), parse(keys.readWrite)).build()
  const plain = testChain.build(operation)
  const options = { fee: '100', networkPassphrase: PASSPHRASE }
  const simulation = testChain.simulate(TransactionBuilder.cloneFrom(plain, { ...options, sorobanData: footprintOnly }).build())
  assert.equal(simulation['error'], undefined)
  const sorobanData = xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64')
  const transaction = TransactionBuilder.cloneFrom(plain, { ...options, sorobanData }).build()
  transaction.sign(ALICE)
  return transaction
}

test('a new persistent entry has a TTL of 120,960 ledgers, a temporary one of 720', () => {
  using testChain = startTestChain()
  const { ledger } = testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, ledger + PERSISTENT - 1)
  const temporaryLedger = testChain.apply(testChain.prepare(COUNTER, 'set_temporary', [VOID])).ledger
  assert.equal(served(testChain, TEMPORARY_KEY)?.liveUntilLedgerSeq, temporaryLedger + TEMPORARY - 1)
})

test('a contract may ask for a longer TTL when it writes an entry, which never shortens it', () => {
  using testChain = startTestChain()
  const write = (ledgers: number): number => testChain.apply(testChain.prepare(COUNTER, 'set_temporary_for', [VOID, u32(ledgers)])).ledger
  const first = write(34_560)
  assert.equal(served(testChain, TEMPORARY_KEY)?.liveUntilLedgerSeq, first + 34_560 - 1)
  write(100)
  assert.equal(served(testChain, TEMPORARY_KEY)?.liveUntilLedgerSeq, first + 34_560 - 1)
})

test('evicts a temporary entry after its last ledger and lists it in the close meta', () => {
  using testChain = startTestChain()
  const { ledger } = testChain.apply(testChain.prepare(COUNTER, 'set_temporary', [alice]))
  testChain.closeMany(TEMPORARY - 1)
  assert.equal(ledgerOf(testChain), ledger + TEMPORARY - 1)
  assert.deepEqual(returned(testChain, 'temporary'), alice)
  assert.notEqual(served(testChain, TEMPORARY_KEY), undefined)
  const sequence = testChain.close()
  assert.equal(served(testChain, TEMPORARY_KEY), undefined)
  assert.deepEqual(returned(testChain, 'temporary'), VOID)
  const meta = closeMetaOf(defined(testChain.chain.history.ledger(sequence), 'the ledger'))
  assert.deepEqual(meta.evictedKeys.map((key) => key.toXdr('base64')), [TEMPORARY_KEY])
})

test('deletes evicted entries from disk', () => {
  {
    using testChain = startTestChain({ directory })
    testChain.apply(testChain.prepare(COUNTER, 'set_temporary', [alice]))
    testChain.closeMany(TEMPORARY)
  }
  using database = openDatabase(directory)
  assert.equal(database.sql.prepare('select 1 from entries where key = ?').get(TEMPORARY_KEY), undefined)
})

test('returns an archived entry with liveUntilLedgerSeq 0', () => {
  using testChain = startWithArchivedCount()
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, 0)
})

test('a call restores the archived entry it needs: simulation marks it, without a restorePreamble', () => {
  using testChain = startWithArchivedCount()
  const call = testChain.prepare(COUNTER, 'increment', [alice])
  const simulation = testChain.simulate(call)
  assert.equal('restorePreamble' in simulation, false)
  const { ext, resources } = xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64')
  assert(ext.type === 'resourceExt')
  assert.deepEqual(ext.resourceExt.archivedSorobanEntries, [0])
  assert.deepEqual(resources.footprint.readWrite.map((key) => key.toXdr('base64')), [COUNT])
  const record = testChain.apply(call)
  assert.equal(record.status, 'SUCCESS')
  assert.deepEqual(metaOf(record).sorobanMeta?.returnValue, xdr.ScVal.scvU32(2), 'the value was kept')
  const [operation] = metaOf(record).operations
  assert.deepEqual(operation?.changes.map(({ type }) => type), ['ledgerEntryRestored', 'ledgerEntryRestored'])
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, record.ledger + PERSISTENT - 1)
})

test('restores an archived entry that is written without being read', () => {
  using testChain = startWithArchivedCount()
  const record = testChain.apply(testChain.prepare(COUNTER, 'set_count', [alice, u32(7)]))
  assert.equal(record.status, 'SUCCESS')
  assert.deepEqual(returned(testChain, 'count', [alice]), u32(7))
})

test('charges rent for an archived entry that is restored and removed', () => {
  using testChain = startWithArchivedCount()
  assert.equal(testChain.apply(testChain.prepare(COUNTER, 'remove_count', [alice])).status, 'SUCCESS')
  assert.equal(served(testChain, COUNT), undefined)
})

test('reading an archived entry restores it', () => {
  using testChain = startWithArchivedCount()
  const call = testChain.prepare(COUNTER, 'count', [alice])
  assert.equal(testChain.apply(call).status, 'SUCCESS')
  assert.notEqual(served(testChain, COUNT)?.liveUntilLedgerSeq, 0)
})

test('a call that does not mark the archived entry fails with entryArchived', () => {
  using testChain = startWithArchivedCount()
  const envelope = testChain.prepare(COUNTER, 'increment', [alice]).toEnvelope()
  assert(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const { resources, resourceFee } = envelope.v1.tx.ext.sorobanData
  const unmarked = new SorobanDataBuilder().setResources(resources.instructions, resources.diskReadBytes, resources.writeBytes)
    .setResourceFee(resourceFee).setFootprint([...resources.footprint.readOnly], [...resources.footprint.readWrite]).build()
  const plain = testChain.build(Operation.invokeContractFunction({ contract: COUNTER, function: 'increment', args: [toScVal(alice)] }))
  const transaction = TransactionBuilder.cloneFrom(plain, { fee: '100', networkPassphrase: PASSPHRASE, sorobanData: unmarked }).build()
  transaction.sign(ALICE)
  const record = testChain.apply(transaction)
  const { result } = resultOf(record)
  assert(result.type === 'txFailed')
  const [operation] = result.results
  assert(operation?.type === 'opInner' && operation.tr.type === 'invokeHostFunction')
  assert.equal(operation.tr.invokeHostFunctionResult.type, 'invokeHostFunctionEntryArchived')
  const [event, ...others] = record.diagnosticEventsXdr.map((text) => xdr.DiagnosticEvent.fromXdr(text, 'base64').event.body.v0)
  assert(event?.data.type === 'scvVec' && others.length === 0)
  assert.equal(event.data.vec?.[0]?.value?.toString(), 'trying to access an archived contract data entry')
})

test('RestoreFootprint restores the named entries and charges rent', () => {
  using testChain = startWithArchivedCount()
  const record = testChain.apply(ttlOperation(testChain, Operation.restoreFootprint({}), { readWrite: [COUNT] }))
  assert.equal(record.status, 'SUCCESS')
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, record.ledger + PERSISTENT - 1)
  assert.deepEqual(returned(testChain, 'count', [alice]), { type: 'u32', value: 1 })
  const paid = metaOf(record).sorobanMeta?.ext
  assert(paid?.type === 'v1' && paid.v1.rentFeeCharged > 0n)
})

test('ExtendFootprintTTL extends shorter TTLs and never shortens one', () => {
  using testChain = startTestChain()
  testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
  const extend = (extendTo: number) => testChain.apply(ttlOperation(testChain, Operation.extendFootprintTtl({ extendTo }), { readOnly: [COUNT] }))
  const { ledger, status } = extend(200_000)
  assert.equal(status, 'SUCCESS')
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, ledger + 200_000)
  const shorter = extend(1_000)
  assert.equal(shorter.status, 'SUCCESS')
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, ledger + 200_000)
  const paid = metaOf(shorter).sorobanMeta?.ext
  assert(paid?.type === 'v1' && paid.v1.rentFeeCharged === 0n)
})

test('extending an archived entry requires a restoration, which simulation returns as restorePreamble', () => {
  using testChain = startWithArchivedCount()
  const plain = testChain.build(Operation.extendFootprintTtl({ extendTo: 200_000 }))
  const footprintOnly = new SorobanDataBuilder().setReadOnly([xdr.LedgerKey.fromXdr(COUNT, 'base64')]).build()
  const options = { fee: '100', networkPassphrase: PASSPHRASE }
  const simulation = testChain.simulate(TransactionBuilder.cloneFrom(plain, { ...options, sorobanData: footprintOnly }).build())
  const { restorePreamble } = simulation as { restorePreamble: { transactionData: string; minResourceFee: string } }
  const data = xdr.SorobanTransactionData.fromXdr(restorePreamble.transactionData, 'base64')
  assert.equal(restorePreamble.minResourceFee, data.resourceFee.toString())
  assert.deepEqual(data.resources.footprint.readWrite.map((key) => key.toXdr('base64')), [COUNT])
  const restoration = TransactionBuilder.cloneFrom(testChain.build(Operation.restoreFootprint({})), { ...options, sorobanData: data }).build()
  restoration.sign(ALICE)
  assert.equal(testChain.apply(restoration).status, 'SUCCESS')
  const sorobanData = xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64')
  const extension = TransactionBuilder.cloneFrom(testChain.build(Operation.extendFootprintTtl({ extendTo: 200_000 })), { ...options, sorobanData }).build()
  extension.sign(ALICE)
  const record = testChain.apply(extension)
  assert.equal(record.status, 'SUCCESS')
  assert.equal(served(testChain, COUNT)?.liveUntilLedgerSeq, record.ledger + 200_000)
})

test('rejects TTL operations with unsupported keys, and simulates valid ones without results', () => {
  using testChain = startTestChain()
  const parse = (key: LedgerKey) => xdr.LedgerKey.fromXdr(key, 'base64')
  const build = (operation: xdr.Operation, data: SorobanDataBuilder): Transaction => {
    const sorobanData = data.setResources(100_000, 10_000, 10_000).setResourceFee(1_000_000).build()
    const transaction = TransactionBuilder.cloneFrom(testChain.build(operation), { fee: '100', networkPassphrase: PASSPHRASE, sorobanData }).build()
    transaction.sign(ALICE)
    return transaction
  }
  const wrong = [
    build(Operation.extendFootprintTtl({ extendTo: 100 }), new SorobanDataBuilder().setReadWrite([parse(COUNT)])),
    build(Operation.restoreFootprint({}), new SorobanDataBuilder().setReadOnly([parse(COUNT)])),
    build(Operation.restoreFootprint({}), new SorobanDataBuilder().setReadWrite([parse(TEMPORARY_KEY)])),
  ]
  for (const transaction of wrong) {
    const { errorResultXdr } = testChain.chain.send(transaction.toXdr())
    assert.equal(xdr.TransactionResult.fromXdr(errorResultXdr ?? '', 'base64').result.type, 'txFailed')
  }
  const simulation = testChain.simulate(ttlOperation(testChain, Operation.extendFootprintTtl({ extendTo: 100 }), { readOnly: [COUNT] }))
  assert.deepEqual(Object.keys(simulation).sort(), ['latestLedger', 'minResourceFee', 'transactionData'])
})

test("a call extends the TTL of the contract's instance and of what it writes when little of it remains", () => {
  {
    using testChain = startTestChain({ directory })
    testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
    testChain.close()
  }
  {
    using database = openDatabase(directory)
    for (const key of [instanceKey(COUNTER), COUNT]) database.sql.prepare('update entries set live_until = 17000 where key = ?').run(key)
  }
  using testChain = startTestChain({ directory })
  const { ledger } = testChain.apply(testChain.prepare(COUNTER, 'increment', [alice]))
  for (const key of [instanceKey(COUNTER), COUNT]) assert.equal(served(testChain, key)?.liveUntilLedgerSeq, ledger + 518_400)
})
