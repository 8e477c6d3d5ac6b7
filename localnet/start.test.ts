import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { TEST_PROTOCOL } from '../test/support/protocol.ts'
import { createVirtualClock } from '../src/base/clock.ts'
import { silentLog } from '../src/base/log.ts'
import { createSeededRandom } from '../src/base/random.ts'
import { ASSET_SYMBOLS } from './assets.ts'
import { accountKeyXdr as accountKey } from './actors/client.ts'
import { readOraclePrices } from './actors/exchange-state.ts'
import { createIdentity } from './actors/identity.ts'
import { MARKETS } from './actors/markets.ts'
import { startLocalNetwork } from './start.ts'
import { eventLogHash, START_MS, startTestNetwork } from './test-network.ts'
import type { TestNetwork } from './test-network.ts'

function traders(network: TestNetwork): ReadonlySet<string> {
  return new Set(network.accounts.filter((account) => account.name.startsWith('trader-')).map((account) => account.address))
}

test('a seed determines the chain event for event, and other seeds give other chains', async () => {
  const runWith = async (seed: string): Promise<{ events: string; head: string; trades: number }> => {
    await using network = await startTestNetwork({ seed, traders: 6 })
    await network.closeLedgers(30)
    assert.equal(network.clock.pendingTimers(), 0)
    // The latest ledger's hash covers more than events: every envelope, result and ledger entry.
    const { hash } = network.chain.history.latest()
    return { events: eventLogHash(network), head: hash, trades: network.exchangeEvents('position_closed').length }
  }
  const [first, repeated, other] = [await runWith('one'), await runWith('one'), await runWith('two')]
  assert.deepEqual(first, repeated)
  assert.notEqual(first.events, other.events)
  assert.notEqual(first.head, other.head)
  assert(first.trades > 0, 'the run has no trade')
})

test('traders open and close positions within ten ledgers, with transactions they signed', async () => {
  await using network = await startTestNetwork({ traders: 12 })
  await network.closeLedgers(10)
  const opened = network.exchangeEvents('position_opened')
  const closed = network.exchangeEvents('position_closed')
  assert(opened.length >= 5, `only ${opened.length} positions were opened`)
  assert(closed.length >= 1, 'no position was closed')
  for (const event of [...opened, ...closed]) {
    const record = network.chain.history.transaction(event.txHash)
    const transaction = TransactionBuilder.fromXdr(record?.envelopeXdr ?? '', network.networkPassphrase)
    assert('source' in transaction && traders(network).has(transaction.source))
    assert.equal(transaction.source, event.fields[1])
    const [signature] = transaction.signatures
    assert(signature !== undefined && Keypair.fromPublicKey(transaction.source).verify(transaction.hash(), signature.signature))
  }
})

test('all prices exist from the first ledger, move, and stay fresh and within their ranges', async () => {
  await using network = await startTestNetwork({ traders: 0 })
  const { oracle } = await network.call<{ oracle: string }>('local_info')
  const read = () => readOraclePrices(network.userClient('alice'), oracle)
  const first = await read()
  assert.deepEqual([...first.keys()], [...ASSET_SYMBOLS])
  await network.closeLedgers(40)
  const last = await read()
  for (const [asset, { price, timestampSec }] of last) {
    const market = MARKETS[asset]
    assert(market !== undefined && price >= market.lowest && price <= market.highest)
    assert.notEqual(price, first.get(asset)?.price, `${asset} has not moved`)
    assert(network.chain.history.latest().closeTimeSec - timestampSec <= 5, `${asset} is stale`)
  }
})

test('liquidity providers fund the vault at the start, even without traders', async () => {
  await using network = await startTestNetwork({ traders: 0 })
  await network.closeLedgers(4)
  assert.deepEqual(network.exchangeEvents('deposit').map((event) => event.fields[1]), [20_000_000n, 10_000_000n, 5_000_000n].map((usdc) => usdc * 10_000_000n))
  await network.closeLedgers(10)
  assert.equal(network.exchangeEvents('deposit').length, 3)
  assert.equal(network.exchangeEvents('position_opened').length, 0)
})

test('a long run has few failed transactions', async () => {
  await using network = await startTestNetwork({ traders: 12 })
  await network.closeLedgers(240)
  const { history } = network.chain
  const records = history.transactionsAfter(0, 0, 10_000)
  const failed = records.filter((record) => record.status === 'FAILED')
  assert(failed.length <= records.length / 50, `${failed.length} of ${records.length} transactions failed`)
  assert(network.exchangeEvents('position_closed').length >= 20)
})

test('a restart continues the chain and the actors', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'localnet-'))
  try {
    let stopped: { hash: string; sequence: number; events: string; open: number }
    {
      await using network = await startTestNetwork({ directory, seed: 'before', traders: 6 })
      await network.closeLedgers(20)
      const { hash, sequence } = network.chain.history.latest()
      const open = network.exchangeEvents('position_opened').length - network.exchangeEvents('position_closed').length
      stopped = { hash, sequence, events: eventLogHash(network), open }
    }
    const clock = createVirtualClock(START_MS + 3_600_000)
    await using network = await startTestNetwork({ directory, seed: 'after', traders: 8, clock })
    assert.equal(network.chain.history.latest().hash, stopped.hash)
    assert.equal(eventLogHash(network), stopped.events)
    const firstTrades = network.exchangeEvents('position_closed').length
    const { oracle } = await network.call<{ oracle: string }>('local_info')
    const oldPrices = await readOraclePrices(network.userClient('alice'), oracle)
    for (let step = 0; step < 60; step++) await network.step()
    assert.equal(network.chain.history.latest().sequence, stopped.sequence + 60)
    assert(network.exchangeEvents('position_closed').length > firstTrades, 'no position from before the restart was closed')
    const newPrices = await readOraclePrices(network.userClient('alice'), oracle)
    for (const [asset, { price }] of newPrices) {
      const moved = Math.abs(Number(price) / Number(oldPrices.get(asset)?.price) - 1)
      assert(moved < 0.03, `${asset} jumped by ${moved} across the restart`)
    }
    const records = network.chain.history.transactionsAfter(stopped.sequence, 10_000, 10_000)
    assert(records.filter((record) => record.status === 'SUCCESS').length > 20)
    assert(records.filter((record) => record.status === 'FAILED').length <= 1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('with autoClose ledgers close on the clock until the network stops', async () => {
  const clock = createVirtualClock(START_MS)
  const network = await startLocalNetwork({
    clock, log: silentLog, seed: 'pace', random: createSeededRandom('pace'), ledgerMs: 1_000, host: '127.0.0.1', port: null, traders: 2, directory: null,
    autoClose: true, protocol: TEST_PROTOCOL,
  })
  const first = network.chain.history.latest().sequence
  clock.advance(3_000)
  assert.equal(network.chain.history.latest().sequence, first + 3)
  await network[Symbol.asyncDispose]()
  assert.equal(clock.pendingTimers(), 0)
})

test('a new network starts with prices, deposits, positions and a trade, and without future close times', async () => {
  for (const seed of ['one', 'two', 'three']) {
    await using network = await startTestNetwork({ seed, traders: 12, autoClose: true })
    const { closeTimeSec } = network.chain.history.latest()
    assert.equal(closeTimeSec, START_MS / 1_000)
    const topics = new Set(network.exchangeEvents().map(({ topic }) => topic))
    for (const topic of ['deposit', 'position_opened', 'position_closed']) assert(topics.has(topic), `${seed}: ${topic}`)
    network.chain.advance(60)
    network.chain.closeLedger()
    assert.equal(network.chain.history.latest().closeTimeSec, closeTimeSec + 60, 'later ledgers follow the clock')
  }
})

test('every listed account exists, and the user accounts have valid secrets', async () => {
  await using network = await startTestNetwork({ traders: 3 })
  for (const { name, address, secret } of network.accounts) {
    const identityName = name === 'root' ? '' : name
    assert.equal(createIdentity(network.networkPassphrase, identityName).address, address)
    const { entries } = await network.call<{ entries: unknown[] }>('getLedgerEntries', { keys: [accountKey(address)] })
    assert.equal(entries.length, 1, `${name} does not exist`)
    if (secret !== null) assert.equal(Keypair.fromSecret(secret).publicKey(), address)
  }
  assert.deepEqual(network.accounts.filter((account) => account.secret !== null).map((account) => account.name), ['alice', 'bob', 'carol'])
})
