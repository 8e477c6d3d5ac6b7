// The console's only clock and timers.

/** Unix time by this browser, milliseconds. Use differences only: the browser's clock may be wrong. */
export const nowMs = (): number => Date.now()

/** Calls `run` once after a delay. Returns a function that cancels it. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Calls `run` repeatedly. Returns a function that stops it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}
