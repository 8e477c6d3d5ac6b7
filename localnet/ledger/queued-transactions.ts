// The transactions in the queue: one per source account, in order of arrival, also found by hash.

import { type Envelope, feeOf, feeSourceOf, isSoroban } from './envelope.ts'

export interface QueuedTransaction {
  readonly envelope: Envelope
  readonly soroban: boolean
  /** Ledgers that closed without this transaction. */
  age: number
}

export interface QueuedTransactions {
  readonly size: number
  /** In order of arrival. */
  values(): Iterable<QueuedTransaction>
  /** The queued transaction with the same source account as `envelope`. */
  ofSameSource(envelope: Envelope): QueuedTransaction | undefined
  /** True for the hash of a queued transaction, and for the inner hash of a queued fee bump. */
  hasHash(hash: string): boolean
  add(queued: QueuedTransaction): void
  remove(queued: QueuedTransaction): void
  /** The fees in stroops that queued transactions charge to `payer`. Leaves out the one with the source account of `except`. */
  feesPaidBy(payer: string, except: Envelope): bigint
  clear(): void
}

export const queuedTransaction = (envelope: Envelope): QueuedTransaction => ({ envelope, soroban: isSoroban(envelope), age: 0 })

const sourceOf = (envelope: Envelope): string => envelope.transaction.source.account

export function createQueuedTransactions(): QueuedTransactions {
  /** By source account. Iteration is in order of arrival. */
  const bySource = new Map<string, QueuedTransaction>()
  /** Outer and inner hashes. */
  const hashes = new Set<string>()

  return {
    get size() {
      return bySource.size
    },
    values: () => bySource.values(),
    ofSameSource: (envelope) => bySource.get(sourceOf(envelope)),
    hasHash: (hash) => hashes.has(hash),
    add(queued) {
      bySource.set(sourceOf(queued.envelope), queued)
      hashes.add(queued.envelope.hash)
      hashes.add(queued.envelope.transaction.hash)
    },
    remove({ envelope }) {
      bySource.delete(sourceOf(envelope))
      hashes.delete(envelope.hash)
      hashes.delete(envelope.transaction.hash)
    },
    feesPaidBy(payer, except) {
      let total = 0n
      for (const [source, { envelope }] of bySource) {
        if (source !== sourceOf(except) && feeSourceOf(envelope) === payer) total += feeOf(envelope)
      }
      return total
    },
    clear() {
      bySource.clear()
      hashes.clear()
    },
  }
}
