import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { Val } from './host.ts'
import { address, bool, bytes, i128, struct, symbol, u64, vec } from './host.ts'
import { priceOracleContract, priceTag } from './price-oracle.ts'
import { priceShimContract } from './price-shim.ts'
import { createTestHost, type TestHost, toNative } from './test-host.ts'
import { UNAUTHORIZED } from './test-exchange.ts'

const SHIM = 'CSHIM'
const ORACLE = 'CORACLE'
const ADMIN = 'GADMIN'
const PUBLISHER = 'GPUBLISHER'

function bare(): TestHost {
  return createTestHost({ [SHIM]: priceShimContract(), [ORACLE]: priceOracleContract() })
}

function world(): TestHost {
  const host = bare()
  host.invokeOk(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.invokeOk(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher', [address(PUBLISHER), bool(true)], [ADMIN])
  return host
}

function update(asset: string, price: bigint, timestamp: bigint): Val {
  return struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
}

const error = (host: TestHost, contract: string, name: string, args: readonly Val[], signers: string[] = []): string => {
    return host.tryInvoke(contract, name, args, signers)
  }

test('a tag is the symbol and USD, padded to eight bytes', () => {
  assert.equal(Buffer.from(priceTag('BTC')).toString('latin1'), 'BTCUSD\0\0')
  assert.equal(Buffer.from(priceTag('LINK')).toString('latin1'), 'LINKUSD\0')
  for (const symbol of ASSET_SYMBOLS) assert.equal(priceTag(symbol).length, 8)
})

test('several prices are written in one call and read through the shim as a bare pair', () => {
  const host = world()
  const prices = vec(update('BTC', 7n, 100n), update('HYPE', 9n, 101n))
  const written = host.invokeOk(ORACLE, 'write_prices', [address(PUBLISHER), prices], [PUBLISHER])
  assert.deepEqual([toNative(written.value), written.events.length], [2, 0])
  assert.deepEqual(toNative(host.invokeOk(SHIM, 'lastprice', [symbol('BTC')]).value), [7n, 100n])
  assert.deepEqual(toNative(host.invokeOk(SHIM, 'lastprice', [symbol('HYPE')]).value), [9n, 101n])
  assert.deepEqual(toNative(host.invokeOk(ORACLE, 'get_price_pers', [bytes(priceTag('BTC'))]).value), { price: 7n, round_id: 1n, timestamp: 100n })
})

test('unknown symbol is 31, missing entry is 32, before initialize it is 1 whatever was asked', () => {
  const host = world()
  assert.equal(error(host, SHIM, 'lastprice', [symbol('PEPE')]), 'Error(Contract, #31)')
  assert.equal(error(host, SHIM, 'lastprice', [symbol('btc')]), 'Error(Contract, #31)')
  assert.equal(error(host, SHIM, 'lastprice', [symbol('BTC')]), 'Error(Contract, #32)')
  assert.equal(error(bare(), SHIM, 'lastprice', [symbol('PEPE')]), 'Error(Contract, #1)')
  assert.equal(toNative(bare().invokeOk(SHIM, 'decimals', []).value), 7)
})

test('only a publisher on the list writes, and only between 1 and 32 prices', () => {
  const host = world()
  const prices = (count: number): Val => vec(...Array.from({ length: count }, () => update('BTC', 1n, 1n)))
  assert.equal(error(host, ORACLE, 'write_prices', [address(ADMIN), prices(1)], [ADMIN]), 'Error(Contract, #3)')
  assert.equal(error(host, ORACLE, 'write_prices', [address(PUBLISHER), prices(1)], [ADMIN]), UNAUTHORIZED)
  assert.equal(error(host, ORACLE, 'write_prices', [address(PUBLISHER), prices(0)], [PUBLISHER]), 'Error(Contract, #5)')
  assert.equal(error(host, ORACLE, 'write_prices', [address(PUBLISHER), prices(33)], [PUBLISHER]), 'Error(Contract, #5)')
  assert.equal(error(host, ORACLE, 'write_prices', [address(PUBLISHER), prices(32)], [PUBLISHER]), 'ok')
  host.invokeOk(ORACLE, 'set_publisher', [address(PUBLISHER), bool(false)], [ADMIN])
  assert.equal(error(host, ORACLE, 'write_prices', [address(PUBLISHER), prices(1)], [PUBLISHER]), 'Error(Contract, #3)')
  assert.equal(toNative(host.invokeOk(ORACLE, 'is_publisher', [address(PUBLISHER)]).value), false)
})

test('administration of oracle and shim is the admin\'s alone, and initialising happens once', () => {
  const host = world()
  for (const [contract, args] of [[ORACLE, [address(ADMIN)]], [SHIM, [address(ADMIN), address(ORACLE)]]] as const) {
    assert.equal(error(host, contract, 'initialize', args, [ADMIN]), 'Error(Contract, #2)')
    assert.equal(toNative(host.invokeOk(contract, 'get_admin', []).value), ADMIN)
    assert.equal(error(bare(), contract, 'get_admin', []), 'Error(Contract, #1)')
  }
  assert.equal(error(host, ORACLE, 'set_publisher', [address('GX'), bool(true)], [PUBLISHER]), UNAUTHORIZED)
  assert.equal(error(host, SHIM, 'set_noeracle_oracle', [address('COTHER')], [PUBLISHER]), UNAUTHORIZED)
  host.invokeOk(SHIM, 'set_noeracle_oracle', [address('COTHER')], [ADMIN])
  assert.equal(toNative(host.invokeOk(SHIM, 'get_noeracle', []).value), 'COTHER')
  host.invokeOk(SHIM, 'set_admin', [address(PUBLISHER)], [ADMIN])
  assert.equal(toNative(host.invokeOk(SHIM, 'get_admin', []).value), PUBLISHER)
})
