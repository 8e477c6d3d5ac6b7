// A network that knows what became of each envelope: one transaction at a time per account, sequence numbers, four ledgers of patience, ten of grudge
// (soroban-rpc, "Queue rules"). It tells the truth; the way to it does not.

import { xdr } from '@stellar/stellar-sdk'
import type { SignedTransaction } from '../../src/chain/transaction.ts'
import { resultXdr, TRAPPED_XDR } from './answers.ts'
import type { Saying } from './node.ts'

const PATIENCE_LEDGERS = 4
const GRUDGE_LEDGERS = 10

/** An envelope of the model: which account's, and which of its sequence numbers. */
export interface Envelope {
  readonly signed: SignedTransaction
  readonly account: number
  readonly sequence: number
}

export interface TinyNetwork {
  /** What sendTransaction says of it, with its effect. */
  receive(envelope: Envelope): Saying
  /** What getTransaction says on a node that is so many ledgers behind. */
  lookUp(hash: string, lag: number): Saying
  /** Closes a ledger: with what is queued, and whether that succeeds; or without. */
  close(taking: 'nothing' | 'to succeed' | 'to fail'): void
  readonly ledger: () => number
  /** Where it was applied, and how; undefined when it was not. */
  applied(hash: string): { readonly ledger: number; readonly succeeded: boolean } | undefined
  isQueued(hash: string): boolean
  /** How often the network has taken it into its queue, or said that it had it. */
  taken(hash: string): number
}

export function createTinyNetwork(): TinyNetwork {
  let ledger = 100
  const sequences = new Map<number, number>()
  const queue = new Map<number, { readonly envelope: Envelope; age: number }>()
  const appliedBy = new Map<string, { readonly ledger: number; readonly succeeded: boolean }>()
  const grudges = new Map<string, number>()
  const takenBy = new Map<string, number>()

  function sendAnswer(envelope: Envelope, status: string, more: object = {}): Saying {
    return { result: { status, hash: envelope.signed.hash, latestLedger: ledger, latestLedgerCloseTime: '1', ...more } }
  }

  function take(envelope: Envelope, status: string): Saying {
    const { hash } = envelope.signed
    takenBy.set(hash, (takenBy.get(hash) ?? 0) + 1)
    return sendAnswer(envelope, status)
  }

  return {
    receive(envelope) {
      const { account, sequence, signed: { hash } } = envelope
      if (grudges.has(hash)) return sendAnswer(envelope, 'TRY_AGAIN_LATER')
      const queued = queue.get(account)?.envelope
      if (queued?.signed.hash === hash) return take(envelope, 'DUPLICATE')
      const badSequence = { errorResultXdr: resultXdr(xdr.TransactionResultResult.txBadSeq()) }
      if (queued !== undefined) return sequence < queued.sequence ? sendAnswer(envelope, 'ERROR', badSequence) : sendAnswer(envelope, 'TRY_AGAIN_LATER')
      if (sequence !== (sequences.get(account) ?? 0) + 1) return sendAnswer(envelope, 'ERROR', badSequence)
      queue.set(account, { envelope, age: 0 })
      return take(envelope, 'PENDING')
    },
    lookUp(hash, lag) {
      const latestLedger = ledger - lag
      const found = appliedBy.get(hash)
      if (found === undefined || found.ledger > latestLedger) return { result: { status: 'NOT_FOUND', latestLedger, ledger: 0 } }
      if (found.succeeded) return { result: { status: 'SUCCESS', latestLedger, ledger: found.ledger } }
      return { result: { status: 'FAILED', latestLedger, ledger: found.ledger, resultXdr: TRAPPED_XDR, diagnosticEventsXdr: [] } }
    },
    close(taking) {
      ledger += 1
      for (const [hash, left] of grudges) {
        if (left <= 1) grudges.delete(hash)
        else grudges.set(hash, left - 1)
      }
      for (const [account, waiting] of queue) {
        const { hash } = waiting.envelope.signed
        waiting.age += 1
        if (taking !== 'nothing') {
          sequences.set(account, waiting.envelope.sequence)
          appliedBy.set(hash, { ledger, succeeded: taking === 'to succeed' })
        }
        if (taking === 'nothing' && waiting.age < PATIENCE_LEDGERS) continue
        queue.delete(account)
        grudges.set(hash, GRUDGE_LEDGERS)
      }
    },
    ledger: () => ledger,
    applied: (hash) => appliedBy.get(hash),
    isQueued: (hash) => [...queue.values()].some(({ envelope }) => envelope.signed.hash === hash),
    taken: (hash) => takenBy.get(hash) ?? 0,
  }
}
