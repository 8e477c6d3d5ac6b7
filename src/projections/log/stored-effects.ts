// The stored form of what transactions changed.

import type { CrossBalanceChange, EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../../exchange/contracts/entry-changes.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** The effects of one transaction. */
export interface TransactionEffects {
  readonly changes: EntryChanges
  /** The contract call; null when the transaction is none. */
  readonly call: { readonly source: string; readonly contract: string; readonly functionName: string } | null
}

/** The stored effects of those of these transactions that were read; null when no node had the transaction any more. */
export async function readTransactionEffects(
  db: Queryable, contractEpoch: number, hashes: readonly string[],
): Promise<ReadonlyMap<string, TransactionEffects | null>> {
  if (hashes.length === 0) return new Map()
  const rows = await db.query<{ txHash: string; effects: StoredEffects | null }>(
    sql`select tx_hash as "txHash", effects from ${idx.transaction_effects} where contract_epoch = $1 and tx_hash = any($2::text[])`,
    [contractEpoch, hashes],
  )
  return new Map(rows.map(({ txHash, effects }) => [txHash, effects === null ? null : fromJson(effects)]))
}

/** Amounts are digits. */
interface StoredEffects {
  readonly positions: readonly EntryChange<Digits<PositionEntry>>[]
  readonly orders: readonly EntryChange<Digits<OrderEntry>>[]
  readonly crossBalances: readonly Digits<CrossBalanceChange>[]
  readonly call: TransactionEffects['call']
}

type Digits<Entry> = { readonly [Key in keyof Entry]: Entry[Key] extends bigint ? string : Entry[Key] }

export function effectsToJson({ changes, call }: TransactionEffects): string {
  const stored = { positions: [...changes.positions.values()], orders: [...changes.orders.values()], crossBalances: [...changes.crossBalances.values()], call }
  return JSON.stringify(stored, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

function fromJson({ positions, orders, crossBalances, call }: StoredEffects): TransactionEffects {
  return {
    changes: {
      positions: changesById(positions, ['collateral', 'entry_cumulative_funding', 'entry_price', 'liquidation_price', 'size']),
      orders: changesById(orders, ['collateral', 'limit_price', 'trigger_price']),
      crossBalances: new Map(crossBalances.map(({ trader, before, after }) => [trader, { trader, before: BigInt(before), after: BigInt(after) }])),
    },
    call,
  }
}

function changesById<Entry extends { readonly id: number }>(
  changes: readonly EntryChange<Digits<Entry>>[], amounts: readonly (keyof Entry & string)[],
): ReadonlyMap<number, EntryChange<Entry>> {
  const revive = (entry: Digits<Entry> | null): Entry | null => {
    if (entry === null) return null
    const numbers = amounts.map((name) => [name, BigInt(entry[name] as string)] as const)
    return { ...entry, ...Object.fromEntries(numbers) } as unknown as Entry
  }
  return new Map(changes.flatMap(({ before, after }) => {
    const change = { before: revive(before), after: revive(after) }
    const id = (change.before ?? change.after)?.id
    return id === undefined ? [] : [[id, change] as const]
  }))
}
