import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ASSET_SYMBOLS } from '../../assets.ts'
import { createIdentity } from '../../actors/identity.ts'
import { MARKETS } from '../../actors/markets.ts'
import { createDeployment } from '../../genesis.ts'
import { createIdentities } from '../../identities.ts'
import { networkIdOf } from '../../ledger/addresses.ts'
import { startTestNetwork, WARM_UP_LEDGERS } from '../../test-network.ts'
import type { Val } from '../shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../shared/host.ts'
import { PRICE_BANDS } from '../shared/price-bands.ts'
import { attestationPayload, priceTag } from '../shared/price-oracle.ts'
import { toNative } from '../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, KEEPER, MARKET, openArgs, ORACLE, ROUTER, SHIM,
  type TestExchange, UNAUTHORIZED,
} from '../../test/contracts/generation-1/test-exchange.ts'

const PUBLISHER_1 = createIdentity('a test', 'publisher one')
const PUBLISHER_2 = createIdentity('a test', 'publisher two')
const STRANGER = createIdentity('a test', 'stranger')

interface AttestationOptions {
  asset?: string
  price?: bigint
  timestamp?: bigint
  signers?: readonly typeof PUBLISHER_1[]
  /** The signed price, if it differs from the relayed price. */
  signedPrice?: bigint
}

/** The attestation arguments of a call: price, timestamp, round, keys, signatures. */
function attestationArgs(exchange: TestExchange, options: AttestationOptions = {}): Val[] {
  const { asset = 'BTC', price = 50_100n * E7, timestamp, signers = [PUBLISHER_1], signedPrice = price } = options
  const attestedAt = timestamp ?? exchange.host.ledger.timestampSec
  const payload = attestationPayload(new Uint8Array(32), ORACLE, priceTag(asset), { price: signedPrice, timestamp: attestedAt, round_id: 7n })
  const signatures = signers.map((signer) => bytes(signer.sign(payload)))
  return [i128(price), u64(attestedAt), u64(7n), vec(...signers.map((signer) => bytes(signer.publicKey))), vec(...signatures)]
}

/** The exchange with its router and the keys of two publishers. */
function createRoutedExchange(): TestExchange {
  const exchange = createTestExchange()
  exchange.host.invokeOk(ROUTER, 'initialize', [address(ADMIN), address(MARKET), address(ORACLE)], [ADMIN])
  for (const key of [PUBLISHER_1, PUBLISHER_2]) exchange.host.invokeOk(ORACLE, 'set_publisher_key', [bytes(key.publicKey), bool(true)], [ADMIN])
  return exchange
}

function tryRouter(exchange: TestExchange, name: string, args: readonly Val[], signers: readonly string[] = [ALICE, BOB, KEEPER]): string {
  return exchange.host.tryInvoke(ROUTER, name, args, signers)
}

const lastPrice = (exchange: TestExchange): unknown => toNative(exchange.host.invokeOk(SHIM, 'lastprice', [symbol('BTC')]).value)

test('the router\'s price bands are the published ones and limit the local prices', () => {
  const usd = Object.fromEntries([...PRICE_BANDS].map(([asset, { lowest, highest }]) => [asset, [Number(lowest) / 1e7, Number(highest) / 1e7]]))
  assert.deepEqual(usd, {
    BTC: [1000, 1_000_000], ETH: [50, 100_000], XLM: [0.01, 100], SOL: [1, 100_000], XRP: [0.01, 1000], ADA: [0.01, 1000], BNB: [10, 100_000],
    TRX: [0.01, 1000], HYPE: [0.1, 100_000], DOGE: [0.001, 100], ZEC: [1, 100_000], LINK: [0.1, 10_000], BCH: [1, 100_000], LTC: [1, 100_000],
  })
  assert.deepEqual([...PRICE_BANDS.keys()], ASSET_SYMBOLS)
  const localBands = Object.entries(MARKETS).filter(([asset]) => ASSET_SYMBOLS.includes(asset))
    .map(([asset, { lowest, highest }]) => [asset, { lowest, highest }] as const)
  assert.deepEqual(new Map(localBands), PRICE_BANDS)
})

test('open_with_price trades at the relayed price, however old the oracle\'s price is', () => {
  const exchange = createRoutedExchange()
  exchange.advance(3600n)
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE)), contractError(30))
  const result = exchange.host.invokeOk(ROUTER, 'open_with_price', [...openArgs(ALICE), ...attestationArgs(exchange)], [ALICE])
  assert.deepEqual(toNative(result.value), exchange.position(1n))
  assert.deepEqual([exchange.position(1n)['entry_price'], exchange.position(1n)['trader']], [50_100n * E7, ALICE])
  assert.deepEqual(result.auth.map(({ contract, functionName, depth }) => [contract, functionName, depth]), [
    [ROUTER, 'open_with_price', 0], [MARKET, 'open_position', 1], ['CUSDC', 'transfer', 2],
  ], 'the trader signs one authorization tree')
  assert.deepEqual(lastPrice(exchange), [50_100n * E7, exchange.host.ledger.timestampSec])
})

test('close, liquidation, execution and cross liquidation run in the market at the relayed price', () => {
  const exchange = createRoutedExchange()
  const id = exchange.open(ALICE)
  const closing = [address(ALICE), u64(id), symbol('BTC'), ...attestationArgs(exchange, { price: 51_000n * E7 })]
  assert.equal(toNative(exchange.host.invokeOk(ROUTER, 'close_with_price', closing, [ALICE]).value), 20n * E7)

  exchange.advance(1000n)
  exchange.setPrice('BTC', 50_000n * E7)
  const underwater = exchange.open(ALICE)
  exchange.invokeOk('place_limit_order', [
    address(ALICE), symbol('BTC'), u32(0), i128(100n * E7), u32(10), i128(49_800n * E7), bool(false), u32(100), u32(0),
  ])
  const executing = [address(KEEPER), u64(1n), symbol('BTC'), ...attestationArgs(exchange, { price: 49_700n * E7 })]
  assert.equal(toNative(exchange.host.invokeOk(ROUTER, 'execute_with_price', executing, [KEEPER]).value), E7)
  const liquidating = [address(KEEPER), u64(underwater), symbol('BTC'), ...attestationArgs(exchange, { price: 45_500n * E7 })]
  assert.equal(toNative(exchange.host.invokeOk(ROUTER, 'liquidate_with_price', liquidating, [KEEPER]).value), 4_750_000n)

  exchange.advance(1000n)
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.setPrice('ETH', 2_000n * E7)
  exchange.open(BOB, {}, 'open_position_cross')
  exchange.open(BOB, { asset: 'ETH' }, 'open_position_cross')
  const attestations = ([['BTC', 44_000n * E7], ['ETH', 1_500n * E7]] as const).map(([asset, price]) => {
    const args = attestationArgs(exchange, { asset, price, signers: [PUBLISHER_1, PUBLISHER_2] })
    const [value, timestamp, round, keys, signatures] = args as [Val, Val, Val, Val, Val]
    return struct({ asset: symbol(asset), price: value, timestamp, round_id: round, pubkeys: keys, sigs: signatures })
  })
  const crossArgs = [address(KEEPER), address(BOB), vec(...attestations)]
  assert.equal(toNative(exchange.host.invokeOk(ROUTER, 'liquidate_cross_with_prices', crossArgs, [KEEPER]).value), 0n)
  assert.deepEqual(toNative(exchange.invokeOk('get_cross_margin_positions', [address(BOB)]).value), [])
})

test('the router checks its errors in the documented order, and a failed call keeps the old price', () => {
  const bare = createUninitializedHost()
  const exchange = createRoutedExchange()
  exchange.open(BOB)
  const before = lastPrice(exchange)
  const tryOpen = (attestation: AttestationOptions, options = {}): string =>
    tryRouter(exchange, 'open_with_price', [...openArgs(ALICE, options), ...attestationArgs(exchange, attestation)])
  assert.equal(bare.tryInvoke(ROUTER, 'open_with_price', [...openArgs(ALICE), ...attestationArgs(exchange, { signers: [] })], []), contractError(1))
  const unsigned = tryRouter(exchange, 'open_with_price', [...openArgs(ALICE), ...attestationArgs(exchange, { signers: [] })], [BOB])
  assert.equal(unsigned, UNAUTHORIZED)
  assert.equal(tryOpen({ signers: [], asset: 'PEPE' }, { asset: 'PEPE' }), contractError(3), 'no key')
  assert.equal(tryOpen({ signers: [PUBLISHER_1, STRANGER], price: 1n }), contractError(3), 'a key that is not on the list')
  assert.equal(tryOpen({ asset: 'PEPE' }, { asset: 'PEPE' }), contractError(31))
  for (const price of [1_000n * E7 - 1n, 1_000_000n * E7 + 1n]) assert.equal(tryOpen({ price }), contractError(31))
  assert.equal(tryOpen({ signedPrice: 50_000n * E7 }), 'Error(Crypto, InvalidInput)', 'signed for another price')
  assert.equal(tryOpen({ asset: 'ETH' }), 'Error(Crypto, InvalidInput)', 'signed for another asset')
  assert.equal(tryOpen({ price: 60_000n * E7 }), contractError(81), 'the market checks the deviation of a price within the band')
  assert.equal(tryOpen({}, { collateral: 1n }), contractError(22))
  assert.deepEqual(lastPrice(exchange), before, 'failed calls change nothing')
  assert.equal(tryOpen({ price: 50_000n * E7 }), 'ok')
})

test('the limits of a price band are inclusive', () => {
  const exchange = createRoutedExchange()
  const position = exchange.open(ALICE)
  for (const price of [1_000n * E7, 1_000_000n * E7]) {
    const args = [address(ALICE), u64(position + 1n), symbol('BTC'), ...attestationArgs(exchange, { price })]
    assert.equal(tryRouter(exchange, 'close_with_price', args), contractError(20), 'error of the market')
  }
})

test('initialize works once, by the admin', () => {
  const exchange = createRoutedExchange()
  const args = [address(ADMIN), address(MARKET), address(ORACLE)]
  assert.equal(tryRouter(exchange, 'initialize', args, [ADMIN]), contractError(2))
  assert.equal(createUninitializedHost().tryInvoke(ROUTER, 'initialize', args, [ALICE]), UNAUTHORIZED)
})

test('relay_price is callable by anyone; the oracle checks keys, signatures and age', () => {
  const exchange = createRoutedExchange()
  const relay = (tail: readonly Val[]): string => {
    return exchange.host.tryInvoke(ORACLE, 'relay_price', [bytes(priceTag('BTC')), ...tail])
  }
  assert.equal(relay(attestationArgs(exchange, { signers: [] })), contractError(3))
  assert.equal(relay(attestationArgs(exchange, { signers: [STRANGER] })), contractError(3))
  assert.equal(relay(attestationArgs(exchange, { signers: Array.from({ length: 9 }, () => PUBLISHER_1) })), contractError(5))
  const [price, timestamp, round, keys] = attestationArgs(exchange) as [Val, Val, Val, Val]
  assert.equal(relay([price, timestamp, round, keys, vec()]), contractError(5))
  assert.equal(relay([price, timestamp, round, keys, vec(bytes(new Uint8Array(64)))]), 'Error(Crypto, InvalidInput)')
  assert.equal(relay(attestationArgs(exchange, { signers: [PUBLISHER_1, PUBLISHER_2] })), 'ok')
  const now = exchange.host.ledger.timestampSec
  assert.equal(relay(attestationArgs(exchange, { price: 40_000n * E7, timestamp: now - 1n })), 'ok')
  assert.deepEqual(lastPrice(exchange), [50_100n * E7, now], 'an older price changes nothing')
  exchange.host.invokeOk(ORACLE, 'set_publisher_key', [bytes(PUBLISHER_1.publicKey), bool(false)], [ADMIN])
  assert.equal(relay(attestationArgs(exchange)), contractError(3))
  assert.equal(exchange.host.tryInvoke(ORACLE, 'set_publisher_key', [bytes(PUBLISHER_1.publicKey), bool(true)], [ALICE]), UNAUTHORIZED)
})

test('the attestation payload is one line of text', () => {
  const payload = attestationPayload(new Uint8Array(32).fill(0xab), 'CORACLE', priceTag('LINK'), { price: 12n, timestamp: 34n, round_id: 56n })
  assert.equal(Buffer.from(payload).toString(), `price ${'ab'.repeat(32)} CORACLE LINKUSD 12 34 56`)
})

test('on the local network a trader opens through the router with the publisher\'s signature and one own signature', async () => {
  await using network = await startTestNetwork({ traders: 0 })
  await network.closeLedgers(WARM_UP_LEDGERS)
  const { networkPassphrase, contracts, chain } = network
  const people = createIdentities(networkPassphrase, 0)
  const { oracle } = createDeployment(networkPassphrase, people)
  const { closeTimeSec, sequence } = chain.history.latest()
  const price = { price: 92_400n * E7, timestamp: BigInt(closeTimeSec), round_id: 1n }
  const signature = people.publisher.sign(attestationPayload(networkIdOf(networkPassphrase), oracle, priceTag('BTC'), price))
  const alice = network.userClient('alice')
  const args = (signed: Uint8Array): Val[] => [
    ...openArgs(alice.address), i128(price.price), u64(price.timestamp), u64(price.round_id),
    vec(bytes(people.publisher.publicKey)), vec(bytes(signed)),
  ]
  const open = (signed: Uint8Array) =>
    alice.invoke({ contract: contracts.router, functionName: 'open_with_price', args: args(signed) }, { closeTimeSec, sequence })
  const forged = await open(new Uint8Array(64))
  assert.ok(forged.kind === 'refused' && /Error\(Crypto, InvalidInput\)/.test(forged.reason), JSON.stringify(forged))
  assert.equal((await open(signature)).kind, 'sent')
  await network.closeLedgers(1)
  const settlement = await alice.settle(chain.history.latest())
  assert.equal(settlement.kind, 'applied', JSON.stringify(settlement))
  const [opened] = network.exchangeEvents('position_opened')
  assert.deepEqual(opened?.fields.slice(1), [alice.address, 'BTC', 0, 1000n * E7, price.price])
})
