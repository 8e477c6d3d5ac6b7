// A model of the network's transaction queue: sequence numbers, one queued transaction per account, dropped after four ledgers, then banned for ten
// (soroban-rpc, "Queue rules").

import { xdr } from '@stellar/stellar-sdk'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { APPLIED_XDR, record, resultXdr, TRAPPED_XDR } from './responses.ts'
import type { NodeResponse } from './scripted-node.ts'

const MAX_QUEUED_LEDGERS = 4
const BANNED_LEDGERS = 10

/** An envelope of the model with its account and sequence number. */
export interface Envelope {
  readonly signed: SignedTransaction
  readonly account: number
  readonly sequence: number
}

export interface ModelNetwork {
  /** Handles sendTransaction. */
  receive(envelope: Envelope): NodeResponse
  /** Handles getTransaction on a node that lags by `lag` ledgers. */
  lookUp(hash: string, lag: number): NodeResponse
  /** Closes a ledger, empty or with all queued transactions. */
  close(applying: 'nothing' | 'to succeed' | 'to fail'): void
  readonly ledger: () => number
  /** The ledger and result; undefined when it was not applied. */
  applied(hash: string): { readonly ledger: number; readonly succeeded: boolean } | undefined
  isQueued(hash: string): boolean
  /** Returns how often the network confirmed that it had queued the transaction. */
  acceptances(hash: string): number
}

export function createModelNetwork(): ModelNetwork {
  let ledger = 100
  const sequences = new Map<number, number>()
  const queue = new Map<number, { readonly envelope: Envelope; age: number }>()
  const appliedByHash = new Map<string, { readonly ledger: number; readonly succeeded: boolean }>()
  const bans = new Map<string, number>()
  const acceptanceCounts = new Map<string, number>()

  function respond(envelope: Envelope, status: string, more: object = {}): NodeResponse {
    return { result: { status, hash: envelope.signed.hash, latestLedger: ledger, latestLedgerCloseTime: '1', ...more } }
  }

  function accept(envelope: Envelope, status: string): NodeResponse {
    const { hash } = envelope.signed
    acceptanceCounts.set(hash, (acceptanceCounts.get(hash) ?? 0) + 1)
    return respond(envelope, status)
  }

  return {
    receive(envelope) {
      const { account, sequence, signed: { hash } } = envelope
      if (bans.has(hash)) return respond(envelope, 'TRY_AGAIN_LATER')
      const queued = queue.get(account)?.envelope
      if (queued?.signed.hash === hash) return accept(envelope, 'DUPLICATE')
      const badSequence = { errorResultXdr: resultXdr(xdr.TransactionResultResult.txBadSeq()) }
      if (queued !== undefined) return sequence < queued.sequence ? respond(envelope, 'ERROR', badSequence) : respond(envelope, 'TRY_AGAIN_LATER')
      if (sequence !== (sequences.get(account) ?? 0) + 1) return respond(envelope, 'ERROR', badSequence)
      queue.set(account, { envelope, age: 0 })
      return accept(envelope, 'PENDING')
    },
    lookUp(hash, lag) {
      const latestLedger = ledger - lag
      const found = appliedByHash.get(hash)
      if (found === undefined || found.ledger > latestLedger) return { result: { status: 'NOT_FOUND', latestLedger, ledger: 0 } }
      if (found.succeeded) return { result: { status: 'SUCCESS', latestLedger, ledger: found.ledger, ...record(hash, APPLIED_XDR) } }
      return { result: { status: 'FAILED', latestLedger, ledger: found.ledger, ...record(hash, TRAPPED_XDR), diagnosticEventsXdr: [] } }
    },
    close(applying) {
      ledger += 1
      for (const [hash, remaining] of bans) {
        if (remaining <= 1) bans.delete(hash)
        else bans.set(hash, remaining - 1)
      }
      for (const [account, entry] of queue) {
        const { hash } = entry.envelope.signed
        entry.age += 1
        if (applying !== 'nothing') {
          sequences.set(account, entry.envelope.sequence)
          appliedByHash.set(hash, { ledger, succeeded: applying === 'to succeed' })
        }
        if (applying === 'nothing' && entry.age < MAX_QUEUED_LEDGERS) continue
        queue.delete(account)
        bans.set(hash, BANNED_LEDGERS)
      }
    },
    ledger: () => ledger,
    applied: (hash) => appliedByHash.get(hash),
    isQueued: (hash) => [...queue.values()].some(({ envelope }) => envelope.signed.hash === hash),
    acceptances: (hash) => acceptanceCounts.get(hash) ?? 0,
  }
}
