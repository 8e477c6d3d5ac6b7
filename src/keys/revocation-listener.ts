// The bell that rings when a key is revoked anywhere, and whether this process hears it.

import type { Store } from '../store/store.ts'
import { REVOCATIONS_CHANNEL } from './records.ts'

export interface RevocationListener extends AsyncDisposable {
  /** Resolves when the bell is listened to, or when that was tried in vain. */
  listen(): Promise<void>
  /**
   * Begins to listen closely: the function it returns tells whether the bell was heard all the time since, and was still. What was read from the database
   * in between is then as new as it was when the reading began.
   */
  watch(): () => boolean
  /** Counts as a ring for whoever watches. */
  notify(): void
}

export interface RevocationListenerOptions {
  readonly store: Store
  /** A key was revoked. */
  readonly onRevoked: (keyId: string) => void
  /** From now on the bell may ring unheard. */
  readonly onDisconnected: () => void
}

export function createRevocationListener({ store, onRevoked, onDisconnected }: RevocationListenerOptions): RevocationListener {
  let listening: Promise<() => Promise<void>> | undefined
  let connected = false
  let changes = 0

  function onNotification(keyId: string): void {
    changes += 1
    onRevoked(keyId)
  }

  function onConnectionChange(nowHeard: boolean): void {
    connected = nowHeard
    changes += 1
    if (!connected) onDisconnected()
  }

  return {
    async listen() {
      listening ??= store.listen(REVOCATIONS_CHANNEL, onNotification, onConnectionChange)
      try {
        await listening
      } catch {
        // Without the bell nothing is trusted: every use of a key asks the database, and the next one tries to listen again.
        listening = undefined
      }
    },
    watch() {
      const before = changes
      return () => connected && changes === before
    },
    notify() {
      changes += 1
    },
    async [Symbol.asyncDispose]() {
      const stop = await listening?.catch(() => undefined)
      await stop?.()
    },
  }
}
