// Contracts leave out empty fields and may store more than they declare (CAP-86).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { readAssetRisk, readConfig, readOrderState } from './market-entries.ts'
import type { ScValue } from '../codec/scval.ts'

const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const TRADER = 'GBON6F6XGYQIQ42YYC6AKO4JDESZKQ7Y7NGU4HA73YY6REUGPYAMBN7R'

const u32 = (value: number): ScValue => ({ type: 'u32', value })
const i128 = (value: bigint): ScValue => ({ type: 'i128', value })
const REQUIRED: Readonly<Record<string, ScValue>> = {
  base_funding_rate_bps: u32(1), base_maker_fee_bps: u32(2), base_taker_fee_bps: u32(3), maintenance_margin_bps: u32(4), max_leverage: u32(5),
  max_oracle_deviation_bps: u32(6), max_position_size: i128(7n), max_price_staleness: { type: 'u64', value: 8n }, min_collateral: i128(9n),
  trading_fee_bps: u32(10),
}
const config = (fields: Readonly<Record<string, ScValue>>): ReturnType<typeof readConfig> =>
  readConfig({ type: 'map', value: Object.entries(fields).map(([name, value]) => [{ type: 'symbol', value: name }, value]) })

test('an absent optional field of the configuration equals void, and fields of later builds are ignored', () => {
  const absent = config(REQUIRED)
  assert.equal(absent?.max_leverage, 5)
  assert.deepEqual([absent.lenient_clamp_bps, absent.keeper_fee_base, absent.keeper_fee_deci_bps], [undefined, undefined, undefined])
  const empty: ScValue = { type: 'void' }
  assert.deepEqual(config({ ...REQUIRED, lenient_clamp_bps: empty, keeper_fee_base: empty, keeper_fee_deci_bps: empty, later: u32(1) }), absent)
  assert.equal(config({ ...REQUIRED, keeper_fee_base: i128(3n) })?.keeper_fee_base, 3n)
  const { max_leverage: _, ...incomplete } = REQUIRED
  assert.equal(config(incomplete), undefined, 'a field without a default')
})

/** An entry that holds this struct. */
function entryOf(fields: Readonly<Record<string, xdr.ScVal>>): string {
  const val = xdr.ScVal.scvMap(Object.entries(fields).map(([name, value]) => new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: value })))
  return xdr.LedgerEntryData.contractData(new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(), contract: new Address(MARKET).toScAddress(), key: xdr.ScVal.scvSymbol('Key'),
    durability: xdr.ContractDataDurability.persistent, val,
  })).toXdr('base64')
}

test('structs of entries are read by name, whatever else they hold', () => {
  const u64 = (value: number): xdr.ScVal => nativeToScVal(value, { type: 'u64' })
  const order = { created_at: u64(50), id: u64(3), note: xdr.ScVal.scvVoid(), status: xdr.ScVal.scvU32(1), trader: new Address(TRADER).toScVal() }
  assert.deepEqual(readOrderState(entryOf(order)), { orderId: 3, trader: TRADER, placedSec: 50, status: 'executed' })
  assert.equal(readAssetRisk(entryOf(order)), undefined)
})
