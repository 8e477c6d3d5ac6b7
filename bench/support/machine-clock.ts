// The machine's monotonic clock. All processes share it, so their times can be compared.

const NANOSECONDS_PER_MS = 1e6

/** Fractional milliseconds since an arbitrary moment. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / NANOSECONDS_PER_MS
}
