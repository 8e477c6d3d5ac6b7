// LISTEN on the embedded engine: the engine hears its own process only, which is all there is.

/** Who listens to which channel. */
export interface Listeners {
  listen(channel: string, callback: (payload: string) => void, onHeard?: (heard: boolean) => void): Promise<() => Promise<void>>
  /** Takes a notification from the engine. */
  notify(channel: string, payload: string): void
  /** The engine is gone, and with it whatever it would have told. */
  disconnected(): void
  /** Listens again after the engine was restarted. */
  resubscribe(): Promise<void>
}

interface Listener {
  readonly callback: (payload: string) => void
  readonly onHeard: (heard: boolean) => void
}

/** A channel's name as it stands in a statement. */
export function quoteChannel(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`
}

/** Builds the listeners; `run` sends LISTEN and UNLISTEN. */
export function createListeners(run: (sql: string) => Promise<unknown>): Listeners {
  const channels = new Map<string, Set<Listener>>()

  async function stop(channel: string, listener: Listener): Promise<void> {
    const listening = channels.get(channel)
    if (listening === undefined || !listening.delete(listener) || listening.size > 0) return
    channels.delete(channel)
    await run(`unlisten ${quoteChannel(channel)}`).catch(() => {})
  }

  return {
    async listen(channel, callback, onHeard = () => {}) {
      const listener = { callback, onHeard }
      const listening = channels.get(channel) ?? new Set()
      channels.set(channel, listening.add(listener))
      try {
        await run(`listen ${quoteChannel(channel)}`)
      } catch (cause) {
        await stop(channel, listener)
        throw cause
      }
      onHeard(true)
      return () => stop(channel, listener)
    },
    notify(channel, payload) {
      for (const { callback } of channels.get(channel) ?? []) callback(payload)
    },
    disconnected() {
      for (const { onHeard } of [...channels.values()].flatMap((listening) => [...listening])) onHeard(false)
    },
    async resubscribe() {
      for (const [channel, listening] of channels) {
        await run(`listen ${quoteChannel(channel)}`)
        for (const { onHeard } of listening) onHeard(true)
      }
    },
  }
}
