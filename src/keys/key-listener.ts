// Listens for keys that any instance issues, revokes or rotates, and keeps track of whether this process is certain to learn of it.

import type { Store } from '../store/store.ts'
import { ISSUES_CHANNEL, REVOCATIONS_CHANNEL, ROTATIONS_CHANNEL } from './records.ts'

export interface KeyListener extends AsyncDisposable {
  /** Starts listening. Resolves when the listener is connected or the attempt failed. */
  listen(): Promise<void>
  /**
   * Starts watching for changes. The returned function is true while the listener has stayed connected and no key was changed. Then a read from the database
   * since the call to `watch` is current as of its start.
   */
  watch(): () => boolean
  /** Invalidates all current watches, like a revocation. */
  notify(): void
}

export interface KeyListenerOptions {
  readonly store: Store
  readonly onIssued: (keyId: string) => void
  readonly onRevoked: (keyId: string) => void
  /** The key has a new secret. */
  readonly onRotated: (keyId: string) => void
  /** Changes may be missed from now on. */
  readonly onDisconnected: () => void
}

export function createKeyListener({ store, onIssued, onRevoked, onRotated, onDisconnected }: KeyListenerOptions): KeyListener {
  let listening: Promise<() => Promise<void>> | undefined
  let connected = false
  let changes = 0

  function onRevocation(keyId: string): void {
    changes += 1
    onRevoked(keyId)
  }

  function onRotation(keyId: string): void {
    changes += 1
    onRotated(keyId)
  }

  function onConnectionChange(isConnected: boolean): void {
    connected = isConnected
    changes += 1
    if (!connected) onDisconnected()
  }

  async function start(): Promise<() => Promise<void>> {
    await using stops = new AsyncDisposableStack()
    stops.defer(await store.listen(ISSUES_CHANNEL, onIssued))
    stops.defer(await store.listen(ROTATIONS_CHANNEL, onRotation))
    stops.defer(await store.listen(REVOCATIONS_CHANNEL, onRevocation, { onConnected: onConnectionChange }))
    const owned = stops.move()
    return () => owned.disposeAsync()
  }

  return {
    async listen() {
      listening ??= start()
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
