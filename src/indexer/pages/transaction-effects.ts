// Reads what transactions changed in the market's storage, oldest first, so that nothing leaves the nodes' retention unread. A response counts only if it is
// of the requested transaction: its envelope has the hash, its ledger and its events are the archived ones, and its entries agree with them.

import type { Log } from '../../base/log.ts'
import { decodeMeta, findNewerInMeta, META_MAX_LENGTH } from '../../chain/codec/entry-changes.ts'
import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { TransactionResponse } from '../../chain/rpc/responses.ts'
import { agreesWithEvents } from '../../exchange/contracts/entry-plausibility.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import {
  dropKeptTransactions, KEPT_TRANSACTIONS_MAX, keepTransactions, listUnreadableSeqs, readKeptTransactions,
} from '../../projections/log/kept-transactions.ts'
import type { TransactionRecord } from '../../projections/log/kept-transactions.ts'
import { recordNewerForms } from '../../projections/state/newer-forms.ts'
import type { EffectsObservation, UnreadTransaction } from '../../projections/log/transaction-effects.ts'
import { listUnreadTransactions, recordTransactionEffects } from '../../projections/log/transaction-effects.ts'
import type { Writable } from '../../store/store.ts'
import type { EntrySubject } from './entry-observer.ts'
import { readEnvelope } from './envelope-hash.ts'
import { eventScope } from './event-scope.ts'
import { createNewerReporter } from './newer-reporter.ts'

/** Transactions per request of the observer. */
const BATCH = 24
/** Concurrent calls: half of what a node gets at most, the rest is for submissions. */
const CONCURRENT_CALLS = 4

/** A transaction and the epoch that archived it: the current one, or an earlier one on the same chain. */
interface Subject extends Omit<UnreadTransaction, 'epoch'> {
  readonly epoch: Epoch
  /** Its record, if an earlier version of the gateway could not read it. */
  readonly kept: TransactionRecord | undefined
}

type Identity = Pick<Subject, 'seq' | 'txHash' | 'ledger' | 'epoch'>
/** A transaction whose record has a form of a later protocol. */
type Unreadable = Identity & { readonly what: string; readonly record: TransactionRecord }
type Observation = (Identity & EffectsObservation) | Unreadable

/** A transaction whose own record has other events than the archive: one of the two is wrong. */
export interface Contradiction {
  readonly chain: number
  readonly ledger: number
  readonly txHash: string
}

interface EffectsOptions {
  /** Has transactions that the node dropped; null: there is none. */
  readonly archive: Rpc | null
  /** Called with each transaction whose record contradicts the archive. */
  readonly onContradiction?: ((contradiction: Contradiction) => void) | undefined
  readonly log: Log
}

export function transactionEffects({ archive, onContradiction, log }: EffectsOptions): EntrySubject<Subject, Observation> {
  const reportNewer = createNewerReporter(log)
  return {
    name: 'effects of transactions',
    idOf: ({ seq }) => seq,
    batch: BATCH,
    async listUnknown(db, { chain }, options) {
      const epochs = (await listEpochs(db)).filter((each) => each.chain === chain)
      const contractEpochs = [...new Set(epochs.map(({ contractEpoch }) => contractEpoch))]
      const unreadable = await listUnreadableSeqs(db, contractEpochs, options.nowMs)
      if (unreadable.length >= KEPT_TRANSACTIONS_MAX) return []
      const unread = await listUnreadTransactions(db, contractEpochs, { ...options, except: [...options.except, ...unreadable] })
      const kept = await readKeptTransactions(db, contractEpochs, unread.map(({ txHash }) => txHash))
      return unread.flatMap((transaction) => epochs.filter(({ number }) => number === transaction.epoch)
        .map((epoch) => ({ ...transaction, epoch, kept: kept.get(transaction.txHash) })))
    },
    observe: (rpc, _contracts, subjects, _indexedLedger, options) => readAll({ rpc, archive, onContradiction }, subjects, options),
    async record(tx, _epoch, observations, nowMs) {
      for (const own of Map.groupBy(observations, ({ epoch }) => epoch.contractEpoch).values()) {
        const [first] = own
        if (first !== undefined) await recordAll(tx, first.epoch, own, nowMs)
      }
      reportNewer(observations.filter(isUnreadable))
    },
  }
}

async function recordAll(tx: Writable, { chain, contractEpoch, ...epoch }: Epoch, observations: readonly Observation[], nowMs: number): Promise<void> {
  const [unreadable, read] = [observations.filter(isUnreadable), observations.filter(isRead)]
  await recordTransactionEffects(tx, { ...epoch, chain, contractEpoch }, read, nowMs)
  await dropKeptTransactions(tx, contractEpoch, read.map(({ txHash }) => txHash))
  await keepTransactions(tx, contractEpoch, unreadable.map(({ seq, txHash, record }) => ({ seq, txHash, ...record })), nowMs)
  await recordNewerForms(tx, chain, unreadable.map(({ what, ledger, record }) => ({ what, ledger, xdr: record.metaXdr })), { nowMs })
}

function isUnreadable(observation: Observation): observation is Unreadable {
  return 'what' in observation
}

function isRead(observation: Observation): observation is Exclude<Observation, Unreadable> {
  return !isUnreadable(observation)
}

type Reports = Pick<EffectsOptions, 'onContradiction'>
const NO_REPORTS: Reports = {}

async function readAll(
  { rpc, archive, ...reports }: Reports & { readonly rpc: Rpc; readonly archive: Rpc | null }, transactions: readonly Subject[], options: CallOptions,
): Promise<readonly Observation[]> {
  const observations: Observation[] = []
  const waiting = [...transactions]
  async function readOne(transaction: Subject): Promise<Observation | undefined> {
    const own = effectsIn(await rpc.getTransaction(transaction.txHash, options), transaction, reports)
    const isGone = own !== undefined && !isUnreadable(own) && own.effects === null
    return isGone && archive !== null ? effectsIn(await archive.getTransaction(transaction.txHash, options), transaction, NO_REPORTS) : own
  }
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const observation = effectsOfKept(next) ?? (await readOne(next))
      if (observation !== undefined) observations.push(observation)
    }
  }
  // One failure ends the batch: what was read before counts, and the rest is read later.
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_CALLS }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined && observations.length === 0) throw failed.reason
  return observations
}

/** Undefined: the node does not have the transaction yet, or its response is not of this transaction. */
function effectsIn(response: TransactionResponse, transaction: Subject, reports: Reports): Observation | undefined {
  const { seq, txHash, ledger, epoch } = transaction
  if (response.status === 'NOT_FOUND') {
    return response.oldestLedger !== null && response.oldestLedger > ledger ? { seq, txHash, ledger, epoch, effects: null } : undefined
  }
  if (response.status !== 'SUCCESS' || response.ledger !== ledger) return undefined
  const { envelopeXdr, metaXdr } = response
  return envelopeXdr === undefined || metaXdr === undefined ? undefined : effectsOf({ envelopeXdr, metaXdr }, transaction, reports)
}

/** The effects that this version reads from the kept record of a transaction. */
function effectsOfKept(transaction: Subject): Observation | undefined {
  return transaction.kept === undefined ? undefined : effectsOf(transaction.kept, transaction, NO_REPORTS)
}

function effectsOf(record: TransactionRecord, transaction: Subject, { onContradiction }: Reports): Observation | undefined {
  const { seq, txHash, ledger, epoch } = transaction
  const { envelopeXdr, metaXdr } = record
  const signed = readEnvelope(envelopeXdr, txHash, epoch.passphrase)
  if (signed === undefined) return undefined
  if (metaXdr.length > META_MAX_LENGTH) return { seq, txHash, ledger, epoch, effects: null }
  if (signed instanceof NewerThanKnown) return { seq, txHash, ledger, epoch, what: signed.what, record }
  const meta = decodeMeta(metaXdr, epoch.contracts.market)
  const newer = meta === null ? findNewerInMeta(metaXdr) : undefined
  if (newer !== undefined) return { seq, txHash, ledger, epoch, what: newer.what, record }
  const isContradicted = meta !== null && !(hasEvents(meta.events, transaction) && hasTransfers(meta.events, transaction))
  if (isContradicted) onContradiction?.({ chain: epoch.chain, ledger, txHash })
  if (meta === null || !hasEvents(meta.events, transaction) || !agreesWithEvents(meta.changes, transaction.payloads)) return undefined
  const { source, contract, functionName } = signed
  const call = contract === null || functionName === null ? null : { source, contract, functionName }
  return { seq, txHash, ledger, epoch, effects: { changes: meta.changes, call } }
}

/** True when the events of the exchange's contracts are the archived ones. */
function hasEvents(events: readonly string[], transaction: Subject): boolean {
  const { market, vault, vaultFactory, referral } = transaction.epoch.contracts
  const own = events.filter((event) => [market, vault, vaultFactory, referral].includes(event.slice(0, event.indexOf(' '))))
  return own.length === transaction.events.length && own.every((event, index) => event === transaction.events[index])
}

/** True when the transfers between accounts and the exchange are the archived ones. */
function hasTransfers(events: readonly string[], { epoch, ledger, txHash, transfers }: Subject): boolean {
  const token = epoch.contracts.usdcToken
  if (token === undefined) return true
  const scope = eventScope(epoch)
  const own = events.filter((event) => {
    const [contractId = '', ...parts] = event.split(' ')
    const valueXdr = parts.at(-1) ?? ''
    return contractId === token && scope.contractOf({ id: '', ledger, closeSec: 0, contractId, txHash, topicsXdr: parts.slice(0, -1), valueXdr }) !== undefined
  })
  return own.length === transfers.length && own.every((event, index) => event === transfers[index])
}
