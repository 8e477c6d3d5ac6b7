// The daily caps of the key of a request that opens a position or places an entry order.

import type { Clock } from '../base/clock.ts'
import { ENTRY_OPERATIONS } from '../exchange/entries.ts'
import { HttpFailure } from '../http/errors.ts'
import { capExceeded } from '../http/key-rules.ts'
import type { Keys } from '../keys/keys.ts'
import type { KeyIdentity } from '../keys/key-cache.ts'
import { isUnavailable, withStoreTimeout } from '../trading/store-access.ts'

/** The members of a call that say what it uses of the caps. */
export interface CapCall {
  readonly op: string
  readonly collateral?: bigint | string
  readonly leverage?: number
}

interface ReservedTransaction {
  readonly hash: string
  /** The inner one of a fee bump; null for another transaction. */
  readonly innerHash: string | null
  /** Null: it is being submitted. */
  readonly expiresAtMs: number | null
}

export interface EntryCaps {
  /** Throws 403 `cap_exceeded` when the call already exceeds a daily cap. Reserves nothing. */
  check(key: KeyIdentity, call: CapCall): Promise<void>
  /** Reserves what the call uses, once for each transaction. Throws 403 `cap_exceeded`. */
  reserve(key: KeyIdentity, call: CapCall, transaction: ReservedTransaction): Promise<void>
}

/** A key without caps trades while the database is not available. With caps nothing is prepared or sent that is not reserved. */
export function createEntryCaps({ keys, clock }: { readonly keys: Pick<Keys, 'findExceededCap' | 'reserve'>; readonly clock: Clock }): EntryCaps {
  async function rejectExceeded(key: KeyIdentity, work: ReturnType<Keys['reserve']>): Promise<void> {
    const exceeded = await withStoreTimeout(clock, work).catch((error: unknown) => {
      if (isCapped(key) || !isUnavailable(error)) throw error
      return null
    })
    if (exceeded !== null) throw new HttpFailure(capExceeded(exceeded.cap, exceeded.limit, exceeded.used))
  }

  return {
    async check(key, call) {
      if (isEntry(call) && isCapped(key)) await rejectExceeded(key, keys.findExceededCap(key.keyId, notionalOf(call)))
    },
    async reserve(key, call, transaction) {
      if (isEntry(call)) await rejectExceeded(key, keys.reserve(key.keyId, { ...transaction, notional: notionalOf(call) }))
    },
  }
}

/** True for a key with caps. A key that was lent has those of the keys above it. */
export function isCapped({ restrictions }: KeyIdentity): boolean {
  return restrictions.caps !== null
}

/** True for a call that caps bound. */
export function isEntry({ op }: CapCall): boolean {
  return ENTRY_OPERATIONS.has(op)
}

function notionalOf({ collateral = 0n, leverage = 0 }: CapCall): bigint {
  return BigInt(collateral) * BigInt(leverage)
}
