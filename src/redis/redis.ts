// The connection to Redis or Valkey, for what several instances share. The only file that knows the client library. Whatever uses it has an answer of its
// own for the time when Redis does not answer: nothing here waits for long, queues without bound, or throws.

import { createClient } from '@redis/client'
import type { Clock, Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'

/** A command that has not been answered by then counts as unanswered, and its caller goes on without. */
const COMMAND_TIMEOUT_MS = 250
/** After a command that was not answered, Redis is left alone for this long. */
const BACKOFF_MS = 1_000
/** More commands than these are not kept waiting. */
const MAX_PENDING_COMMANDS = 10_000
const CONNECT_TIMEOUT_MS = 2_000
const RECONNECT_BASE_MS = 50
const RECONNECT_CAP_MS = 2_000

type Client = ReturnType<typeof createRedisClient>

function createRedisClient(url: string, random: Random) {
  return createClient({
    url,
    // An offline queue would hold requests back for as long as Redis is away, and then count them in another minute.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => RECONNECT_BASE_MS + random.float() * Math.min(RECONNECT_CAP_MS, RECONNECT_BASE_MS * 2 ** Math.min(retries, 10)),
    },
  })
}

/** Commands to a server that may be away. */
export interface Redis extends AsyncDisposable {
  /**
   * Sends a command. Undefined when Redis cannot be asked, refuses, or does not answer in time: then it is unknown whether the command took effect.
   * Never rejects.
   */
  run<T>(command: (client: Client) => Promise<T>): Promise<T | undefined>
  /** Whether commands are being answered, as far as is known. */
  readonly available: boolean
}

interface PendingCommand {
  readonly dueMs: number
  readonly giveUp: () => void
}

/** Connects in the background and goes on trying. `url` is `redis://` or `rediss://`; it may hold a password and is never logged. */
export function createRedis(options: { readonly url: string; readonly clock: Clock; readonly random: Random; readonly log: Log }): Redis {
  const { clock, log } = options
  const waiting = new Set<PendingCommand>()
  let watchdog: Timer | undefined
  let restUntilMs = 0
  let told: 'nothing' | 'available' | 'unavailable' = 'nothing'

  const client = createRedisClient(options.url, options.random)
  // Messages of the library may name the address; what kind of failure it is says enough.
  client.on('error', (error: Error & { code?: string }) => tell('unavailable', error.code ?? error.name))
  client.on('ready', () => {
    restUntilMs = 0
    tell('available')
  })
  const connecting = client.connect().catch(() => undefined)

  function tell(state: 'available' | 'unavailable', reason?: string): void {
    if (told === state) return
    if (state === 'available') log.info({}, 'Redis answers: limits and challenges are shared between instances')
    else log.warn({ reason }, 'Redis does not answer: this instance counts on its own until it does')
    told = state
  }

  function available(): boolean {
    return client.isReady && clock.elapsedMs() >= restUntilMs
  }

  /** One timer for all: commands are answered in their order, so the first that waits is the first to be given up. */
  function watch(): void {
    watchdog?.cancel()
    watchdog = undefined
    const [first] = waiting
    if (first === undefined) return
    watchdog = clock.setTimer(Math.max(0, first.dueMs - clock.elapsedMs()), () => {
      const nowMs = clock.elapsedMs()
      for (const command of waiting) {
        if (command.dueMs > nowMs) break
        command.giveUp()
      }
      watch()
    })
  }

  function run<T>(command: (client: Client) => Promise<T>): Promise<T | undefined> {
    if (!available() || waiting.size >= MAX_PENDING_COMMANDS) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const entry: PendingCommand = {
        dueMs: clock.elapsedMs() + COMMAND_TIMEOUT_MS,
        giveUp() {
          waiting.delete(entry)
          restUntilMs = clock.elapsedMs() + BACKOFF_MS
          tell('unavailable', 'no answer in time')
          resolve(undefined)
        },
      }
      waiting.add(entry)
      if (watchdog === undefined) watch()
      command(client).then(
        (answer) => {
          waiting.delete(entry)
          if (client.isReady) tell('available')
          resolve(answer)
        },
        (error: unknown) => {
          waiting.delete(entry)
          tell('unavailable', error instanceof Error ? error.name : 'unknown')
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
      watchdog?.cancel()
      for (const { giveUp } of waiting) giveUp()
      client.destroy()
      await connecting
    },
  }
}
