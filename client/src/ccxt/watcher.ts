// The stream in CCXT's form: each call resolves with the frames since the previous call, and waits if there are none.

import type { Channel, Frame, StreamProblem } from '../stream-frames.ts'
import type { Stream } from '../stream.ts'
import { AuthenticationError, BadSymbol, ExchangeClosedByUser, NetworkError } from './errors.ts'

export interface Watcher {
  /** The channel's frames since the previous call; at least one. */
  next<Name extends Channel>(channel: Name): Promise<readonly Frame<Name>[]>
  close(): void
}

interface Waiter {
  resolve(frames: readonly Frame<Channel>[]): void
  reject(error: unknown): void
}

interface WatchedChannel {
  frames: Frame<Channel>[]
  waiters: Waiter[]
  /** The error that the next call rejects with. */
  failure: Error | null
  off(): void
}

/** CCXT's limit for frames that were not read yet. */
const FRAMES_MAX = 1000

export function createWatcher(stream: Stream): Watcher {
  const channels = new Map<string, WatchedChannel>()

  function settle(watched: WatchedChannel): void {
    if (watched.waiters.length === 0 || (watched.frames.length === 0 && watched.failure === null)) return
    const { waiters, frames, failure } = watched
    Object.assign(watched, { waiters: [], frames: failure === null ? [] : frames, failure: null })
    for (const waiter of waiters) {
      if (failure === null) waiter.resolve(frames)
      else waiter.reject(failure)
    }
  }

  function fail(names: Iterable<string>, error: Error, isFinal: boolean): void {
    for (const name of names) {
      const watched = channels.get(name)
      if (watched === undefined) continue
      watched.failure = error
      if (isFinal) {
        watched.off()
        channels.delete(name)
      }
      settle(watched)
    }
  }

  stream.onProblem((problem: StreamProblem) => {
    if (problem.kind === 'rejected') {
      fail(problem.channels, new BadSymbol(`Channel ${problem.channels.join(', ')} does not exist or belongs to another account.`), true)
    } else if (problem.kind === 'login' && problem.error !== 'unavailable') {
      fail([...channels.keys()].filter((name) => name.startsWith('account.')), new AuthenticationError(`The key was not accepted: ${problem.error}`), true)
    } else if (problem.kind === 'gap') {
      const { since, until, reason } = problem.gap
      fail(problem.gap.channels, new NetworkError(`Frames after ${since}${until === null ? '' : ` up to ${until}`} are missing: ${reason}`), false)
    }
  })

  return {
    next(channel: Channel) {
      let watched = channels.get(channel)
      if (watched === undefined) {
        const added: WatchedChannel = { frames: [], waiters: [], failure: null, off: () => {} }
        added.off = stream.on(channel, (frame) => {
          added.frames.push(frame)
          if (added.frames.length > FRAMES_MAX) added.frames.shift()
          settle(added)
        })
        channels.set(channel, added)
        watched = added
      }
      const current = watched
      return new Promise((resolve, reject) => {
        current.waiters.push({ resolve: resolve as unknown as Waiter['resolve'], reject })
        settle(current)
      })
    },
    close() {
      fail([...channels.keys()], new ExchangeClosedByUser('The exchange is closed.'), true)
      stream.close()
    },
  }
}
