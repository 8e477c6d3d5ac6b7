// The stream in CCXT's form: each call resolves with the frames since the previous call, and waits if there are none.

import type { Channel, Frame, StreamProblem } from '../stream-frames.ts'
import type { Stream } from '../stream.ts'
import { AuthenticationError, BadSymbol, ExchangeClosedByUser, NetworkError } from './errors.ts'

export interface Watcher {
  /** The channel's frames since the previous call of this reader; at least one. Readers of one channel do not take frames from each other. */
  next<Name extends Channel>(channel: Name, reader?: string): Promise<readonly Frame<Name>[]>
  close(): void
}

interface Waiter {
  resolve(frames: readonly Frame<Channel>[]): void
  reject(error: unknown): void
}

interface WatchedChannel {
  readonly channel: Channel
  frames: Frame<Channel>[]
  waiters: Waiter[]
  /** The error that the next call rejects with. */
  failure: Error | null
  off(): void
}

/** CCXT's limit for frames that were not read yet. */
const FRAMES_MAX = 1000

export function createWatcher(stream: Stream): Watcher {
  /** By channel and reader. */
  const watchedChannels = new Map<string, WatchedChannel>()

  function settle(watched: WatchedChannel): void {
    if (watched.waiters.length === 0 || (watched.frames.length === 0 && watched.failure === null)) return
    const { waiters, frames, failure } = watched
    Object.assign(watched, { waiters: [], frames: failure === null ? [] : frames, failure: null })
    for (const waiter of waiters) {
      if (failure === null) waiter.resolve(frames)
      else waiter.reject(failure)
    }
  }

  function fail(isConcerned: (channel: Channel) => boolean, error: Error, isFinal: boolean): void {
    for (const [key, watched] of watchedChannels) {
      if (!isConcerned(watched.channel)) continue
      watched.failure = error
      if (isFinal) {
        watched.off()
        watchedChannels.delete(key)
      }
      settle(watched)
    }
  }

  stream.onProblem((problem: StreamProblem) => {
    if (problem.kind === 'rejected') {
      const { channels } = problem
      fail((channel) => channels.includes(channel), new BadSymbol(`Channel ${channels.join(', ')} does not exist or belongs to another account.`), true)
    } else if (problem.kind === 'login' && problem.error !== 'unavailable') {
      fail((channel) => channel.startsWith('account.'), new AuthenticationError(`The key was not accepted: ${problem.error}`), true)
    } else if (problem.kind === 'gap') {
      const { channels, since, until, reason } = problem.gap
      const range = `${since}${until === null ? '' : ` up to ${until}`}`
      fail((channel) => channels.includes(channel), new NetworkError(`Frames after ${range} are missing: ${reason}`), false)
    }
  })

  return {
    next(channel: Channel, reader = '') {
      const key = `${channel} ${reader}`
      let watched = watchedChannels.get(key)
      if (watched === undefined) {
        const added: WatchedChannel = { channel, frames: [], waiters: [], failure: null, off: () => {} }
        added.off = stream.on(channel, (frame) => {
          added.frames.push(frame)
          if (added.frames.length > FRAMES_MAX) added.frames.shift()
          settle(added)
        })
        watchedChannels.set(key, added)
        watched = added
      }
      const current = watched
      return new Promise((resolve, reject) => {
        current.waiters.push({ resolve: resolve as unknown as Waiter['resolve'], reject })
        settle(current)
      })
    },
    close() {
      fail(() => true, new ExchangeClosedByUser('The exchange is closed.'), true)
      stream.close()
    },
  }
}
