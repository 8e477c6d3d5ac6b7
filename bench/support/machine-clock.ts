// A clock that processes can compare: the machine's own, which runs evenly and is the same for all of them.

const NANOSECONDS_PER_MS = 1e6

/** Milliseconds since some moment, with fractions. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS
}
