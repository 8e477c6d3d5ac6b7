// The connection to Redis or Valkey, for state that several instances share. Commands have a short timeout and a bounded queue, and never throw: every caller
// works without Redis while it does not respond.

import { createClient } from '@redis/client'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import { backoff } from '../../base/retry.ts'

const COMMAND_TIMEOUT_MS = 250
/** No commands are sent for this long after a timeout. */
const BACKOFF_MS = 1_000
const MAX_PENDING_COMMANDS = 10_000
const CONNECT_TIMEOUT_MS = 2_000
const RECONNECT_MS = { min: 50, max: 2_000 } as const

type Client = ReturnType<typeof createRedisClient>

function createRedisClient(url: string, random: Random) {
  return createClient({
    url,
    // An offline queue would delay requests while Redis is down, and then count them in a later rate-limit window.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => reconnectDelayMs(retries, random),
    },
  })
}

/** Grows with each attempt up to a bound, and varies, so that instances do not connect at once. */
export function reconnectDelayMs(retries: number, random: Pick<Random, 'float'>): number {
  return RECONNECT_MS.min + random.float() * backoff(RECONNECT_MS, retries + 1)
}

export interface Redis extends AsyncDisposable {
  /**
   * Sends a command. Undefined when Redis is unavailable, returns an error or does not respond in time: the command may still take effect. Never rejects.
   */
  run<T>(command: (client: Client) => Promise<T>): Promise<T | undefined>
  /** False while disconnected and shortly after a timeout. */
  readonly available: boolean
}

interface PendingCommand {
  readonly deadlineMs: number
  readonly expire: () => void
}

/** Connects in the background, and reconnects. `url` is `redis://` or `rediss://`; it may contain a password and is never logged. */
export function createRedis(options: { readonly url: string; readonly clock: Clock; readonly random: Random; readonly log: Log }): Redis {
  const { clock, log } = options
  const pending = new Set<PendingCommand>()
  let timer: Timer | undefined
  let backoffUntilMs = 0
  let loggedState: 'none' | 'available' | 'unavailable' = 'none'

  const client = createRedisClient(options.url, options.random)
  // The library's messages may contain the address, so only the error code is logged.
  client.on('error', (error: Error & { code?: string }) => logState('unavailable', error.code ?? error.name))
  client.on('ready', () => {
    backoffUntilMs = 0
    logState('available')
  })
  const connecting = client.connect().catch(() => undefined)

  function logState(state: 'available' | 'unavailable', reason?: string): void {
    if (loggedState === state) return
    if (state === 'available') log.info({}, 'Redis is available: sharing rate limits and challenges between instances')
    else log.warn({ reason }, 'Redis is unavailable: this instance counts requests alone until it responds')
    loggedState = state
  }

  function available(): boolean {
    return client.isReady && clock.elapsedMs() >= backoffUntilMs
  }

  /** One timer for all commands: they time out in order. */
  function scheduleTimeout(): void {
    timer?.cancel()
    timer = undefined
    const [first] = pending
    if (first === undefined) return
    timer = clock.setTimer(Math.max(0, first.deadlineMs - clock.elapsedMs()), () => {
      const nowMs = clock.elapsedMs()
      for (const command of pending) {
        if (command.deadlineMs > nowMs) break
        command.expire()
      }
      scheduleTimeout()
    })
  }

  function run<T>(command: (client: Client) => Promise<T>): Promise<T | undefined> {
    if (!available() || pending.size >= MAX_PENDING_COMMANDS) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const entry: PendingCommand = {
        deadlineMs: clock.elapsedMs() + COMMAND_TIMEOUT_MS,
        expire() {
          pending.delete(entry)
          backoffUntilMs = clock.elapsedMs() + BACKOFF_MS
          logState('unavailable', 'timeout')
          resolve(undefined)
        },
      }
      pending.add(entry)
      if (timer === undefined) scheduleTimeout()
      command(client).then(
        (response) => {
          pending.delete(entry)
          if (client.isReady) logState('available')
          resolve(response)
        },
        (error: unknown) => {
          pending.delete(entry)
          logState('unavailable', error instanceof Error ? error.name : 'unknown')
          resolve(undefined)
        },
      )
    })
  }

  return {
    run,
    get available() {
      return available()
    },
    async [Symbol.asyncDispose]() {
      timer?.cancel()
      for (const { expire } of pending) expire()
      client.destroy()
      await connecting
    },
  }
}
