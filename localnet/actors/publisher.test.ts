import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { ASSET_SYMBOLS } from '../assets.ts'
import { priceTag } from '../contracts/shared/price-oracle.ts'
import { plain } from '../test-network.ts'
import { createPriceFeed } from './price-feed.ts'
import type { PriceFeed } from './price-feed.ts'
import { createPublisher } from './publisher.ts'
import { createTestLedger, DEPLOYMENT, NOW_SEC, IDENTITIES } from './test-client.ts'

/** Prices that rise by one each second. */
function risingFeed(): PriceFeed {
  let price = 1_000n
  return createPriceFeed({ advance: (seconds) => void (price += BigInt(seconds)), price: () => price, setPrices: () => {} })
}

function setUp() {
  const client = createTestLedger().client(IDENTITIES.publisher.address)
  const feed = risingFeed()
  const publisher = createPublisher({ client, feed, oracle: DEPLOYMENT.oracle, assets: ASSET_SYMBOLS, random: createSeededRandom('publisher') })
  const turn = (ledgers: number) => publisher.act({ sequence: 100 + ledgers, closeTimeSec: NOW_SEC + ledgers })
  return { client, feed, publisher, turn }
}

interface Written {
  readonly price: bigint
  readonly timestamp: bigint
  readonly round_id: bigint
  readonly tag: Uint8Array
}

function written(call: { readonly args: readonly Parameters<typeof plain>[0][] } | undefined): readonly Written[] {
  const prices = call?.args[1]
  assert(prices !== undefined)
  return plain(prices) as Written[]
}

test('writes all fourteen prices in one transaction, with the oracle’s tags, attested at the ledger’s time', async () => {
  const { client, turn } = setUp()
  await turn(0)
  const [call] = client.calls
  assert.deepEqual([call?.contract, call?.functionName, call?.args[0]], [DEPLOYMENT.oracle, 'write_prices', { type: 'address', value: client.address }])
  const prices = written(call)
  assert.deepEqual(prices.map(({ tag }) => Buffer.from(tag)), ASSET_SYMBOLS.map((asset) => Buffer.from(priceTag(asset))))
  assert(prices.every(({ price, timestamp, round_id }) => price === 1_000n && timestamp === BigInt(NOW_SEC) && round_id === 100n))
})

test('writes every second or third ledger, with prices that moved in between', async () => {
  const { client, turn } = setUp()
  const writtenAt: number[] = []
  for (let ledger = 0; ledger < 60; ledger++) {
    const before = client.calls.length
    await turn(ledger)
    if (client.calls.length > before) writtenAt.push(ledger)
  }
  const pauses = new Set(writtenAt.slice(1).map((ledger, index) => ledger - (writtenAt[index] ?? 0)))
  assert.deepEqual(pauses, new Set([2, 3]))
  for (const [index, ledger] of writtenAt.entries()) assert.equal(written(client.calls[index])[0]?.price, 1_000n + BigInt(ledger))
})

test('waits while a write is pending, and retries a refused one at the next ledger', async () => {
  const { client, turn } = setUp()
  client.results.push({ kind: 'refused', code: 4, reason: 'paused' })
  await turn(0)
  await turn(1)
  assert.equal(client.calls.length, 2)
  client.settlements.push({ kind: 'pending' }, { kind: 'pending' })
  await turn(4)
  await turn(5)
  assert.equal(client.calls.length, 2)
  await turn(6)
  assert.equal(client.calls.length, 3)
})

test('writes a held price unchanged with the requested attestation age', async () => {
  const { client, feed, turn } = setUp()
  feed.hold('ETH', { price: 77n, ageSec: 61 })
  await turn(0)
  await turn(10)
  const eth = ASSET_SYMBOLS.indexOf('ETH')
  for (const [index, ledger] of [0, 10].entries()) {
    const { price, timestamp } = written(client.calls[index])[eth] ?? {}
    assert.deepEqual([price, timestamp], [77n, BigInt(NOW_SEC + ledger - 61)])
  }
  assert.equal(written(client.calls[1])[0]?.price, 1_010n)
})
