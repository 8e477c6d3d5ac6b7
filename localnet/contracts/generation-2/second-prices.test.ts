import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentity } from '../../actors/identity.ts'
import type { Val } from '../shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../shared/host.ts'
import { attestationPayload, priceTag } from '../shared/price-oracle.ts'
import { ADMIN, ALICE, BOB, contractError, E7, KEEPER, MARKET, ORACLE, ROUTER, UNAUTHORIZED } from '../../test/contracts/generation-1/test-exchange.ts'
import { toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import { createTestExchange, type TestExchange } from '../../test/contracts/generation-2/test-exchange.ts'

const PUBLISHER = createIdentity('a test', 'publisher')
const SOURCE = createIdentity('a test', 'second source')
const STRANGER = createIdentity('a test', 'stranger')
const SOURCES = ['stork', 'pyth'] as const
type Source = (typeof SOURCES)[number]

/** The ids of the source's assets. The third has no mapping. */
const [BTC_ID, ETH_ID, UNMAPPED_ID] = [3, 4, 9]
const PRICE = 50_100n * E7

function config(change: Readonly<Record<string, Val>> = {}): Val {
  return struct({
    enabled: bool(true), max_age_secs: u64(60n), max_dev_bps: u32(100), require_fresh: bool(false), signer: bytes(SOURCE.publicKey), taxonomy: u32(1),
    ...change,
  })
}

interface PayloadOptions {
  readonly signer?: typeof STRANGER
  readonly taxonomy?: number
  readonly ageSec?: bigint
  readonly recovery?: number
}

/** A payload with these prices by id, 7 decimals. */
function payload(exchange: TestExchange, prices: readonly (readonly [id: number, price: bigint])[], options: PayloadOptions = {}): Val {
  const { signer = SOURCE, taxonomy = 1, ageSec = 0n, recovery = 0 } = options
  const header = Buffer.alloc(10)
  header.writeUInt16BE(taxonomy)
  header.writeBigUInt64BE((exchange.host.ledger.timestampSec - ageSec) * 1_000_000_000n, 2)
  const entries = prices.map(([id, price]) => {
    const entry = Buffer.alloc(18)
    entry.writeUInt16BE(id)
    const value = price * 10n ** 11n
    entry.writeBigInt64BE(value >> 64n, 2)
    entry.writeBigUInt64BE(BigInt.asUintN(64, value), 10)
    return entry
  })
  const signed = Buffer.concat([header, ...entries])
  return bytes(Buffer.concat([signer.sign(signed), Buffer.from([recovery]), signed]))
}

const setting = (exchange: TestExchange, name: string, ...args: readonly Val[]): string => exchange.host.tryInvoke(ROUTER, name, args, [ADMIN])

/** A router with the source configured for BTC and ETH. */
function createExchange(source: Source, change: Readonly<Record<string, Val>> = {}): TestExchange {
  const exchange = createTestExchange()
  exchange.host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(ORACLE)], [ADMIN])
  exchange.host.invokeOk(ORACLE, 'set_publisher_key', [bytes(PUBLISHER.publicKey), bool(true)], [ADMIN])
  assert.equal(setting(exchange, `set_${source}_config`, config(change)), 'ok')
  const tags = ['BTC', 'ETH'].map((asset) => bytes(priceTag(asset)))
  assert.equal(setting(exchange, `set_${source}_assets`, vec(u32(BTC_ID), u32(ETH_ID)), vec(...tags)), 'ok')
  return exchange
}

function attestation(exchange: TestExchange, price = PRICE): Val {
  const timestamp = exchange.host.ledger.timestampSec
  const signed = attestationPayload(new Uint8Array(32), ORACLE, priceTag('BTC'), { price, timestamp, round_id: 7n })
  return struct({
    asset: symbol('BTC'), prices: vec(i128(price)), pubkeys: vec(bytes(PUBLISHER.publicKey)), round_id: u64(7n), sigs: vec(bytes(PUBLISHER.sign(signed))),
    timestamp: u64(timestamp),
  })
}

function open(exchange: TestExchange): string {
  const terms = [address(ALICE), i128(100n * E7), u32(10), u32(0), i128(0n), attestation(exchange)]
  return exchange.host.tryInvoke(ROUTER, 'open_with_price', terms, [ALICE])
}

const relay = (exchange: TestExchange, source: Source, val: Val): unknown => toNative(exchange.host.invokeOk(ROUTER, `relay_${source}`, [val], [BOB]).value)
const secondPrice = (exchange: TestExchange, source: Source, asset: string): unknown =>
  toNative(exchange.host.invokeOk(ROUTER, `get_${source}_price`, [symbol(asset)], []).value)

for (const source of SOURCES) {
  test(`relay_${source} stores the mapped prices of a payload and returns their number; an older payload changes nothing`, () => {
    const exchange = createExchange(source)
    const sentSec = exchange.host.ledger.timestampSec
    assert.equal(relay(exchange, source, payload(exchange, [[BTC_ID, PRICE], [ETH_ID, 2_000n * E7], [UNMAPPED_ID, E7]])), 2)
    assert.deepEqual(secondPrice(exchange, source, 'BTC'), { price: PRICE, timestamp_ns: sentSec * 1_000_000_000n })
    assert.equal(relay(exchange, source, payload(exchange, [[BTC_ID, E7], [ETH_ID, 0n]], { ageSec: 1n })), 0)
    exchange.advance(5n)
    assert.equal(relay(exchange, source, payload(exchange, [[BTC_ID, -E7], [ETH_ID, 2_001n * E7]])), 1, 'a price must be positive')
    assert.deepEqual(secondPrice(exchange, source, 'BTC'), { price: PRICE, timestamp_ns: sentSec * 1_000_000_000n })
    assert.equal(secondPrice(exchange, source, 'SOL'), null)
  })

  test(`relay_${source} checks 1, 3 while disabled, 5, 3 for another signer, 5 for the taxonomy and 30 in this order`, () => {
    const exchange = createTestExchange()
    const attempt = (val: Val): string => exchange.host.tryInvoke(ROUTER, `relay_${source}`, [val], [BOB])
    exchange.host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(ORACLE)], [ADMIN])
    assert.equal(attempt(bytes(new Uint8Array(1))), contractError(1), 'not configured')
    setting(exchange, `set_${source}_config`, config({ enabled: bool(false) }))
    assert.equal(attempt(bytes(new Uint8Array(1))), contractError(3), 'disabled')
    setting(exchange, `set_${source}_config`, config())
    assert.equal(attempt(bytes(new Uint8Array(75))), contractError(5), 'no prices')
    assert.equal(attempt(bytes(new Uint8Array(94))), contractError(5), 'half a price')
    const prices = [[BTC_ID, PRICE]] as const
    assert.equal(attempt(payload(exchange, prices, { recovery: 2, signer: STRANGER })), contractError(5))
    assert.equal(attempt(payload(exchange, prices, { taxonomy: 2, signer: STRANGER })), contractError(3), 'another signer')
    assert.equal(attempt(payload(exchange, prices, { taxonomy: 2, ageSec: 61n })), contractError(5))
    assert.equal(attempt(payload(exchange, prices, { ageSec: 61n })), contractError(30))
    assert.equal(attempt(payload(exchange, prices, { ageSec: 60n })), 'ok')
  })

  test(`opens and executions fail with 81 while the ${source} price differs by more than the limit, closes do not`, () => {
    const exchange = createExchange(source)
    assert.equal(open(exchange), 'ok', 'without a second price')
    // The deviation is measured in the second price, truncated: 1.00 % passes.
    relay(exchange, source, payload(exchange, [[BTC_ID, (PRICE * 10_000n) / 10_101n]]))
    assert.equal(open(exchange), contractError(81))
    const execute = [address(KEEPER), u64(99n), attestation(exchange)]
    assert.equal(exchange.host.tryInvoke(ROUTER, 'execute_with_price', execute, [KEEPER]), contractError(81))
    exchange.advance(1n)
    relay(exchange, source, payload(exchange, [[BTC_ID, (PRICE * 10_000n) / 10_100n]]))
    assert.equal(open(exchange), 'ok')
    relay(exchange, source, payload(exchange, [[BTC_ID, PRICE / 2n]], { ageSec: -1n }))
    const close = [address(ALICE), u64(1n), i128(0n), attestation(exchange)]
    assert.equal(exchange.host.tryInvoke(ROUTER, 'close_with_price', close, [ALICE]), 'ok')
  })

  test(`a required ${source} price that is missing or old fails opens with 30`, () => {
    const exchange = createExchange(source, { require_fresh: bool(true) })
    assert.equal(open(exchange), contractError(30), 'required for every asset')
    relay(exchange, source, payload(exchange, [[BTC_ID, PRICE]]))
    assert.equal(open(exchange), 'ok')
    exchange.advance(61n)
    assert.equal(open(exchange), contractError(30))
    setting(exchange, `set_${source}_config`, config())
    assert.equal(open(exchange), 'ok')
    setting(exchange, `set_${source}_strict_assets`, vec(symbol('BTC')))
    assert.equal(open(exchange), contractError(30), 'required for this asset')
    setting(exchange, `set_${source}_config`, config({ enabled: bool(false) }))
    assert.equal(open(exchange), 'ok', 'a disabled source checks nothing')
  })

  test(`only the admin configures ${source}, and invalid settings fail with 5`, () => {
    const exchange = createExchange(source)
    const rows: readonly (readonly [name: string, args: readonly Val[], event: string])[] = [
      [`set_${source}_config`, [config()], `${source}_cfg_set`], [`set_${source}_assets`, [vec(), vec()], `${source}_assets_set`],
      [`set_${source}_strict_assets`, [vec()], `${source}_strict_set`],
    ]
    for (const [name, args, topic] of rows) {
      assert.equal(exchange.host.tryInvoke(ROUTER, name, args, [BOB]), UNAUTHORIZED, name)
      const { events } = exchange.host.invokeOk(ROUTER, name, args, [ADMIN])
      assert.deepEqual(events.map((event) => toNativeEvent(event)[1]), [[topic]], name)
    }
    assert.equal(setting(exchange, `set_${source}_config`, config({ max_age_secs: u64(0n) })), contractError(5))
    assert.equal(setting(exchange, `set_${source}_config`, config({ max_dev_bps: u32(0) })), contractError(5))
    assert.equal(setting(exchange, `set_${source}_config`, config({ max_dev_bps: u32(0), enabled: bool(false) })), 'ok')
    assert.equal(setting(exchange, `set_${source}_assets`, vec(u32(1)), vec()), contractError(5))
    assert.deepEqual(toNative(exchange.host.invokeOk(ROUTER, `get_${source}_strict_assets`, [], []).value), [])
  })
}
