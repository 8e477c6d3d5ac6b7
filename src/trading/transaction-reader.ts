// GET /v1/tx/{hash}, GET /v1/tx and GET /v1/account/me/transactions: what is stored of a transaction, joined to what the index and the network have.

import type { Clock } from '../base/clock.ts'
import type { Requester } from '../base/fair-share.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { AsOf } from '../projections/state/as-of.ts'
import type { Head, Page } from '../projections/log/page.ts'
import { readArchivedLedgers, readIndexHead, readTransactionEvents } from '../projections/log/transaction-events.ts'
import { judgeAbsence } from './relay/absence.ts'
import type { TransactionLookup } from './relay/outcomes.ts'
import type { Relay } from './relay/relay.ts'
import type { EventRow } from '../resources/event-row.ts'
import type { TransactionRow } from '../resources/transaction.ts'
import type { Store } from '../store/store.ts'
import { isOver } from './journal.ts'
import type { Journal } from './journal.ts'
import { findByClientId, findStored, listPastSubmissions, listSubmissions } from './submission-reads.ts'
import type { StoredTransaction } from './submission-reads.ts'
import { NO_RESULT, resultOf } from './submission-records.ts'
import type { SubmissionRecord } from './submission-records.ts'
import { createIndexedRows, eventsBy, indexedIds, preparedRow } from './transaction-rows.ts'

export interface TransactionReader {
  /** The transaction with this hash; undefined when it is not stored, and neither the index nor the network has it. Rejects with RpcFailure. */
  find(hash: string, caller: TransactionCaller): Promise<FoundTransaction | undefined>
  /** The owner's transaction with this client id. */
  findByClientId(clientId: string, caller: TransactionCaller): Promise<FoundTransaction | undefined>
  /** The owner's submitted transactions, newest first. */
  list(owner: string, options: AsOf & { readonly limit: number; readonly cursor: string | undefined }): Promise<Page<TransactionRow>>
}

export interface FoundTransaction {
  readonly row: TransactionRow
  /** The state of the index that its events were read from, or an earlier one. */
  readonly head: Head
}

interface TransactionCaller {
  readonly owner: string
  /** Look-ups on the network take turns between these. */
  readonly requester: Requester
}

/** A look-up on the network is shared for this long. */
const LOOKUP_TTL_MS = 1_000
const LOOKUPS_MAX = 1_000
/** Callers share look-ups, so none of them ends when one caller disconnects. */
const SHARED = new AbortController().signal

export function createTransactionReader(
  { store, relay, clock, journal }: { readonly store: Store; readonly relay: Relay; readonly clock: Clock; readonly journal: Pick<Journal, 'end'> },
): TransactionReader {
  const db = store.read
  // A replica may not have what was submitted a moment ago.
  const primary = store.readsLag ? store.write : store.read
  const { withEvents, withPastEvents, withOutcomes } = createIndexedRows(db)
  const lookups = createTtlCache<{ readonly found: TransactionLookup | null }>({ clock, ttlMs: LOOKUP_TTL_MS, maxEntries: LOOKUPS_MAX })

  /** Looks a transaction up on the network; null when no node responds. */
  async function lookUp(hash: string, known: { readonly trader: string; readonly envelope?: string | undefined }, caller: TransactionCaller) {
    const contract = known.envelope === undefined ? null : relay.decode(known.envelope)?.contract ?? null
    const signed = { hash, source: known.trader, contract }
    const { found } = await lookups.get(hash, async () => ({ found: await relay.outcomes.lookUp(signed, caller.requester, { signal: SHARED }) }))
    return found
  }

  /** A submission with the state that the index or the network has by now. What they have is stored. */
  async function refresh(record: SubmissionRecord, caller: TransactionCaller): Promise<SubmissionRecord> {
    // The driver follows what is pending, and has proved what is expired.
    if (isOver(record) || record.status === 'PENDING') return record
    const place = (await readArchivedLedgers(db, [record.hash])).get(record.hash)
    if (place !== undefined) return await storeOutcome(record, 'SUCCESS', { ...NO_RESULT, ...place })
    const outcome = (await lookUp(record.hash, record, caller))?.outcome
    return outcome === undefined ? record : await storeOutcome(record, outcome.kind === 'success' ? 'SUCCESS' : 'FAILED', resultOf(outcome))
  }

  async function storeOutcome(record: SubmissionRecord, status: 'SUCCESS' | 'FAILED', result: typeof NO_RESULT): Promise<SubmissionRecord> {
    await journal.end(record, status, result)
    return { ...record, status, ...result }
  }

  async function rowOf({ submission, prepared }: StoredTransaction, head: Head, caller: TransactionCaller): Promise<TransactionRow | undefined> {
    if (submission !== undefined) return (await withEvents([await judgeWithdrawn(await refresh(submission, caller), caller)], head))[0]
    if (prepared === undefined) return undefined
    const elsewhere = await findElsewhere(prepared.hash, head, caller, prepared.owner)
    if ('hash' in elsewhere) return { ...elsewhere, op: prepared.op, clientId: prepared.clientId, expiresAt: prepared.expiresAt }
    return preparedRow(prepared, hasExpired(prepared.expiresAt, prepared.preparedAt, elsewhere.retained) ? 'EXPIRED' : 'PREPARED')
  }

  /** Nothing drives a transaction that the network did not take, so that nothing else finds out that it has expired. */
  async function judgeWithdrawn(record: SubmissionRecord, caller: TransactionCaller): Promise<SubmissionRecord> {
    if (record.status !== 'PREPARED') return record
    const found = await lookUp(record.hash, record, caller)
    return hasExpired(record.expiresAt, record.submittedAt, found) ? { ...record, status: 'EXPIRED' } : record
  }

  /** True when a transaction that a node does not have can no longer be applied. `knownSinceMs` is before its first send. */
  function hasExpired(expiresAt: number | null, knownSinceMs: number, retained: TransactionLookup | null): boolean {
    if (retained === null || retained.isContested || retained.outcome !== undefined) return false
    const nowSec = Math.floor(clock.nowMs() / 1_000)
    const submittedSec = Math.floor(knownSinceMs / 1_000)
    return judgeAbsence({ expiresAt, submittedSec, nowSec, sequence: 0n, retained, accountSequence: undefined }) === 'expired'
  }

  /** A transaction that was submitted elsewhere: what the index or the network has. Otherwise the look-up on the network, null when no node responds. */
  async function findElsewhere(
    hash: string, head: Head, caller: TransactionCaller, trader: string | null,
  ): Promise<TransactionRow | { readonly retained: TransactionLookup | null }> {
    const events = (await readTransactionEvents(db, [hash])).get(hash)
    const [first] = events ?? []
    if (events !== undefined && first !== undefined) {
      const { ledger, ledgerCloseTs: ts } = first
      const row = foreignRow(hash, { status: 'SUCCESS', trader: trader ?? traderOf(events), ledger, ts, events: [...events] })
      return (await withOutcomes([row]))[0] ?? row
    }
    const found = await lookUp(hash, { trader: trader ?? '' }, caller)
    // What nodes contradict each other about may still turn out either way.
    if (found?.isContested === true) return foreignRow(hash, { status: 'PENDING', trader, events: [] })
    if (found?.outcome === undefined) return { retained: found }
    const signed = found.envelopeXdr === null || found.envelopeXdr === undefined ? undefined : relay.decode(found.envelopeXdr)
    const { message: _message, ledger, ...result } = resultOf(found.outcome)
    const status = found.outcome.kind === 'success' ? 'SUCCESS' : 'FAILED'
    const archived = status === 'SUCCESS' ? eventsBy({ ledger }, head) : []
    const row = foreignRow(hash, {
      ...result, status, ledger, trader: trader ?? signed?.source ?? null, op: signed === undefined ? null : relay.operationOf(signed),
      expiresAt: signed?.expiresAt ?? null,
      events: archived === null ? null : [...archived],
    })
    return (await withOutcomes([row]))[0] ?? row
  }

  return {
    async find(hash, caller) {
      const head = await readIndexHead(db)
      const row = await rowOf(await findStored(primary, caller.owner, hash), head, caller)
      if (row !== undefined) return { row, head }
      const elsewhere = await findElsewhere(hash, head, caller, null)
      if ('hash' in elsewhere) return { row: elsewhere, head }
      if (elsewhere.retained === null) throw new RpcFailure({ method: 'getTransaction', kind: 'unreachable', retryable: true })
      return undefined
    },
    async findByClientId(clientId, caller) {
      const head = await readIndexHead(db)
      const row = await rowOf(await findByClientId(primary, caller.owner, clientId), head, caller)
      return row === undefined ? undefined : { row, head }
    },
    async list(owner, { atLedger, ...options }) {
      if (atLedger !== undefined) {
        const past = await listPastSubmissions(db, { owner, atLedger, ...options })
        return { ...past, rows: await withPastEvents(past.rows, past.head) }
      }
      const page = await listSubmissions(db, { owner, ...options })
      return { ...page, rows: await withEvents(page.rows, page.head) }
    },
  }
}

function foreignRow(hash: string, known: Partial<TransactionRow> & Pick<TransactionRow, 'status' | 'events'>): TransactionRow {
  return {
    op: null, trader: null, ledger: null, ts: null, expiresAt: null, contractError: null, hostError: null, txResultCode: null, resultXdr: null,
    confirmedBy: null, nodes: null, ...known, ...indexedIds(known.events, known), hash, clientId: null, outcome: null,
  }
}

/** The trader that the first event with one names. */
function traderOf(events: readonly EventRow[]): string | null {
  for (const { payload } of events) {
    const trader = (payload as Readonly<Record<string, unknown>> | null | undefined)?.['trader']
    if (typeof trader === 'string') return trader
  }
  return null
}
