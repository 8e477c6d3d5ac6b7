// Which entries earlier simulations of a function touched. What one of them touched because of a profit, the next may touch although it was simulated with a
// loss. This covers contracts that the table of footprints does not describe.

import { createCache } from '../../base/cache.ts'
import type { Cache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { EntryKey, Values } from '../../exchange/contracts/footprint-keys.ts'
import type { Variable } from '../../exchange/contracts/footprint-table.ts'
import { HEADROOM_PERCENT } from '../../exchange/contracts/resource-headroom.ts'

/** An entry that a simulation touched. */
export interface TouchedEntry {
  readonly keyXdr: string
  /** Undefined for entries that belong to no storage key: instances, code, and what names the code of a reference. */
  readonly key: EntryKey | undefined
  readonly isWritten: boolean
}

type LearnedKey = { readonly keyXdr: string } | { readonly key: EntryKey }

export interface LearnedEntries {
  /** Stores the entries of a function's simulation, with those parts of their keys that are variables of the call. */
  learn(functionId: string, touched: readonly TouchedEntry[], values: Values): void
  /** The remembered entries for these values. */
  recall(functionId: string, values: Values): readonly (LearnedKey & { readonly isWritten: boolean })[]
  /** Forgets everything: other code touches other entries. */
  clear(): void
}

/** Entries of one function, and functions. The least recently used are dropped. */
const ENTRIES_MAX = 64
const FUNCTIONS_MAX = 64

interface Learned {
  readonly isWritten: boolean
  materialize(values: Values): readonly LearnedKey[]
}

export function createLearnedEntries(): LearnedEntries {
  const functions = createCache<string, Cache<string, Learned>>(FUNCTIONS_MAX)

  return {
    learn(functionId, touched, values) {
      const known = functions.get(functionId) ?? createCache<string, Learned>(ENTRIES_MAX)
      functions.set(functionId, known)
      for (const entry of touched) {
        const learned = generalize(entry, values)
        if (learned === undefined) continue
        const before = known.get(learned.id)
        known.set(learned.id, before?.isWritten === true ? before : learned)
      }
    },
    recall(functionId, values) {
      const entries = [...(functions.get(functionId)?.rvalues() ?? [])].filter((entry) => entry !== undefined)
      return entries.flatMap(({ isWritten, materialize }) => materialize(values).map((key) => ({ ...key, isWritten })))
    },
    clear: () => functions.clear(),
  }
}

const NAMING_VARIABLES: readonly Variable[] = ['trader', 'asset', 'priced', 'position', 'order', 'vaultId']

/** Undefined for entries that only this call touches, such as the position of another trader. */
function generalize({ keyXdr, key, isWritten }: TouchedEntry, values: Values): (Learned & { readonly id: string }) | undefined {
  if (key === undefined || key.kind === 'instance') return { id: keyXdr, isWritten: false, materialize: () => [{ keyXdr }] }
  if (key.kind === 'trustline') {
    const isTraders = values.get('trader')?.some(({ value }) => value === key.account) ?? false
    const ofTraders = (current: Values): LearnedKey[] => (current.get('trader') ?? []).map(({ value }) => ({ key: { ...key, account: String(value) } }))
    return isTraders ? { id: `trustline ${key.asset}`, isWritten, materialize: ofTraders } : undefined
  }
  const [part, more] = key.parts
  if (part === undefined) return { id: keyXdr, isWritten, materialize: () => [{ keyXdr }] }
  if (more !== undefined) return undefined
  const variable = NAMING_VARIABLES.find((name) => values.get(name)?.some(({ type, value }) => type === part.type && value === part.value))
  if (variable !== undefined) {
    const ofValues = (current: Values): LearnedKey[] => (current.get(variable) ?? []).map((value) => ({ key: { ...key, parts: [value] } }))
    return { id: `${key.contract} ${key.durability} ${key.name} ${variable}`, isWritten, materialize: ofValues }
  }
  // The balance of a contract is the same in every call; that of an account is not.
  const isContract = part.type === 'address' && part.value.startsWith('C')
  return isContract ? { id: keyXdr, isWritten, materialize: () => [{ keyXdr }] } : undefined
}

/** How much more than simulated a function's transactions declare, after one of them exceeded its budget. */
export interface LearnedHeadroom {
  /** A transaction of this function exceeded its budget. */
  raise(functionId: string): void
  percentOf(functionId: string): number
}

const HEADROOM_MAX_PERCENT = 100
/** Contracts that need more may be replaced, and users pay for what is declared. */
const RAISED_FOR_MS = 24 * 60 * 60_000

export function createLearnedHeadroom(clock: Clock): LearnedHeadroom {
  const raised = createCache<string, number>(FUNCTIONS_MAX, { clock, ttlMs: RAISED_FOR_MS })
  const percentOf = (functionId: string): number => raised.get(functionId) ?? HEADROOM_PERCENT
  return {
    percentOf,
    raise(functionId) {
      raised.set(functionId, Math.min(HEADROOM_MAX_PERCENT, 2 * percentOf(functionId)))
    },
  }
}
