import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Operation, SorobanDataBuilder, TransactionBuilder, type xdr } from '@stellar/stellar-sdk'
import { decodeEnvelope, type Envelope } from './envelope.ts'
import { createQueue } from './queue.ts'
import { BOB, COUNTER, NETWORK_ID, PASSPHRASE, payment, testKeypair } from './test-chain.ts'

const PER_LEDGER_CALLS = 100
const QUEUED_LEDGERS = 4
const CLASSIC_OPERATIONS_PER_LEDGER = 1_000

const call = (): xdr.Operation => Operation.invokeContractFunction({ contract: COUNTER, function: 'clock', args: [] })

/** Somebody's call or payments; the queue looks at neither signatures nor accounts. */
function envelopeOf(who: number, bid: number, payments = 0): Envelope {
  const account = new Account(personAt(who).publicKey(), '7')
  const builder = new TransactionBuilder(account, { fee: String(bid), networkPassphrase: PASSPHRASE }).setTimeout(0)
  if (payments === 0) builder.addOperation(call()).setSorobanData(new SorobanDataBuilder().setResourceFee(500).build())
  for (let count = 0; count < payments; count++) builder.addOperation(payment(BOB))
  return decodeEnvelope(builder.build().toXdr(), NETWORK_ID)
}

/** More people than the seeds of one byte allow. */
const personAt = (who: number) => testKeypair((who % 200) + 1)

/** Four hundred sources are needed to fill the queue: distinct ones, whatever they are. */
function crowd(size: number, bid: (index: number) => number): Envelope[] {
  return Array.from({ length: size }, (_, index) => {
    const envelope = envelopeOf(0, bid(index))
    const { transaction } = envelope
    const source = { account: `G${index}`, muxed: false }
    return { ...envelope, hash: `outer-${index}`, transaction: { ...transaction, source, hash: `outer-${index}` } }
  })
}

test('a ledger takes the highest bids, in the order of arrival, at the price of the lowest among them', () => {
  const queue = createQueue(100n)
  const envelopes = crowd(PER_LEDGER_CALLS + 2, (index) => (index === 3 || index === 50 ? 150 : 200 + index))
  for (const envelope of envelopes) assert.equal(queue.add(envelope), null)
  const { envelopes: taken, baseFee } = queue.selectTransactions()
  assert.deepEqual(taken, envelopes.filter((_, index) => index !== 3 && index !== 50))
  assert.deepEqual(baseFee, { classic: 100n, soroban: 200n })
})

test('a lane with room costs the least bid, however much is offered', () => {
  const queue = createQueue(100n)
  for (const envelope of crowd(PER_LEDGER_CALLS, () => 9_000)) queue.add(envelope)
  assert.deepEqual(queue.selectTransactions().baseFee, { classic: 100n, soroban: 100n })
})

test('payments come before calls, whoever came first', () => {
  const queue = createQueue(100n)
  const [called, paid] = [envelopeOf(1, 500), envelopeOf(2, 100, 1)]
  for (const envelope of [called, paid]) queue.add(envelope)
  assert.deepEqual(queue.selectTransactions().envelopes, [paid, called])
})

test('what four ledgers passed by is dropped, and refused for ten', () => {
  const queue = createQueue(100n)
  const envelopes = crowd(PER_LEDGER_CALLS + 1, (index) => (index === 0 ? 100 : 200))
  const [left, ...others] = envelopes
  assert(left !== undefined)
  queue.add(left)
  for (let closed = 0; closed < QUEUED_LEDGERS; closed++) {
    assert.equal(queue.rejectionOf(left)?.kind, 'duplicate')
    for (const other of others) {
      const hash = `${other.hash}-${closed}`
      queue.add({ ...other, hash, transaction: { ...other.transaction, hash } })
    }
    queue.ledgerClosed(queue.selectTransactions().envelopes)
  }
  assert.equal(queue.size, 0)
  for (let closed = 0; closed < 10; closed++) {
    assert.equal(queue.rejectionOf(left)?.kind, 'try-again-later', `${closed} ledgers after`)
    queue.ledgerClosed([])
  }
  assert.equal(queue.rejectionOf(left), null)
})

test('a full lane makes room for a higher bid and names the fee to a lower one', () => {
  const queue = createQueue(100n)
  const [weakest, ...others] = crowd(PER_LEDGER_CALLS * QUEUED_LEDGERS, (index) => (index === 0 ? 300 : 400))
  assert(weakest !== undefined)
  for (const envelope of [weakest, ...others]) assert.equal(queue.add(envelope), null)
  // 500 stroops are for resources.
  assert.deepEqual(queue.add(envelopeOf(1, 300)), { kind: 'insufficient-fee', neededFee: 801n })
  assert.equal(queue.add(envelopeOf(1, 301)), null)
  assert.equal(queue.size, PER_LEDGER_CALLS * QUEUED_LEDGERS)
  assert.equal(queue.rejectionOf(weakest)?.kind, 'try-again-later', 'what had to go is refused for a while')
  assert.equal(queue.add(envelopeOf(2, 100, 1)), null, 'the other lane has room')
})

test('nobody has to go for one that would not fit even then', () => {
  const queue = createQueue(100n)
  const lane = CLASSIC_OPERATIONS_PER_LEDGER * QUEUED_LEDGERS
  for (let who = 0; who < lane / 100; who++) assert.equal(queue.add(envelopeOf(who, who === 0 ? 200 : 400, who === 0 ? 50 : 100)), null)
  assert.equal(queue.add(envelopeOf(50, 400, 50)), null)
  const { size } = queue
  // Above the weakest by its bid, but there is too little of the weakest.
  assert.equal(queue.add(envelopeOf(60, 300, 100))?.kind, 'insufficient-fee')
  assert.equal(queue.size, size)
})

test('fees are counted by who pays, but for what the envelope itself would replace', () => {
  const queue = createQueue(100n)
  const [mine, others] = [envelopeOf(1, 100, 2), envelopeOf(2, 100, 3)]
  queue.add(mine)
  queue.add(others)
  const payer = personAt(1).publicKey()
  assert.equal(queue.pendingFees(payer, others), 200n)
  assert.equal(queue.pendingFees(payer, envelopeOf(1, 900, 1)), 0n)
})
