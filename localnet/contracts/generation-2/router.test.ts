import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentity } from '../../actors/identity.ts'
import type { Val } from '../shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../shared/host.ts'
import { ALL_PRICE_BANDS } from '../shared/price-bands.ts'
import { attestationPayload, priceTag } from '../shared/price-oracle.ts'
import { toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, E7, KEEPER, MARKET, ORACLE, ROUTER, SHIM, UNAUTHORIZED, USDC,
} from '../../test/contracts/generation-1/test-exchange.ts'
import { createTestExchange, createUninitializedHost, openArgs, type TestExchange } from '../../test/contracts/generation-2/test-exchange.ts'

const PUBLISHERS = ['one', 'two', 'three'].map((name) => createIdentity('a test', `publisher ${name}`))
const STRANGER = createIdentity('a test', 'stranger')

type Publisher = typeof STRANGER

interface AttestationOptions {
  readonly asset?: string
  /** One price per publisher. */
  readonly prices?: readonly bigint[]
  readonly publishers?: readonly Publisher[]
  readonly timestamp?: bigint
  /** Replaces the signed prices. */
  readonly signedPrices?: readonly bigint[]
}

function attestation(exchange: TestExchange, options: AttestationOptions = {}): Val {
  const { asset = 'BTC', prices = [50_100n * E7], publishers = PUBLISHERS.slice(0, prices.length), signedPrices = prices } = options
  const timestamp = options.timestamp ?? exchange.host.ledger.timestampSec
  const payload = (price: bigint): Uint8Array =>
    attestationPayload(new Uint8Array(32), ORACLE, priceTag(asset), { price, timestamp, round_id: 7n })
  return struct({
    asset: symbol(asset),
    prices: vec(...prices.map(i128)),
    pubkeys: vec(...publishers.map((publisher) => bytes(publisher.publicKey))),
    round_id: u64(7n),
    sigs: vec(...publishers.map((publisher, index) => bytes(publisher.sign(payload(signedPrices[index] ?? 0n))))),
    timestamp: u64(timestamp),
  })
}

/** The exchange with its router and the keys of three publishers. */
function createRoutedExchange(): TestExchange {
  const exchange = createTestExchange()
  exchange.host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(ORACLE)], [ADMIN])
  for (const { publicKey } of PUBLISHERS) exchange.host.invokeOk(ORACLE, 'set_publisher_key', [bytes(publicKey), bool(true)], [ADMIN])
  return exchange
}

const openTerms = (trader: string, bound = 0n): Val[] => [address(trader), i128(100n * E7), u32(10), u32(0), i128(bound)]

const tryRouter = (exchange: TestExchange, name: string, args: readonly Val[], signers = [ALICE, BOB, KEEPER]): string =>
  exchange.host.tryInvoke(ROUTER, name, args, signers)

const call = (exchange: TestExchange, name: string, args: readonly Val[], signers: readonly string[]): unknown =>
  toNative(exchange.host.invokeOk(ROUTER, name, args, signers).value)

test('the bands of the new symbols are the published ones', () => {
  const bands = ['PUMP', 'UNI', 'PAXG', 'XAUT'].map((asset) => [ALL_PRICE_BANDS.get(asset)?.lowest, ALL_PRICE_BANDS.get(asset)?.highest])
  assert.deepEqual(bands, [[10n, 10n ** 7n], [10n ** 6n, 10n ** 11n], [10n ** 9n, 10n ** 12n], [10n ** 9n, 10n ** 12n]])
})

test('open_with_price takes the asset from the attestation and trades at its price, with the market below the router in the call tree', () => {
  const exchange = createRoutedExchange()
  exchange.advance(3600n)
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE)), contractError(30))
  const result = exchange.host.invokeOk(ROUTER, 'open_with_price', [...openTerms(ALICE), attestation(exchange)], [ALICE])
  assert.deepEqual(toNative(result.value), exchange.position(1n))
  assert.deepEqual([exchange.position(1n)['entry_price'], exchange.position(1n)['trader']], [50_100n * E7, ALICE])
  assert.deepEqual(result.auth.map(({ contract, functionName, depth }) => [contract, functionName, depth]), [
    [ROUTER, 'open_with_price', 0], [MARKET, 'open_position', 1], [USDC, 'transfer', 2],
  ])
})

test('the acceptable price reaches the market, and a rejected open leaves the old price', () => {
  const exchange = createRoutedExchange()
  assert.equal(tryRouter(exchange, 'open_with_price', [...openTerms(ALICE, 50_099n * E7), attestation(exchange)]), contractError(87))
  assert.deepEqual(toNative(exchange.host.invokeOk(SHIM, 'lastprice', [symbol('BTC')]).value), [50_000n * E7, exchange.host.ledger.timestampSec])
  const id = exchange.open(ALICE)
  const close = (bound: bigint): Val[] => [address(ALICE), u64(id), i128(bound), attestation(exchange)]
  assert.equal(tryRouter(exchange, 'close_with_price', close(50_101n * E7)), contractError(87))
  assert.equal(call(exchange, 'close_with_price', close(50_100n * E7), [ALICE]), 20_000_000n)
})

test('partial close, liquidation, auto-deleveraging, execution and cross liquidation run in the market at the relayed price', () => {
  const exchange = createRoutedExchange()
  const id = exchange.open(ALICE)
  assert.equal(call(exchange, 'close_partial_with_price', [address(ALICE), u64(id), i128(500n * E7), attestation(exchange)], [ALICE]), 10_000_000n)
  assert.equal(exchange.position(id)['size'], 500n * E7)
  const keeperArgs = (target: Val): Val[] => [address(KEEPER), target, attestation(exchange)]
  assert.equal(tryRouter(exchange, 'liquidate_with_price', keeperArgs(u64(id))), contractError(50), 'error of the market')
  assert.equal(tryRouter(exchange, 'adl_with_price', keeperArgs(u64(id))), contractError(84), 'error of the market')
  assert.equal(tryRouter(exchange, 'execute_with_price', keeperArgs(u64(99n))), contractError(60), 'error of the market')
  const atts = vec(attestation(exchange), attestation(exchange, { asset: 'ETH', prices: [2_001n * E7] }))
  assert.equal(tryRouter(exchange, 'liquidate_cross_with_prices', [address(KEEPER), address(ALICE), atts]), contractError(78), 'error of the market')
})

test('calls check 1, authorization, 5, 3 and 31 in this order', () => {
  const exchange = createRoutedExchange()
  const open = (options: AttestationOptions, signers?: string[]): string =>
    tryRouter(exchange, 'open_with_price', [...openTerms(ALICE), attestation(exchange, options)], signers)
  assert.equal(createUninitializedHost().tryInvoke(ROUTER, 'open_with_price', [...openTerms(ALICE), attestation(exchange)]), contractError(1))
  assert.equal(open({ publishers: [], prices: [] }, [BOB]), UNAUTHORIZED)
  assert.equal(open({ publishers: [], prices: [] }), contractError(5))
  assert.equal(open({ publishers: [STRANGER], prices: [1n, 1n] }), contractError(5))
  assert.equal(open({ publishers: [PUBLISHERS[0] as Publisher, STRANGER], prices: [1n, 1n] }), contractError(3))
  assert.equal(open({ prices: [50_000n * E7, 999n * E7] }), contractError(31), 'any price outside the band')
  assert.equal(open({ asset: 'NOPE', prices: [1n] }), contractError(31))
  assert.equal(open({ prices: [50_100n * E7], signedPrices: [50_200n * E7] }), 'Error(Crypto, InvalidInput)')
  assert.equal(open({}), 'ok')
})

test('the oracle stores the median of the publishers\' prices and ignores an older attestation', () => {
  const exchange = createRoutedExchange()
  exchange.host.invokeOk(
    ROUTER, 'open_with_price', [...openTerms(ALICE), attestation(exchange, { prices: [50_300n * E7, 50_100n * E7, 50_200n * E7] })], [ALICE],
  )
  assert.equal(exchange.position(1n)['entry_price'], 50_200n * E7)
  const stale = attestation(exchange, { prices: [50_000n * E7], timestamp: exchange.host.ledger.timestampSec - 30n })
  exchange.host.invokeOk(ROUTER, 'open_with_price', [...openTerms(BOB), stale], [BOB])
  assert.equal(exchange.position(2n)['entry_price'], 50_200n * E7)
})

test('the admin replaces bands and addresses', () => {
  const exchange = createRoutedExchange()
  const rows: readonly (readonly [name: string, args: readonly Val[], event: readonly unknown[]])[] = [
    ['set_price_band', [symbol('BTC'), i128(5n), i128(6n)], [['price_band_set', 'BTC'], [5n, 6n]]],
    ['set_market', [address(MARKET)], [['market_rotated'], [MARKET, MARKET]]],
    ['set_oracle', [address(ORACLE)], [['oracle_rotated'], [ORACLE, ORACLE]]],
    ['set_admin', [address(ALICE)], [['admin_rotated'], [ADMIN, ALICE]]],
  ]
  assert.equal(tryRouter(exchange, 'set_price_band', [symbol('NOPE'), i128(5n), i128(6n)], [ADMIN]), contractError(31))
  assert.equal(tryRouter(exchange, 'set_price_band', [symbol('BTC'), i128(6n), i128(5n)], [ADMIN]), contractError(5))
  for (const [name, args, event] of rows) {
    assert.equal(createUninitializedHost().tryInvoke(ROUTER, name, args, [ADMIN]), contractError(1), name)
    assert.equal(tryRouter(exchange, name, args, [BOB]), UNAUTHORIZED, name)
    const { events } = exchange.host.invokeOk(ROUTER, name, args, [ADMIN, ALICE])
    assert.deepEqual(events.map((item) => toNativeEvent(item).slice(1)), [event], name)
  }
  assert.equal(tryRouter(exchange, 'open_with_price', [...openTerms(ALICE), attestation(exchange)]), contractError(31), 'outside the new band')
})
