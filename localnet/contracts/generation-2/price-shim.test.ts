import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractCode, Val } from '../shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec, VOID } from '../shared/host.ts'
import { ALL_PRICE_BANDS } from '../shared/price-bands.ts'
import { priceTag } from '../shared/price-oracle.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import { ADMIN, ALICE, contractError, ORACLE, SHIM, UNAUTHORIZED } from '../../test/contracts/generation-1/test-exchange.ts'
import { asSymbol, asVec, entryPoint } from '../shared/values.ts'
import { priceOracleContract } from './price-oracle.ts'
import { priceShimContract } from './price-shim.ts'

const FEED = 'CFEED'

/** A SEP-40 feed with 14 decimals that knows BTC at 50,000.12345678 and 50,002. */
const SEP_40_FEED: ContractCode = {
  name: 'feed',
  structs: { PriceData: [['price', 'i128'], ['timestamp', 'u64']] },
  entryPoints: {
    lastprice: entryPoint({ asset: 'val' }, { option: { struct: 'PriceData' } }, (_, args) => (isBtc(args[0]) ? PRICES[0] ?? VOID : VOID)),
    prices: entryPoint({ asset: 'val', records: 'u32' }, { option: { vec: { struct: 'PriceData' } } }, (_, args) =>
      isBtc(args[0]) ? vec(...PRICES) : VOID,
    ),
  },
}

const PRICES: readonly Val[] = [
  struct({ price: i128(5_000_012_345_678_000_000n), timestamp: u64(200n) }),
  struct({ price: i128(5_000_200_000_000_000_000n), timestamp: u64(100n) }),
]

function isBtc(asset: Val | undefined): boolean {
  const [kind, name] = asVec(asset)
  return asSymbol(kind) === 'Other' && asSymbol(name) === 'BTC'
}

function createShim(): TestHost {
  const host = createTestHost({ [SHIM]: priceShimContract(), [ORACLE]: priceOracleContract(), [FEED]: SEP_40_FEED })
  host.invokeOk(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.invokeOk(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher', [address(ADMIN), bool(true)], [ADMIN])
  return host
}

function writePrice(host: TestHost, asset: string, price: bigint, timestamp: bigint): void {
  const update = struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
  host.invokeOk(ORACLE, 'write_prices', [address(ADMIN), vec(update)], [ADMIN])
}

const shim = (host: TestHost, name: string, ...args: readonly Val[]): unknown => toNative(host.invokeOk(SHIM, name, args).value)
const twap = (host: TestHost, records: number, asset = 'BTC'): unknown => shim(host, 'twap', symbol(asset), u32(records))

test('the shim knows 18 symbols, in the order in which the market applies funding', () => {
  assert.deepEqual([...ALL_PRICE_BANDS.keys()], [
    'BTC', 'ETH', 'XLM', 'SOL', 'XRP', 'ADA', 'BNB', 'TRX', 'HYPE', 'DOGE', 'ZEC', 'LINK', 'BCH', 'LTC', 'PUMP', 'UNI', 'PAXG', 'XAUT',
  ])
  const host = createShim()
  for (const asset of ALL_PRICE_BANDS.keys()) {
    writePrice(host, asset, 7n, 100n)
    assert.deepEqual(shim(host, 'lastprice', symbol(asset)), [7n, 100n])
  }
  assert.equal(Buffer.from(priceTag('PUMP')).toString('latin1'), 'PUMPUSD\0')
})

test('lastprice fails with 1, 31 for an unknown symbol and 32 without a price', () => {
  const uninitialized = createTestHost({ [SHIM]: priceShimContract() })
  assert.equal(uninitialized.tryInvoke(SHIM, 'lastprice', [symbol('BTC')]), contractError(1))
  const host = createShim()
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('NOPE')]), contractError(31))
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('BTC')]), contractError(32))
})

test('twap is the mean of the latest prices with the newest time', () => {
  const host = createShim()
  for (const [price, time] of [[100n, 10n], [200n, 20n], [400n, 30n], [801n, 40n]] as const) writePrice(host, 'BTC', price, time)
  assert.deepEqual(twap(host, 2), [600n, 40n], 'truncated')
  assert.deepEqual(twap(host, 4), [375n, 40n])
  assert.deepEqual(twap(host, 32), [375n, 40n], 'as many as there are')
})

test('twap is void, never an error, with fewer than two prices, for an unknown symbol, and if the oracle cannot be read', () => {
  const host = createShim()
  assert.equal(twap(host, 4), null)
  writePrice(host, 'BTC', 100n, 10n)
  writePrice(host, 'BTC', 110n, 10n)
  assert.equal(twap(host, 4), null, 'a price with the same time replaces the previous one')
  writePrice(host, 'BTC', 120n, 11n)
  assert.deepEqual(twap(host, 4), [115n, 11n])
  assert.equal(twap(host, 1), null)
  assert.equal(twap(host, 4, 'NOPE'), null)
  host.invokeOk(SHIM, 'set_noeracle_oracle', [address('CNOWHERE')], [ADMIN])
  assert.equal(twap(host, 4), null)
})

test('the oracle keeps the latest eight prices of a tag', () => {
  const host = createShim()
  for (let time = 1n; time <= 10n; time++) writePrice(host, 'BTC', time, time)
  const prices = toNative(host.invokeOk(ORACLE, 'get_prices_pers', [bytes(priceTag('BTC')), u32(99)]).value) as { price: bigint }[]
  assert.deepEqual(prices.map(({ price }) => price), [10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n])
})

test('the backend can be a SEP-40 feed, whose prices are rescaled to 7 decimals', () => {
  const host = createShim()
  assert.deepEqual(shim(host, 'get_backend'), [0, ORACLE, 7])
  const { events } = host.invokeOk(SHIM, 'set_backend', [u32(1), address(FEED), u32(14)], [ADMIN])
  assert.deepEqual(events.map(toNativeEvent), [[SHIM, ['backend_set'], [1, FEED, 14]]])
  assert.deepEqual([shim(host, 'get_backend'), shim(host, 'decimals')], [[1, FEED, 14], 7])
  assert.deepEqual(shim(host, 'lastprice', symbol('BTC')), [500_001_234_567n, 200n])
  assert.deepEqual(twap(host, 2), [500_010_617_283n, 200n])
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('ETH')]), contractError(32))
  assert.equal(twap(host, 2, 'ETH'), null)
})

test('the admin\'s calls require the admin, validate the backend and emit events', () => {
  const host = createShim()
  const rows: readonly (readonly [name: string, args: readonly Val[], event: readonly unknown[]])[] = [
    ['set_backend', [u32(0), address(ORACLE), u32(7)], [['backend_set'], [0, ORACLE, 7]]],
    ['set_noeracle_oracle', [address(FEED)], [['oracle_rotated'], [ORACLE, FEED]]],
    ['set_admin', [address(ALICE)], [['admin_rotated'], [ADMIN, ALICE]]],
  ]
  assert.equal(host.tryInvoke(SHIM, 'set_admin', [address(ALICE)], [ADMIN]), UNAUTHORIZED, 'both admins sign')
  for (const [mode, decimals] of [[2, 7], [1, 19], [0, 8]] as const) {
    assert.equal(host.tryInvoke(SHIM, 'set_backend', [u32(mode), address(FEED), u32(decimals)], [ADMIN]), contractError(5))
  }
  for (const [name, args, event] of rows) {
    assert.equal(host.tryInvoke(SHIM, name, args, [ALICE]), UNAUTHORIZED, name)
    assert.deepEqual(host.invokeOk(SHIM, name, args, [ADMIN, ALICE]).events.map((item) => toNativeEvent(item).slice(1)), [event], name)
  }
  assert.deepEqual([shim(host, 'get_admin'), shim(host, 'get_noeracle')], [ALICE, FEED])
})
