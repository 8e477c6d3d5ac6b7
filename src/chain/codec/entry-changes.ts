// Decodes what a transaction or a simulation changed in the market's storage: positions, orders and cross balances, before and after.

import { xdr } from '@stellar/stellar-sdk'
import type { CrossBalanceChange, EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../../exchange/contracts/entry-changes.ts'
import { encodeContract } from '../../base/strkey.ts'
import { LEDGER_ENTRY } from './ledger-keys.ts'
import { orderOf, positionOf } from '../views/market-entries.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import type { StateChange } from '../rpc/responses.ts'
import type { ScValue } from './scval.ts'
import { MalformedScVal, readScAddress, readScVal, SCV, typeOfScVal } from './scval.ts'
import { readField } from './structs.ts'
import type { Decoded, RawXdr } from './xdr-reader.ts'
import { findNewer, readXdr } from './xdr-reader.ts'

/**
 * Base64. Calls of the exchange have a tenth of this: up to 16 kB of events and 30 entries, of which an update holds two versions. Longer ones are not decoded,
 * because that would block the event loop.
 */
export const META_MAX_LENGTH = 256 * 1024

/** The part of a transaction's meta that concerns this market. */
export interface MetaChanges {
  readonly changes: EntryChanges
  /** The events of contracts, as the archive stores them: contract, topics and value, separated by spaces; XDR is base64. */
  readonly events: readonly string[]
  /** The best prices of trailing stops after the transaction, by order id. */
  readonly peaks: ReadonlyMap<number, bigint>
}

type Meta = Decoded<typeof xdr.TransactionMeta>
type ContractEvent = Decoded<typeof xdr.ContractEvent>
type LedgerEntry = Decoded<typeof xdr.LedgerEntry>
type LedgerEntryChange = Decoded<typeof xdr.LedgerEntryChange>

/** The discriminants of LedgerEntryChange, and of a contract's own events. */
const CHANGE = { created: 0, updated: 1, removed: 2, state: 3, restored: 4 } as const
const CONTRACT_EVENT = 1

/** Reads a base64 TransactionMeta. Null: it is too long, does not decode, or is of an unknown version. */
export function decodeMeta(metaXdr: string, market: string): MetaChanges | null {
  if (metaXdr.length > META_MAX_LENGTH) return null
  try {
    const meta = readXdr(xdr.TransactionMeta, metaXdr)
    const operations = operationsOf(meta)
    if (operations === null) return null
    const versions = operations.flatMap(versionsOf).filter(({ contract }) => contract === market)
    return { changes: readChanges(versions, market), events: eventsOf(meta).flatMap(eventText), peaks: readPeaks(versions) }
  } catch {
    return null
  }
}

/** The part of a base64 TransactionMeta that is newer than this gateway; undefined: nothing, or it is damaged. */
export function findNewerInMeta(metaXdr: string): NewerThanKnown | undefined {
  return metaXdr.length > META_MAX_LENGTH ? undefined : findNewer(xdr.TransactionMeta, metaXdr)
}

/** The id of the order that a call returned, which those that place an order do; null for any other call, and for meta that cannot be read. */
export function readReturnedOrderId(metaXdr: string): number | null {
  if (metaXdr.length > META_MAX_LENGTH) return null
  try {
    const meta = readXdr(xdr.TransactionMeta, metaXdr)
    const returned = meta.v === 3 ? meta.v3.sorobanMeta?.returnValue : meta.v === 4 ? meta.v4.sorobanMeta?.returnValue : null
    return returned === undefined || returned === null ? null : orderOf(readScVal(returned))?.id ?? null
  } catch {
    return null
  }
}

function eventsOf(meta: Meta): readonly ContractEvent[] {
  if (meta.v === 3) return meta.v3.sorobanMeta?.events ?? []
  return meta.v === 4 ? meta.v4.operations.flatMap(({ events }) => events) : []
}

function eventText({ contractId, body, type }: ContractEvent): string[] {
  if (contractId === null || type !== CONTRACT_EVENT) return []
  const { topics, data } = body.v0
  return [[encodeContract(contractId), ...[...topics, data].map(({ raw }) => raw.toString('base64'))].join(' ')]
}

/** Decodes a simulation's state changes of this market. Null: they do not decode, or are too long. */
export function decodeStateChanges(changes: readonly StateChange[], market: string): EntryChanges | null {
  const length = changes.reduce((sum, { beforeXdr, afterXdr }) => sum + (beforeXdr?.length ?? 0) + (afterXdr?.length ?? 0), 0)
  if (length > META_MAX_LENGTH) return null
  try {
    return readChanges(changes.flatMap(({ beforeXdr, afterXdr }) => {
      const [before, after] = [beforeXdr, afterXdr].map((entry) => (entry === null ? null : locate(readXdr(xdr.LedgerEntry, entry).data)))
      const located = before ?? after
      if (located === undefined || located === null) return []
      return [{ contract: located.contract, key: located.key, before: before?.val ?? null, after: after?.val ?? null }]
    }), market)
  } catch {
    return null
  }
}

function operationsOf(meta: Meta): readonly (readonly LedgerEntryChange[])[] | null {
  if (meta.v === 3) return meta.v3.operations.map(({ changes }) => changes)
  if (meta.v === 4) return meta.v4.operations.map(({ changes }) => changes)
  return null
}

/** A contract's entry before and after; null: absent. */
interface Version {
  readonly contract: string
  readonly key: RawXdr
  readonly before: RawXdr | null
  readonly after: RawXdr | null
}

/** Pairs the states of an operation's entries with what they became. A state comes right before its change. */
function versionsOf(changes: readonly LedgerEntryChange[]): Version[] {
  const versions: Version[] = []
  let state: RawXdr | null = null
  for (const change of changes) {
    if (change.type === CHANGE.state) {
      state = locate(change.state.data)?.val ?? null
      continue
    }
    const located = change.type === CHANGE.removed ? locateKey(change.removed) : locate(entryOf(change).data)
    if (located !== null) versions.push({ ...located, before: change.type === CHANGE.restored ? located.val : state, after: located.val })
    state = null
  }
  return versions
}

function entryOf(change: Exclude<LedgerEntryChange, { type: typeof CHANGE.removed | typeof CHANGE.state }>): LedgerEntry {
  if (change.type === CHANGE.created) return change.created
  return change.type === CHANGE.updated ? change.updated : change.restored
}

interface Located {
  readonly contract: string
  readonly key: RawXdr
  readonly val: RawXdr | null
}

function locate(data: LedgerEntry['data']): Located | null {
  if (data.type !== LEDGER_ENTRY.contractData) return null
  const { contract, key, val } = data.contractData
  return { contract: readScAddress(contract), key, val }
}

function locateKey({ raw }: RawXdr): Located | null {
  const removed = readXdr(xdr.LedgerKey, raw)
  if (removed.type !== LEDGER_ENTRY.contractData) return null
  const { contract, key } = removed.contractData
  return { contract: readScAddress(contract), key, val: null }
}

function readChanges(versions: readonly Version[], market: string): EntryChanges {
  const positions = new Map<number, EntryChange<PositionEntry>>()
  const orders = new Map<number, EntryChange<OrderEntry>>()
  const crossBalances = new Map<string, CrossBalanceChange>()
  for (const { contract, key, before, after } of versions) {
    if (contract !== market) continue
    const entry = entryName(key)
    if (entry === null) continue
    if (entry.name === 'Position') merge(positions, readField(entry.argument, 'count'), readBoth(before, after, positionOf))
    else if (entry.name === 'Order') merge(orders, readField(entry.argument, 'count'), readBoth(before, after, orderOf))
    else if (entry.name === 'CrossMarginBalance') {
      mergeBalance(crossBalances, readField(entry.argument, 'address'), readBoth(before, after, (value) => readField(value, 'i128')))
    }
  }
  return { positions, orders, crossBalances }
}

function readPeaks(versions: readonly Version[]): Map<number, bigint> {
  return new Map(versions.flatMap(({ key, after }) => {
    const entry = entryName(key)
    if (entry?.name !== PEAK || after === null) return []
    const [id, peak] = [readField(entry.argument, 'count'), readField(readScVal(after), 'i128')]
    return id === undefined || peak === undefined ? [] : [[id, peak] as const]
  }))
}

const PEAK = 'TrailingStopPeak'
const NAMES: ReadonlySet<string> = new Set(['Position', 'Order', 'CrossMarginBalance', PEAK])

/** The name and the argument of a storage key, if it is one of those read here. Other values are not converted: lists of ids can be long. */
function entryName(key: RawXdr): { readonly name: string; readonly argument: ScValue } | null {
  const parts = typeOfScVal(key) === SCV.vec ? readXdr(xdr.ScVal, key.raw) : undefined
  if (parts?.type !== SCV.vec || parts.vec === null || parts.vec.length !== 2) return null
  const [name, argument] = parts.vec
  if (name === undefined || argument === undefined || typeOfScVal(name) !== SCV.symbol) return null
  const text = readScVal(name)
  return text.type === 'symbol' && NAMES.has(text.value) ? { name: text.value, argument: readScVal(argument) } : null
}

/** Undefined when an entry that exists cannot be read. */
function readBoth<Entry>(before: RawXdr | null, after: RawXdr | null, read: (value: ScValue) => Entry | undefined): EntryChange<Entry> | undefined {
  const [first, last] = [before, after].map((value) => {
    if (value === null) return null
    try {
      return read(readScVal(value))
    } catch (error) {
      if (error instanceof MalformedScVal || error instanceof NewerThanKnown) return undefined
      throw error
    }
  })
  return first === undefined || last === undefined ? undefined : { before: first, after: last }
}

/** An entry that several operations change is reported as before the first and after the last. */
function merge<Entry extends { readonly id: number }>(
  into: Map<number, EntryChange<Entry>>, id: number | undefined, change: EntryChange<Entry> | undefined,
): void {
  if (id === undefined || change === undefined || (change.before ?? change.after)?.id !== id) return
  const known = into.get(id)
  into.set(id, known === undefined ? change : { before: known.before, after: change.after })
}

function mergeBalance(into: Map<string, CrossBalanceChange>, trader: string | undefined, change: EntryChange<bigint> | undefined): void {
  if (trader === undefined || change === undefined) return
  into.set(trader, { trader, before: into.get(trader)?.before ?? change.before ?? 0n, after: change.after ?? 0n })
}
