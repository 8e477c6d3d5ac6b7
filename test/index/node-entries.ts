// Ledger entries of the fake node: positions and orders of the market.

import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { numberedKey } from '../../src/chain/market-entries.ts'

/** A position as its ledger entry states it. */
export interface NodePosition {
  readonly market: string
  readonly id: number
  readonly mode: 'isolated' | 'cross'
}

/** An order as its ledger entry states it. */
export interface NodeOrder {
  readonly market: string
  readonly id: number
  readonly trader: string
  /** Null: not in a closed ledger yet. */
  readonly placedSec: number | null
  readonly pending: boolean
}

interface StoredEntry {
  readonly keyXdr: string
  readonly dataXdr: string
  readonly lastModifiedLedger: number
  readonly liveUntilLedger: number
}

/** The ledger entries of positions and orders with these keys. */
export function readEntries(
  { positions, orders }: { readonly positions: readonly NodePosition[]; readonly orders: readonly NodeOrder[] },
  keysXdr: readonly string[],
): StoredEntry[] {
  const entries = [
    ...positions.map((position) => ({ keyXdr: numberedKey(position.market, 'Position', position.id), encode: () => positionEntry(position) })),
    ...orders.map((order) => ({ keyXdr: numberedKey(order.market, 'Order', order.id), encode: () => orderEntry(order) })),
  ]
  return entries
    .filter(({ keyXdr }) => keysXdr.includes(keyXdr))
    .map(({ keyXdr, encode }) => ({ keyXdr, dataXdr: encode(), lastModifiedLedger: 1, liveUntilLedger: 1_000_000 }))
}

function positionEntry({ market, id, mode }: NodePosition): string {
  return numberedEntry(market, 'Position', id, {
    id: nativeToScVal(id, { type: 'u64' }),
    margin_mode: nativeToScVal(mode === 'cross' ? 1 : 0, { type: 'u32' }),
  })
}

function orderEntry({ market, id, trader, placedSec, pending }: NodeOrder): string {
  return numberedEntry(market, 'Order', id, {
    created_at: nativeToScVal(placedSec ?? 0, { type: 'u64' }),
    id: nativeToScVal(id, { type: 'u64' }),
    status: nativeToScVal(pending ? 0 : 1, { type: 'u32' }),
    trader: new Address(trader).toScVal(),
  })
}

/** An entry with the key [name, id]. The fields must be in alphabetical order. */
function numberedEntry(market: string, name: string, id: number, fields: Readonly<Record<string, xdr.ScVal>>): string {
  const val = xdr.ScVal.scvMap(
    Object.entries(fields).map(([field, value]) => new xdr.ScMapEntry({ key: nativeToScVal(field, { type: 'symbol' }), val: value })),
  )
  const key = xdr.ScVal.scvVec([nativeToScVal(name, { type: 'symbol' }), nativeToScVal(id, { type: 'u64' })])
  return xdr.LedgerEntryData.contractData(
    new xdr.ContractDataEntry({
      ext: xdr.ExtensionPoint.v0(), contract: new Address(market).toScAddress(), key, durability: xdr.ContractDataDurability.persistent, val,
    }),
  ).toXdr('base64')
}
