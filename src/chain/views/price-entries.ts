// Prices read from the entries that the shim's answer depends on: one call for all assets. The entries are learned from the footprint of a simulation, and
// read directly only while they agree with it; a price stored in any other form is simulated again when one of its entries changes.

import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { readFootprint } from '../codec/footprint.ts'
import { codeRoleOf, contractDataValue, instanceKey, instanceStorage } from '../codec/ledger-keys.ts'
import { NewerThanKnown } from '../codec/newer-than-known.ts'
import type { ShimPrice } from './prices.ts'
import { readShimPriceWithFootprint } from './prices.ts'
import { MalformedResponse } from '../rpc/responses.ts'
import type { LedgerEntry } from '../rpc/responses.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { ENTRY_KEYS_MAX } from '../rpc/rpc.ts'
import { structField } from '../codec/scval.ts'
import { readField, readStruct } from '../codec/structs.ts'

/** The result of one call. */
export interface PricePoll {
  readonly ledger: number
  /** The prices that are known at this ledger. */
  readonly prices: ReadonlyMap<string, ShimPrice>
  /** Assets whose price may have changed. Only a simulation reads it. */
  readonly changed: readonly string[]
  /** The age up to which the market accepts a price for opening a position. Null: cannot be read. */
  readonly maxAgeSec: number | null
}

export interface PriceEntries {
  /** Simulates `lastprice`, and learns which entries it reads. Rejects with RpcFailure. */
  read(asset: string, signal: AbortSignal): Promise<ShimPrice>
  /** Reads what was learned about all assets. Rejects with RpcFailure. */
  poll(signal?: AbortSignal): Promise<PricePoll>
}

type PriceFigures = Pick<ShimPrice, 'price' | 'timestampSec'>

interface Learned {
  /** Every entry that the shim read, without the code of contracts. */
  readonly keys: readonly string[]
  /** The entry that holds the price; null: none does in a known form; undefined: not compared yet. */
  priceKey: string | null | undefined
  /** The last simulation, until it is compared with the entries. */
  unchecked: ShimPrice | null
  figures: PriceFigures
  /** The entries for which `figures` are right. */
  seen: ReadonlyMap<string, string>
}

/** A node that lags by up to this much is ignored. Beyond, it serves another chain. */
const LAG_MAX_LEDGERS = 100

const PRICE = { price: 'i128', timestamp: 'count' } as const

export function createPriceEntries({ rpc, deployment }: { readonly rpc: Rpc; readonly deployment: CurrentDeployment }): PriceEntries {
  const learned = new Map<string, Learned>()
  let last: PricePoll | null = null
  let market: { readonly dataXdr: string; readonly maxAgeSec: number | null } | null = null

  deployment.subscribe((next, previous) => {
    last = null
    market = null
    if (next.contracts.oracleShim !== previous.contracts.oracleShim) learned.clear()
    for (const asset of learned.keys()) if (!next.assets.symbols.includes(asset)) learned.delete(asset)
  })

  function maxAgeIn(entry: LedgerEntry | undefined): number | null {
    if (entry === undefined) return null
    if (market?.dataXdr !== entry.dataXdr) market = { dataXdr: entry.dataXdr, maxAgeSec: readMaxAge(entry.dataXdr) }
    return market.maxAgeSec
  }

  return {
    async read(asset, signal) {
      const shim = deployment.current.contracts.oracleShim
      const { price, transactionDataXdr } = await readShimPriceWithFootprint(rpc, { shim, asset, signal })
      const keys = transactionDataXdr === null ? null : keysOf(transactionDataXdr)
      const known = learned.get(asset)
      // A deployment can be replaced during the call.
      if (keys === null || deployment.current.contracts.oracleShim !== shim) learned.delete(asset)
      else if (known !== undefined && known.keys.join() === keys.join()) known.unchecked = price
      else learned.set(asset, { keys, priceKey: undefined, unchecked: price, figures: price, seen: new Map() })
      return price
    },
    async poll(signal) {
      const instance = instanceKey(deployment.current.contracts.market)
      const keys = new Set([instance])
      const readable = [...learned].filter(([, { keys: own }]) => {
        if (keys.size + own.length > ENTRY_KEYS_MAX) return false
        for (const key of own) keys.add(key)
        return true
      })
      const { entries: found, latestLedger: ledger } = await rpc.getLedgerEntries([...keys], signal === undefined ? {} : { signal })
      const lag = last === null ? 0 : last.ledger - ledger
      if (last !== null && lag > 0 && lag <= LAG_MAX_LEDGERS) return { ...last, changed: [] }
      if (lag > 0) learned.clear()
      const entries = new Map(found.map((entry) => [entry.keyXdr, entry]))
      const prices = new Map<string, ShimPrice>()
      const changed: string[] = []
      for (const [asset, entry] of readable) {
        if (learned.get(asset) !== entry) continue
        const result = update(entry, entries, ledger)
        if (result === 'known') prices.set(asset, { ...entry.figures, ledger })
        if (result !== 'changed') continue
        changed.push(asset)
        learned.delete(asset)
      }
      last = { ledger, prices, changed, maxAgeSec: maxAgeIn(entries.get(instance)) }
      return last
    },
  }
}

/** Compares what was learned with the entries at this ledger. `unknown`: not from these entries. */
function update(learned: Learned, entries: ReadonlyMap<string, LedgerEntry>, ledger: number): 'known' | 'changed' | 'unknown' {
  const own = learned.keys.flatMap((key) => entries.get(key) ?? [])
  // Only a simulation reports that an entry is archived.
  if (own.some(({ liveUntilLedger }) => liveUntilLedger !== null && liveUntilLedger < ledger)) return 'unknown'
  const { unchecked } = learned
  if (unchecked !== null && ledger >= unchecked.ledger) {
    learned.unchecked = null
    // Nothing says when a missing entry was removed.
    const isUnmodified = own.length === learned.keys.length && own.every(({ lastModifiedLedger }) => lastModifiedLedger <= unchecked.ledger)
    const isSameState = ledger === unchecked.ledger || isUnmodified
    if (isSameState) {
      learned.priceKey = own.find(({ dataXdr }) => isSamePrice(readPrice(dataXdr), unchecked))?.keyXdr ?? null
      learned.figures = unchecked
      learned.seen = seenOf(own)
      return 'known'
    }
    if (learned.priceKey === undefined) return 'changed'
  }
  if (learned.priceKey === undefined) return 'unknown'
  const differing = learned.keys.filter((key) => learned.seen.get(key) !== entries.get(key)?.dataXdr)
  if (differing.length === 0) return 'known'
  if (differing.length > 1 || differing[0] !== learned.priceKey) return 'changed'
  const figures = readPrice(entries.get(differing[0])?.dataXdr)
  if (figures === undefined) return 'changed'
  learned.figures = figures
  learned.seen = seenOf(own)
  return 'known'
}

function seenOf(entries: readonly LedgerEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
}

function isSamePrice(found: PriceFigures | undefined, expected: PriceFigures): boolean {
  return found !== undefined && found.price === expected.price && found.timestampSec === expected.timestampSec
}

function readPrice(dataXdr: string | undefined): PriceFigures | undefined {
  const stored = dataXdr === undefined ? undefined : readStruct(contractDataValue(dataXdr), PRICE)
  return stored === undefined ? undefined : { price: stored.price, timestampSec: stored.timestamp }
}

function readMaxAge(dataXdr: string): number | null {
  const config = instanceStorage(dataXdr)?.get('Config')
  return (config === undefined ? undefined : readField(structField(config, 'max_price_staleness'), 'count')) ?? null
}

/**
 * The entries of a simulation, without code, which never changes. Null when they cannot be read, and when none of them could hold a price: an entry that names
 * code says when the code changes, not when the price does.
 */
function keysOf(transactionDataXdr: string): readonly string[] | null {
  try {
    const { readOnly, readWrite } = readFootprint(transactionDataXdr)
    const keys = [...readOnly, ...readWrite]
    return keys.some((key) => codeRoleOf(key) === null) ? keys.filter((key) => codeRoleOf(key) !== 'code').toSorted() : null
  } catch (error) {
    if (error instanceof MalformedResponse || error instanceof NewerThanKnown) return null
    throw error
  }
}
