// LISTEN on a server: one connection for all channels, made when it is first needed and again whenever it is lost.

import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { RECONNECT_DELAY_MIN_MS, RECONNECT_DELAY_MAX_MS, WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { createMutex } from '../mutex.ts'
import { quoteIdentifier } from '../values.ts'
import { connect, send } from './connection.ts'

export interface Listener extends AsyncDisposable {
  /** Resolves when the channel is listened to, or when that was tried in vain: then it is tried again and again. */
  listen(channel: string, callback: (payload: string) => void, onHeard?: (heard: boolean) => void): Promise<() => Promise<void>>
}

interface ChannelListener {
  readonly callback: (payload: string) => void
  readonly onHeard: (heard: boolean) => void
}

/** Builds the listener; it connects with the first channel. */
export function createListener(options: { url: string; clock: Clock; log: Log }): Listener {
  const { url, clock, log } = options
  const channels = new Map<string, Set<ChannelListener>>()
  const ending = new AbortController()
  const runExclusive = createMutex()
  let client: pg.Client | undefined
  let reconnecting: Promise<void> | undefined

  function hear({ channel, payload }: pg.Notification): void {
    for (const { callback } of channels.get(channel) ?? []) callback(payload ?? '')
  }

  function tell(heard: boolean): void {
    for (const { onHeard } of [...channels.values()].flatMap((listening) => [...listening])) onHeard(heard)
  }

  async function open(): Promise<void> {
    const opened = await connect(url, 'notifications', WRITE_STATEMENT_TIMEOUT_MS, lose)
    opened.on('notification', hear)
    try {
      for (const channel of channels.keys()) await send(opened, `listen ${quoteIdentifier(channel)}`)
    } catch (cause) {
      opened.removeListener('end', lose)
      void opened.end().catch(() => {})
      throw cause
    }
    client = opened
    tell(true)
    if (ending.signal.aborted) await opened.end().catch(() => {})
  }

  function lose(): void {
    client = undefined
    tell(false)
    if (ending.signal.aborted) return
    log.warn({}, 'the connection for notifications was lost')
    reconnecting ??= reopen().finally(() => {
      reconnecting = undefined
      // It may have been lost again in the meantime.
      if (client === undefined) lose()
    })
  }

  async function reopen(): Promise<void> {
    for (let pauseMs = RECONNECT_DELAY_MIN_MS; !ending.signal.aborted; pauseMs = Math.min(pauseMs * 2, RECONNECT_DELAY_MAX_MS)) {
      await clock.sleep(pauseMs, ending.signal)
      if (ending.signal.aborted) return
      try {
        await runExclusive(open)
        return log.info({}, 'notifications are heard again')
      } catch (cause) {
        log.debug({ cause: String(cause) }, 'no connection for notifications yet')
      }
    }
  }

  /** Brings one channel to the state that the map asks for; true when it is heard now. */
  async function apply(channel: string): Promise<boolean> {
    if (ending.signal.aborted || (client === undefined && reconnecting !== undefined)) return false
    try {
      if (client === undefined) await open()
      else await send(client, `${channels.has(channel) ? 'listen' : 'unlisten'} ${quoteIdentifier(channel)}`)
      return client !== undefined
    } catch {
      if (client === undefined) lose()
      return false
    }
  }

  async function stop(channel: string, listener: ChannelListener): Promise<void> {
    const listening = channels.get(channel)
    if (listening === undefined || !listening.delete(listener) || listening.size > 0) return
    channels.delete(channel)
    await runExclusive(() => apply(channel))
  }

  return {
    async listen(channel, callback, onHeard = () => {}) {
      const listener = { callback, onHeard }
      channels.set(channel, (channels.get(channel) ?? new Set()).add(listener))
      const heard = await runExclusive(() => apply(channel))
      if (heard) onHeard(true)
      return () => stop(channel, listener)
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await runExclusive(async () => client?.end().catch(() => {}))
      await reconnecting
    },
  }
}
