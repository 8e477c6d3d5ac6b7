import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, text } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, createTestExchange, E7, eventsOf, openArgs, type OpenOptions, REFERRAL, type TestExchange, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const DAY = 86_400n

/** Opens a position of this size. Returns the fee that the vault received. */
function openFee(exchange: TestExchange, size: bigint, options: OpenOptions = {}): unknown {
  exchange.setPrice('BTC', 50_000n * E7)
  const result = exchange.invokeOk('open_position', openArgs(ALICE, { collateral: size * E7, leverage: 1, ...options }))
  const [, data] = eventsOf(result)[1] ?? assert.fail('no fee')
  return (data as unknown[])[0]
}

interface VolumeRecord {
  daily_volumes: bigint[]
  last_update_day: bigint
}

const volume = (exchange: TestExchange): VolumeRecord => exchange.stored(KEYS.traderVolume(ALICE)) as VolumeRecord
const total = (exchange: TestExchange): bigint => volume(exchange).daily_volumes.reduce((sum, slot) => sum + slot, 0n)

test('taker fees fall at a volume of 20k, 50k and 100k, not counting the trade itself', () => {
  const exchange = createTestExchange()
  // 5, 4, 3 and 2 basis points of 10,000.
  assert.equal(openFee(exchange, 10_000n), 50_000_000n)
  assert.equal(openFee(exchange, 10_000n), 50_000_000n, 'at 10,000')
  assert.equal(openFee(exchange, 10_000n), 40_000_000n, 'at 20,000 exactly')
  assert.equal(openFee(exchange, 20_000n), 80_000_000n, 'at 30,000')
  assert.equal(openFee(exchange, 50_000n), 150_000_000n, 'at 50,000')
  assert.equal(openFee(exchange, 10_000n), 20_000_000n, 'at 100,000')
  assert.equal(total(exchange), 110_000n * E7)
})

test('a close adds its size to the volume without a fee', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.close(ALICE, id)
  assert.equal(total(exchange), 2000n * E7)
})

test('fees are truncated', () => {
  const exchange = createTestExchange()
  // 10.0000199 x 0.05 % = 0.005000009..., seven decimals kept.
  assert.equal(openFee(exchange, 0n, { collateral: 100_000_199n }), 50_000n)
})

test('the volume slot of a day is its number modulo 14', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  const day = exchange.host.ledger.timestampSec / DAY
  assert.equal(volume(exchange).last_update_day, day)
  assert.equal(volume(exchange).daily_volumes[Number(day % 14n)], 1000n * E7)
  assert.equal(volume(exchange).daily_volumes.length, 14)
})

test('old days count for the tier until the next trade clears them', () => {
  const exchange = createTestExchange()
  openFee(exchange, 50_000n)
  exchange.advance(20n * DAY)
  assert.equal(openFee(exchange, 10_000n), 30_000_000n, 'the volume of 20 days ago still counts')
  assert.equal(total(exchange), 10_000n * E7)
  assert.equal(openFee(exchange, 10_000n), 50_000_000n)
})

test('each elapsed day clears one slot, 14 days clear all', () => {
  const exchange = createTestExchange()
  openFee(exchange, 1_000n)
  exchange.advance(DAY)
  openFee(exchange, 2_000n)
  exchange.advance(12n * DAY)
  openFee(exchange, 4_000n)
  assert.equal(total(exchange), 7_000n * E7, 'after 13 days nothing is cleared')
  exchange.advance(DAY)
  openFee(exchange, 8_000n)
  assert.equal(total(exchange), 14_000n * E7, 'after 14 days the first slot is reused')
  exchange.advance(14n * DAY)
  openFee(exchange, 10n)
  assert.equal(total(exchange), 10n * E7)
})

test('with a referral contract a referred trader pays 4 % less and the referrer earns 10 % of the fee', () => {
  const exchange = createTestExchange()
  exchange.host.invokeOk(REFERRAL, 'create_code', [address(BOB), text('STAR')], [BOB])
  exchange.host.invokeOk(REFERRAL, 'set_referrer', [address(ALICE), text('STAR')], [ALICE])
  const info = () => toNative(exchange.host.invokeOk(REFERRAL, 'get_info', [address(BOB)]).value) as Record<string, unknown>
  assert.equal(openFee(exchange, 10_000n), 50_000_000n, 'without a referral contract, as deployed')
  assert.equal(info()['total_earned'], 0n)
  exchange.invokeOk('set_referral', [address(REFERRAL)])
  assert.equal(openFee(exchange, 10_000n), 48_000_000n)
  const { total_volume_generated, total_earned, claimable } = info()
  assert.deepEqual([total_volume_generated, total_earned, claimable], [50_000_000n, 5_000_000n, 5_000_000n])
  exchange.setPrice('BTC', 50_000n * E7)
  const before = exchange.usdc(VAULT)
  exchange.invokeOk('open_position', openArgs(BOB, { collateral: 10_000n * E7, leverage: 1 }))
  assert.equal(exchange.usdc(VAULT) - before, 50_000_000n, 'a trader without a referrer pays the full fee')
})
