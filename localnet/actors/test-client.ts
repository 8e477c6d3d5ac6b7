// Test support: an actor's client that sends nothing, and a ledger with a few entries for it to read.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { priceTag } from '../contracts/shared/price-oracle.ts'
import { storageKey } from '../contracts/shared/values.ts'
import { createDeployment } from '../genesis.ts'
import { createIdentities } from '../identities.ts'
import { toScVal } from '../scval.ts'
import { TEST_NETWORK_PASSPHRASE } from '../start.ts'
import type { Client, SendResult, SendOptions, Settlement } from './client.ts'
import type { Invocation } from './envelope.ts'
import { contractDataKey } from './exchange-state.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { StoredOrder, StoredPosition } from './stored-entries.ts'

export const IDENTITIES = createIdentities(TEST_NETWORK_PASSPHRASE, 2)
export const DEPLOYMENT = createDeployment(TEST_NETWORK_PASSPHRASE, IDENTITIES)

/** 2026-11-21 12:00 UTC. */
export const NOW_SEC = 1_795_262_400

interface TestClient extends Client {
  /** All calls, including refused ones. */
  readonly calls: (Invocation & SendOptions)[]
  /** The results of the next calls, one each; then `sent`. */
  readonly results: SendResult[]
  /** The next results of `settle`, one each; then sent transactions are applied. */
  readonly settlements: Settlement[]
  /** The number of keys of each request. */
  readonly requests: number[]
  forgetCount: number
}

export interface TestLedger {
  client(address: string): TestClient
  /** Writes a contract's entry; undefined removes it. */
  put(contract: string, key: Val, value: Val | undefined): void
  /** Writes the open positions, in the market's list and the lists by trader, and the list of cross traders. */
  setPositions(positions: readonly StoredPosition[]): void
  /** Writes the pending orders, in the market's list and the lists by trader. */
  setOrders(orders: readonly StoredOrder[]): void
  setPeak(orderId: bigint, peak: bigint): void
  /** A trader's idle cross margin. */
  setPool(trader: string, amount: bigint): void
  /** Writes an oracle price, attested at this time. */
  setOraclePrice(asset: string, price: bigint, timestampSec: number): void
  setTrustline(account: string, asset: string, balance: bigint): void
}

/** A ledger that accepts every entry. */
export function createTestLedger(): TestLedger {
  const entries = new Map<string, string>()
  const traders = new Set<string>()

  function put(contract: string, key: Val, value: Val | undefined): void {
    const keyXdr = contractDataKey(contract, key)
    if (value === undefined) return void entries.delete(keyXdr)
    const data = new xdr.ContractDataEntry({
      ext: xdr.ExtensionPoint.v0(),
      contract: new Address(contract).toScAddress(),
      key: toScVal(key),
      durability: xdr.ContractDataDurability.persistent,
      val: toScVal(value),
    })
    entries.set(keyXdr, xdr.LedgerEntryData.contractData(data).toXdr('base64'))
  }

  /** Writes a list of the market, in full and by trader. */
  function setList(name: string, listed: readonly { readonly id: bigint; readonly trader: string }[]): void {
    const ids = (of: typeof listed): Val => vec(...of.map(({ id }) => u64(id)))
    put(DEPLOYMENT.market, storageKey(`All${name}`), ids(listed))
    for (const { trader } of listed) traders.add(trader)
    for (const trader of traders) {
      put(DEPLOYMENT.market, storageKey(`Trader${name}`, address(trader)), ids(listed.filter((entry) => entry.trader === trader)))
    }
  }

  return {
    put,
    client: (owner) => createTestClient(owner, entries),
    setPositions(positions) {
      setList('Positions', positions)
      for (const position of positions) put(DEPLOYMENT.market, storageKey('Position', u64(position.id)), positionVal(position))
      const crossTraders = new Set(positions.filter(({ marginMode }) => marginMode === CROSS_MARGIN).map(({ trader }) => trader))
      put(DEPLOYMENT.market, storageKey('AllCrossMarginTraders'), vec(...[...crossTraders].map(address)))
    },
    setOrders(orders) {
      setList('Orders', orders)
      for (const order of orders) put(DEPLOYMENT.market, storageKey('Order', u64(order.id)), orderVal(order))
    },
    setPeak: (orderId, peak) => put(DEPLOYMENT.market, storageKey('TrailingStopPeak', u64(orderId)), i128(peak)),
    setPool: (trader, amount) => put(DEPLOYMENT.market, storageKey('CrossMarginBalance', address(trader)), i128(amount)),
    setOraclePrice: (asset, price, timestampSec) =>
      put(DEPLOYMENT.oracle, storageKey('Price', bytes(priceTag(asset))), struct({ price: i128(price), timestamp: u64(BigInt(timestampSec)) })),
    setTrustline(account, asset, balance) {
      const [code = '', issuer] = asset.split(':')
      const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(account))
      const line = new Asset(code, issuer).toTrustLineXdrObject()
      const key = xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset: line })).toXdr('base64')
      const entry = new xdr.TrustLineEntry({ accountId, asset: line, balance, limit: 2n ** 63n - 1n, flags: 1, ext: xdr.TrustLineEntryExt.v0() })
      entries.set(key, xdr.LedgerEntryData.trustline(entry).toXdr('base64'))
    },
  }
}

function createTestClient(owner: string, entries: ReadonlyMap<string, string>): TestClient {
  let isPending = false
  return {
    address: owner,
    calls: [],
    results: [],
    settlements: [],
    requests: [],
    forgetCount: 0,
    async invoke(invocation, _view, options = {}) {
      this.calls.push({ ...invocation, ...options })
      const result = this.results.shift() ?? { kind: 'sent' }
      isPending ||= result.kind === 'sent'
      return result
    },
    async settle({ sequence }) {
      const settlement = this.settlements.shift() ?? (isPending ? { kind: 'applied', ledger: sequence } : { kind: 'idle' })
      if (settlement.kind !== 'pending') isPending = false
      return settlement
    },
    async readEntries(keys) {
      this.requests.push(keys.length)
      return new Map(keys.flatMap((key) => (entries.has(key) ? [[key, entries.get(key) ?? '']] : [])))
    },
    forget() {
      this.forgetCount++
    },
  }
}

function positionVal(position: StoredPosition): Val {
  return struct({
    id: u64(position.id), trader: address(position.trader), asset: symbol(position.asset), direction: u32(position.direction),
    margin_mode: u32(position.marginMode), collateral: i128(position.collateral), size: i128(position.size), leverage: u32(position.leverage),
    entry_price: i128(position.entryPrice), entry_cumulative_funding: i128(position.entryCumulativeFunding),
    liquidation_price: i128(position.liquidationPrice), timestamp: u64(BigInt(position.openedAtSec)),
  })
}

function orderVal(order: StoredOrder): Val {
  return struct({
    id: u64(order.id), trader: address(order.trader), asset: symbol(order.asset), direction: u32(order.direction), order_type: u32(order.orderType),
    has_position: bool(order.hasPosition), position_id: u64(order.positionId), trigger_condition: u32(order.triggerCondition),
    trigger_price: i128(order.triggerPrice), limit_price: i128(order.limitPrice), trailing_percent_bps: u32(order.trailingPercentBps),
    stop_limit_phase: u32(order.stopLimitPhase), time_in_force: u32(order.timeInForce), created_at: u64(BigInt(order.createdAtSec)),
  })
}
