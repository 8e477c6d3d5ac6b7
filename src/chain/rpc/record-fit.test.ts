// A record counts only if it is of the requested transaction, and if its parts agree.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Contract, Keypair, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { FeeBumpTransaction, Transaction } from '@stellar/stellar-sdk'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { RpcFailure } from './failure.ts'
import { findMismatch } from './record-fit.ts'
import type { TransactionResponse } from './responses.ts'
import { createRpc } from './rpc.ts'
import { networkIdOf } from '../codec/transaction.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const NETWORK_ID = networkIdOf(PASSPHRASE)
const SIGNER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(7))
const CONTRACT = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM'
const LEDGER = 100

function transaction(sequence: string): Transaction {
  const built = new TransactionBuilder(new Account(SIGNER.publicKey(), sequence), { fee: '100', networkPassphrase: PASSPHRASE })
    .addOperation(new Contract(CONTRACT).call('close')).setTimeout(0).build()
  built.sign(SIGNER)
  return built
}

const OWN = transaction('1')
const OTHER = transaction('2')
const hex = (each: Transaction | FeeBumpTransaction): string => Buffer.from(each.hash()).toString('hex')
const BUMP = TransactionBuilder.buildFeeBumpTransaction(SIGNER, '200', OWN, PASSPHRASE)

const VALUE = xdr.ScVal.scvU32(5)
const image = (returnValue: xdr.ScVal): Uint8Array => new xdr.InvokeHostFunctionSuccessPreImage({ returnValue, events: [] }).toXdr()
async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(bytes)))
}

const operation = (result: xdr.InvokeHostFunctionResult): xdr.OperationResult[] =>
  [xdr.OperationResult.opInner(xdr.OperationResultTr.invokeHostFunction(result))]
const encode = (result: xdr.TransactionResultResult): string =>
  new xdr.TransactionResult({ feeCharged: 100n, result, ext: xdr.TransactionResultExt.v0() }).toXdr('base64')
const SUCCEEDED = encode(xdr.TransactionResultResult.txSuccess(operation(xdr.InvokeHostFunctionResult.invokeHostFunctionSuccess(await sha256(image(VALUE))))))
const TRAPPED = encode(xdr.TransactionResultResult.txFailed(operation(xdr.InvokeHostFunctionResult.invokeHostFunctionTrapped())))

function meta(returnValue: xdr.ScVal): string {
  const sorobanMeta = new xdr.SorobanTransactionMetaV2({ ext: xdr.SorobanTransactionMetaExt.v0(), returnValue })
  return xdr.TransactionMeta.v4(new xdr.TransactionMetaV4({
    ext: xdr.ExtensionPoint.v0(), txChangesBefore: [], operations: [], txChangesAfter: [], sorobanMeta, events: [], diagnosticEvents: [],
  })).toXdr('base64')
}

const RANGE = { latestLedger: LEDGER + 1, latestLedgerCloseSec: null, oldestLedger: 1, oldestLedgerCloseSec: null }
const success = (more: object = {}): TransactionResponse =>
  ({ ...RANGE, status: 'SUCCESS', ledger: LEDGER, envelopeXdr: OWN.toXdr(), resultXdr: SUCCEEDED, ...more })
const failure = (more: object = {}): TransactionResponse =>
  ({ ...RANGE, status: 'FAILED', ledger: LEDGER, envelopeXdr: OWN.toXdr(), resultXdr: TRAPPED, diagnosticEventsXdr: [], ...more })

test('accepts a success and a failure of the transaction, with and without meta', () => {
  for (const response of [success(), success({ metaXdr: meta(VALUE) }), failure()]) assert.equal(findMismatch(response, hex(OWN), NETWORK_ID), null)
})

const MISMATCHES: readonly (readonly [name: string, response: TransactionResponse, reason: RegExp])[] = [
  ['the envelope of another transaction', success({ envelopeXdr: OTHER.toXdr() }), /of another transaction/],
  ['no envelope', success({ envelopeXdr: undefined }), /lacks the envelope/],
  ['an envelope that is no XDR', success({ envelopeXdr: 'AAAA' }), /envelope is not XDR/],
  ['a success with the result of a failure', success({ resultXdr: TRAPPED }), /contradicts its status/],
  ['a failure with the result of a success', failure({ resultXdr: SUCCEEDED }), /contradicts its status/],
  ['a result that is no XDR', failure({ resultXdr: 'AAAA' }), /result is not XDR/],
  ['the result of a success with the meta of another one', success({ metaXdr: meta(xdr.ScVal.scvU32(6)) }), /not that of its meta/],
  ['meta that is no XDR', success({ metaXdr: 'AAAA' }), /meta is not XDR/],
  ['a ledger that the node does not have yet', success({ ledger: LEDGER + 2 }), /outside the range/],
  ['a ledger before its first one', success({ oldestLedger: LEDGER + 1 }), /outside the range/],
]
for (const [name, response, reason] of MISMATCHES) test(`refuses ${name}`, () => assert.match(findMismatch(response, hex(OWN), NETWORK_ID) ?? 'fits', reason))

test('compares the inner hash of a fee bump, and finds it by either hash', () => {
  const inner = xdr.InnerTransactionResultResult.txSuccess(operation(xdr.InvokeHostFunctionResult.invokeHostFunctionTrapped()))
  const resultOf = (transactionHash: Uint8Array): string => encode(xdr.TransactionResultResult.txFeeBumpInnerSuccess(new xdr.InnerTransactionResultPair({
    transactionHash, result: new xdr.InnerTransactionResult({ feeCharged: 0n, result: inner, ext: xdr.InnerTransactionResultExt.v0() }),
  })))
  const bumped = (resultXdr: string): TransactionResponse => success({ envelopeXdr: BUMP.toXdr(), resultXdr })
  for (const each of [OWN, BUMP]) assert.equal(findMismatch(bumped(resultOf(OWN.hash())), hex(each), NETWORK_ID), null)
  assert.match(findMismatch(bumped(resultOf(OTHER.hash())), hex(BUMP), NETWORK_ID) ?? 'fits', /another inner transaction/)
  assert.match(findMismatch(success({ resultXdr: resultOf(OWN.hash()) }), hex(OWN), NETWORK_ID) ?? 'fits', /of a fee bump/)
})

test('a node whose record does not fit is at fault, and another node is called', async () => {
  const faults: (readonly [number, string])[] = []
  const clock = createVirtualClock(0)
  const wire = (response: TransactionResponse): object => ({ ...response, latestLedgerCloseTime: null, oldestLedgerCloseTime: null })
  const client = (answers: readonly TransactionResponse[]): ReturnType<typeof createRpc> => createRpc({
    urls: answers.map((_answer, index) => `http://node-${index}/`), clock, random: createSeededRandom('fit'), log: silentLog,
    observer: { called() {}, faulted: (node, fault) => void faults.push([node, fault]) },
    async transport(url, body) {
      const { id } = JSON.parse(body) as { readonly id: number }
      const answer = answers[Number(new URL(url).hostname.slice('node-'.length))]
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: answer === undefined ? null : wire(answer) }) }
    },
  })
  const lying = success({ envelopeXdr: OTHER.toXdr() })
  const rpc = client([lying, lying, failure()])
  assert.equal((await rpc.getTransaction(hex(OWN), { networkId: NETWORK_ID })).status, 'FAILED')
  assert.deepEqual(faults, [[0, 'bad_transaction'], [1, 'bad_transaction']])
  assert.deepEqual(rpc.nodes().map(({ status }) => status), ['faulty', 'faulty', 'healthy'])
  const alone = client([lying]).getTransaction(hex(OWN), { networkId: NETWORK_ID })
  await assert.rejects(alone, (error) => error instanceof RpcFailure && error.fault === 'bad_transaction')
})
