// Transactions that wait for a ledger (soroban-rpc, "sendTransaction": queue rules). In memory only: a restart forgets them, as a real
// node's does.

import {
  BAN_LEDGERS, CLASSIC_OPERATIONS_PER_LEDGER, FEE_BUMP_MULTIPLIER, QUEUE_AGE_MAX_LEDGERS, QUEUE_CAPACITY_LEDGERS, SOROBAN_TRANSACTIONS_PER_LEDGER,
} from './constants.ts'
import { chargedOperations, type Envelope, feeOf, feeSourceOf, inclusionFeeOf, isSoroban } from './envelope.ts'

/** What stands in a new transaction's way. */
export type QueueRejection =
  | { readonly kind: 'duplicate' | 'try-again-later' | 'bad-sequence' }
  /** The fee that would be enough, stroops. */
  | { readonly kind: 'insufficient-fee'; readonly neededFee: bigint }

/** A waiting transaction. */
interface QueuedTransaction {
  readonly envelope: Envelope
  readonly soroban: boolean
  /** How many ledgers have passed it by. */
  age: number
}

export interface TransactionQueue {
  /** Why this envelope cannot be queued now, before it is judged; null when nothing stands in its way. */
  rejectionOf(envelope: Envelope): QueueRejection | null
  /** Makes room when its lane is full: the lowest bid goes. Returns why there is none for this one; null when it is queued. */
  add(envelope: Envelope): QueueRejection | null
  /** Fees that waiting transactions take from an account; those of the one that `envelope` would replace are not counted. */
  pendingFees(account: string, envelope: Envelope): bigint
  readonly size: number
  /**
   * The transactions of the next ledger, classic ones first, each lane in the order of arrival; with the base fee of each lane: the least,
   * or in a full lane the lowest bid that got in.
   */
  selectTransactions(): { readonly envelopes: readonly Envelope[]; readonly baseFee: { readonly classic: bigint; readonly soroban: bigint } }
  /** After a close: the applied and the invalid leave for a while, the others grow older, the oldest are dropped. */
  ledgerClosed(leaving: readonly Envelope[]): void
  clear(): void
}

interface Lane {
  readonly capacityPerLedger: number
  /** What one transaction takes of the lane's room. */
  size(envelope: Envelope): number
}

const LANES: { readonly classic: Lane; readonly soroban: Lane } = {
  classic: { capacityPerLedger: CLASSIC_OPERATIONS_PER_LEDGER, size: (envelope) => envelope.transaction.operations.length },
  soroban: { capacityPerLedger: SOROBAN_TRANSACTIONS_PER_LEDGER, size: () => 1 },
}

const laneOf = (soroban: boolean): Lane => (soroban ? LANES.soroban : LANES.classic)

/** The inclusion bid of one operation, in stroops times a fixed scale: bids are compared exactly. */
const BID_SCALE = 1_000_000n
const bidOf = (envelope: Envelope): bigint => (inclusionFeeOf(envelope) * BID_SCALE) / BigInt(chargedOperations(envelope))

/** An empty queue. `minimumBaseFee` in stroops. */
export function createQueue(minimumBaseFee: bigint): TransactionQueue {
  /** By source account: one at a time. Iteration is the order of arrival. */
  const bySource = new Map<string, QueuedTransaction>()
  /** Hashes, outer and inner, of what waits. */
  const hashes = new Map<string, QueuedTransaction>()
  /** Hashes that are refused, each with the number of closes left. */
  const banned = new Map<string, number>()

  function remove(waiting: QueuedTransaction): void {
    const { envelope } = waiting
    if (bySource.get(sourceOf(envelope)) === waiting) bySource.delete(sourceOf(envelope))
    hashes.delete(envelope.hash)
    hashes.delete(envelope.transaction.hash)
  }

  function ban({ hash, transaction }: Envelope): void {
    banned.set(hash, BAN_LEDGERS)
    banned.set(transaction.hash, BAN_LEDGERS)
  }

  function usedCapacity(soroban: boolean): number {
    let used = 0
    for (const waiting of bySource.values()) if (waiting.soroban === soroban) used += laneOf(soroban).size(waiting.envelope)
    return used
  }

  /** The lane's transactions with the lowest bid first, the latest first among equals. */
  function laneByBid(soroban: boolean): readonly QueuedTransaction[] {
    const ofLane = [...bySource.values()].filter((waiting) => waiting.soroban === soroban).reverse()
    return ofLane.sort((a, b) => compare(bidOf(a.envelope), bidOf(b.envelope)))
  }

  /** Evicts lower bids so that the envelope fits, if they are enough; else nobody goes, and the fee that it would need is told. */
  function makeRoom(envelope: Envelope): QueueRejection | null {
    const soroban = isSoroban(envelope)
    const lane = laneOf(soroban)
    let missing = usedCapacity(soroban) + lane.size(envelope) - lane.capacityPerLedger * QUEUE_CAPACITY_LEDGERS
    if (missing <= 0) return null
    const evicted: QueuedTransaction[] = []
    for (const lowest of laneByBid(soroban)) {
      if (missing <= 0) break
      if (bidOf(lowest.envelope) >= bidOf(envelope)) {
        const bid = (bidOf(lowest.envelope) * BigInt(chargedOperations(envelope))) / BID_SCALE + 1n
        return { kind: 'insufficient-fee', neededFee: bid + feeOf(envelope) - inclusionFeeOf(envelope) }
      }
      evicted.push(lowest)
      missing -= lane.size(lowest.envelope)
    }
    for (const lowest of evicted) {
      remove(lowest)
      ban(lowest.envelope)
    }
    return null
  }

  return {
    rejectionOf(envelope) {
      const { hash, transaction } = envelope
      if (banned.has(hash)) return { kind: 'try-again-later' }
      if (hashes.has(hash)) return { kind: 'duplicate' }
      const waiting = bySource.get(sourceOf(envelope))
      if (waiting === undefined) return null
      const queuedSeqNum = waiting.envelope.transaction.seqNum
      if (transaction.seqNum < queuedSeqNum) return { kind: 'bad-sequence' }
      if (transaction.seqNum !== queuedSeqNum || envelope.feeBump === null) return { kind: 'try-again-later' }
      // The inclusion bid per operation must be ten times the queued one's.
      const neededBid = bidOf(waiting.envelope) * FEE_BUMP_MULTIPLIER
      if (bidOf(envelope) >= neededBid) return null
      const operations = BigInt(chargedOperations(envelope))
      const neededInclusion = (neededBid * operations + BID_SCALE - 1n) / BID_SCALE
      return { kind: 'insufficient-fee', neededFee: neededInclusion + feeOf(envelope) - inclusionFeeOf(envelope) }
    },
    add(envelope) {
      const replaced = bySource.get(sourceOf(envelope))
      if (replaced !== undefined) remove(replaced)
      const obstacle = makeRoom(envelope)
      if (obstacle !== null) {
        if (replaced !== undefined) enqueue(replaced)
        return obstacle
      }
      // The very transaction that a fee bump carries on waits inside it: asking for it again is a duplicate.
      if (replaced !== undefined && replaced.envelope.hash !== envelope.transaction.hash) banned.set(replaced.envelope.hash, BAN_LEDGERS)
      enqueue({ envelope, soroban: isSoroban(envelope), age: 0 })
      return null
    },
    pendingFees(account, envelope) {
      let total = 0n
      for (const [source, waiting] of bySource) {
        if (source !== sourceOf(envelope) && feeSourceOf(waiting.envelope) === account) total += feeOf(waiting.envelope)
      }
      return total
    },
    get size() {
      return bySource.size
    },
    selectTransactions() {
      const waiting = [...bySource.values()]
      const classic = selectForLane(waiting.filter(({ soroban }) => !soroban), LANES.classic)
      const soroban = selectForLane(waiting.filter((item) => item.soroban), LANES.soroban)
      return {
        envelopes: [...classic.envelopes, ...soroban.envelopes],
        baseFee: { classic: baseFeeOf(classic), soroban: baseFeeOf(soroban) },
      }
    },
    ledgerClosed(leaving) {
      for (const [hash, closesLeft] of banned) {
        if (closesLeft <= 1) banned.delete(hash)
        else banned.set(hash, closesLeft - 1)
      }
      for (const envelope of leaving) {
        const waiting = bySource.get(sourceOf(envelope))
        if (waiting !== undefined && waiting.envelope.hash === envelope.hash) remove(waiting)
        ban(envelope)
      }
      for (const waiting of bySource.values()) {
        waiting.age += 1
        if (waiting.age < QUEUE_AGE_MAX_LEDGERS) continue
        remove(waiting)
        ban(waiting.envelope)
      }
    },
    clear() {
      bySource.clear()
      hashes.clear()
      banned.clear()
    },
  }

  function enqueue(waiting: QueuedTransaction): void {
    bySource.set(sourceOf(waiting.envelope), waiting)
    hashes.set(waiting.envelope.hash, waiting)
    hashes.set(waiting.envelope.transaction.hash, waiting)
  }

  function baseFeeOf(filled: LaneSelection): bigint {
    if (!filled.limited) return minimumBaseFee
    const lowest = filled.envelopes.map(bidOf).reduce((least, bid) => (bid < least ? bid : least))
    return lowest / BID_SCALE
  }
}

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1)

const sourceOf = (envelope: Envelope): string => envelope.transaction.source.account

interface LaneSelection {
  readonly envelopes: readonly Envelope[]
  /** True when some had to stay behind. */
  readonly limited: boolean
}

/** The highest bids that fit one ledger, in the order of arrival. */
function selectForLane(waiting: readonly QueuedTransaction[], lane: Lane): LaneSelection {
  const ranked = waiting.map((item, arrival) => ({ envelope: item.envelope, arrival, bid: bidOf(item.envelope) }))
  ranked.sort((a, b) => compare(b.bid, a.bid) || a.arrival - b.arrival)
  const chosen: typeof ranked = []
  let room = lane.capacityPerLedger
  for (const candidate of ranked) {
    const size = lane.size(candidate.envelope)
    if (size > room) continue
    room -= size
    chosen.push(candidate)
  }
  const envelopes = chosen.sort((a, b) => a.arrival - b.arrival).map(({ envelope }) => envelope)
  return { envelopes, limited: chosen.length < waiting.length }
}
