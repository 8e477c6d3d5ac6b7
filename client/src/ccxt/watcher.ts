// The stream as CCXT has it: each call answers with what has come since the one before, and waits when that is nothing.

import type { Channel, Frame, StreamProblem } from '../stream-frames.ts'
import type { Stream } from '../stream.ts'
import { AuthenticationError, BadSymbol, ExchangeClosedByUser, NetworkError } from './errors.ts'

export interface Watcher {
  /** The channel's frames since the last call; at least one. */
  next<Name extends Channel>(channel: Name): Promise<readonly Frame<Name>[]>
  close(): void
}

interface Waiter {
  resolve(frames: readonly Frame<Channel>[]): void
  reject(error: unknown): void
}

interface Watched {
  frames: Frame<Channel>[]
  waiters: Waiter[]
  /** What the next call rejects with. */
  failure: Error | null
  off(): void
}

/** As many as CCXT keeps of what nobody has asked for. */
const FRAMES_MAX = 1000

export function createWatcher(stream: Stream): Watcher {
  const channels = new Map<string, Watched>()

  function settle(watched: Watched): void {
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
    if (problem.kind === 'rejected') fail(problem.channels, new BadSymbol(`There is no channel ${problem.channels.join(', ')}, or it is not yours.`), true)
    else if (problem.kind === 'login' && problem.error !== 'unavailable') {
      fail([...channels.keys()].filter((name) => name.startsWith('account.')), new AuthenticationError(`The key was not accepted: ${problem.error}`), true)
    } else if (problem.kind === 'gap') {
      const { since, until, reason } = problem.gap
      fail(problem.gap.channels, new NetworkError(`What came behind ${since}${until === null ? '' : ` up to ${until}`} is missing: ${reason}`), false)
    }
  })

  return {
    next(channel: Channel) {
      let watched = channels.get(channel)
      if (watched === undefined) {
        const made: Watched = { frames: [], waiters: [], failure: null, off: () => {} }
        made.off = stream.on(channel, (frame) => {
          made.frames.push(frame)
          if (made.frames.length > FRAMES_MAX) made.frames.shift()
          settle(made)
        })
        channels.set(channel, made)
        watched = made
      }
      const here = watched
      return new Promise((resolve, reject) => {
        here.waiters.push({ resolve: resolve as unknown as Waiter['resolve'], reject })
        settle(here)
      })
    },
    close() {
      fail([...channels.keys()], new ExchangeClosedByUser('The exchange was closed.'), true)
      stream.close()
    },
  }
}
