import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Account, Address, Asset, Keypair, MuxedAccount, nativeToScVal, Operation, Transaction, TransactionBuilder, xdr,
} from '@stellar/stellar-sdk'
import type { FeeBumpTransaction } from '@stellar/stellar-sdk'
import { fc } from '../../../test/support/fuzz.ts'
import type { SimulationResponse } from '../rpc/responses.ts'
import { MalformedResponse } from '../rpc/responses.ts'
import {
  accountKey, assembleTransaction, decodeEnvelope, draftCall, MalformedEnvelope, networkIdOf, readAccountSequence, simulationEnvelope,
} from './transaction.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const NETWORK_ID = networkIdOf(PASSPHRASE)
const TRADER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(7))
const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const MAX_TIME_SEC = 1_783_339_500

const DRAFT = draftCall({
  source: TRADER.publicKey(),
  contract: MARKET,
  functionName: 'close_position',
  args: [{ type: 'address', value: TRADER.publicKey() }, { type: 'u64', value: 42n }, { type: 'bool', value: true }],
})

function dataWith(resourceFee: bigint): xdr.SorobanTransactionData {
  const footprint = new xdr.LedgerFootprint({ readOnly: [], readWrite: [] })
  const resources = new xdr.SorobanResources({ footprint, instructions: 1_000_000, diskReadBytes: 0, writeBytes: 512 })
  return new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee })
}

const DATA = dataWith(54_321n)

const AUTH = new xdr.SorobanAuthorizationEntry({
  credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
  rootInvocation: new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
      new xdr.InvokeContractArgs({ contractAddress: new Address(MARKET).toScAddress(), functionName: 'close_position', args: [] }),
    ),
    subInvocations: [],
  }),
})

function simulated(changes: Partial<SimulationResponse> = {}): SimulationResponse {
  return {
    error: null, latestLedger: 9, results: [{ authXdr: [AUTH.toXdr('base64')], returnValueXdr: 'AAAAAQ==' }], transactionDataXdr: DATA.toXdr('base64'),
    minResourceFee: '54321', mustRestore: false, eventsXdr: [], stateChanges: [], ...changes,
  }
}

/** The call inside an envelope, as the SDK reads it. */
function invocationOf(transaction: Transaction) {
  const [operation] = transaction.operations
  assert.ok(transaction.operations.length === 1 && operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { contractAddress, functionName, args } = operation.func.invokeContract
  return { contract: Address.fromScAddress(contractAddress).toString(), functionName: String(functionName), args, auth: operation.auth ?? [] }
}

function parsed(envelopeXdr: string): Transaction {
  const transaction = TransactionBuilder.fromXdr(envelopeXdr, PASSPHRASE)
  assert.ok(transaction instanceof Transaction)
  return transaction
}

test('simulates the call with its account as the source', () => {
  const transaction = parsed(simulationEnvelope(DRAFT))
  const { contract, functionName, args, auth } = invocationOf(transaction)
  assert.deepEqual([contract, functionName, transaction.source], [MARKET, 'close_position', TRADER.publicKey()])
  assert.deepEqual(args.map((arg) => arg.toXdr('base64')), [
    new Address(TRADER.publicKey()).toScVal(), nativeToScVal(42n, { type: 'u64' }), xdr.ScVal.scvBool(true),
  ].map((arg) => arg.toXdr('base64')))
  assert.deepEqual(auth, [])
})

test('assembles the next sequence, both fees, footprint, auth and a time limit, without a signature', () => {
  const { envelopeXdr, resourceFee } = assembleTransaction(DRAFT, { simulation: simulated(), sequence: 77n, maxTimeSec: MAX_TIME_SEC })
  const transaction = parsed(envelopeXdr)
  assert.equal(resourceFee, 54_321n)
  assert.equal(transaction.fee, '54421')
  assert.equal(transaction.sequence, '78')
  assert.deepEqual({ ...transaction.timeBounds }, { minTime: '0', maxTime: String(MAX_TIME_SEC) })
  assert.deepEqual([transaction.signatures, transaction.memo.type], [[], 'none'])
  assert.deepEqual(invocationOf(transaction).auth.map((entry) => entry.toXdr('base64')), [AUTH.toXdr('base64')])
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64')
  assert.ok(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  assert.equal(envelope.v1.tx.ext.sorobanData.toXdr('base64'), DATA.toXdr('base64'))
})

test('takes the fee from the transaction data, not from minResourceFee', () => {
  const { envelopeXdr } = assembleTransaction(DRAFT, { simulation: simulated({ minResourceFee: null }), sequence: 1n, maxTimeSec: MAX_TIME_SEC })
  assert.equal(parsed(envelopeXdr).fee, '54421')
})

test('rejects an incomplete simulation as malformed', () => {
  const broken: Partial<SimulationResponse>[] = [
    { results: [] },
    { transactionDataXdr: null },
    { transactionDataXdr: 'AAAA' },
    { results: [{ authXdr: ['AAAA'], returnValueXdr: '' }] },
    { transactionDataXdr: dataWith(-1n).toXdr('base64') },
    { transactionDataXdr: dataWith(2n ** 32n).toXdr('base64') },
  ]
  for (const changes of broken) {
    const assemble = (): unknown => assembleTransaction(DRAFT, { simulation: simulated(changes), sequence: 1n, maxTimeSec: MAX_TIME_SEC })
    assert.throws(assemble, MalformedResponse, JSON.stringify(changes))
  }
})

test('reads the sequence of an account entry and rejects anything else', () => {
  const key = xdr.LedgerKey.fromXdr(accountKey(TRADER.publicKey()), 'base64')
  assert.ok(key.type === 'account')
  assert.equal(key.account.accountId.toXdr('base64'), TRADER.xdrAccountId().toXdr('base64'))
  const entry = new xdr.AccountEntry({
    accountId: TRADER.xdrAccountId(), balance: 1n, seqNum: 2n ** 60n, numSubEntries: 0, inflationDest: null, flags: 0, homeDomain: '',
    thresholds: new Uint8Array([1, 0, 0, 0]), signers: [], ext: xdr.AccountEntryExt.v0(),
  })
  assert.equal(readAccountSequence(xdr.LedgerEntryData.account(entry).toXdr('base64')), 2n ** 60n)
  const ttl = xdr.LedgerEntryData.ttl(new xdr.TtlEntry({ keyHash: new Uint8Array(32), liveUntilLedgerSeq: 1 }))
  for (const broken of ['', 'AAAA', ttl.toXdr('base64')]) assert.throws(() => readAccountSequence(broken), MalformedResponse)
})

function payment(source: Account | string, signers: readonly Keypair[]): Transaction {
  const account = typeof source === 'string' ? new Account(source, '5') : source
  const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: PASSPHRASE })
    .addOperation(Operation.payment({ destination: TRADER.publicKey(), asset: Asset.native(), amount: '1' }))
    .setTimeout(300)
    .build()
  for (const signer of signers) transaction.sign(signer)
  return transaction
}

const hexHash = (transaction: Transaction | FeeBumpTransaction): string => Buffer.from(transaction.hash()).toString('hex')

test('property: computes the same hash as the SDK for any signatures and keeps the bytes', () => {
  const signature = fc.record({ hint: fc.uint8Array({ minLength: 4, maxLength: 4 }), signature: fc.uint8Array({ maxLength: 64 }) })
  fc.assert(
    fc.property(fc.array(signature, { maxLength: 20 }), fc.constantFrom('v1', 'v0', 'bump'), (signatures, kind) => {
      const inner = payment(TRADER.publicKey(), kind === 'bump' ? [TRADER] : [])
      const built = kind === 'bump' ? TransactionBuilder.buildFeeBumpTransaction(TRADER, '200', inner, PASSPHRASE) : inner
      for (const each of signatures) built.addDecoratedSignature(new xdr.DecoratedSignature(each))
      const envelopeXdr = kind === 'v0' ? asV0(inner) : built.toXdr()
      const decoded = decodeEnvelope(envelopeXdr, NETWORK_ID)
      const { hash, source, contract, functionName } = decoded
      assert.deepEqual({ hash, source, contract, functionName }, { hash: hexHash(built), source: TRADER.publicKey(), contract: null, functionName: null })
      assert.deepEqual([decoded.envelopeXdr, decoded.sequence, decoded.expiresAt], [envelopeXdr, BigInt(inner.sequence), Number(inner.timeBounds?.maxTime)])
    }),
  )
})

/** The same transaction in the encoding before protocol 13. */
function asV0(transaction: Transaction): string {
  const envelope = transaction.toEnvelope()
  assert.ok(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.cond.type === 'precondTime')
  const { fee, seqNum, memo, operations, cond } = envelope.v1.tx
  const tx = new xdr.TransactionV0({
    sourceAccountEd25519: TRADER.rawPublicKey(), fee, seqNum, timeBounds: cond.timeBounds, memo, operations, ext: xdr.TransactionV0Ext.v0(),
  })
  return xdr.TransactionEnvelope.envelopeTypeTxV0(new xdr.TransactionV0Envelope({ tx, signatures: envelope.v1.signatures })).toXdr('base64')
}

test('the hash depends on the network', () => {
  const envelopeXdr = payment(TRADER.publicKey(), [TRADER]).toXdr()
  assert.notEqual(decodeEnvelope(envelopeXdr, networkIdOf(`${PASSPHRASE}?`)).hash, decodeEnvelope(envelopeXdr, NETWORK_ID).hash)
})

test('reads the account of a muxed source and the contract of a call', () => {
  const muxed = new MuxedAccount(new Account(TRADER.publicKey(), '5'), '99')
  assert.equal(decodeEnvelope(payment(muxed as unknown as Account, [TRADER]).toXdr(), NETWORK_ID).source, TRADER.publicKey())
  assert.equal(decodeEnvelope(simulationEnvelope(DRAFT), NETWORK_ID).contract, MARKET)
})

test('rejects anything that is not an envelope', () => {
  const envelopeXdr = payment(TRADER.publicKey(), [TRADER]).toXdr()
  const urlSafe = envelopeXdr.replaceAll('+', '-').replaceAll('/', '_')
  const broken = [
    '', ' ', 'hello', '????', envelopeXdr.slice(4), envelopeXdr.slice(0, -4), `${envelopeXdr}AAAA`, `${envelopeXdr}\n`, ` ${envelopeXdr}`,
    ...(urlSafe === envelopeXdr ? [] : [urlSafe]), DATA.toXdr('base64'), 'A'.repeat(100_000), '\u{1f4b8}', deeplyNested(),
  ]
  for (const text of broken) assert.throws(() => decodeEnvelope(text, NETWORK_ID), MalformedEnvelope, text.slice(0, 80))
})

/** A call with a deeply nested argument, which would overflow the stack of a recursive decoder. */
function deeplyNested(): string {
  const draft = draftCall({ source: TRADER.publicKey(), contract: MARKET, functionName: 'f', args: [{ type: 'u32', value: 4_242 }] })
  const bytes = Buffer.from(simulationEnvelope(draft), 'base64')
  const value = Buffer.from('0000000300001092', 'hex')
  const at = bytes.indexOf(value)
  const nested = Buffer.concat([...Array.from({ length: 10_000 }, () => Buffer.from('000000100000000100000001', 'hex')), value])
  return Buffer.concat([bytes.subarray(0, at), nested, bytes.subarray(at + value.length)]).toString('base64')
}
