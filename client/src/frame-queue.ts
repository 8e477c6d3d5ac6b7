// Frames for a loop, between their arrival and its next turn.

import { ExchangeError } from './errors.ts'

/** The loop took longer than its frames could wait. Begin again with `since` the last `seq` that it had. */
export class SlowReader extends ExchangeError {
  override readonly name = 'SlowReader'
}

export interface FrameQueue<T> {
  push(value: T): void
  /** The next one; rejects with SlowReader, and with the reason of `signal`. Undefined at the end. */
  next(): Promise<T | undefined>
  end(reason?: unknown): void
}

export function createFrameQueue<T>(most: number): FrameQueue<T> {
  const waiting: T[] = []
  let taker: { resolve: (value: T | undefined) => void; reject: (reason: unknown) => void } | null = null
  let over: { readonly reason: unknown } | null = null

  function end(reason?: unknown): void {
    over ??= { reason }
    if (reason === undefined) taker?.resolve(undefined)
    else taker?.reject(reason)
    taker = null
  }

  return {
    end,
    push(value) {
      if (over !== null) return
      if (taker !== null) {
        taker.resolve(value)
        taker = null
      } else if (waiting.length >= most) end(new SlowReader(`More than ${most} frames waited for the loop.`))
      else waiting.push(value)
    },
    next() {
      const first = waiting.shift()
      if (first !== undefined) return Promise.resolve(first)
      if (over !== null) return over.reason === undefined ? Promise.resolve(undefined) : Promise.reject(over.reason)
      return new Promise((resolve, reject) => {
        taker = { resolve, reject }
      })
    },
  }
}
