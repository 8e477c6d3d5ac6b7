import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Account, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { createChainFixture, FAKE_PASSPHRASE, requestBody } from './test-fixture.ts'
import type { ChainFixture } from './test-fixture.ts'
import { endOfLedgerCursor } from './event-cursor.ts'

interface Answer {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

async function ask(fake: ChainFixture, method: string, params: unknown = {}): Promise<Answer> {
  const { status, body } = await fake.rpc.handle(requestBody(method, params))
  assert.equal(status, 200)
  return JSON.parse(body ?? '') as Answer
}

/** Ledgers 1 to 10. Each from 2 on has a transaction, whose hash is its number, and two events. */
function door(): ChainFixture {
  const fake = createChainFixture()
  for (let sequence = 2; sequence <= 10; sequence++) {
    fake.chain.closeLedgerWith({ transactions: [{ hash: hashOf(sequence) }], events: [{}, {}] })
  }
  return fake
}

const hashOf = (sequence: number): string => String(sequence).padStart(64, '0')

async function pageOf(fake: ChainFixture, params: unknown): Promise<{ ledgers: number[]; cursor: string }> {
  const { result } = await ask(fake, 'getEvents', params)
  const events = (result?.['events'] ?? []) as { ledger: number }[]
  return { ledgers: events.map((event) => event.ledger), cursor: String(result?.['cursor']) }
}

test('rpc_error returns the node\'s message for its codes, or the given message', async () => {
  const fake = door()
  fake.faults.arm({ name: 'rpc_error' })
  assert.deepEqual((await ask(fake, 'getEvents')).error, { code: -32001, message: 'request exceeded processing limit threshold' })
  fake.faults.arm({ name: 'rpc_error', code: -32098, method: 'getEvents' })
  const queueFull = { code: -32098, message: 'rpc queue for getEvents surpassed queue limit of 1000 requests' }
  assert.deepEqual((await ask(fake, 'getEvents')).error, queueFull)
  fake.faults.arm({ name: 'rpc_error', code: -32603, message: 'database is locked' })
  assert.deepEqual((await ask(fake, 'getHealth')).error, { code: -32603, message: 'database is locked' })
})

test('lagging returns an older state, and -32600 for a newer cursor', async () => {
  const fake = door()
  fake.faults.arm({ name: 'lagging', ledgers: 3 })
  assert.equal((await ask(fake, 'getHealth')).result?.['latestLedger'], 7)
  assert.equal((await ask(fake, 'getLatestLedger')).result?.['sequence'], 7)
  assert.deepEqual(await pageOf(fake, { startLedger: 6 }), { ledgers: [6, 6, 7, 7], cursor: endOfLedgerCursor(7) })
  assert.equal((await ask(fake, 'getTransaction', { hash: hashOf(8) })).result?.['status'], 'NOT_FOUND')
  assert.equal((await ask(fake, 'getTransaction', { hash: hashOf(7) })).result?.['status'], 'SUCCESS')
  const { error } = await ask(fake, 'getEvents', { pagination: { cursor: endOfLedgerCursor(9) } })
  assert.deepEqual(error, { code: -32600, message: 'startLedger must be within the ledger range: 1 - 7' })
  const transactions = (await ask(fake, 'getTransactions', { startLedger: 6 })).result?.['transactions'] as unknown[]
  assert.equal(transactions.length, 2)
  const ledgers = (await ask(fake, 'getLedgers', { startLedger: 6 })).result?.['ledgers'] as unknown[]
  assert.equal(ledgers.length, 2)
  assert.equal((await ask(fake, 'simulateTransaction', { transaction: 'x' })).result?.['latestLedger'], 7)
  fake.faults.clear()
  assert.equal((await ask(fake, 'getHealth')).result?.['latestLedger'], 10)
})

test('lagging by more than the history keeps the oldest ledger', async () => {
  const fake = door()
  fake.faults.arm({ name: 'lagging', ledgers: 100 })
  assert.equal((await ask(fake, 'getHealth')).result?.['latestLedger'], 1)
})

test('retention_cut raises oldestLedger, and refuses or does not find older data', async () => {
  const fake = door()
  fake.faults.arm({ name: 'retention_cut', ledgers: 4 })
  assert.equal((await ask(fake, 'getHealth')).result?.['oldestLedger'], 7)
  assert.equal((await ask(fake, 'getEvents', { startLedger: 6 })).error?.code, -32600)
  const { error } = await ask(fake, 'getEvents', { pagination: { cursor: endOfLedgerCursor(6) } })
  assert.deepEqual(error, { code: -32600, message: 'startLedger must be within the ledger range: 7 - 10' })
  assert.equal((await ask(fake, 'getTransaction', { hash: hashOf(6) })).result?.['status'], 'NOT_FOUND')
  assert.deepEqual((await pageOf(fake, { startLedger: 7, endLedger: 8 })).ledgers, [7, 7])
})

test('repeated_page returns the previous page with its cursor', async () => {
  const fake = door()
  const first = await pageOf(fake, { startLedger: 2, pagination: { limit: 2 } })
  fake.faults.arm({ name: 'repeated_page' })
  assert.deepEqual(await pageOf(fake, { pagination: { cursor: first.cursor } }), first)
  assert.deepEqual((await pageOf(fake, { pagination: { cursor: first.cursor, limit: 2 } })).ledgers, [3, 3])
})

test('cut_page returns a valid page that ends inside a ledger', async () => {
  const fake = door()
  fake.faults.arm({ name: 'cut_page', events: 3 })
  const cut = await pageOf(fake, { startLedger: 2, pagination: { limit: 100 } })
  assert.deepEqual(cut.ledgers, [2, 2, 3])
  assert.deepEqual((await pageOf(fake, { pagination: { cursor: cut.cursor, limit: 2 } })).ledgers, [3, 4])
  fake.faults.arm({ name: 'cut_page', events: 3 })
  assert.equal((await pageOf(fake, { startLedger: 2, pagination: { limit: 2 } })).ledgers.length, 2)
})

test('cursor_ignored starts the page at the oldest ledger', async () => {
  const fake = door()
  fake.faults.arm({ name: 'cursor_ignored' })
  assert.deepEqual((await pageOf(fake, { pagination: { cursor: endOfLedgerCursor(8), limit: 1 } })).ledgers, [2])
})

test('get_transactions_cursor_zero affects only empty pages', async () => {
  const fake = door()
  fake.faults.arm({ name: 'get_transactions_cursor_zero' })
  const page = (await ask(fake, 'getTransactions', { startLedger: 10 })).result
  assert.notEqual(page?.['cursor'], '0')
  assert.equal((await ask(fake, 'getTransactions', { pagination: { cursor: page?.['cursor'] } })).result?.['cursor'], '0')
})

test('not_found finds a transaction the given number of ledgers late', async () => {
  const fake = door()
  fake.faults.arm({ name: 'not_found', ledgers: 2 })
  async function status(sequence: number): Promise<unknown> {
    return (await ask(fake, 'getTransaction', { hash: hashOf(sequence) })).result?.['status']
  }
  assert.deepEqual([await status(10), await status(9), await status(8)], ['NOT_FOUND', 'NOT_FOUND', 'SUCCESS'])
  assert.equal((await ask(fake, 'getTransaction', { hash: hashOf(10) })).result?.['latestLedger'], 10)
})

test('simulation faults return a full queue and an exceeded budget', async () => {
  const fake = door()
  fake.faults.arm({ name: 'preflight_queue_full' })
  assert.deepEqual((await ask(fake, 'simulateTransaction', {})).result, { error: 'preflight queue full', latestLedger: 10 })
  fake.faults.arm({ name: 'resource_limit_exceeded' })
  assert.match(String((await ask(fake, 'simulateTransaction', {})).result?.['error']), /^HostError: Error\(Budget, ExceededLimit\)\n\n/)
})

test('sending faults return every status of a node, with the envelope hash', async () => {
  const source = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(3))
  const envelope = new TransactionBuilder(new Account(source.publicKey(), '1'), { fee: '100', networkPassphrase: FAKE_PASSPHRASE })
    .addOperation(Operation.bumpSequence({ bumpTo: '9' }))
    .setTimeout(0)
    .build()
  const hash = Buffer.from(envelope.hash()).toString('hex')
  const params = { transaction: envelope.toXdr() }

  const fake = door()
  fake.faults.arm({ name: 'try_again_later' })
  assert.deepEqual((await ask(fake, 'sendTransaction', params)).result, {
    status: 'TRY_AGAIN_LATER', hash, latestLedger: 10, latestLedgerCloseTime: String(fake.chain.history.latest().closeTimeSec),
  })
  assert.equal(fake.chain.pending(), 0)
  fake.faults.arm({ name: 'invalid_status' })
  assert.deepEqual((await ask(fake, 'sendTransaction', params)).error, { code: -32603, message: 'invalid status from stellar-core' })
  fake.faults.arm({ name: 'submission_lost' })
  const lost = { code: -32603, message: 'could not submit transaction to stellar-core' }
  assert.deepEqual((await ask(fake, 'sendTransaction', params)).error, lost)
  assert.equal(fake.chain.pending(), 0)
  fake.faults.arm({ name: 'submission_lost', executed: true })
  assert.equal((await ask(fake, 'sendTransaction', params)).error?.code, -32603)
  assert.equal(fake.chain.pending(), 1)
  fake.chain.closeLedger()
  fake.faults.arm({ name: 'duplicate' })
  assert.equal((await ask(fake, 'sendTransaction', params)).result?.['status'], 'DUPLICATE')
  assert.equal(fake.chain.pending(), 1)
})

test('faults combine: a lagging node with short pages', async () => {
  const fake = door()
  fake.faults.arm({ name: 'lagging', ledgers: 5 })
  fake.faults.arm({ name: 'cut_page', events: 1 })
  assert.deepEqual((await pageOf(fake, { startLedger: 5 })).ledgers, [5])
  assert.equal((await ask(fake, 'getEvents', { startLedger: 6 })).error?.code, -32600)
})
