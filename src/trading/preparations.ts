// Prepared transactions: remembered until some time after they expire, so that a submission and a look-up know their operation and client id, the name that
// its client gives a transaction.

import type { Clock } from '../base/clock.ts'
import type { Store } from '../store/store.ts'
import type { PreparedRecord } from './submission-records.ts'
import { findHolder, insertPrepared } from './statements.ts'
import { isUnavailable, withStoreTimeout } from './store-access.ts'
import type { StoreFailures } from './store-access.ts'

/** Time for which a submitted transaction holds its client id. */
export const CLIENT_ID_HELD_MS = 24 * 60 * 60_000

/** Raised when another submitted transaction of the owner holds the client id. */
export class ClientIdInUse extends Error {
  override readonly name = 'ClientIdInUse'
  /** The transaction that holds it. */
  readonly hash: string

  constructor(hash: string) {
    super('the client id belongs to another transaction')
    this.hash = hash
  }
}

/** Stores a prepared transaction. Resolves with false when the database is not available. Rejects with ClientIdInUse. */
export type RecordPrepared = (prepared: PreparedRecord) => Promise<boolean>

/** Rejects with ClientIdInUse if a submitted transaction of the owner holds the client id. Resolves when the database is not available. */
export type RequireFreeClientId = (owner: string, clientId: string) => Promise<void>

export interface Preparations {
  readonly recordPrepared: RecordPrepared
  readonly requireFreeClientId: RequireFreeClientId
}

interface PreparedParts {
  readonly store: Store
  readonly clock: Clock
  readonly failures: StoreFailures
}

export function createPreparations(parts: PreparedParts): Preparations {
  return { recordPrepared: createRecordPrepared(parts), requireFreeClientId: createRequireFreeClientId(parts) }
}

function createRequireFreeClientId({ store, clock, failures }: PreparedParts): RequireFreeClientId {
  return async (owner, clientId) => {
    try {
      const holder = await withStoreTimeout(clock, findHolder(store.read, { owner, clientId, nowMs: clock.nowMs() }))
      if (holder !== null) throw new ClientIdInUse(holder)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      failures.record('client_id_not_checked', error)
    }
  }
}

function createRecordPrepared({ store, clock, failures }: PreparedParts): RecordPrepared {
  async function record(prepared: PreparedRecord): Promise<boolean> {
    const { owner, clientId, hash } = prepared
    const nowMs = clock.nowMs()
    const holder = clientId === null ? null : await findHolder(store.read, { owner, clientId, nowMs })
    if (holder !== null && holder !== hash) throw new ClientIdInUse(holder)
    await insertPrepared(store.write, prepared, nowMs)
    return true
  }

  return async (prepared) => {
    try {
      return await withStoreTimeout(clock, record(prepared))
    } catch (error) {
      if (!isUnavailable(error)) throw error
      failures.record('preparation_not_stored', error, prepared.hash)
      return false
    }
  }
}
