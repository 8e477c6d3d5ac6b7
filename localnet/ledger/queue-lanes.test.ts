import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, TransactionBuilder } from '@stellar/stellar-sdk'
import { decodeEnvelope, type Envelope } from './envelope.ts'
import { chooseEvictions, replacementFeeNeeded, selectForLane } from './queue-lanes.ts'
import { queuedTransaction } from './queued-transactions.ts'
import { ALICE, BOB, NETWORK_ID, PASSPHRASE, payment } from './test-chain.ts'

/** Payments that bid `fee` stroops each. */
function payments(count: number, fee: number): Envelope {
  const builder = new TransactionBuilder(new Account(ALICE.publicKey(), '1'), { fee: String(fee), networkPassphrase: PASSPHRASE })
  for (let index = 0; index < count; index++) builder.addOperation(payment(BOB))
  return decodeEnvelope(builder.setTimeout(0).build().toXdr(), NETWORK_ID)
}

const queued = (...envelopes: readonly Envelope[]) => envelopes.map(queuedTransaction)

test('an empty lane costs the minimum base fee', () => {
  assert.deepEqual(selectForLane([], false, 100n), { envelopes: [], baseFee: 100n })
})

test('a lane that is too full drops the lowest bids and charges the lowest selected one', () => {
  const waiting = Array.from({ length: 11 }, (_, index) => payments(100, 200 + index))
  const { envelopes, baseFee } = selectForLane(queued(...waiting), false, 100n)
  assert.deepEqual(envelopes, waiting.slice(1))
  assert.equal(baseFee, 201n)
})

test('evicts the latest of equal bids first', () => {
  const waiting = queued(...Array.from({ length: 40 }, () => payments(100, 200)))
  const choice = chooseEvictions(waiting, queuedTransaction(payments(100, 300)))
  assert('evicted' in choice)
  assert.deepEqual(choice.evicted, [waiting.at(-1)])
})

test('names the fee that beats the next bid when the bids are not lower', () => {
  const waiting = queued(...Array.from({ length: 40 }, () => payments(100, 200)))
  assert.deepEqual(chooseEvictions(waiting, queuedTransaction(payments(2, 200))), { neededFee: 401n })
})

test('a replacement needs ten times the inclusion fee per operation', () => {
  const [waiting] = queued(payments(2, 150))
  assert(waiting !== undefined)
  assert.equal(replacementFeeNeeded(waiting, payments(1, 1_499)), 1_500n)
  assert.equal(replacementFeeNeeded(waiting, payments(1, 1_500)), null)
})
