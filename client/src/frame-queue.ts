// Frames that wait for a loop to read them.

import { ExchangeError } from './errors.ts'

/** The loop was too slow and its queue is full. Start again with `since` set to the last `seq` that it read. */
export class SlowReader extends ExchangeError {
  override readonly name = 'SlowReader'
}

export interface FrameQueue<T> {
  push(value: T): void
  /** The next value, or undefined at the end. Rejects with the reason that `end` was given, or with SlowReader. */
  next(): Promise<T | undefined>
  end(reason?: unknown): void
}

export function createFrameQueue<T>(maxSize: number): FrameQueue<T> {
  const waiting: T[] = []
  let pending: { resolve: (value: T | undefined) => void; reject: (reason: unknown) => void } | null = null
  let ended: { readonly reason: unknown } | null = null

  function end(reason?: unknown): void {
    ended ??= { reason }
    if (reason === undefined) pending?.resolve(undefined)
    else pending?.reject(reason)
    pending = null
  }

  return {
    end,
    push(value) {
      if (ended !== null) return
      if (pending !== null) {
        pending.resolve(value)
        pending = null
      } else if (waiting.length >= maxSize) end(new SlowReader(`More than ${maxSize} frames were waiting for the loop.`))
      else waiting.push(value)
    },
    next() {
      const first = waiting.shift()
      if (first !== undefined) return Promise.resolve(first)
      if (ended !== null) return ended.reason === undefined ? Promise.resolve(undefined) : Promise.reject(ended.reason)
      return new Promise((resolve, reject) => {
        pending = { resolve, reject }
      })
    },
  }
}
