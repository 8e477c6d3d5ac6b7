// Whether ledger entries exist and live. An archived entry in a footprint fails the transaction, so what a transaction declares on suspicion must not be one.

import { createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import { ENTRY_KEYS_MAX } from '../../chain/rpc/rpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { LedgerEntry } from '../../chain/rpc/responses.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import { withTimeout } from '../../chain/rpc/with-timeout.ts'

export type EntryState = 'live' | 'absent' | 'archived'

export interface EntryStates {
  /** The states of these entries (base64 LedgerKeys), of which those that are unknown are read. Entries that could not be read in time are missing. */
  read(keys: readonly string[], options: ReadOptions): Promise<ReadonlyMap<string, EntryState>>
}

export type ReadOptions = Pick<CallOptions, 'signal' | 'requester'>

/** Entries rarely begin or cease to exist, and an entry that does is still declared. */
const STATE_TTL_MS = 5 * 60_000
const STATES_MAX = 20_000
/** An entry that lives no longer than this may be archived before a transaction of today is applied. */
const LIVE_LEDGERS_MIN = 1_000
const READ_TIMEOUT_MS = 2_000

export function createEntryStates({ rpc, clock }: { readonly rpc: Rpc; readonly clock: Clock }): EntryStates {
  const known = createCache<string, EntryState>(STATES_MAX, { clock, ttlMs: STATE_TTL_MS })

  return {
    async read(keys, options) {
      const unknown = [...new Set(keys)].filter((key) => !known.has(key)).slice(0, ENTRY_KEYS_MAX)
      const response = unknown.length === 0 ? undefined : await readEntries({ rpc, clock }, unknown, options)
      if (response !== undefined) {
        const found = new Map(response.entries.map((entry) => [entry.keyXdr, entry]))
        for (const key of unknown) known.set(key, stateOf(found.get(key), response.latestLedger))
      }
      return new Map(keys.flatMap((key) => {
        const state = known.get(key)
        return state === undefined ? [] : [[key, state] as const]
      }))
    },
  }
}

function stateOf(entry: LedgerEntry | undefined, latestLedger: number): EntryState {
  if (entry === undefined) return 'absent'
  return entry.liveUntilLedger === null || entry.liveUntilLedger >= latestLedger + LIVE_LEDGERS_MIN ? 'live' : 'archived'
}

/** Entries that are nice to know: undefined when the node does not return them in time. */
export async function readEntries(
  { rpc, clock }: { readonly rpc: Rpc; readonly clock: Clock }, keys: readonly string[], { signal, ...options }: ReadOptions,
): Promise<Awaited<ReturnType<Rpc['getLedgerEntries']>> | undefined> {
  try {
    const limits = { limitMs: READ_TIMEOUT_MS, method: 'getLedgerEntries', signal }
    return await withTimeout(clock, limits, (limited) => rpc.getLedgerEntries(keys, { ...options, signal: limited }))
  } catch (error) {
    if (error instanceof RpcFailure || signal?.aborted === true) return undefined
    throw error
  }
}
