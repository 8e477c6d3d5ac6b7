// Listens for revoked keys of all instances, and keeps track of whether this process is certain to receive them.

import type { Store } from '../store/store.ts'
import { REVOCATIONS_CHANNEL } from './records.ts'

export interface RevocationListener extends AsyncDisposable {
  /** Starts listening. Resolves when the listener is connected or the attempt failed. */
  listen(): Promise<void>
  /**
   * Starts watching for changes. The returned function is true while the listener has stayed connected and no key was revoked. Then a read from the database
   * since the call to `watch` is current as of its start.
   */
  watch(): () => boolean
  /** Invalidates all current watches, like a revocation. */
  notify(): void
}

export interface RevocationListenerOptions {
  readonly store: Store
  readonly onRevoked: (keyId: string) => void
  /** Revocations may be missed from now on. */
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

  function onConnectionChange(isConnected: boolean): void {
    connected = isConnected
    changes += 1
    if (!connected) onDisconnected()
  }

  return {
    async listen() {
      listening ??= store.listen(REVOCATIONS_CHANNEL, onNotification, { onConnected: onConnectionChange })
      try {
        await listening
      } catch {
        // While disconnected, each use of a key reads the database. The next use tries to listen again.
        listening = undefined
      }
    },
    watch() {
      const changesBefore = changes
      return () => connected && changes === changesBefore
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
