// The only source of time. Everything else takes a Clock as an argument, so that tests can control it.

/** A scheduled callback. */
export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Unix time in milliseconds. It can jump forward or back, so use it only for times that are exchanged with others. */
  nowMs(): number
  /** Monotonic milliseconds since an arbitrary start. Use it for durations, pauses and expiry. */
  elapsedMs(): number
  /** Calls `callback` once, `delayMs` from now, unless cancelled. */
  setTimer(delayMs: number, callback: () => void): Timer
  /** Resolves `delayMs` from now, or at once when `signal` aborts. Never rejects: the caller checks its signal. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** The clock's Unix time in seconds, rounded down. */
export function nowSec(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** The system clock. With `keepAlive: false`, pending timers do not keep the process alive. */
export function createSystemClock(options: { keepAlive?: boolean } = {}): Clock {
  const keepAlive = options.keepAlive ?? true
  return withSleep({
    nowMs: () => Date.now(),
    elapsedMs: () => performance.now(),
    setTimer(delayMs, callback) {
      // Time passes between the calculation of a delay and this call, and Node.js warns of a negative one.
      const handle = setTimeout(callback, Math.max(0, delayMs))
      if (!keepAlive) handle.unref()
      return { cancel: () => clearTimeout(handle) }
    },
  })
}

/** A clock that moves only when `advance` or `step` is called. */
export interface VirtualClock extends Clock {
  /** Moves the time and fires due timers in order of their times. Timers with equal times fire in the order they were set. */
  advance(byMs: number): void
  /** Shifts the time of day without affecting timers. */
  step(byMs: number): void
  /** The number of pending timers. Shutdown tests expect 0. */
  pendingTimers(): number
}

/** Creates a virtual clock that starts at `startMs`. */
export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs
  /** Offset of the time of day from the monotonic time. */
  let steppedMs = 0
  let counter = 0
  const timers = new Map<number, { dueMs: number; callback: () => void }>()

  function nextDue(untilMs: number): [number, { dueMs: number; callback: () => void }] | undefined {
    let best: [number, { dueMs: number; callback: () => void }] | undefined
    for (const entry of timers) {
      if (entry[1].dueMs <= untilMs && (best === undefined || entry[1].dueMs < best[1].dueMs)) best = entry
    }
    return best
  }

  const base = withSleep({
    nowMs: () => now + steppedMs,
    elapsedMs: () => now,
    setTimer(delayMs, callback) {
      const id = counter++
      timers.set(id, { dueMs: now + Math.max(0, delayMs), callback })
      return { cancel: () => void timers.delete(id) }
    },
  })
  return {
    ...base,
    advance(byMs) {
      const untilMs = now + byMs
      for (let due = nextDue(untilMs); due !== undefined; due = nextDue(untilMs)) {
        timers.delete(due[0])
        now = Math.max(now, due[1].dueMs)
        due[1].callback()
      }
      now = untilMs
    },
    step: (byMs) => void (steppedMs += byMs),
    pendingTimers: () => timers.size,
  }
}

function withSleep(core: Omit<Clock, 'sleep'>): Clock {
  return {
    ...core,
    sleep(delayMs, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted === true) return resolve()
        const timer = core.setTimer(delayMs, done)
        signal?.addEventListener('abort', done, { once: true })
        function done(): void {
          timer.cancel()
          signal?.removeEventListener('abort', done)
          resolve()
        }
      })
    },
  }
}
