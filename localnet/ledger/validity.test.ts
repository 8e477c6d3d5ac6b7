import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Account, Asset, Memo, MuxedAccount, Operation, scValToNative, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr,
} from '@stellar/stellar-sdk'
import type { SendOutcome } from '../chain.ts'
import { address } from '../contracts/host.ts'
import { toScVal } from '../scval.ts'
import { ALICE, BOB, COUNTER, UNFUNDED, PASSPHRASE, payment, testKeypair, startTestChain, type TestChain } from './test-chain.ts'

/** Has five coins, two half ones of which are its reserve. */
const POOR = testKeypair(7)
const MORE_THAN_POOR_HAS_STROOPS = 100_000_000n
/** The network's limit of one transaction. */
const INSTRUCTIONS_LIMIT = 100_000_000

/** What can be wrong with a call of a contract. */
type Defect =
  | 'noSorobanData' | 'memo' | 'instructions' | 'tooLate' | 'lowBid' | 'noAccount' | 'badSeq' | 'minSeqAge' | 'wrongKey' | 'unaffordable'
  | 'noOperationSource' | 'extraSignature'

/** The network's order (soroban-rpc, "Validation order at submission"), written down once more. */
const ORDER: readonly { readonly defect: Defect; readonly code: string }[] = [
  { defect: 'noSorobanData', code: 'txMalformed' },
  { defect: 'memo', code: 'txSorobanInvalid' },
  { defect: 'instructions', code: 'txSorobanInvalid' },
  { defect: 'tooLate', code: 'txTooLate' },
  { defect: 'lowBid', code: 'txInsufficientFee' },
  { defect: 'noAccount', code: 'txNoAccount' },
  { defect: 'badSeq', code: 'txBadSeq' },
  { defect: 'minSeqAge', code: 'txBadMinSeqAgeOrGap' },
  { defect: 'wrongKey', code: 'txBadAuth' },
  { defect: 'unaffordable', code: 'txInsufficientBalance' },
  { defect: 'noOperationSource', code: 'txFailed' },
  { defect: 'extraSignature', code: 'txBadAuthExtra' },
]

let testChain: TestChain
let sorobanData: xdr.SorobanTransactionData

before(() => {
  testChain = startTestChain()
  testChain.apply(testChain.signed(Operation.createAccount({ destination: POOR.publicKey(), startingBalance: '5' })))
  const simulation = testChain.simulate(testChain.call(COUNTER, 'increment', [address(POOR.publicKey())], { source: POOR }))
  sorobanData = xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64')
})
after(() => testChain[Symbol.dispose]())

/** A call that is as it should be, except for its defects. */
function flawed(...defects: readonly Defect[]): Transaction {
  const has = (defect: Defect): boolean => defects.includes(defect)
  const source = has('noAccount') ? UNFUNDED : POOR
  const sequence = testChain.sequenceOf(POOR) + (has('badSeq') ? 1n : 0n)
  const account = new Account(source.publicKey(), sequence.toString())
  // The builder adds the resource fee to the bid.
  const builder = new TransactionBuilder(account, { fee: has('lowBid') ? '99' : '100', networkPassphrase: PASSPHRASE })
  const args = [toScVal(address(POOR.publicKey()))]
  const operationSource = has('noOperationSource') ? { source: testKeypair(8).publicKey() } : {}
  builder.addOperation(Operation.invokeContractFunction({ contract: COUNTER, function: 'increment', args, ...operationSource }))
  const { closeTimeSec } = testChain.chain.history.latest()
  builder.setTimebounds(0, has('tooLate') ? closeTimeSec - 1 : closeTimeSec + 300)
  if (has('memo')) builder.addMemo(Memo.text('hello'))
  if (has('minSeqAge')) builder.setMinAccountSequenceAge(10_000_000_000n)
  if (!has('noSorobanData')) {
    const data = new SorobanDataBuilder(sorobanData.toXdr('base64'))
    if (has('unaffordable')) data.setResourceFee(MORE_THAN_POOR_HAS_STROOPS)
    if (has('instructions')) data.setResources(INSTRUCTIONS_LIMIT + 1, 0, 0)
    builder.setSorobanData(data.build())
  }
  const transaction = builder.build()
  transaction.sign(has('wrongKey') ? BOB : source)
  if (has('extraSignature')) transaction.sign(ALICE)
  return transaction
}

function resultOf({ status, errorResultXdr }: SendOutcome): xdr.TransactionResultResult {
  assert.equal(status, 'ERROR')
  return xdr.TransactionResult.fromXdr(errorResultXdr ?? '', 'base64').result
}

const refusalOf = (transaction: Transaction): xdr.TransactionResultResult => resultOf(testChain.chain.send(transaction.toXdr()))

for (const { defect, code } of ORDER) {
  test(`a call with one defect, ${defect}, is refused with ${code}`, () => {
    assert.equal(refusalOf(flawed(defect)).type, code)
  })
}

test('of two defects, the one that the network looks for first is told', () => {
  ORDER.forEach(({ defect: earlier, code }, index) => {
    for (const { defect: later } of ORDER.slice(index + 1)) {
      assert.equal(refusalOf(flawed(earlier, later)).type, code, `${earlier} and ${later}`)
    }
  })
})

/** A call with whatever the ledger lets one build. */
function call(change: (builder: TransactionBuilder) => unknown, operations: readonly xdr.Operation[] = [invocation()]): Transaction {
  const builder = new TransactionBuilder(new Account(ALICE.publicKey(), testChain.sequenceOf(ALICE).toString()), {
    fee: '100', networkPassphrase: PASSPHRASE,
  })
  for (const operation of operations) builder.addOperation(operation)
  change(builder)
  if (builder.timebounds === null) builder.setTimeout(0)
  const transaction = builder.build()
  transaction.sign(ALICE)
  return transaction
}

const invocation = (): xdr.Operation =>
  Operation.invokeContractFunction({ contract: COUNTER, function: 'increment', args: [toScVal(address(ALICE.publicKey()))] })

const changedData = (change: (data: SorobanDataBuilder) => void): xdr.SorobanTransactionData => {
  const data = new SorobanDataBuilder(sorobanData.toXdr('base64'))
  change(data)
  return data.build()
}

const dataKey = (): xdr.LedgerKey =>
  xdr.LedgerKey.data(new xdr.LedgerKeyData({ accountId: xdr.AccountId.publicKeyTypeEd25519(ALICE.rawPublicKey()), dataName: 'name' }))

/** Further ways to the codes of the first three checks. */
const MALFORMED: readonly (readonly [name: string, code: string, build: () => Transaction])[] = [
  ['no operation', 'txMissingOperation', () => call(() => undefined, [])],
  ['two calls', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [invocation(), invocation()])],
  ['a call and a payment', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [invocation(), payment(BOB)])],
  ['a payment with resources', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [payment(BOB)])],
  ['a declared entry that no contract may reach', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setReadOnly([dataKey()]))))],
  ['an entry declared twice', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setReadOnly(data.getReadWrite()))))],
  ['a resource fee below what the resources cost', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResourceFee(1_000n))))],
  ['more disk reads than there may be', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResources(1, 200_001, 0))))],
  ['more writes than there may be', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResources(1, 0, 132_097))))],
]

for (const [name, code, build] of MALFORMED) {
  test(`${name}: ${code}`, () => {
    assert.equal(refusalOf(build()).type, code)
  })
}

test('a multiplexed source does not go with contracts, though it simulates', () => {
  const muxed = new MuxedAccount(new Account(ALICE.publicKey(), testChain.sequenceOf(ALICE).toString()), '5')
  const builder = new TransactionBuilder(muxed, { fee: '100', networkPassphrase: PASSPHRASE }).addOperation(invocation()).setTimeout(0)
  const transaction = builder.setSorobanData(sorobanData).build()
  transaction.sign(ALICE)
  assert('results' in testChain.simulate(transaction))
  assert.equal(refusalOf(transaction).type, 'txSorobanInvalid')
})

test('a resource fee above the whole fee is refused', () => {
  const transaction = call((builder) => builder.setSorobanData(sorobanData))
  const envelope = Buffer.from(transaction.toXdr(), 'base64')
  // Behind the envelope's type and the source account, 4 and 36 bytes.
  envelope.writeUInt32BE(Number(sorobanData.resourceFee) - 1, 40)
  assert.equal(resultOf(testChain.chain.send(envelope.toString('base64'))).type, 'txSorobanInvalid')
})

test('resources beyond a limit come with a diagnostic that names both numbers', () => {
  const { diagnosticEventsXdr } = testChain.chain.send(flawed('instructions').toXdr())
  const events = (diagnosticEventsXdr ?? []).map((text) => xdr.DiagnosticEvent.fromXdr(text, 'base64').event)
  assert.deepEqual(events.map(({ contractId }) => contractId), [null])
  const [{ topics, data } = { topics: [], data: undefined }] = events.map(({ body }) => body.v0)
  assert.deepEqual(topics.map((topic) => topic.type), ['scvSymbol', 'scvError'])
  assert(data?.type === 'scvVec')
  assert.deepEqual(data.vec?.slice(1).map((item) => scValToNative(item)), [BigInt(INSTRUCTIONS_LIMIT + 1), BigInt(INSTRUCTIONS_LIMIT)])
})

test('bounds in time and in ledgers are held from both sides', () => {
  const { closeTimeSec, sequence } = testChain.chain.history.latest()
  const bounded = (minSec: number, maxSec: number) => call((builder) => builder.setTimebounds(minSec, maxSec), [payment(BOB)])
  assert.equal(refusalOf(bounded(closeTimeSec + 1, 0)).type, 'txTooEarly')
  // Two expected closes of five seconds are added before maxTime is looked at.
  assert.equal(refusalOf(bounded(0, closeTimeSec + 9)).type, 'txTooLate')
  const within = (min: number, max: number) => call((builder) => builder.setLedgerbounds(min, max), [payment(BOB)])
  assert.equal(refusalOf(within(sequence + 2, 0)).type, 'txTooEarly')
  assert.equal(refusalOf(within(0, sequence + 1)).type, 'txTooLate')
  using other = startTestChain()
  assert.equal(other.chain.send(other.signed(payment(BOB), { timeoutSec: 10 }).toXdr()).status, 'PENDING')
})

test('a sequence number that a new account begins with is refused where it would be the next', () => {
  using own = startTestChain()
  const first = BigInt(own.chain.history.latest().sequence + 1) << 32n
  own.apply(own.signed(Operation.bumpSequence({ bumpTo: (first + (1n << 32n) - 1n).toString() })))
  assert.equal(resultOf(own.chain.send(own.signed(payment(BOB)).toXdr())).type, 'txBadSeq')
  own.close()
  assert.equal(own.chain.send(own.signed(payment(BOB)).toXdr()).status, 'PENDING')
})

test('a payment is refused with the code of the operation that is wrong, the others beside it', () => {
  const oneself = Operation.createAccount({ destination: ALICE.publicKey(), startingBalance: '5' })
  const result = refusalOf(testChain.signed([payment(BOB), oneself]))
  assert(result.type === 'txFailed')
  const [paid, created] = result.results.map((operation) => (operation.type === 'opInner' ? operation.tr : undefined))
  assert(paid?.type === 'payment' && created?.type === 'createAccount')
  assert.equal(paid.paymentResult.type, 'paymentSuccess')
  assert.equal(created.createAccountResult.type, 'createAccountMalformed')
})

test('an operation of an account that did not sign is refused with opBadAuth', () => {
  const others = Operation.payment({ destination: ALICE.publicKey(), asset: Asset.native(), amount: '1', source: BOB.publicKey() })
  const result = refusalOf(testChain.signed(others))
  assert(result.type === 'txFailed')
  assert.deepEqual(result.results.map(({ type }) => type), ['opBadAuth'])
  assert.equal(testChain.chain.send(testChain.signed(others, { signers: [ALICE, BOB] }).toXdr()).status, 'PENDING')
})

test('the fees of waiting transactions are counted against the balance of whoever pays for them', () => {
  using own = startTestChain()
  own.apply(own.signed(Operation.createAccount({ destination: POOR.publicKey(), startingBalance: '5' })))
  // Four coins are free; two fee bumps of three coins each are one too many.
  const bump = (inner: Transaction) => {
    const bumped = TransactionBuilder.buildFeeBumpTransaction(POOR, '15000000', inner, PASSPHRASE)
    bumped.sign(POOR)
    return bumped
  }
  assert.equal(own.chain.send(bump(own.signed(payment(BOB))).toXdr()).status, 'PENDING')
  const second = own.chain.send(bump(own.signed(payment(ALICE), { source: BOB })).toXdr())
  assert.equal(resultOf(second).type, 'txInsufficientBalance')
})
