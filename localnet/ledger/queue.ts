// The transaction queue (soroban-rpc, "sendTransaction": queue rules). In memory only: a restart loses it, as on a real node.

import { BAN_LEDGERS, QUEUE_AGE_MAX_LEDGERS } from './constants.ts'
import { createBanList } from './ban-list.ts'
import type { Envelope } from './envelope.ts'
import { chooseEvictions, replacementFeeNeeded, selectForLane } from './queue-lanes.ts'
import { createQueuedTransactions, queuedTransaction } from './queued-transactions.ts'

/** The reason why the queue rejects a transaction. */
export type QueueRejection =
  | { readonly kind: 'duplicate' | 'try-again-later' | 'bad-sequence' }
  /** The fee that would be enough, stroops. */
  | { readonly kind: 'insufficient-fee'; readonly neededFee: bigint }

export interface TransactionQueue {
  /** Checks an envelope before it is validated; null when the queue would accept it. */
  rejectionOf(envelope: Envelope): QueueRejection | null
  /** Queues an envelope, evicting lower bids when its lane is full. Returns why it was rejected; null when it is queued. */
  add(envelope: Envelope): QueueRejection | null
  /** The fees that queued transactions charge to an account, stroops. Leaves out the transaction that `envelope` would replace. */
  pendingFees(account: string, envelope: Envelope): bigint
  readonly size: number
  /**
   * The transactions of the next ledger: classic ones first, each lane in order of arrival. The base fee of a lane is the minimum, or the
   * lowest selected bid when the lane is full. They stay queued until `ledgerClosed`.
   */
  selectTransactions(): { readonly envelopes: readonly Envelope[]; readonly baseFee: { readonly classic: bigint; readonly soroban: bigint } }
  /** Call after every close. Removes and bans `finished` (applied or invalid); the others age, and the oldest are dropped and banned. */
  ledgerClosed(finished: readonly Envelope[]): void
  clear(): void
}

/** An empty queue. `minBaseFee` in stroops per operation. */
export function createQueue(minBaseFee: bigint): TransactionQueue {
  const queued = createQueuedTransactions()
  const bans = createBanList(BAN_LEDGERS)

  function ban({ hash, transaction }: Envelope): void {
    bans.add(hash)
    bans.add(transaction.hash)
  }

  return {
    rejectionOf(envelope) {
      const { hash, transaction } = envelope
      if (bans.has(hash)) return { kind: 'try-again-later' }
      if (queued.hasHash(hash)) return { kind: 'duplicate' }
      const existing = queued.ofSameSource(envelope)
      if (existing === undefined) return null
      const queuedSeqNum = existing.envelope.transaction.seqNum
      if (transaction.seqNum < queuedSeqNum) return { kind: 'bad-sequence' }
      if (transaction.seqNum !== queuedSeqNum || envelope.feeBump === null) return { kind: 'try-again-later' }
      const neededFee = replacementFeeNeeded(existing, envelope)
      return neededFee === null ? null : { kind: 'insufficient-fee', neededFee }
    },
    add(envelope) {
      const added = queuedTransaction(envelope)
      const replaced = queued.ofSameSource(envelope)
      const others = [...queued.values()].filter((other) => other !== replaced)
      const room = chooseEvictions(others, added)
      if ('neededFee' in room) return { kind: 'insufficient-fee', neededFee: room.neededFee }
      for (const evicted of room.evicted) {
        queued.remove(evicted)
        ban(evicted.envelope)
      }
      if (replaced !== undefined) {
        queued.remove(replaced)
        // A fee bump around the queued transaction itself still contains that hash: sending it again is a duplicate, not a ban.
        if (replaced.envelope.hash !== envelope.transaction.hash) bans.add(replaced.envelope.hash)
      }
      queued.add(added)
      return null
    },
    pendingFees: (account, envelope) => queued.feesPaidBy(account, envelope),
    get size() {
      return queued.size
    },
    selectTransactions() {
      const classic = selectForLane(queued.values(), false, minBaseFee)
      const soroban = selectForLane(queued.values(), true, minBaseFee)
      return {
        envelopes: [...classic.envelopes, ...soroban.envelopes],
        baseFee: { classic: classic.baseFee, soroban: soroban.baseFee },
      }
    },
    ledgerClosed(finished) {
      bans.ledgerClosed()
      for (const envelope of finished) {
        const existing = queued.ofSameSource(envelope)
        if (existing !== undefined && existing.envelope.hash === envelope.hash) queued.remove(existing)
        ban(envelope)
      }
      for (const waiting of queued.values()) {
        waiting.age += 1
        if (waiting.age < QUEUE_AGE_MAX_LEDGERS) continue
        queued.remove(waiting)
        ban(waiting.envelope)
      }
    },
    clear() {
      queued.clear()
      bans.clear()
    },
  }
}
