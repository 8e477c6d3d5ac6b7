// The two lanes of the transaction queue, classic and Soroban: their capacity, and which inclusion bids win when a lane is full.

import {
  CLASSIC_OPERATIONS_PER_LEDGER, FEE_BUMP_MULTIPLIER, QUEUE_CAPACITY_LEDGERS, SOROBAN_TRANSACTIONS_PER_LEDGER,
} from './constants.ts'
import { chargedOperations, type Envelope, feeOf, inclusionFeeOf } from './envelope.ts'
import type { QueuedTransaction } from './queued-transactions.ts'

interface Lane {
  readonly capacityPerLedger: number
  /** Returns the part of the lane's capacity that one transaction takes. */
  size(envelope: Envelope): number
}

const CLASSIC_LANE: Lane = {
  capacityPerLedger: CLASSIC_OPERATIONS_PER_LEDGER, size: (envelope) => envelope.transaction.operations.length,
}
const SOROBAN_LANE: Lane = { capacityPerLedger: SOROBAN_TRANSACTIONS_PER_LEDGER, size: () => 1 }

const laneOf = (soroban: boolean): Lane => (soroban ? SOROBAN_LANE : CLASSIC_LANE)

/** Bids are stroops per operation, multiplied by this scale so that they compare exactly as integers. */
const BID_SCALE = 1_000_000n
const bidOf = (envelope: Envelope): bigint => (inclusionFeeOf(envelope) * BID_SCALE) / BigInt(chargedOperations(envelope))

const compareBids = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1)

/** The whole fee of `envelope` if its inclusion fee were `inclusionFee`, stroops. */
const feeWithInclusion = (envelope: Envelope, inclusionFee: bigint): bigint => inclusionFee + feeOf(envelope) - inclusionFeeOf(envelope)

/** The fee that a fee bump needs to replace `queued`: ten times its bid per operation. Returns null when `envelope` pays enough. */
export function replacementFeeNeeded(queued: QueuedTransaction, envelope: Envelope): bigint | null {
  const neededBid = bidOf(queued.envelope) * FEE_BUMP_MULTIPLIER
  if (bidOf(envelope) >= neededBid) return null
  const neededInclusionFee = (neededBid * BigInt(chargedOperations(envelope)) + BID_SCALE - 1n) / BID_SCALE
  return feeWithInclusion(envelope, neededInclusionFee)
}

/**
 * The queued transactions to evict so that `newcomer` fits its lane, lowest bids first, the latest first among equal bids. When too few bids
 * are lower than the newcomer's, nothing is evicted and `neededFee` is the fee that beats the next bid, stroops.
 */
export function chooseEvictions(
  queued: Iterable<QueuedTransaction>,
  newcomer: QueuedTransaction,
): { readonly evicted: readonly QueuedTransaction[] } | { readonly neededFee: bigint } {
  const { envelope, soroban } = newcomer
  const lane = laneOf(soroban)
  const inLane = [...queued].filter((candidate) => candidate.soroban === soroban)
  const used = inLane.reduce((total, candidate) => total + lane.size(candidate.envelope), 0)
  let missing = used + lane.size(envelope) - lane.capacityPerLedger * QUEUE_CAPACITY_LEDGERS
  const evicted: QueuedTransaction[] = []
  for (const lowest of inLane.reverse().sort((a, b) => compareBids(bidOf(a.envelope), bidOf(b.envelope)))) {
    if (missing <= 0) break
    const lowestBid = bidOf(lowest.envelope)
    if (lowestBid >= bidOf(envelope)) {
      return { neededFee: feeWithInclusion(envelope, (lowestBid * BigInt(chargedOperations(envelope))) / BID_SCALE + 1n) }
    }
    evicted.push(lowest)
    missing -= lane.size(lowest.envelope)
  }
  return { evicted }
}

/** The transactions and base fee of one lane in a ledger. */
export interface LaneSelection {
  /** In order of arrival. */
  readonly envelopes: readonly Envelope[]
  /** Stroops per operation: the minimum, or the lowest bid that was selected when the lane had more transactions than fit. */
  readonly baseFee: bigint
}

/** Selects the highest bids that fit one ledger; among equal bids the earliest. */
export function selectForLane(queued: Iterable<QueuedTransaction>, soroban: boolean, minBaseFee: bigint): LaneSelection {
  const lane = laneOf(soroban)
  const inLane = [...queued].filter((candidate) => candidate.soroban === soroban)
  const ranked = inLane.map(({ envelope }, arrival) => ({ envelope, arrival, bid: bidOf(envelope) }))
  ranked.sort((a, b) => compareBids(b.bid, a.bid) || a.arrival - b.arrival)
  const selected: typeof ranked = []
  let capacity = lane.capacityPerLedger
  for (const candidate of ranked) {
    const size = lane.size(candidate.envelope)
    if (size > capacity) continue
    capacity -= size
    selected.push(candidate)
  }
  const lowest = selected.at(-1)
  const baseFee = selected.length < inLane.length && lowest !== undefined ? lowest.bid / BID_SCALE : minBaseFee
  return { envelopes: selected.sort((a, b) => a.arrival - b.arrival).map(({ envelope }) => envelope), baseFee }
}
