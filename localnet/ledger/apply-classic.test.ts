import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Asset, type Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { trustlineKey } from './keys.ts'
import { ALICE, BOB, ISSUER, payment, resultOf, startTestChain, type TestChain, testKeypair, UNFUNDED, USDC } from './test-chain.ts'

const usdc = new Asset('USDC', ISSUER.publicKey())
const euro = new Asset('EURO', ISSUER.publicKey())
const NEW = testKeypair(7)

/** The name of the result code of one operation. */
function outcome(testChain: TestChain, operation: xdr.Operation, source: Keypair = ALICE): string {
  const { result } = resultOf(testChain.apply(testChain.signed(operation, { source })))
  assert(result.type === 'txSuccess' || result.type === 'txFailed')
  const [only] = result.results
  if (only?.type !== 'opInner') return only?.type ?? ''
  const [name = ''] = Object.values(only.tr).flatMap((each: unknown) => (hasType(each) ? [each.type] : []))
  return name
}

const hasType = (value: unknown): value is { readonly type: string } =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const pays = (to: Keypair, asset: Asset, amount: string): xdr.Operation => Operation.payment({ destination: to.publicKey(), asset, amount })
const creates = (who: Keypair, startingBalance: string): xdr.Operation =>
  Operation.createAccount({ destination: who.publicKey(), startingBalance })

const trustlineOf = (testChain: TestChain, who: Keypair): bigint | undefined => {
  const [entry] = testChain.chain.entries([trustlineKey(who.publicKey(), USDC)])
  if (entry === undefined) return undefined
  const data = xdr.LedgerEntryData.fromXdr(entry.dataXdr, 'base64')
  return data.type === 'trustline' ? data.trustLine.balance : undefined
}

test('createAccount starts the sequence number at the ledger, requires the reserve, and fails for an existing account', () => {
  using testChain = startTestChain()
  assert.equal(outcome(testChain, creates(NEW, '0.9999999')), 'createAccountLowReserve')
  assert.equal(outcome(testChain, creates(NEW, '10000')), 'createAccountUnderfunded')
  assert.equal(outcome(testChain, creates(NEW, '1')), 'createAccountSuccess')
  assert.equal(testChain.sequenceOf(NEW), BigInt(testChain.chain.history.latest().sequence) << 32n)
  assert.equal(testChain.balanceOf(NEW), 10_000_000n)
  assert.equal(outcome(testChain, creates(NEW, '1')), 'createAccountAlreadyExist')
})

test('an account records when it last consumed a sequence number', () => {
  using testChain = startTestChain()
  assert.equal(testChain.account(ALICE).ext.type, 'v0')
  const { ledger, closeTimeSec } = testChain.apply(testChain.signed(payment(BOB)))
  const { ext } = testChain.account(ALICE)
  assert(ext.type === 'v1' && ext.v1.ext.type === 'v2' && ext.v1.ext.v2.ext.type === 'v3')
  const { seqLedger, seqTime } = ext.v1.ext.v2.ext.v3
  assert.deepEqual([seqLedger, Number(seqTime)], [ledger, closeTimeSec])
})

test('a payment respects the reserve, needs an existing destination, and to oneself has no effect', () => {
  using testChain = startTestChain()
  assert.equal(outcome(testChain, payment(UNFUNDED)), 'paymentNoDestination')
  assert.equal(outcome(testChain, payment(BOB, '9999')), 'paymentUnderfunded')
  outcome(testChain, creates(NEW, '1.5'))
  assert.equal(outcome(testChain, payment(ALICE, '0.5'), NEW), 'paymentUnderfunded', 'the fee was charged too')
  const before = testChain.balanceOf(BOB)
  assert.equal(outcome(testChain, payment(BOB, '5'), BOB), 'paymentSuccess')
  assert.equal(testChain.balanceOf(BOB), before - 100n)
})

test('a credit asset moves between trustlines, from the issuer and back to it', () => {
  using testChain = startTestChain()
  assert.equal(outcome(testChain, pays(BOB, usdc, '0.00003')), 'paymentSuccess')
  assert.deepEqual([trustlineOf(testChain, ALICE), trustlineOf(testChain, BOB)], [700n, 1_300n])
  assert.equal(outcome(testChain, pays(BOB, usdc, '1')), 'paymentUnderfunded')
  assert.equal(outcome(testChain, pays(ISSUER, usdc, '0.00001')), 'paymentSuccess')
  assert.equal(trustlineOf(testChain, ALICE), 600n)
  assert.equal(outcome(testChain, pays(ALICE, usdc, '1'), ISSUER), 'paymentSuccess')
  assert.equal(trustlineOf(testChain, ALICE), 10_000_600n)
  assert.equal(outcome(testChain, pays(UNFUNDED, usdc, '1'), ISSUER), 'paymentNoDestination')
  assert.equal(outcome(testChain, pays(BOB, euro, '1'), ISSUER), 'paymentNoTrust')
  assert.equal(outcome(testChain, pays(ISSUER, euro, '1')), 'paymentSrcNoTrust')
})

test('changeTrust requires an existing issuer and a reserve, and removes an empty trustline', () => {
  using testChain = startTestChain()
  const trusts = (asset: Asset, limit: string) => Operation.changeTrust({ asset, limit })
  assert.equal(outcome(testChain, trusts(new Asset('USDC', UNFUNDED.publicKey()), '5')), 'changeTrustNoIssuer')
  assert.equal(outcome(testChain, trusts(euro, '5')), 'changeTrustSuccess')
  assert.equal(testChain.account(ALICE).numSubEntries, 2)
  assert.equal(outcome(testChain, pays(ALICE, euro, '6'), ISSUER), 'paymentLineFull')
  assert.equal(outcome(testChain, pays(ALICE, euro, '5'), ISSUER), 'paymentSuccess')
  assert.equal(outcome(testChain, trusts(euro, '4')), 'changeTrustInvalidLimit')
  assert.equal(outcome(testChain, trusts(euro, '0')), 'changeTrustInvalidLimit')
  assert.equal(outcome(testChain, pays(ISSUER, euro, '5')), 'paymentSuccess')
  assert.equal(outcome(testChain, trusts(euro, '0')), 'changeTrustSuccess')
  assert.equal(testChain.account(ALICE).numSubEntries, 1)
  outcome(testChain, creates(NEW, '1.2'))
  assert.equal(outcome(testChain, trusts(usdc, '5'), NEW), 'changeTrustLowReserve')
})

test('manageData writes, overwrites and removes entries, each with a reserve', () => {
  using testChain = startTestChain()
  const writes = (value: string | null) => Operation.manageData({ name: 'note', value })
  assert.equal(outcome(testChain, writes(null)), 'manageDataNameNotFound')
  assert.equal(outcome(testChain, writes('one')), 'manageDataSuccess')
  assert.equal(outcome(testChain, writes('two')), 'manageDataSuccess')
  assert.equal(testChain.account(ALICE).numSubEntries, 2)
  assert.equal(outcome(testChain, writes(null)), 'manageDataSuccess')
  assert.equal(testChain.account(ALICE).numSubEntries, 1)
})

test('bumpSequence only increases a sequence number', () => {
  using testChain = startTestChain()
  assert.equal(outcome(testChain, Operation.bumpSequence({ bumpTo: '500' })), 'bumpSequenceSuccess')
  assert.equal(testChain.sequenceOf(ALICE), 500n)
  assert.equal(outcome(testChain, Operation.bumpSequence({ bumpTo: '7' })), 'bumpSequenceSuccess')
  assert.equal(testChain.sequenceOf(ALICE), 501n)
})

test('setOptions adds, changes and removes signers by weight, each with a reserve', () => {
  using testChain = startTestChain()
  const signer = (weight: number) => Operation.setOptions({ signer: { ed25519PublicKey: BOB.publicKey(), weight } })
  assert.equal(outcome(testChain, signer(1)), 'setOptionsSuccess')
  assert.equal(outcome(testChain, signer(5)), 'setOptionsSuccess')
  assert.deepEqual(testChain.account(ALICE).signers.map(({ weight }) => weight), [5])
  assert.equal(testChain.account(ALICE).numSubEntries, 2)
  assert.equal(outcome(testChain, signer(0)), 'setOptionsSuccess')
  assert.deepEqual([testChain.account(ALICE).signers.length, testChain.account(ALICE).numSubEntries], [0, 1])
})

test('later operations of a transaction see earlier ones: an account is created and used', () => {
  using testChain = startTestChain()
  const [made, used] = [creates(NEW, '5'), Operation.payment({ source: NEW.publicKey(), destination: BOB.publicKey(), asset: Asset.native(), amount: '2' })]
  const record = testChain.apply(testChain.signed([made, used], { signers: [ALICE, NEW] }))
  assert.equal(record.status, 'SUCCESS')
  assert.equal(testChain.balanceOf(NEW), 30_000_000n)
})
