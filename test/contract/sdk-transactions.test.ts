// The unmodified SDK sends transactions to the local network over a socket and reads their results.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Asset, Contract, Keypair, nativeToScVal, Operation, rpc, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Transaction } from '@stellar/stellar-sdk'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

/** A valid amount, in 7-decimal units, above every balance. */
const AMOUNT_ABOVE_ALL_BALANCES = 10n ** 18n

let served: NetworkFixture
before(async () => {
  served = await createNetworkFixture()
})
after(() => served[Symbol.asyncDispose]())

async function build(source: Keypair, operation: xdr.Operation): Promise<Transaction> {
  const account = await served.server.getAccount(source.publicKey())
  return buildFor(account, operation)
}

function buildFor(account: Account, operation: xdr.Operation): Transaction {
  const { networkPassphrase } = served.network
  return new TransactionBuilder(account, { fee: '1000', networkPassphrase }).addOperation(operation).setTimeout(300).build()
}

function transfer(from: Keypair, to: Keypair, amount: bigint): xdr.Operation {
  const args = [from, to].map((each) => nativeToScVal(each.publicKey(), { type: 'address' }))
  return new Contract(served.network.contracts.usdcToken).call('transfer', ...args, nativeToScVal(amount, { type: 'i128' }))
}

async function sendAndPoll(transaction: Transaction): Promise<rpc.Api.GetTransactionResponse> {
  const sent = await served.server.sendTransaction(transaction)
  assert.equal(sent.status, 'PENDING', sent.errorResult === undefined ? '' : JSON.stringify(sent.errorResult.toJson()))
  return served.server.pollTransaction(sent.hash)
}

test('fundAddress and requestAirdrop create accounts and reject funded ones', async () => {
  const { server } = served
  const fresh = Keypair.random().publicKey()
  const funding = await server.fundAddress(fresh)
  assert.equal(funding.status, 'SUCCESS')
  assert.equal((await server.getAccountEntry(fresh)).balance, 100_000_000_000n)
  await assert.rejects(server.fundAddress(fresh), /already funded/)

  const other = Keypair.random().publicKey()
  const account = await server.requestAirdrop(other)
  assert.equal(account.sequenceNumber(), (await server.getAccount(other)).sequenceNumber())
})

test('a classic payment is applied and found by hash and in the list', async () => {
  const { server } = served
  const [alice, bob] = [served.keypair('alice'), served.keypair('bob')]
  const initialBalance = (await server.getAccountEntry(bob.publicKey())).balance
  const transaction = await build(alice, Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount: '5' }))
  transaction.sign(alice)
  const applied = await sendAndPoll(transaction)
  assert.equal(applied.status, 'SUCCESS')
  assert.equal((await server.getAccountEntry(bob.publicKey())).balance, initialBalance + 50_000_000n)
  const { transactions } = await server.getTransactions({ startLedger: applied.ledger })
  const [listed] = transactions
  assert.deepEqual([listed?.txHash, listed?.ledger], [applied.txHash, applied.ledger])
})

test('a wrong sequence, signature or network is rejected at once with a result that decodes', async () => {
  const { server, network } = served
  const [alice, bob] = [served.keypair('alice'), served.keypair('bob')]
  const operation = Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount: '1' })
  const codeOf = async (transaction: Transaction): Promise<string | undefined> => {
    const sent = await server.sendTransaction(transaction)
    return sent.status === 'ERROR' ? sent.errorResult?.result.type : sent.status
  }
  const stale = buildFor(new Account(alice.publicKey(), '123456789'), operation)
  stale.sign(alice)
  assert.equal(await codeOf(stale), 'txBadSeq')
  const forged = await build(alice, operation)
  forged.sign(bob)
  assert.equal(await codeOf(forged), 'txBadAuth')
  const account = await server.getAccount(alice.publicKey())
  const elsewhere = new TransactionBuilder(account, { fee: '100', networkPassphrase: `${network.networkPassphrase}?` })
    .addOperation(operation)
    .setTimeout(300)
    .build()
  elsewhere.sign(alice)
  assert.equal(await codeOf(elsewhere), 'txBadAuth')
})

test('a token transfer is simulated, prepared, signed and applied with its return value and event', async () => {
  const { server } = served
  const [alice, bob] = [served.keypair('alice'), served.keypair('bob')]
  const draft = await build(alice, transfer(alice, bob, 12_345n))
  const simulation = await server.simulateTransaction(draft)
  assert.ok(rpc.Api.isSimulationSuccess(simulation))
  const prepared = await server.prepareTransaction(draft)
  assert.ok(BigInt(prepared.fee) > 1_000n)
  prepared.sign(alice)
  const applied = await sendAndPoll(prepared)
  assert.equal(applied.status, 'SUCCESS')
  assert.equal(applied.returnValue?.type, 'scvVoid')

  const topic = nativeToScVal('transfer', { type: 'symbol' }).toXdr('base64')
  const filter = { type: 'contract' as const, contractIds: [served.network.contracts.usdcToken], topics: [[topic, '**']] }
  const { events } = await server.getEvents({ startLedger: applied.ledger, filters: [filter] })
  const own = events.filter((event) => event.txHash === applied.txHash)
  assert.equal(own.length, 1)
  const [event] = own
  assert.equal(scValToNative(event?.value ?? xdr.ScVal.scvVoid()), 12_345n)
  assert.deepEqual(event?.topic.slice(1, 3).map((value) => scValToNative(value) as unknown), [alice.publicKey(), bob.publicKey()])
})

test('a simulation that the token rejects has the error code, which prepareTransaction throws', async () => {
  const { server } = served
  const [alice, bob] = [served.keypair('alice'), served.keypair('bob')]
  const draft = await build(alice, transfer(alice, bob, AMOUNT_ABOVE_ALL_BALANCES))
  const simulation = await server.simulateTransaction(draft)
  assert.ok(rpc.Api.isSimulationError(simulation))
  assert.match(simulation.error, /^HostError: Error\(Contract, #10\)\n\nEvent log \(newest first\):\n/)
  await assert.rejects(server.prepareTransaction(draft), /Error\(Contract, #10\)/)
})

test('a transfer that fails on the ledger is FAILED, with the code in the diagnostics and only the fee event', async () => {
  const { server, network } = served
  const [alice, bob, carol] = [served.keypair('alice'), served.keypair('bob'), served.keypair('carol')]
  const balance = await tokenBalance(carol)
  const everything = await server.prepareTransaction(await build(carol, transfer(carol, alice, balance)))
  everything.sign(carol)
  // Prepared while the balance suffices and sent when it does not.
  const account = await server.getAccount(carol.publicKey())
  account.incrementSequenceNumber()
  const doomed = await server.prepareTransaction(buildFor(account, transfer(carol, bob, balance)))
  doomed.sign(carol)
  assert.equal((await sendAndPoll(everything)).status, 'SUCCESS')

  const failed = await sendAndPoll(doomed)
  assert.ok(failed.status === rpc.Api.GetTransactionStatus.FAILED)
  assert.equal(failed.resultXdr.result.type, 'txFailed')
  const failure = failed.diagnosticEventsXdr?.find((each) => topicsOf(each.event)[0] === 'host_fn_failed')
  assert.ok(failure !== undefined && failure.event.contractId === null)
  const topics = failed.diagnosticEventsXdr?.flatMap(({ event: { body } }) => body.v0.topics)
  const errors = topics?.flatMap((topic) => (topic.type === 'scvError' ? [topic.error] : []))
  assert.ok(errors?.some((error) => error.type === 'sceContract' && error.contractCode === 10))
  const { events } = await server.getEvents({ startLedger: failed.ledger, filters: [] })
  const own = events.filter((event) => event.txHash === failed.txHash)
  assert.ok(own.length > 0)
  for (const event of own) assert.deepEqual([scValToNative(event.topic[0] ?? xdr.ScVal.scvVoid()), event.inSuccessfulContractCall], ['fee', false])
  assert.equal(network.chain.pending(), 0)
})

test('an account has one pending transaction; a repeated applied envelope returns TRY_AGAIN_LATER', async () => {
  const { server, network } = served
  served.closeOnSend = false
  try {
    const [alice, bob] = [served.keypair('alice'), served.keypair('bob')]
    const pay = (amount: string): xdr.Operation => Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount })
    const first = await build(alice, pay('1'))
    const second = buildFor(await server.getAccount(alice.publicKey()), pay('2'))
    for (const each of [first, second]) each.sign(alice)
    assert.equal((await server.sendTransaction(first)).status, 'PENDING')
    assert.equal((await server.sendTransaction(first)).status, 'DUPLICATE')
    assert.equal((await server.sendTransaction(second)).status, 'TRY_AGAIN_LATER')
    network.chain.closeLedger()
    assert.equal((await server.sendTransaction(first)).status, 'TRY_AGAIN_LATER')
  } finally {
    served.closeOnSend = true
  }
})

async function tokenBalance(of: Keypair): Promise<bigint> {
  const call = new Contract(served.network.contracts.usdcToken).call('balance', nativeToScVal(of.publicKey(), { type: 'address' }))
  const simulation = await served.server.simulateTransaction(await build(of, call))
  assert.ok(rpc.Api.isSimulationSuccess(simulation) && simulation.result !== undefined)
  return scValToNative(simulation.result.retval) as bigint
}

function topicsOf(event: xdr.ContractEvent): unknown[] {
  return event.body.v0.topics.map((topic) => (topic.type === 'scvSymbol' ? topic.sym.toString() : topic.type))
}
