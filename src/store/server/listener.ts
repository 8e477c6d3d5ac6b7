// LISTEN on a server: one connection for all channels, opened on demand and again whenever it is lost.

import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { retry } from '../../base/retry.ts'
import { RECONNECT_DELAY_MS, WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { createMutex } from '../mutex.ts'
import type { ListenOptions, Store } from '../store.ts'
import { quoteIdentifier } from '../values.ts'
import { connect, send } from './connection.ts'

export interface Listener extends AsyncDisposable {
  /** Resolves after the first attempt. If that failed, it is repeated in the background. */
  listen: Store['listen']
  /** Announces a notification of a transaction of this process whose COMMIT is running. */
  prepare(channel: string, payload: string): void
}

interface ChannelListener extends ListenOptions {
  readonly callback: (payload: string) => void
}

/** Builds the listener. It connects when the first channel is listened to. */
export function createListener(options: { url: string; clock: Clock; log: Log }): Listener {
  const { url, clock, log } = options
  const channels = new Map<string, Set<ChannelListener>>()
  const closing = new AbortController()
  const runExclusive = createMutex()
  let client: pg.Client | undefined
  let reconnecting: Promise<void> | undefined

  function deliver({ channel, payload }: pg.Notification): void {
    for (const { callback } of channels.get(channel) ?? []) callback(payload ?? '')
  }

  function report(connected: boolean): void {
    for (const { onConnected } of [...channels.values()].flatMap((listening) => [...listening])) onConnected?.(connected)
  }

  async function open(): Promise<void> {
    const opened = await connect(url, 'notifications', WRITE_STATEMENT_TIMEOUT_MS, lose)
    opened.on('notification', deliver)
    try {
      for (const channel of channels.keys()) await send(opened, `listen ${quoteIdentifier(channel)}`)
    } catch (cause) {
      opened.removeListener('end', lose)
      void opened.end().catch(() => {})
      throw cause
    }
    client = opened
    report(true)
    if (closing.signal.aborted) await opened.end().catch(() => {})
  }

  function lose(): void {
    client = undefined
    report(false)
    if (closing.signal.aborted) return
    log.warn({}, 'lost the connection for notifications')
    // It fails only when the listener is closed.
    reconnecting ??= reopen().catch(() => {}).finally(() => {
      reconnecting = undefined
      // It may have been lost again already.
      if (client === undefined) lose()
    })
  }

  async function reopen(): Promise<void> {
    const mayRetry = (cause: unknown): boolean => {
      log.debug({ cause: String(cause) }, 'cannot connect for notifications yet')
      return true
    }
    await retry({ clock, pauseMs: RECONNECT_DELAY_MS, signal: closing.signal, failures: 1, mayRetry }, () => runExclusive(open))
    log.info({}, 'receiving notifications again')
  }

  /** Runs LISTEN or UNLISTEN for one channel, as `channels` says. True when connected. */
  async function apply(channel: string): Promise<boolean> {
    if (closing.signal.aborted || (client === undefined && reconnecting !== undefined)) return false
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
    async listen(channel, callback, listening = {}) {
      const listener = { ...listening, callback }
      channels.set(channel, (channels.get(channel) ?? new Set()).add(listener))
      const isConnected = await runExclusive(() => apply(channel))
      if (isConnected) listener.onConnected?.(true)
      return () => stop(channel, listener)
    },
    prepare(channel, payload) {
      for (const { prepare } of channels.get(channel) ?? []) prepare?.(payload)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await runExclusive(async () => client?.end().catch(() => {}))
      await reconnecting
    },
  }
}
