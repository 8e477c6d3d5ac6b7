// The resource fees that operations usually have, learned from what was prepared, so that one that is out of line is noticed.

export interface UsualFees {
  /** The usual fee of the operation, stroops; null while too few were prepared. */
  usual(op: string): bigint | null
  /** True for a fee that is far above the usual one, or above FEE_MAX_STROOPS while that is unknown. */
  isUnusual(op: string, feeStroops: bigint): boolean
  record(op: string, feeStroops: bigint): void
}

/** One XLM: more than any call of the exchange costs. */
export const FEE_MAX_STROOPS = 10_000_000n
/** Below this a fee is never unusual. */
const UNREMARKABLE_STROOPS = 2_000_000n
/** Fees above this multiple of the usual one are unusual. Fees of one operation differ by the entries that it creates. */
const FACTOR = 4n
const SAMPLES_MIN = 5
const SAMPLES_MAX = 64
/** More operations than there are. */
const OPERATIONS_MAX = 64

export function createUsualFees(): UsualFees {
  const samplesOf = new Map<string, bigint[]>()

  /** The median: half of the samples would have to be false to move it. */
  function usual(op: string): bigint | null {
    const samples = samplesOf.get(op) ?? []
    if (samples.length < SAMPLES_MIN) return null
    return samples.toSorted((a, b) => (a < b ? -1 : Number(a > b)))[Math.floor(samples.length / 2)] ?? null
  }

  return {
    usual,
    isUnusual(op, feeStroops) {
      const known = usual(op)
      if (known === null) return feeStroops > FEE_MAX_STROOPS
      return feeStroops > UNREMARKABLE_STROOPS && feeStroops > known * FACTOR
    },
    record(op, feeStroops) {
      const samples = samplesOf.get(op) ?? []
      if (!samplesOf.has(op) && samplesOf.size >= OPERATIONS_MAX) return
      samplesOf.set(op, samples)
      samples.push(feeStroops)
      if (samples.length > SAMPLES_MAX) samples.shift()
    },
  }
}
