// The console's only clock, so that whatever is called stale is measured in one way.

/** Unix time by this browser, milliseconds. Only differences of it are used: the browser's time of day may be wrong. */
export const nowMs = (): number => Date.now()

/** Runs something once; the function that it returns takes that back. */
export function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Runs something again and again, until the function that it returns is called. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}
