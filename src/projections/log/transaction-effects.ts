// What transactions changed in the market's storage. Events do not report it and nodes keep it for a week, so each observation is stored.

import type { EntryChanges } from '../../exchange/contracts/entry-changes.ts'
import { sql } from '../../store/sql.ts'
import { arrayOf } from '../../store/store.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { isTransfer } from './archived-event.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import type { ArchivedTransaction } from './archived-transactions.ts'
import { readWholeTransactions } from './archived-transactions.ts'
import { applyCashLedger } from '../cash/cash-ledger.ts'
import { arraysOf } from '../array-params.ts'
import type { Epoch } from '../state/epochs.ts'
import { recordMarginModes } from '../positions/margin-modes.ts'
import { appendOrderChanges, onlyRecent } from '../orders/order-changes.ts'
import type { OrderChangeOf } from '../orders/order-changes.ts'
import { insertPlacements, listKnownOrders } from '../orders/order-placements.ts'
import { applyFills } from '../positions/position-fills.ts'
import type { FillRow } from '../positions/position-fills.ts'
import { readSettledPage } from './settled-page.ts'
import type { SettledPage } from './settled-page.ts'
import { projectionTargets } from '../repair/shadow.ts'
import { effectsToJson } from './stored-effects.ts'
import type { TransactionEffects } from './stored-effects.ts'
import { addToIntervals } from '../traders/trader-results.ts'
import { blockOf } from '../state/version-blocks.ts'

/** A transaction of a market whose effects were not read yet. */
export interface UnreadTransaction {
  /** Number of the epoch that archived it. */
  readonly epoch: number
  /** Of its first event. */
  readonly seq: number
  readonly txHash: string
  readonly ledger: number
  /** Its archived events in their order, without transfers: contract, topics and value, separated by spaces. */
  readonly events: readonly string[]
  /** Its archived transfers, in the same form. */
  readonly transfers: readonly string[]
  /** Payloads of the market's events. */
  readonly payloads: readonly (Payload | null)[]
}

export interface EffectsObservation {
  readonly seq: number
  readonly txHash: string
  readonly ledger: number
  /** Null: no node has the transaction any more. */
  readonly effects: TransactionEffects | null
}

/** Events of the market that change neither positions nor orders. */
const UNRELATED: ReadonlySet<string> = new Set(['funding_applied', 'funding_migrated', 'funding_reseeded', 'initialized', 'paused', 'unpaused'])

/** True when the transaction of this event changed positions, orders or balances. */
function concernsStorage({ contract, topic, payload }: ArchivedEvent, market: string): boolean {
  if (contract === 'market') return !UNRELATED.has(topic)
  return contract === 'usdcToken' && (payload?.['from'] === market || payload?.['to'] === market)
}

/** The transactions of these events whose rows depend on more than one event. */
export function transactionsToSettle(transactions: readonly ArchivedTransaction[]): readonly ArchivedTransaction[] {
  return transactions.filter(({ events, contracts }) => events.some((event) => isTransfer(event) || concernsStorage(event, contracts.market)))
}

/** The seqs of unread transactions are stored in blocks, whose rows stay below the 2 kB from which the database compresses them. */
const UNREAD_BLOCK = { width: 256 }

/** Notes the transactions of a page whose effects are to be read. The page begins with the event whose seq is `firstSeq`. */
export async function noteTransactions(tx: Writable, contractEpoch: number, { transactions }: SettledPage, firstSeq: number): Promise<void> {
  const seqs = transactions.flatMap(({ events, contracts, facts }) => {
    const first = events.find((event) => concernsStorage(event, contracts.market))
    // An earlier page noted the transaction inside which this one may begin.
    return first === undefined || first.seq < firstSeq || facts.isRead ? [] : [first.seq]
  })
  if (seqs.length === 0) return
  await tx.run(
    sql`${sql.insertInto(idx.unread_transactions)} as t (contract_epoch, from_seq, seqs)
     select $1::int, ${blockOf(UNREAD_BLOCK, sql`seq`)}, array_agg(seq order by seq) from unnest($2::bigint[]) seq group by 2
     on conflict (contract_epoch, from_seq) do update set seqs = array(select seq from unnest(t.seqs || excluded.seqs) seq order by seq)`,
    [contractEpoch, arrayOf('bigint', seqs)],
  )
}

/** Transactions of these contract epochs whose effects were not read yet, oldest first, without those whose seqs are `except`. */
export async function listUnreadTransactions(
  db: Queryable, contractEpochs: readonly number[], options: { readonly limit: number; readonly except: readonly number[] },
): Promise<readonly UnreadTransaction[]> {
  // No block is empty, so the first ones have as many transactions as are listed.
  return await db.query<UnreadTransaction>(
    sql`select u.seq, own.*
     from (select b.contract_epoch, seq
       from (select * from ${idx.unread_transactions} where contract_epoch = any($1::int[]) order by from_seq limit $2 + cardinality($3::bigint[])) b
       cross join unnest(b.seqs) seq where seq <> all($3) order by seq limit $2) u
     join ${idx.events} first on first.seq = u.seq
     cross join lateral (
       select max(e.tx_hash) as "txHash", max(e.ledger) as ledger, max(e.epoch) as epoch,
         coalesce(json_agg(e.contract_id || ' ' || e.topics_xdr || ' ' || e.value_xdr order by e.seq) filter (where not e.is_transfer), '[]'::json) as events,
         coalesce(json_agg(e.contract_id || ' ' || e.topics_xdr || ' ' || e.value_xdr order by e.seq) filter (where e.is_transfer), '[]'::json) as transfers,
         coalesce(json_agg(e.payload order by e.seq) filter (where e.contract_id = p.contracts->>'market'), '[]'::json) as payloads
       from ${idx.events} e join ${idx.epochs} p on p.number = e.epoch
       where e.tx_hash = first.tx_hash and p.contract_epoch = u.contract_epoch
     ) own order by u.seq`,
    [contractEpochs, options.limit, options.except],
  )
}

/**
 * Stores effects and applies them: to margin modes, and to what the changes of positions moved. The result does not depend on whether the effects or the
 * events came first, so that a rebuild produces the same state.
 */
export async function recordTransactionEffects(tx: Writable, epoch: Epoch, observations: readonly EffectsObservation[], nowMs: number): Promise<void> {
  if (observations.length === 0) return
  const { contractEpoch } = epoch
  const rows = observations.map(({ txHash, ledger, effects }) => ({ txHash, ledger, effects: effects === null ? null : effectsToJson(effects) }))
  await tx.run(
    sql`${sql.insertInto(idx.transaction_effects)} (contract_epoch, tx_hash, ledger, effects, observed_at)
     select $1::int, tx_hash, ledger, effects::jsonb, $5::bigint from unnest($2::text[], $3::bigint[], $4::text[]) seen (tx_hash, ledger, effects)
     on conflict (contract_epoch, tx_hash) do nothing`,
    [contractEpoch, ...arraysOf(rows, { txHash: 'text', ledger: 'bigint', effects: 'text' }), nowMs],
  )
  const known = observations.flatMap(({ ledger, effects }) => (effects === null ? [] : [{ ledger, effects }]))
  await recordMarginModes(tx, contractEpoch, known.flatMap(({ ledger, effects }) => modesIn(effects.changes, ledger)), nowMs)
  const placed = await recordPlacements(tx, contractEpoch, observations)
  const hashes = observations.map(({ txHash }) => txHash)
  const completed: FillRow[] = []
  for (const target of await projectionTargets(tx)) {
    const fills = await applyEffects(target, contractEpoch, hashes)
    if (target === tx) completed.push(...fills)
  }
  await appendOrderChanges(tx, contractEpoch, [
    ...placed,
    // The positions of an account that no event names have no frame yet.
    ...(await onlyRecent(tx, completed, ({ kind, price, ts }) => (kind === 'liquidation' && price === null ? null : ts)))
      .map(({ trader: account, orderId, seq, positionId }) => ({ account, orderId, fill: { seq, positionId } })),
  ])
}

/** Stores the placements that no event reports; returns the changes of known orders. */
async function recordPlacements(tx: Queryable, contractEpoch: number, observations: readonly EffectsObservation[]): Promise<readonly OrderChangeOf[]> {
  const placements = observations.flatMap(({ seq, txHash, ledger, effects }) => [...effects?.changes.orders.values() ?? []].flatMap(({ before, after }) =>
    (before !== null || after === null ? [] : [{ orderId: after.id, account: after.trader, ledger, ts: after.created_at, txHash, seq }])))
  const stored = new Set(await insertPlacements(tx, contractEpoch, placements))
  const known = await listKnownOrders(tx, contractEpoch, [...stored])
  const recent = await onlyRecent(tx, placements.filter(({ orderId }) => known.has(orderId)), ({ ts }) => ts)
  return recent.map(({ account, orderId }) => ({ account, orderId, fill: null }))
}

/** A copy has noted only what it has replayed. The effects of the rest are there when it does. */
async function applyEffects(tx: Writable, contractEpoch: number, hashes: readonly string[]): Promise<readonly FillRow[]> {
  const noted = await tx.query<{ seq: number; fromSeq: number; txHash: string }>(
    sql`select e.seq, u.from_seq as "fromSeq", e.tx_hash as "txHash" from ${idx.events} e
     join ${idx.unread_transactions} u on u.contract_epoch = $1 and u.from_seq = ${blockOf(UNREAD_BLOCK, sql`e.seq`)} and e.seq = any(u.seqs)
     where e.tx_hash = any($2::text[])`,
    [contractEpoch, hashes],
  )
  if (noted.length === 0) return []
  const blocks = [...new Set(noted.map(({ fromSeq }) => fromSeq))]
  await tx.run(
    sql`${sql.update(idx.unread_transactions)} set seqs = array(select seq from unnest(seqs) seq where seq <> all($3::bigint[]) order by seq)
     where contract_epoch = $1 and from_seq = any($2::bigint[])`,
    [contractEpoch, blocks, noted.map(({ seq }) => seq)],
  )
  await tx.run(
    sql`${sql.deleteFrom(idx.unread_transactions)} where contract_epoch = $1 and from_seq = any($2::bigint[]) and seqs = '{}'`, [contractEpoch, blocks],
  )
  return await settleAgain(tx, contractEpoch, noted.map(({ txHash }) => txHash))
}

/** Computes the rows of these transactions again, from what is known now. Returns the fills that became more complete. */
async function settleAgain(tx: Writable, contractEpoch: number, hashes: readonly string[]): Promise<readonly FillRow[]> {
  if (hashes.length === 0) return []
  const transactions = await readWholeTransactions(tx, contractEpoch, hashes)
  const page = await readSettledPage(tx, contractEpoch, { transactions, again: transactions })
  const { costs, completed } = await applyFills(tx, contractEpoch, page)
  await addToIntervals(tx, costs)
  await applyCashLedger(tx, page)
  return completed
}

/** Transactions per statement. */
const REFRESH_BATCH = 200

/**
 * Computes again what closes moved, where that is unknown: with several closes in one transaction, or without effects, the build of the market decides it, and
 * may become known later.
 */
export async function refreshUnknownCloses(tx: Writable, contractEpoch: number): Promise<void> {
  const rows = await tx.query<{ txHash: string }>(
    sql`select distinct f.tx_hash as "txHash" from ${idx.position_fills} f
     where f.contract_epoch = $1 and f.kind in ('close', 'reduce', 'adl') and (f.payout is null or f.funding is null)`,
    [contractEpoch],
  )
  const hashes = rows.map(({ txHash }) => txHash)
  for (const target of rows.length === 0 ? [] : await projectionTargets(tx)) {
    for (let from = 0; from < hashes.length; from += REFRESH_BATCH) {
      await settleAgain(target, contractEpoch, await withFills(target, hashes.slice(from, from + REFRESH_BATCH)))
    }
  }
}

/** Those of these transactions that the projections, or a copy, have applied. */
async function withFills(tx: Queryable, hashes: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ txHash: string }>(
    sql`select distinct e.tx_hash as "txHash" from ${idx.events} e join ${idx.position_fills} f on f.seq = e.seq where e.tx_hash = any($1::text[])`, [hashes],
  )
  return rows.map(({ txHash }) => txHash)
}

function modesIn({ positions }: EntryChanges, ledger: number): { positionId: number; mode: 'isolated' | 'cross'; ledger: number }[] {
  return [...positions.values()].flatMap(({ before, after }) => {
    const entry = after ?? before
    return entry === null ? [] : [{ positionId: entry.id, mode: entry.margin_mode === 0 ? 'isolated' as const : 'cross' as const, ledger }]
  })
}
