import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Account, Asset, Memo, MuxedAccount, Operation, scValToNative, SorobanDataBuilder, type Transaction, TransactionBuilder, xdr,
} from '@stellar/stellar-sdk'
import type { SendOutcome } from '../chain.ts'
import { address } from '../contracts/shared/host.ts'
import { toScVal } from '../scval.ts'
import { ALICE, BOB, COUNTER, PASSPHRASE, payment, startTestChain, type TestChain, testKeypair, UNFUNDED } from './test-chain.ts'

/** Has 5 XLM, of which 1 XLM is reserved. */
const LOW_BALANCE = testKeypair(7)
const ABOVE_BALANCE_STROOPS = 100_000_000n
/** The network's limit per transaction. */
const INSTRUCTIONS_LIMIT = 400_000_000

type Defect =
  | 'noSorobanData' | 'memo' | 'instructions' | 'tooLate' | 'lowBid' | 'noAccount' | 'badSeq' | 'minSeqAge' | 'wrongKey' | 'unaffordable'
  | 'noOperationSource' | 'extraSignature'

/** The network's order (soroban-rpc, "Validation order at submission"), written out independently of the implementation. */
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
  testChain.apply(testChain.signed(Operation.createAccount({ destination: LOW_BALANCE.publicKey(), startingBalance: '5' })))
  const simulation = testChain.simulate(testChain.call(COUNTER, 'increment', [address(LOW_BALANCE.publicKey())], { source: LOW_BALANCE }))
  sorobanData = xdr.SorobanTransactionData.fromXdr(String(simulation['transactionData']), 'base64')
})
after(() => testChain[Symbol.dispose]())

/** A valid call except for its defects. */
function flawed(...defects: readonly Defect[]): Transaction {
  const has = (defect: Defect): boolean => defects.includes(defect)
  const source = has('noAccount') ? UNFUNDED : LOW_BALANCE
  const sequence = testChain.sequenceOf(LOW_BALANCE) + (has('badSeq') ? 1n : 0n)
  const account = new Account(source.publicKey(), sequence.toString())
  // The builder adds the resource fee to the inclusion fee.
  const builder = new TransactionBuilder(account, { fee: has('lowBid') ? '99' : '100', networkPassphrase: PASSPHRASE })
  const args = [toScVal(address(LOW_BALANCE.publicKey()))]
  const operationSource = has('noOperationSource') ? { source: testKeypair(8).publicKey() } : {}
  builder.addOperation(Operation.invokeContractFunction({ contract: COUNTER, function: 'increment', args, ...operationSource }))
  const { closeTimeSec } = testChain.chain.history.latest()
  builder.setTimebounds(0, has('tooLate') ? closeTimeSec - 1 : closeTimeSec + 300)
  if (has('memo')) builder.addMemo(Memo.text('hello'))
  if (has('minSeqAge')) builder.setMinAccountSequenceAge(10_000_000_000n)
  if (!has('noSorobanData')) {
    const data = new SorobanDataBuilder(sorobanData.toXdr('base64'))
    if (has('unaffordable')) data.setResourceFee(ABOVE_BALANCE_STROOPS)
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

const rejectionOf = (transaction: Transaction): xdr.TransactionResultResult => resultOf(testChain.chain.send(transaction.toXdr()))

for (const { defect, code } of ORDER) {
  test(`rejects a call with the defect ${defect} with ${code}`, () => {
    assert.equal(rejectionOf(flawed(defect)).type, code)
  })
}

test("reports the first of two defects in the network's order", () => {
  ORDER.forEach(({ defect: earlier, code }, index) => {
    for (const { defect: later } of ORDER.slice(index + 1)) {
      assert.equal(rejectionOf(flawed(earlier, later)).type, code, `${earlier} and ${later}`)
    }
  })
})

/** A call with arbitrary changes to its builder. */
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

/** More cases of the first three checks. */
const MALFORMED: readonly (readonly [name: string, code: string, build: () => Transaction])[] = [
  ['no operation', 'txMissingOperation', () => call(() => undefined, [])],
  ['two calls', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [invocation(), invocation()])],
  ['a call and a payment', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [invocation(), payment(BOB)])],
  ['a payment with resources', 'txMalformed', () => call((builder) => builder.setSorobanData(sorobanData), [payment(BOB)])],
  ['a footprint entry of an unsupported type', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setReadOnly([dataKey()]))))],
  ['a duplicate footprint entry', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setReadOnly(data.getReadWrite()))))],
  ['a resource fee below the cost of the resources', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResourceFee(1_000n))))],
  ['disk reads above the limit', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResources(1, 200_001, 0))))],
  ['writes above the limit', 'txSorobanInvalid', () =>
    call((builder) => builder.setSorobanData(changedData((data) => data.setResources(1, 0, 132_097))))],
]

for (const [name, code, build] of MALFORMED) {
  test(`rejects ${name} with ${code}`, () => {
    assert.equal(rejectionOf(build()).type, code)
  })
}

test('rejects a Soroban transaction with a multiplexed source, although it simulates', () => {
  const muxed = new MuxedAccount(new Account(ALICE.publicKey(), testChain.sequenceOf(ALICE).toString()), '5')
  const builder = new TransactionBuilder(muxed, { fee: '100', networkPassphrase: PASSPHRASE }).addOperation(invocation()).setTimeout(0)
  const transaction = builder.setSorobanData(sorobanData).build()
  transaction.sign(ALICE)
  assert('results' in testChain.simulate(transaction))
  assert.equal(rejectionOf(transaction).type, 'txSorobanInvalid')
})

test('rejects a resource fee above the total fee', () => {
  const transaction = call((builder) => builder.setSorobanData(sorobanData))
  const envelope = Buffer.from(transaction.toXdr(), 'base64')
  // The fee follows the envelope type (4 bytes) and the source account (36 bytes).
  envelope.writeUInt32BE(Number(sorobanData.resourceFee) - 1, 40)
  assert.equal(resultOf(testChain.chain.send(envelope.toString('base64'))).type, 'txSorobanInvalid')
})

test('a limit violation has a diagnostic event with the value and the limit', () => {
  const { diagnosticEventsXdr } = testChain.chain.send(flawed('instructions').toXdr())
  const events = (diagnosticEventsXdr ?? []).map((text) => xdr.DiagnosticEvent.fromXdr(text, 'base64').event)
  assert.deepEqual(events.map(({ contractId }) => contractId), [null])
  const [{ topics, data } = { topics: [], data: undefined }] = events.map(({ body }) => body.v0)
  assert.deepEqual(topics.map((topic) => topic.type), ['scvSymbol', 'scvError'])
  assert(data?.type === 'scvVec')
  assert.deepEqual(data.vec?.slice(1).map((item) => scValToNative(item)), [BigInt(INSTRUCTIONS_LIMIT + 1), BigInt(INSTRUCTIONS_LIMIT)])
})

test('checks both ends of time bounds and ledger bounds', () => {
  const { closeTimeSec, sequence } = testChain.chain.history.latest()
  const bounded = (minSec: number, maxSec: number) => call((builder) => builder.setTimebounds(minSec, maxSec), [payment(BOB)])
  assert.equal(rejectionOf(bounded(closeTimeSec + 1, 0)).type, 'txTooEarly')
  // Two expected closes of five seconds are added before maxTime is checked.
  assert.equal(rejectionOf(bounded(0, closeTimeSec + 9)).type, 'txTooLate')
  const within = (min: number, max: number) => call((builder) => builder.setLedgerbounds(min, max), [payment(BOB)])
  assert.equal(rejectionOf(within(sequence + 2, 0)).type, 'txTooEarly')
  assert.equal(rejectionOf(within(0, sequence + 1)).type, 'txTooLate')
  using other = startTestChain()
  assert.equal(other.chain.send(other.signed(payment(BOB), { timeoutSec: 10 }).toXdr()).status, 'PENDING')
})

test('rejects the starting sequence number of a new account as the next one', () => {
  using ownChain = startTestChain()
  const first = BigInt(ownChain.chain.history.latest().sequence + 1) << 32n
  ownChain.apply(ownChain.signed(Operation.bumpSequence({ bumpTo: (first + (1n << 32n) - 1n).toString() })))
  assert.equal(resultOf(ownChain.chain.send(ownChain.signed(payment(BOB)).toXdr())).type, 'txBadSeq')
  ownChain.close()
  assert.equal(ownChain.chain.send(ownChain.signed(payment(BOB)).toXdr()).status, 'PENDING')
})

test('returns the code of the invalid operation and success for the others', () => {
  const oneself = Operation.createAccount({ destination: ALICE.publicKey(), startingBalance: '5' })
  const result = rejectionOf(testChain.signed([payment(BOB), oneself]))
  assert(result.type === 'txFailed')
  const [paid, created] = result.results.map((operation) => (operation.type === 'opInner' ? operation.tr : undefined))
  assert(paid?.type === 'payment' && created?.type === 'createAccount')
  assert.equal(paid.paymentResult.type, 'paymentSuccess')
  assert.equal(created.createAccountResult.type, 'createAccountMalformed')
})

test('rejects an operation whose source did not sign with opBadAuth', () => {
  const others = Operation.payment({ destination: ALICE.publicKey(), asset: Asset.native(), amount: '1', source: BOB.publicKey() })
  const result = rejectionOf(testChain.signed(others))
  assert(result.type === 'txFailed')
  assert.deepEqual(result.results.map(({ type }) => type), ['opBadAuth'])
  assert.equal(testChain.chain.send(testChain.signed(others, { signers: [ALICE, BOB] }).toXdr()).status, 'PENDING')
})

test("counts the fees of queued transactions against the payer's balance", () => {
  using ownChain = startTestChain()
  ownChain.apply(ownChain.signed(Operation.createAccount({ destination: LOW_BALANCE.publicKey(), startingBalance: '5' })))
  // 4 XLM are available; two fee bumps of 3 XLM each exceed that.
  const bump = (inner: Transaction) => {
    const bumped = TransactionBuilder.buildFeeBumpTransaction(LOW_BALANCE, '15000000', inner, PASSPHRASE)
    bumped.sign(LOW_BALANCE)
    return bumped
  }
  assert.equal(ownChain.chain.send(bump(ownChain.signed(payment(BOB))).toXdr()).status, 'PENDING')
  const second = ownChain.chain.send(bump(ownChain.signed(payment(ALICE), { source: BOB })).toXdr())
  assert.equal(resultOf(second).type, 'txInsufficientBalance')
})
