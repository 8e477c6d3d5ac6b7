// The unmodified SDK sends transactions to the local network over HTTP and reads their results.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Account, Asset, Contract, Keypair, nativeToScVal, Operation, rpc, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Transaction } from '@stellar/stellar-sdk'
import { TEST_PROTOCOL } from '../support/protocol.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

/** In 7-decimal units: more than any account's balance, but less than the maximum of a trustline. */
const UNAFFORDABLE_AMOUNT = 10n ** 18n

let fixture: NetworkFixture
before(async () => {
  fixture = await createNetworkFixture()
})
after(() => fixture[Symbol.asyncDispose]())

async function build(source: Keypair, operation: xdr.Operation): Promise<Transaction> {
  const account = await fixture.server.getAccount(source.publicKey())
  return buildFor(account, operation)
}

function buildFor(account: Account, operation: xdr.Operation): Transaction {
  const { networkPassphrase } = fixture.network
  return new TransactionBuilder(account, { fee: '1000', networkPassphrase }).addOperation(operation).setTimeout(300).build()
}

function transfer(from: Keypair, to: Keypair, amount: bigint): xdr.Operation {
  const args = [from, to].map((keypair) => nativeToScVal(keypair.publicKey(), { type: 'address' }))
  return new Contract(fixture.network.contracts.usdcToken).call('transfer', ...args, nativeToScVal(amount, { type: 'i128' }))
}

async function sendAndPoll(transaction: Transaction): Promise<rpc.Api.GetTransactionResponse> {
  const sent = await fixture.server.sendTransaction(transaction)
  assert.equal(sent.status, 'PENDING', sent.errorResult === undefined ? '' : JSON.stringify(sent.errorResult.toJson()))
  return fixture.server.pollTransaction(sent.hash)
}

test('fundAddress and requestAirdrop create accounts, and fundAddress rejects a funded account', async () => {
  const { server } = fixture
  const fresh = Keypair.random().publicKey()
  const funding = await server.fundAddress(fresh)
  assert.equal(funding.status, 'SUCCESS')
  assert.equal((await server.getAccountEntry(fresh)).balance, 100_000_000_000n)
  await assert.rejects(server.fundAddress(fresh), /already funded/)

  const other = Keypair.random().publicKey()
  const account = await server.requestAirdrop(other)
  assert.equal(account.sequenceNumber(), (await server.getAccount(other)).sequenceNumber())
})

test('a classic payment is applied, and found by its hash and in the list', async () => {
  const { server } = fixture
  const [alice, bob] = [fixture.keypair('alice'), fixture.keypair('bob')]
  const balanceBefore = (await server.getAccountEntry(bob.publicKey())).balance
  const transaction = await build(alice, Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount: '5' }))
  transaction.sign(alice)
  const applied = await sendAndPoll(transaction)
  assert.equal(applied.status, 'SUCCESS')
  assert.equal((await server.getAccountEntry(bob.publicKey())).balance, balanceBefore + 50_000_000n)
  const { transactions } = await server.getTransactions({ startLedger: applied.ledger })
  const [listed] = transactions
  assert.deepEqual([listed?.txHash, listed?.ledger], [applied.txHash, applied.ledger])
})

test('a send with a wrong sequence, signature or network returns an error result that decodes', async () => {
  const { server, network } = fixture
  const [alice, bob] = [fixture.keypair('alice'), fixture.keypair('bob')]
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
  const wrongNetwork = new TransactionBuilder(account, { fee: '100', networkPassphrase: `${network.networkPassphrase}?` })
    .addOperation(operation)
    .setTimeout(300)
    .build()
  wrongNetwork.sign(alice)
  assert.equal(await codeOf(wrongNetwork), 'txBadAuth')
})

test('a token transfer is simulated, prepared and applied, and has its return value and event', async () => {
  const { server } = fixture
  const [alice, bob] = [fixture.keypair('alice'), fixture.keypair('bob')]
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
  const filter = { type: 'contract' as const, contractIds: [fixture.network.contracts.usdcToken], topics: [[topic, '**']] }
  const { events } = await server.getEvents({ startLedger: applied.ledger, filters: [filter] })
  const own = events.filter((event) => event.txHash === applied.txHash)
  assert.equal(own.length, 1)
  const [event] = own
  assert.equal(scValToNative(event?.value ?? xdr.ScVal.scvVoid()), 12_345n)
  assert.deepEqual(event?.topic.slice(1, 3).map((party) => scValToNative(party) as unknown), [alice.publicKey(), bob.publicKey()])
})

test('a failed simulation returns the token\'s error code, and prepareTransaction throws it', async () => {
  const { server } = fixture
  const [alice, bob] = [fixture.keypair('alice'), fixture.keypair('bob')]
  const draft = await build(alice, transfer(alice, bob, UNAFFORDABLE_AMOUNT))
  const simulation = await server.simulateTransaction(draft)
  assert.ok(rpc.Api.isSimulationError(simulation))
  assert.match(simulation.error, /^HostError: Error\(Contract, #10\)\n\nEvent log \(newest first\):\n/)
  await assert.rejects(server.prepareTransaction(draft), /Error\(Contract, #10\)/)
})

test('a transfer that fails on the ledger reports its error code only in the diagnostics, and emits only fee events', async () => {
  const { server, network } = fixture
  const [alice, bob, carol] = [fixture.keypair('alice'), fixture.keypair('bob'), fixture.keypair('carol')]
  const balance = await tokenBalance(carol)
  const fullTransfer = await server.prepareTransaction(await build(carol, transfer(carol, alice, balance)))
  fullTransfer.sign(carol)
  // Prepared while the balance is sufficient, and sent after it was spent.
  const account = await server.getAccount(carol.publicKey())
  account.incrementSequenceNumber()
  const overdraft = await server.prepareTransaction(buildFor(account, transfer(carol, bob, balance)))
  overdraft.sign(carol)
  assert.equal((await sendAndPoll(fullTransfer)).status, 'SUCCESS')

  const failed = await sendAndPoll(overdraft)
  assert.ok(failed.status === rpc.Api.GetTransactionStatus.FAILED)
  assert.equal(failed.resultXdr.result.type, 'txFailed')
  const failureEvent = failed.diagnosticEventsXdr?.find((diagnostic) => topicsOf(diagnostic.event)[0] === 'host_fn_failed')
  assert.ok(failureEvent !== undefined && failureEvent.event.contractId === null)
  const topics = failed.diagnosticEventsXdr?.flatMap(({ event: { body } }) => body.v0.topics)
  const errors = topics?.flatMap((topic) => (topic.type === 'scvError' ? [topic.error] : []))
  assert.ok(errors?.some((error) => error.type === 'sceContract' && error.contractCode === 10))
  const { events } = await server.getEvents({ startLedger: failed.ledger, filters: [] })
  const own = events.filter((event) => event.txHash === failed.txHash)
  assert.ok(own.length > 0)
  for (const event of own) {
    assert.deepEqual(scValToNative(event.topic[0] ?? xdr.ScVal.scvVoid()), 'fee')
    assert.equal(event.inSuccessfulContractCall, TEST_PROTOCOL < 30 ? false : undefined)
  }
  assert.equal(network.chain.pending(), 0)
})

test('an account has at most one pending transaction, and an applied envelope returns TRY_AGAIN_LATER', async () => {
  const { server, network } = fixture
  fixture.closeOnSend = false
  try {
    const [alice, bob] = [fixture.keypair('alice'), fixture.keypair('bob')]
    const pay = (amount: string): xdr.Operation => Operation.payment({ destination: bob.publicKey(), asset: Asset.native(), amount })
    const first = await build(alice, pay('1'))
    const second = buildFor(await server.getAccount(alice.publicKey()), pay('2'))
    for (const transaction of [first, second]) transaction.sign(alice)
    assert.equal((await server.sendTransaction(first)).status, 'PENDING')
    assert.equal((await server.sendTransaction(first)).status, 'DUPLICATE')
    assert.equal((await server.sendTransaction(second)).status, 'TRY_AGAIN_LATER')
    network.chain.closeLedger()
    assert.equal((await server.sendTransaction(first)).status, 'TRY_AGAIN_LATER')
  } finally {
    fixture.closeOnSend = true
  }
})

async function tokenBalance(holder: Keypair): Promise<bigint> {
  const call = new Contract(fixture.network.contracts.usdcToken).call('balance', nativeToScVal(holder.publicKey(), { type: 'address' }))
  const simulation = await fixture.server.simulateTransaction(await build(holder, call))
  assert.ok(rpc.Api.isSimulationSuccess(simulation) && simulation.result !== undefined)
  return scValToNative(simulation.result.retval) as bigint
}

function topicsOf(event: xdr.ContractEvent): unknown[] {
  return event.body.v0.topics.map((topic) => (topic.type === 'scvSymbol' ? topic.sym.toString() : topic.type))
}
