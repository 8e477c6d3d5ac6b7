// Ledger entries as seen by a run: accesses are checked against the footprint and metered, TTLs apply, and failed calls are rolled back.

import type { Val } from '../contracts/shared/host.ts'
import {
  TTL_EXTEND_BELOW_LEDGERS, TTL_EXTEND_TO_LEDGERS, TTL_MAX_LEDGERS, TTL_PERSISTENT_MIN_LEDGERS, TTL_TEMPORARY_MIN_LEDGERS,
} from './constants.ts'
import type { Entry } from './entries.ts'
import type { Footprint } from './footprint.ts'
import type { LedgerKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { createLayer, type Layer, type View } from './state.ts'
import { createLedgerEntry, entryOf, type LedgerEntry } from './ledger-entry.ts'

export interface HostStorage {
  /** The live entry. While a simulation records, an archived entry is restored. */
  get(key: LedgerKey): Entry | undefined
  put(key: LedgerKey, entry: Entry, options?: { readonly liveUntil?: number; readonly lifetimeLedgers?: number | undefined }): void
  remove(key: LedgerKey): void
  /** Extends the TTL of a persistent entry when little of it remains, as contracts do for themselves on every run. */
  extendIfNeeded(key: LedgerKey): void
  /** Opens a layer for a call. */
  pushFrame(): void
  /** Closes the layer: merges its changes into the layer below, or drops them. */
  popFrame(keep: boolean): void
  /** The changes of the run. */
  readonly base: Layer
  /** Archived entries that a simulation restored, in order. */
  readonly restored: readonly LedgerKey[]
}

/** True when the TTL of an entry has ended: a temporary entry no longer exists then, a persistent one is archived. */
export function hasExpired(ledgerEntry: LedgerEntry, sequence: number): boolean {
  return ledgerEntry.liveUntil !== null && ledgerEntry.liveUntil < sequence
}

const isTemporary = (entry: Entry): boolean =>
  entry.kind === 'nonce' || (entry.kind === 'contractData' && entry.durability === 'temporary')

const isClassic = (entry: Entry): boolean => entry.kind === 'account' || entry.kind === 'trustline' || entry.kind === 'data'

/** The last ledger of the TTL of an entry written in ledger `sequence`. `previous` is its TTL before, if it existed. */
function liveUntilOf(entry: Entry, previous: number | null, sequence: number): number | null {
  if (isClassic(entry)) return null
  if (isTemporary(entry)) return Math.max(previous ?? 0, sequence + TTL_TEMPORARY_MIN_LEDGERS - 1, allowanceLiveUntil(entry, sequence))
  if (previous === null) return sequence + TTL_PERSISTENT_MIN_LEDGERS - 1
  return extendedLiveUntil(previous, sequence)
}

/** Contracts extend their entries when the remaining TTL is below a threshold. */
function extendedLiveUntil(liveUntil: number, sequence: number): number {
  return liveUntil - sequence < TTL_EXTEND_BELOW_LEDGERS ? Math.max(liveUntil, sequence + TTL_EXTEND_TO_LEDGERS) : liveUntil
}

/** An allowance of the asset contract lives until its own live_until_ledger. */
function allowanceLiveUntil(entry: Entry, sequence: number): number {
  if (entry.kind !== 'contractData' || entry.value.type !== 'map') return 0
  const field = entry.value.value.find(([key]) => key.type === 'symbol' && key.value === 'live_until_ledger')
  const until: Val | undefined = field?.[1]
  return until?.type === 'u32' ? Math.min(until.value, sequence + TTL_MAX_LEDGERS - 1) : 0
}

/**
 * Creates the storage of one run on `parent`. `restoreArchived` is for simulations; when a transaction is applied, its archived entries have been
 * restored before the run.
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
    return liveEntry(key)
  }

  /** The entry if it is live or can be restored. */
  function liveEntry(key: LedgerKey): LedgerEntry | undefined {
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

  /** Extends the TTL of a new or changed entry to a lifetime that its contract asks for. */
  function atLeast(liveUntil: number | null, lifetimeLedgers = 0): number | null {
    return liveUntil === null ? null : Math.max(liveUntil, sequence + Math.min(lifetimeLedgers, TTL_MAX_LEDGERS) - 1)
  }

  return {
    base,
    restored,
    get(key) {
      const ledgerEntry = read(key)
      return ledgerEntry === undefined ? undefined : entryOf(ledgerEntry)
    },
    put(key, entry, { liveUntil, lifetimeLedgers } = {}) {
      footprint.write(key)
      meter.charge('write')
      // An archived entry that is written without being read must be restored too, because the footprint may not contain archived entries otherwise.
      const before = liveEntry(key)?.liveUntil ?? null
      top.put(key, createLedgerEntry(entry, sequence, liveUntil ?? atLeast(liveUntilOf(entry, before, sequence), lifetimeLedgers)))
    },
    remove(key) {
      footprint.write(key)
      meter.charge('write')
      liveEntry(key)
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
