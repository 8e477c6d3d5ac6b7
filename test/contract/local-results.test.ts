// The local network's results, checked against the same shapes as the captures of real nodes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Asset, Contract, Keypair, nativeToScVal, Operation, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Transaction } from '@stellar/stellar-sdk'
import { RESULT_SHAPES } from './result-shapes.ts'
import type { MethodName } from './result-shapes.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let served: NetworkFixture
const hashes: string[] = []

before(async () => {
  served = await createNetworkFixture()
  const { server } = served
  await server.fundAddress(Keypair.random().publicKey())
  hashes.push(await send(await draft(Operation.payment({ destination: served.keypair('bob').publicKey(), asset: Asset.native(), amount: '1' }))))
  hashes.push(await send(await server.prepareTransaction(await draft(transferOf(5n)))))
  const doomed = await server.prepareTransaction(await draft(transferOf(7n)))
  hashes.push(await send(withoutFootprint(doomed)))
})
after(() => served[Symbol.asyncDispose]())

function transferOf(amount: bigint): xdr.Operation {
  const parties = [served.keypair('alice'), served.keypair('bob')].map((each) => nativeToScVal(each.publicKey(), { type: 'address' }))
  return new Contract(served.network.contracts.usdcToken).call('transfer', ...parties, nativeToScVal(amount, { type: 'i128' }))
}

async function draft(operation: xdr.Operation): Promise<Transaction> {
  const account = await served.server.getAccount(served.keypair('alice').publicKey())
  const { networkPassphrase } = served.network
  return new TransactionBuilder(account, { fee: '1000', networkPassphrase }).addOperation(operation).setTimeout(300).build()
}

/** The same call with an empty footprint: accepted, then failed on the ledger. */
function withoutFootprint(transaction: Transaction): Transaction {
  const envelope = transaction.toEnvelope()
  assert.ok(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const data = new SorobanDataBuilder(envelope.v1.tx.ext.sorobanData).setFootprint([], []).build()
  return TransactionBuilder.cloneFrom(transaction, { fee: transaction.fee, networkPassphrase: served.network.networkPassphrase, sorobanData: data }).build()
}

async function send(transaction: Transaction): Promise<string> {
  transaction.sign(served.keypair('alice'))
  const { hash } = await served.server.sendTransaction(transaction)
  await served.server.pollTransaction(hash)
  return hash
}

/** Calls a method and checks the shape of its result. */
async function call(method: MethodName, params: unknown = null): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(served.rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { result, error } = (await response.json()) as { result: Record<string, unknown>; error?: unknown }
  assert.equal(error, undefined)
  assert.deepEqual(RESULT_SHAPES[method](result, method), [])
  return result
}

test('methods without parameters', async () => {
  await call('getHealth')
  await call('getNetwork')
  await call('getVersionInfo')
  await call('getLatestLedger')
  const stats = await call('getFeeStats')
  assert.ok(Number((stats['inclusionFee'] as Record<string, string>)['transactionCount']) > 0)
  assert.ok(Number((stats['sorobanInclusionFee'] as Record<string, string>)['transactionCount']) > 0)
})

test('all ledgers, transactions and events', async () => {
  const { oldestLedger } = (await call('getHealth')) as { oldestLedger: number }
  const { ledgers } = (await call('getLedgers', { startLedger: oldestLedger, pagination: { limit: 200 } })) as { ledgers: unknown[] }
  assert.ok(ledgers.length > 3)
  const page = (await call('getTransactions', { startLedger: oldestLedger, pagination: { limit: 200 } })) as { transactions: { status: string }[] }
  assert.deepEqual(new Set(page.transactions.map((each) => each.status)), new Set(['SUCCESS', 'FAILED']))
  const { events } = (await call('getEvents', { startLedger: oldestLedger, pagination: { limit: 10_000 } })) as { events: { transactionIndex: number }[] }
  assert.ok(events.some((event) => event.transactionIndex === 0), 'fee events precede all transactions')
  assert.ok(events.some((event) => event.transactionIndex === 1_048_575), 'refund events follow all transactions')
})

test('getTransaction of a payment, a call, a failed call and an unknown hash', async () => {
  const [payment, invocation, failed] = await Promise.all(hashes.map((hash) => call('getTransaction', { hash })))
  assert.deepEqual([payment?.['status'], invocation?.['status'], failed?.['status']], ['SUCCESS', 'SUCCESS', 'FAILED'])
  assert.equal((await call('getTransaction', { hash: '0'.repeat(64) }))['status'], 'NOT_FOUND')
})

test('entries of every kind', async () => {
  const { market, usdcToken } = served.network.contracts
  const account = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: served.keypair('alice').xdrAccountId() }))
  const keys = [account.toXdr('base64'), ...[market, usdcToken].map((id) => new Contract(id).getFootprint().toXdr('base64'))]
  const { entries } = (await call('getLedgerEntries', { keys })) as { entries: { key: string; liveUntilLedgerSeq?: number }[] }
  assert.deepEqual(entries.map((entry) => entry.key), keys)
  assert.deepEqual(entries.map((entry) => entry.liveUntilLedgerSeq !== undefined), [false, true, true])
})

test('simulations that succeed, that a contract rejects, and that do not decode', async () => {
  const succeeded = await call('simulateTransaction', { transaction: (await draft(transferOf(1n))).toXdr() })
  assert.ok(Array.isArray(succeeded['stateChanges']) && succeeded['stateChanges'].length > 0)
  const rejected = await call('simulateTransaction', { transaction: (await draft(transferOf(10n ** 18n))).toXdr() })
  assert.match(String(rejected['error']), /^HostError: Error\(Contract, #10\)\n\n/)
  assert.match(String((await call('simulateTransaction', { transaction: 'AAAA' }))['error']), /^Could not unmarshal transaction/)
})

test('sends: accepted, already queued, rejected', async () => {
  served.closeOnSend = false
  const transaction = await draft(Operation.bumpSequence({ bumpTo: '0' }))
  const params = { transaction: transaction.toXdr() }
  assert.equal((await call('sendTransaction', params))['status'], 'ERROR')
  const payment = await draft(Operation.payment({ destination: served.keypair('bob').publicKey(), asset: Asset.native(), amount: '1' }))
  payment.sign(served.keypair('alice'))
  assert.equal((await call('sendTransaction', { transaction: payment.toXdr() }))['status'], 'PENDING')
  assert.equal((await call('sendTransaction', { transaction: payment.toXdr() }))['status'], 'DUPLICATE')
  served.network.chain.closeLedger()
  assert.equal((await call('sendTransaction', { transaction: payment.toXdr() }))['status'], 'TRY_AGAIN_LATER')
})
