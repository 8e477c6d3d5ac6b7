// The open positions and pending orders of a market of generation 2, which has no lists: every id up to the counters is read once, and open ones
// again.

import type { Val } from '../contracts/shared/host.ts'
import { address, u64 } from '../contracts/shared/host.ts'
import { asI128, asU32, asU64, fieldOf, storageKey } from '../contracts/shared/values.ts'
import { contractDataKey, contractDataValue } from './exchange-state.ts'
import type { EntryReader } from './exchange-state.ts'
import { orderOf, positionOf } from './stored-entries.ts'
import type { HoldingsReader, StoredOrder, StoredPosition } from './stored-entries.ts'

export interface MarketIndex {
  read(): Promise<{ readonly positions: readonly StoredPosition[]; readonly orders: readonly StoredOrder[] }>
  /** The holdings of one trader. */
  holdingsOf(trader: string): HoldingsReader
  /** Starts from the first id, after the network was restored or reset. */
  forget(): void
}

/** New ids per read. A long history is read in several turns. */
const MAX_NEW_IDS = 2_000

/** The status of a pending order. Others count as absent. */
const PENDING = 0

/** Builds the index. The actors of one network share it. */
export function createMarketIndex(reader: EntryReader, market: string): MarketIndex {
  const positions = createFamily(market, 'Position', positionOf, () => true)
  const orders = createFamily(market, 'Order', orderOf, (value) => asU32(fieldOf(value, 'status')) === PENDING)

  async function read() {
    const counters = await reader.readEntries([positions.counterKey, orders.counterKey])
    const keys = [...positions.keys(counters), ...orders.keys(counters)]
    const entries = keys.length === 0 ? new Map<string, string>() : await reader.readEntries(keys)
    return { positions: positions.accept(entries), orders: orders.accept(entries) }
  }

  return {
    read,
    holdingsOf(trader) {
      const poolKey = contractDataKey(market, storageKey('CrossMarginBalance', address(trader)))
      return {
        async read() {
          const all = await read()
          const pool = (await reader.readEntries([poolKey])).get(poolKey)
          return {
            positions: all.positions.filter((position) => position.trader === trader),
            orders: all.orders.filter((order) => order.trader === trader),
            pool: pool === undefined ? 0n : asI128(contractDataValue(pool)),
          }
        },
        forget: () => {},
      }
    },
    forget() {
      positions.forget()
      orders.forget()
    },
  }
}

/** The numbered entries of one name. */
function createFamily<Entry extends { readonly id: bigint }>(market: string, name: string, decode: (value: Val) => Entry, isOpen: (value: Val) => boolean) {
  const counterKey = contractDataKey(market, storageKey(`${name}Counter`))
  /** By key. Ids are never used again, so an entry that is gone is not read again. */
  let known = new Set<string>()
  let lastId = 0n

  return {
    counterKey,
    /** The keys of open entries and of new ids. */
    keys(counters: ReadonlyMap<string, string>): readonly string[] {
      const counter = counters.get(counterKey)
      const newest = counter === undefined ? 0n : asU64(contractDataValue(counter))
      for (let count = 0; count < MAX_NEW_IDS && lastId < newest; count++) {
        lastId += 1n
        known.add(contractDataKey(market, storageKey(name, u64(lastId))))
      }
      return [...known]
    },
    accept(entries: ReadonlyMap<string, string>): readonly Entry[] {
      const open: Entry[] = []
      const still = new Set<string>()
      for (const key of known) {
        const entry = entries.get(key)
        const value = entry === undefined ? undefined : contractDataValue(entry)
        if (value === undefined || !isOpen(value)) continue
        open.push(decode(value))
        still.add(key)
      }
      known = still
      return open
    },
    forget() {
      known = new Set()
      lastId = 0n
    },
  }
}
