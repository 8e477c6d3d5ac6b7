// Ledger entries as a running contract reaches them: through the footprint, with their time to live, in layers that a failed call drops.

import type { Val } from '../contracts/host.ts'
import {
  TTL_EXTEND_BELOW_LEDGERS, TTL_EXTEND_TO_LEDGERS, TTL_MAX_LEDGERS, TTL_PERSISTENT_MIN_LEDGERS, TTL_TEMPORARY_MIN_LEDGERS,
} from './constants.ts'
import type { Entry } from './entries.ts'
import type { Footprint } from './footprint.ts'
import type { LedgerKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { createLayer, type Layer, type View } from './state.ts'
import { entryOf, type LedgerEntry, createLedgerEntry } from './ledger-entry.ts'

/** Entries as one run sees them. */
export interface HostStorage {
  /** The entry, when it lives. An archived one is restored on the way while a simulation records. */
  get(key: LedgerKey): Entry | undefined
  put(key: LedgerKey, entry: Entry, options?: { readonly liveUntil?: number }): void
  remove(key: LedgerKey): void
  /** Extends what contracts extend whenever they run: a persistent entry with little life left. */
  extendIfNeeded(key: LedgerKey): void
  /** Opens a layer for a nested call. */
  pushFrame(): void
  /** Closes it: its changes go down one layer, or nowhere. */
  popFrame(keep: boolean): void
  /** What the run changed, as long as it is not dropped. */
  readonly base: Layer
  /** Archived entries that a recording run restored, in order. */
  readonly restored: readonly LedgerKey[]
}

/** True when an entry's life is over: a temporary one is gone then, a persistent one is archived. */
export function hasExpired(ledgerEntry: LedgerEntry, sequence: number): boolean {
  return ledgerEntry.liveUntil !== null && ledgerEntry.liveUntil < sequence
}

const isTemporary = (entry: Entry): boolean =>
  entry.kind === 'nonce' || (entry.kind === 'contractData' && entry.durability === 'temporary')

const isClassic = (entry: Entry): boolean => entry.kind === 'account' || entry.kind === 'trustline' || entry.kind === 'data'

/** The last ledger of an entry that is written now. */
export function liveUntilOf(entry: Entry, previous: number | null, sequence: number): number | null {
  if (isClassic(entry)) return null
  if (isTemporary(entry)) return Math.max(previous ?? 0, sequence + TTL_TEMPORARY_MIN_LEDGERS - 1, allowanceLiveUntil(entry, sequence))
  if (previous === null) return sequence + TTL_PERSISTENT_MIN_LEDGERS - 1
  return extendedLiveUntil(previous, sequence)
}

/** What contracts do for their entries: extend them when less than a threshold is left. */
function extendedLiveUntil(liveUntil: number, sequence: number): number {
  return liveUntil - sequence < TTL_EXTEND_BELOW_LEDGERS ? Math.max(liveUntil, sequence + TTL_EXTEND_TO_LEDGERS) : liveUntil
}

/** The asset contract keeps an allowance for as long as it says. */
function allowanceLiveUntil(entry: Entry, sequence: number): number {
  if (entry.kind !== 'contractData' || entry.value.type !== 'map') return 0
  const field = entry.value.value.find(([key]) => key.type === 'symbol' && key.value === 'live_until_ledger')
  const until: Val | undefined = field?.[1]
  return until?.type === 'u32' ? Math.min(until.value, sequence + TTL_MAX_LEDGERS - 1) : 0
}

/**
 * Opens the ledger at `parent` for one run. `restoreArchived` is for simulations: an applied transaction's archived entries were restored
 * before.
 */
export function createHostStorage(options: {
  readonly parent: View
  readonly footprint: Footprint
  readonly meter: Meter
  readonly sequence: number
  readonly restoreArchived: boolean
}): HostStorage {
  const { footprint, meter, sequence } = options
  const base = createLayer(options.parent)
  const restored: LedgerKey[] = []
  const layers: Layer[] = [base]
  let top = base

  function read(key: LedgerKey): LedgerEntry | undefined {
    footprint.read(key)
    meter.charge('read')
    return alive(key)
  }

  /** The entry if it lives, or comes back to life. */
  function alive(key: LedgerKey): LedgerEntry | undefined {
    const ledgerEntry = top.get(key)
    if (ledgerEntry === undefined || !hasExpired(ledgerEntry, sequence)) return ledgerEntry
    const entry = entryOf(ledgerEntry)
    if (isTemporary(entry) || !options.restoreArchived) return undefined
    return restore(key, entry)
  }

  function restore(key: LedgerKey, entry: Entry): LedgerEntry {
    footprint.write(key)
    restored.push(key)
    const restoredEntry = createLedgerEntry(entry, sequence, sequence + TTL_PERSISTENT_MIN_LEDGERS - 1)
    base.put(key, restoredEntry)
    return restoredEntry
  }

  return {
    base,
    restored,
    get(key) {
      const ledgerEntry = read(key)
      return ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
    },
    put(key, entry, { liveUntil } = {}) {
      footprint.write(key)
      meter.charge('write')
      // What is written without being read must be restored too: no archived entry may be in a footprint otherwise.
      const before = alive(key)?.liveUntil ?? null
      top.put(key, createLedgerEntry(entry, sequence, liveUntil ?? liveUntilOf(entry, before, sequence)))
    },
    remove(key) {
      footprint.write(key)
      meter.charge('write')
      alive(key)
      top.remove(key)
    },
    extendIfNeeded(key) {
      const ledgerEntry = top.get(key)
      if (ledgerEntry === undefined || ledgerEntry.liveUntil === null || hasExpired(ledgerEntry, sequence)) return
      const liveUntil = extendedLiveUntil(ledgerEntry.liveUntil, sequence)
      if (liveUntil !== ledgerEntry.liveUntil) top.put(key, { ...ledgerEntry, liveUntil })
    },
    pushFrame() {
      top = createLayer(top)
      layers.push(top)
    },
    popFrame(keep) {
      const closed = layers.pop()
      top = layers.at(-1) ?? base
      if (keep) closed?.mergeInto(top)
    },
  }
}
