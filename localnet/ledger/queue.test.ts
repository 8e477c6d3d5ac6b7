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

/** A call, or payments. The queue checks neither signatures nor accounts. */
function envelopeOf(source: number, bid: number, payments = 0): Envelope {
  const account = new Account(sourceAt(source).publicKey(), '7')
  const builder = new TransactionBuilder(account, { fee: String(bid), networkPassphrase: PASSPHRASE }).setTimeout(0)
  if (payments === 0) builder.addOperation(call()).setSorobanData(new SorobanDataBuilder().setResourceFee(500).build())
  for (let count = 0; count < payments; count++) builder.addOperation(payment(BOB))
  return decodeEnvelope(builder.build().toXdr(), NETWORK_ID)
}

/** One byte of seed allows 200 sources. */
const sourceAt = (source: number) => testKeypair((source % 200) + 1)

/** Envelopes of distinct invented sources. Filling the queue takes four hundred. */
function envelopesOfDistinctSources(size: number, bid: (index: number) => number): Envelope[] {
  return Array.from({ length: size }, (_, index) => {
    const envelope = envelopeOf(0, bid(index))
    const { transaction } = envelope
    const source = { account: `G${index}`, muxed: false }
    return { ...envelope, hash: `outer-${index}`, transaction: { ...transaction, source, hash: `outer-${index}` } }
  })
}

test('selects the highest bids in order of arrival, and the lowest of them is the base fee', () => {
  const queue = createQueue(100n)
  const envelopes = envelopesOfDistinctSources(PER_LEDGER_CALLS + 2, (index) => (index === 3 || index === 50 ? 150 : 200 + index))
  for (const envelope of envelopes) assert.equal(queue.add(envelope), null)
  const { envelopes: taken, baseFee } = queue.selectTransactions()
  assert.deepEqual(taken, envelopes.filter((_, index) => index !== 3 && index !== 50))
  assert.deepEqual(baseFee, { classic: 100n, soroban: 200n })
})

test('charges the minimum base fee while a lane has room, however high the bids', () => {
  const queue = createQueue(100n)
  for (const envelope of envelopesOfDistinctSources(PER_LEDGER_CALLS, () => 9_000)) queue.add(envelope)
  assert.deepEqual(queue.selectTransactions().baseFee, { classic: 100n, soroban: 100n })
})

test('selects classic transactions before Soroban transactions', () => {
  const queue = createQueue(100n)
  const [called, paid] = [envelopeOf(1, 500), envelopeOf(2, 100, 1)]
  for (const envelope of [called, paid]) queue.add(envelope)
  assert.deepEqual(queue.selectTransactions().envelopes, [paid, called])
})

test('drops a transaction after four ledgers and bans it for ten', () => {
  const queue = createQueue(100n)
  const envelopes = envelopesOfDistinctSources(PER_LEDGER_CALLS + 1, (index) => (index === 0 ? 100 : 200))
  const [waiting, ...others] = envelopes
  assert(waiting !== undefined)
  queue.add(waiting)
  for (let closed = 0; closed < QUEUED_LEDGERS; closed++) {
    assert.equal(queue.rejectionOf(waiting)?.kind, 'duplicate')
    for (const other of others) {
      const hash = `${other.hash}-${closed}`
      queue.add({ ...other, hash, transaction: { ...other.transaction, hash } })
    }
    queue.ledgerClosed(queue.selectTransactions().envelopes)
  }
  assert.equal(queue.size, 0)
  for (let closed = 0; closed < 10; closed++) {
    assert.equal(queue.rejectionOf(waiting)?.kind, 'try-again-later', `${closed} ledgers after`)
    queue.ledgerClosed([])
  }
  assert.equal(queue.rejectionOf(waiting), null)
})

test('a full lane evicts for a higher bid, and rejects a lower one with the fee it needs', () => {
  const queue = createQueue(100n)
  const [weakest, ...others] = envelopesOfDistinctSources(PER_LEDGER_CALLS * QUEUED_LEDGERS, (index) => (index === 0 ? 300 : 400))
  assert(weakest !== undefined)
  for (const envelope of [weakest, ...others]) assert.equal(queue.add(envelope), null)
  // Of each fee, 500 stroops are the resource fee.
  assert.deepEqual(queue.add(envelopeOf(1, 300)), { kind: 'insufficient-fee', neededFee: 801n })
  assert.equal(queue.add(envelopeOf(1, 301)), null)
  assert.equal(queue.size, PER_LEDGER_CALLS * QUEUED_LEDGERS)
  assert.equal(queue.rejectionOf(weakest)?.kind, 'try-again-later', 'the evicted transaction is banned')
  assert.equal(queue.add(envelopeOf(2, 100, 1)), null, 'the other lane has room')
})

test('evicts nothing when the evictions would not make enough room', () => {
  const queue = createQueue(100n)
  const lane = CLASSIC_OPERATIONS_PER_LEDGER * QUEUED_LEDGERS
  for (let source = 0; source < lane / 100; source++) {
    assert.equal(queue.add(envelopeOf(source, source === 0 ? 200 : 400, source === 0 ? 50 : 100)), null)
  }
  assert.equal(queue.add(envelopeOf(50, 400, 50)), null)
  const { size } = queue
  // Higher than the lowest bid, but the transactions with lower bids free too little capacity.
  assert.equal(queue.add(envelopeOf(60, 300, 100))?.kind, 'insufficient-fee')
  assert.equal(queue.size, size)
})

test('sums pending fees by payer, without the transaction that the envelope would replace', () => {
  const queue = createQueue(100n)
  const [mine, others] = [envelopeOf(1, 100, 2), envelopeOf(2, 100, 3)]
  queue.add(mine)
  queue.add(others)
  const payer = sourceAt(1).publicKey()
  assert.equal(queue.pendingFees(payer, others), 200n)
  assert.equal(queue.pendingFees(payer, envelopeOf(1, 900, 1)), 0n)
})
