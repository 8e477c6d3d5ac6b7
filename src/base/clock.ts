// The only place that knows the time. Everything else is handed a Clock, so that a test can be its own clock.

/** A handle of a scheduled callback. */
export interface Timer {
  cancel(): void
}

/** The door to time. */
export interface Clock {
  /** Unix time, milliseconds. Somebody may step it, forward or back: only a difference from a moment that others know, too, is worth taking of it. */
  nowMs(): number
  /** Milliseconds since some moment, at the pace of timers, whatever happens to the time of day: what lasts, rests, or is kept for a while goes by this. */
  elapsedMs(): number
  /** Calls `callback` once, `delayMs` from now, unless cancelled. */
  setTimer(delayMs: number, callback: () => void): Timer
  /** Resolves `delayMs` from now, or at once when `signal` aborts. Never rejects: the caller looks at its signal. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** Unix seconds of a clock, rounded down. */
export function nowSec(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** The machine's clock. A timer keeps the process alive only when it is meant to: `keepAlive` is false for background work. */
export function createSystemClock(options: { keepAlive?: boolean } = {}): Clock {
  const keepAlive = options.keepAlive ?? true
  return withSleep({
    nowMs: () => Date.now(),
    elapsedMs: () => performance.now(),
    setTimer(delayMs, callback) {
      const handle = setTimeout(callback, delayMs)
      if (!keepAlive) handle.unref()
      return { cancel: () => clearTimeout(handle) }
    },
  })
}

/** A clock that moves only when told to. */
export interface VirtualClock extends Clock {
  /** Moves the time and fires the timers that fall due, in the order of their times; equal times in the order they were set. */
  advance(byMs: number): void
  /** Sets the time of day forward, or back: no timer minds. */
  step(byMs: number): void
  /** How many timers are waiting: a test of shutdown expects none. */
  pendingTimers(): number
}

/** Builds a virtual clock that stands at `startMs`. */
export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs
  /** How far the time of day was stepped away from what has passed. */
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
