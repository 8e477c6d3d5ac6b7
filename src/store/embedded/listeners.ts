// LISTEN on the embedded engine. All notifications come from this process: those of transactions are delivered without the engine's queue, whose pages it would
// write to files.

import type { ListenOptions, Store } from '../store.ts'
import { quoteIdentifier } from '../values.ts'

export interface Listeners {
  listen: Store['listen']
  /** Announces a notification of a transaction whose COMMIT is running. */
  prepare(channel: string, payload: string): void
  /** Delivers a notification of the engine, or of a transaction that has committed. */
  notify(channel: string, payload: string): void
  /** The engine ended: notifications are missed until `resubscribe`. */
  disconnected(): void
  /** Listens to all channels on a new engine. */
  resubscribe(send: SendStatement): Promise<void>
}

interface Listener extends ListenOptions {
  readonly callback: (payload: string) => void
}

type SendStatement = (sql: string) => Promise<unknown>

/** Builds the listeners; `send` runs LISTEN and UNLISTEN. */
export function createListeners(send: SendStatement): Listeners {
  const channels = new Map<string, Set<Listener>>()

  async function stop(channel: string, listener: Listener): Promise<void> {
    const listeners = channels.get(channel)
    if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return
    channels.delete(channel)
    await send(`unlisten ${quoteIdentifier(channel)}`).catch(() => {})
  }

  return {
    async listen(channel, callback, options = {}) {
      const listener = { ...options, callback }
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(listener))
      try {
        await send(`listen ${quoteIdentifier(channel)}`)
      } catch (cause) {
        await stop(channel, listener)
        throw cause
      }
      listener.onConnected?.(true)
      return () => stop(channel, listener)
    },
    prepare(channel, payload) {
      for (const { prepare } of channels.get(channel) ?? []) prepare?.(payload)
    },
    notify(channel, payload) {
      for (const { callback } of channels.get(channel) ?? []) callback(payload)
    },
    disconnected() {
      for (const { onConnected } of [...channels.values()].flatMap((listeners) => [...listeners])) onConnected?.(false)
    },
    async resubscribe(sendToNewEngine) {
      for (const [channel, listeners] of channels) {
        await sendToNewEngine(`listen ${quoteIdentifier(channel)}`)
        for (const { onConnected } of listeners) onConnected?.(true)
      }
    },
  }
}
