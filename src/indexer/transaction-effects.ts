// Reads what transactions changed in the market's storage, oldest first, so that nothing leaves the nodes' retention unread. A response counts only if it is
// of the requested transaction: its envelope has the hash, its ledger and its events are the archived ones, and its entries agree with them.

import { decodeMeta, META_MAX_LENGTH } from '../chain/entry-changes.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { TransactionResponse } from '../chain/responses.ts'
import { agreesWithEvents } from '../exchange/entry-plausibility.ts'
import { listEpochs } from '../projections/epochs.ts'
import type { Epoch } from '../projections/epochs.ts'
import type { EffectsObservation, UnreadTransaction } from '../projections/transaction-effects.ts'
import { listUnreadTransactions, recordTransactionEffects } from '../projections/transaction-effects.ts'
import type { EntrySubject } from './entry-observer.ts'
import { readEnvelope } from './envelope-hash.ts'

/** Transactions per request of the observer. */
const BATCH = 24
/** Concurrent calls: half of what a node gets at most, the rest is for submissions. */
const CONCURRENT_CALLS = 4

/** A transaction and the epoch that archived it: the current one, or an earlier one on the same chain. */
interface Subject extends Omit<UnreadTransaction, 'epoch'> {
  readonly epoch: Epoch
}

type Observation = EffectsObservation & Pick<Subject, 'epoch'>

/** A transaction on the ledger and what it wrote. */
export interface AppliedTransaction {
  /** Base64. */
  readonly envelopeXdr: string
  /** The base64 LedgerKeys of the entries that it changed. */
  readonly writtenKeys: readonly string[]
}

type OnApplied = ((applied: AppliedTransaction) => void) | undefined

/** `archive` has transactions that the node dropped; null: there is none. */
export function transactionEffects(archive: Rpc | null, onApplied?: OnApplied): EntrySubject<Subject, Observation> {
  return {
    name: 'effects of transactions',
    idOf: ({ seq }) => seq,
    batch: BATCH,
    async listUnknown(db, { chain }, options) {
      const epochs = (await listEpochs(db)).filter((each) => each.chain === chain)
      const unread = await listUnreadTransactions(db, [...new Set(epochs.map(({ deployment }) => deployment))], options)
      return unread.flatMap((transaction) => epochs.filter(({ number }) => number === transaction.epoch).map((epoch) => ({ ...transaction, epoch })))
    },
    observe: (rpc, _contracts, subjects, _indexedLedger, options) => readAll({ rpc, archive, onApplied }, subjects, options),
    async record(tx, _epoch, observations, nowMs) {
      for (const own of Map.groupBy(observations, ({ epoch }) => epoch.deployment).values()) {
        const [first] = own
        if (first !== undefined) await recordTransactionEffects(tx, first.epoch, own, nowMs)
      }
    },
  }
}

async function readAll(
  { rpc, archive, onApplied }: { readonly rpc: Rpc; readonly archive: Rpc | null; readonly onApplied: OnApplied }, transactions: readonly Subject[],
  options: CallOptions,
): Promise<readonly Observation[]> {
  const observations: Observation[] = []
  const waiting = [...transactions]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const own = effectsIn(await rpc.getTransaction(next.txHash, options), next, onApplied)
      const isGone = own?.effects === null
      const observation = isGone && archive !== null ? effectsIn(await archive.getTransaction(next.txHash, options), next, undefined) : own
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
function effectsIn(response: TransactionResponse, transaction: Subject, onApplied: OnApplied): Observation | undefined {
  const { seq, txHash, ledger, epoch } = transaction
  if (response.status === 'NOT_FOUND') {
    return response.oldestLedger !== null && response.oldestLedger > ledger ? { seq, txHash, ledger, epoch, effects: null } : undefined
  }
  if (response.status !== 'SUCCESS' || response.ledger !== ledger) return undefined
  const { envelopeXdr, metaXdr } = response
  if (envelopeXdr === undefined || metaXdr === undefined) return undefined
  const signed = readEnvelope(envelopeXdr, txHash, epoch.passphrase)
  if (signed === undefined) return undefined
  if (metaXdr.length > META_MAX_LENGTH) return { seq, txHash, ledger, epoch, effects: null }
  const meta = decodeMeta(metaXdr, epoch.contracts.market)
  if (meta === null || !hasEvents(meta.events, transaction) || !agreesWithEvents(meta.changes, transaction.payloads)) return undefined
  onApplied?.({ envelopeXdr, writtenKeys: meta.writtenKeys() })
  const { source, contract, functionName } = signed
  const call = contract === null || functionName === null ? null : { source, contract, functionName }
  return { seq, txHash, ledger, epoch, effects: { changes: meta.changes, call } }
}

/** Whether the events of the exchange's contracts are the archived ones. */
function hasEvents(events: readonly string[], transaction: Subject): boolean {
  const { market, vault, vaultFactory, referral } = transaction.epoch.contracts
  const own = events.filter((event) => [market, vault, vaultFactory, referral].includes(event.slice(0, event.indexOf(' '))))
  return own.length === transaction.events.length && own.every((event, index) => event === transaction.events[index])
}
