// Checks the local network's responses against the same shapes as the captures of real nodes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Asset, Contract, Keypair, nativeToScVal, Operation, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Transaction } from '@stellar/stellar-sdk'
import { RESULT_SHAPES } from './result-shapes.ts'
import type { MethodName } from './result-shapes.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let fixture: NetworkFixture
const hashes: string[] = []

before(async () => {
  fixture = await createNetworkFixture()
  const { server } = fixture
  await server.fundAddress(Keypair.random().publicKey())
  hashes.push(await send(await draft(Operation.payment({ destination: fixture.keypair('bob').publicKey(), asset: Asset.native(), amount: '1' }))))
  hashes.push(await send(await server.prepareTransaction(await draft(transferOf(5n)))))
  const underdeclared = await server.prepareTransaction(await draft(transferOf(7n)))
  hashes.push(await send(withoutFootprint(underdeclared)))
})
after(() => fixture[Symbol.asyncDispose]())

function transferOf(amount: bigint): xdr.Operation {
  const parties = [fixture.keypair('alice'), fixture.keypair('bob')].map((keypair) => nativeToScVal(keypair.publicKey(), { type: 'address' }))
  return new Contract(fixture.network.contracts.usdcToken).call('transfer', ...parties, nativeToScVal(amount, { type: 'i128' }))
}

async function draft(operation: xdr.Operation): Promise<Transaction> {
  const account = await fixture.server.getAccount(fixture.keypair('alice').publicKey())
  const { networkPassphrase } = fixture.network
  return new TransactionBuilder(account, { fee: '1000', networkPassphrase }).addOperation(operation).setTimeout(300).build()
}

/** Removes the footprint, so that the ledger accepts the transaction but its execution fails. */
function withoutFootprint(transaction: Transaction): Transaction {
  const envelope = transaction.toEnvelope()
  assert.ok(envelope.type === 'envelopeTypeTx' && envelope.v1.tx.ext.type === 'sorobanData')
  const data = new SorobanDataBuilder(envelope.v1.tx.ext.sorobanData).setFootprint([], []).build()
  return TransactionBuilder.cloneFrom(transaction, { fee: transaction.fee, networkPassphrase: fixture.network.networkPassphrase, sorobanData: data }).build()
}

async function send(transaction: Transaction): Promise<string> {
  transaction.sign(fixture.keypair('alice'))
  const { hash } = await fixture.server.sendTransaction(transaction)
  await fixture.server.pollTransaction(hash)
  return hash
}

/** Calls an RPC method over HTTP and checks the shape of its result. */
async function callRpc(method: MethodName, params: unknown = null): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(fixture.rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { result, error } = (await response.json()) as { result: Record<string, unknown>; error?: unknown }
  assert.equal(error, undefined)
  assert.deepEqual(RESULT_SHAPES[method](result, method), [])
  return result
}

test('methods without parameters', async () => {
  await callRpc('getHealth')
  await callRpc('getNetwork')
  await callRpc('getVersionInfo')
  await callRpc('getLatestLedger')
  const stats = await callRpc('getFeeStats')
  assert.ok(Number((stats['inclusionFee'] as Record<string, string>)['transactionCount']) > 0)
  assert.ok(Number((stats['sorobanInclusionFee'] as Record<string, string>)['transactionCount']) > 0)
})

test('getLedgers, getTransactions and getEvents over the whole history', async () => {
  const { oldestLedger } = (await callRpc('getHealth')) as { oldestLedger: number }
  const { ledgers } = (await callRpc('getLedgers', { startLedger: oldestLedger, pagination: { limit: 200 } })) as { ledgers: unknown[] }
  assert.ok(ledgers.length > 3)
  const page = (await callRpc('getTransactions', { startLedger: oldestLedger, pagination: { limit: 200 } })) as { transactions: { status: string }[] }
  assert.deepEqual(new Set(page.transactions.map((transaction) => transaction.status)), new Set(['SUCCESS', 'FAILED']))
  const { events } = (await callRpc('getEvents', { startLedger: oldestLedger, pagination: { limit: 10_000 } })) as { events: { transactionIndex: number }[] }
  assert.ok(events.some((event) => event.transactionIndex === 0), 'fee events precede all transactions')
  assert.ok(events.some((event) => event.transactionIndex === 1_048_575), 'refund events follow all transactions')
})

test('getTransaction of a payment, a call, a failed call and an unknown hash', async () => {
  const [payment, call, failed] = await Promise.all(hashes.map((hash) => callRpc('getTransaction', { hash })))
  assert.deepEqual([payment?.['status'], call?.['status'], failed?.['status']], ['SUCCESS', 'SUCCESS', 'FAILED'])
  assert.equal((await callRpc('getTransaction', { hash: '0'.repeat(64) }))['status'], 'NOT_FOUND')
})

test('getLedgerEntries of an account and two contract instances', async () => {
  const { market, usdcToken } = fixture.network.contracts
  const account = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: fixture.keypair('alice').xdrAccountId() }))
  const keys = [account.toXdr('base64'), ...[market, usdcToken].map((id) => new Contract(id).getFootprint().toXdr('base64'))]
  const { entries } = (await callRpc('getLedgerEntries', { keys })) as { entries: { key: string; liveUntilLedgerSeq?: number }[] }
  assert.deepEqual(entries.map((entry) => entry.key), keys)
  assert.deepEqual(entries.map((entry) => entry.liveUntilLedgerSeq !== undefined), [false, true, true])
})

test('simulateTransaction that succeeds, fails in the contract, and cannot be decoded', async () => {
  const success = await callRpc('simulateTransaction', { transaction: (await draft(transferOf(1n))).toXdr() })
  assert.ok(Array.isArray(success['stateChanges']) && success['stateChanges'].length > 0)
  const failure = await callRpc('simulateTransaction', { transaction: (await draft(transferOf(10n ** 18n))).toXdr() })
  assert.match(String(failure['error']), /^HostError: Error\(Contract, #10\)\n\n/)
  assert.match(String((await callRpc('simulateTransaction', { transaction: 'AAAA' }))['error']), /^Could not unmarshal transaction/)
})

test('sendTransaction returns ERROR, PENDING, DUPLICATE and TRY_AGAIN_LATER', async () => {
  fixture.closeOnSend = false
  const transaction = await draft(Operation.bumpSequence({ bumpTo: '0' }))
  const params = { transaction: transaction.toXdr() }
  assert.equal((await callRpc('sendTransaction', params))['status'], 'ERROR')
  const payment = await draft(Operation.payment({ destination: fixture.keypair('bob').publicKey(), asset: Asset.native(), amount: '1' }))
  payment.sign(fixture.keypair('alice'))
  assert.equal((await callRpc('sendTransaction', { transaction: payment.toXdr() }))['status'], 'PENDING')
  assert.equal((await callRpc('sendTransaction', { transaction: payment.toXdr() }))['status'], 'DUPLICATE')
  fixture.network.chain.closeLedger()
  assert.equal((await callRpc('sendTransaction', { transaction: payment.toXdr() }))['status'], 'TRY_AGAIN_LATER')
})
