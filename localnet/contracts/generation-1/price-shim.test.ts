import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ASSET_SYMBOLS } from '../../assets.ts'
import type { Val } from '../shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u64, vec } from '../shared/host.ts'
import { priceOracleContract, priceTag } from '../shared/price-oracle.ts'
import { priceShimContract } from '../shared/price-shim.ts'
import { createTestHost, type TestHost, toNative } from '../../test/contracts/test-host.ts'
import { ADMIN, contractError, ORACLE, SHIM, UNAUTHORIZED } from '../../test/contracts/generation-1/test-exchange.ts'

const PUBLISHER = 'GPUBLISHER'

function createUninitializedOracle(): TestHost {
  return createTestHost({ [SHIM]: priceShimContract(), [ORACLE]: priceOracleContract() })
}

function createOracle(): TestHost {
  const host = createUninitializedOracle()
  host.invokeOk(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.invokeOk(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher', [address(PUBLISHER), bool(true)], [ADMIN])
  return host
}

function update(asset: string, price: bigint, timestamp: bigint): Val {
  return struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
}

test('a price tag is the symbol and USD, padded to eight bytes', () => {
  assert.equal(Buffer.from(priceTag('BTC')).toString('latin1'), 'BTCUSD\0\0')
  assert.equal(Buffer.from(priceTag('LINK')).toString('latin1'), 'LINKUSD\0')
  for (const asset of ASSET_SYMBOLS) assert.equal(priceTag(asset).length, 8)
})

test('one call writes several prices, and the shim returns a price as a tuple', () => {
  const host = createOracle()
  const prices = vec(update('BTC', 7n, 100n), update('HYPE', 9n, 101n))
  const written = host.invokeOk(ORACLE, 'write_prices', [address(PUBLISHER), prices], [PUBLISHER])
  assert.deepEqual([toNative(written.value), written.events.length], [2, 0])
  assert.deepEqual(toNative(host.invokeOk(SHIM, 'lastprice', [symbol('BTC')]).value), [7n, 100n])
  assert.deepEqual(toNative(host.invokeOk(SHIM, 'lastprice', [symbol('HYPE')]).value), [9n, 101n])
  assert.deepEqual(toNative(host.invokeOk(ORACLE, 'get_price_pers', [bytes(priceTag('BTC'))]).value), { price: 7n, round_id: 1n, timestamp: 100n })
})

test('lastprice fails with 31 for an unknown symbol, 32 without a price, 1 before initialization', () => {
  const host = createOracle()
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('PEPE')]), contractError(31))
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('btc')]), contractError(31))
  assert.equal(host.tryInvoke(SHIM, 'lastprice', [symbol('BTC')]), contractError(32))
  assert.equal(createUninitializedOracle().tryInvoke(SHIM, 'lastprice', [symbol('PEPE')]), contractError(1))
  assert.equal(toNative(createUninitializedOracle().invokeOk(SHIM, 'decimals', []).value), 7)
})

test('only a listed publisher can write, and only 1 to 32 prices per call', () => {
  const host = createOracle()
  const prices = (count: number): Val => vec(...Array.from({ length: count }, () => update('BTC', 1n, 1n)))
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(ADMIN), prices(1)], [ADMIN]), contractError(3))
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(PUBLISHER), prices(1)], [ADMIN]), UNAUTHORIZED)
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(PUBLISHER), prices(0)], [PUBLISHER]), contractError(5))
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(PUBLISHER), prices(33)], [PUBLISHER]), contractError(5))
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(PUBLISHER), prices(32)], [PUBLISHER]), 'ok')
  host.invokeOk(ORACLE, 'set_publisher', [address(PUBLISHER), bool(false)], [ADMIN])
  assert.equal(host.tryInvoke(ORACLE, 'write_prices', [address(PUBLISHER), prices(1)], [PUBLISHER]), contractError(3))
  assert.equal(toNative(host.invokeOk(ORACLE, 'is_publisher', [address(PUBLISHER)]).value), false)
})

test('only the admin can configure oracle and shim, and initialize works once', () => {
  const host = createOracle()
  for (const [contract, args] of [[ORACLE, [address(ADMIN)]], [SHIM, [address(ADMIN), address(ORACLE)]]] as const) {
    assert.equal(host.tryInvoke(contract, 'initialize', args, [ADMIN]), contractError(2))
    assert.equal(toNative(host.invokeOk(contract, 'get_admin', []).value), ADMIN)
    assert.equal(createUninitializedOracle().tryInvoke(contract, 'get_admin', []), contractError(1))
  }
  assert.equal(host.tryInvoke(ORACLE, 'set_publisher', [address('GX'), bool(true)], [PUBLISHER]), UNAUTHORIZED)
  assert.equal(host.tryInvoke(SHIM, 'set_noeracle_oracle', [address('COTHER')], [PUBLISHER]), UNAUTHORIZED)
  host.invokeOk(SHIM, 'set_noeracle_oracle', [address('COTHER')], [ADMIN])
  assert.equal(toNative(host.invokeOk(SHIM, 'get_noeracle', []).value), 'COTHER')
  host.invokeOk(SHIM, 'set_admin', [address(PUBLISHER)], [ADMIN])
  assert.equal(toNative(host.invokeOk(SHIM, 'get_admin', []).value), PUBLISHER)
})
