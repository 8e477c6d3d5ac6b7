// The bell that rings when a key is revoked anywhere, and whether this process hears it.

import type { Store } from '../store/store.ts'
import { REVOCATIONS_CHANNEL } from './records.ts'

export interface Bell extends AsyncDisposable {
  /** Resolves when the bell is listened to, or when that was tried in vain. */
  listen(): Promise<void>
  /**
   * Begins to listen closely: the function it returns tells whether the bell was heard all the time since, and was still. What was read from the database
   * in between is then as new as it was when the reading began.
   */
  watch(): () => boolean
  /** Counts as a ring for whoever watches. */
  disturb(): void
}

export interface BellOptions {
  readonly store: Store
  /** A key was revoked. */
  readonly onRevoked: (keyId: string) => void
  /** From now on the bell may ring unheard. */
  readonly onDeaf: () => void
}

export function createBell({ store, onRevoked, onDeaf }: BellOptions): Bell {
  let listening: Promise<() => Promise<void>> | undefined
  let heard = false
  let disturbances = 0

  function ring(keyId: string): void {
    disturbances += 1
    onRevoked(keyId)
  }

  function hear(nowHeard: boolean): void {
    heard = nowHeard
    disturbances += 1
    if (!heard) onDeaf()
  }

  return {
    async listen() {
      listening ??= store.listen(REVOCATIONS_CHANNEL, ring, hear)
      try {
        await listening
      } catch {
        // Without the bell nothing is trusted: every use of a key asks the database, and the next one tries to listen again.
        listening = undefined
      }
    },
    watch() {
      const before = disturbances
      return () => heard && disturbances === before
    },
    disturb() {
      disturbances += 1
    },
    async [Symbol.asyncDispose]() {
      const stop = await listening?.catch(() => undefined)
      await stop?.()
    },
  }
}
