// Fills: every change of a position and what it moved. They are computed for a whole transaction at a time, from its archived events and its effects.

import type { PositionChange, TransactionItem } from '../../exchange/settlement/position-changes.ts'
import { settlementOf } from '../../exchange/settlement/settlement.ts'
import type { Fill, FillKind } from '../../resources/fill.ts'
import { columns, expression } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { readTransfer } from '../log/archived-event.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { stateSource } from '../state/as-of.ts'
import type { AsOf } from '../state/as-of.ts'
import { INVALID_CURSOR, InvalidCursor } from '../log/page.ts'
import type { Page } from '../log/page.ts'
import { decodeCursor, encodeCursor } from '../log/page.ts'
import { readPage, toSearchText, withoutSeq } from '../log/log-list.ts'
import { epochOfSeq, olderDeployment } from '../state/older-deployment.ts'
import type { SettledPage, TransactionWithFacts } from '../log/settled-page.ts'
import { addToMargins } from '../traders/margins.ts'
import { costChanges } from '../traders/trader-results.ts'
import type { IntervalChange, StoredCost } from '../traders/trader-results.ts'

/** Events that change positions, or that say of the event before what caused it. */
const TOPICS: ReadonlySet<string> = new Set([
  'position_opened', 'position_closed', 'position_reduced', 'position_liquidated', 'position_partial_liq', 'adl_executed', 'cross_liq', 'order_executed',
])

/** The changes made by writing fills. */
export interface AppliedFills {
  /** In the PnL curves of their traders. */
  readonly costs: readonly IntervalChange[]
  /** Of transactions that were settled again: fills that are new, or have members that were unknown before. */
  readonly completed: readonly FillRow[]
}

/** Writes the fills of settled transactions. */
export async function applyFills(tx: Writable, contractEpoch: number, { transactions, again }: SettledPage): Promise<AppliedFills> {
  const removed = await deleteFills(tx, again.flatMap(({ events }) => events.map(({ seq }) => seq)))
  const rows = transactions.flatMap((transaction) => fillsOf(contractEpoch, transaction))
  await insertFills(tx, rows)
  await addToMargins(tx, rows, removed)
  return { costs: costChanges(rows, removed), completed: again.length === 0 ? [] : completedFills(rows, removed) }
}

function completedFills(rows: readonly FillRow[], removed: readonly RemovedFill[]): readonly FillRow[] {
  const removedById = new Map(removed.map((fill) => [`${fill.seq} ${fill.positionId}`, fill]))
  return rows.filter((row) => {
    const before = removedById.get(`${row.seq} ${row.positionId}`)
    return before === undefined || LATE_MEMBERS.some((name) => before[name] === null && row[name] !== null)
  })
}

/** Members of a fill, and of the execution of its order, that may be unknown at first. */
const LATE_MEMBERS = ['orderId', 'asset', 'direction', 'price', 'size', 'pnl', 'fee', 'keeperReward', 'funding', 'payout'] as const

function fillsOf(contractEpoch: number, { txHash, events, contracts, facts }: TransactionWithFacts): readonly FillRow[] {
  const [first] = events
  if (first === undefined || !events.some(({ contract, topic }) => contract === 'market' && TOPICS.has(topic))) return []
  const { ledger, ledgerCloseTs: ts } = first
  const changes = settlementOf({ items: events.flatMap(toItem), contracts, ...facts })
  return changes.map((change) => ({ ...change, contractEpoch, ledger, ts, txHash }))
}

function toItem({ seq, contract, topic, payload }: ArchivedEvent): TransactionItem[] {
  if (contract !== 'usdcToken') return [{ type: 'event', seq, contract, topic, payload }]
  const transfer = readTransfer(payload)
  return transfer === undefined ? [] : [{ type: 'transfer', ...transfer }]
}

export interface FillRow extends PositionChange {
  readonly contractEpoch: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

type LateMember = (typeof LATE_MEMBERS)[number]
/** A fill as it was stored; of the members that are not costs, only whether they were known matters. */
type RemovedFill = StoredCost & { readonly collateral: bigint | null } & Readonly<Record<LateMember, unknown>> & { readonly positionId: number }

const REMOVED = columns(idx.position_fills, 'position_fills', {
  seq: 'seq', positionId: 'position_id', trader: 'trader', ts: 'ts', kind: expression<FillKind>(sql`kind`), orderId: 'order_id', asset: 'asset',
  direction: 'direction', price: 'price', size: 'size', pnl: 'pnl', fee: 'fee', keeperReward: 'keeper_reward', penalty: 'penalty', funding: 'funding',
  payout: 'payout', collateral: 'collateral',
})

/** Deletes the fills of these events and returns what they were. */
async function deleteFills(tx: Queryable, seqs: readonly number[]): Promise<readonly RemovedFill[]> {
  if (seqs.length === 0) return []
  const rows = await tx.query(sql`${sql.deleteFrom(idx.position_fills)} where seq = any($1::bigint[]) returning ${REMOVED}`, [seqs])
  const amountOf = (digits: string | null): bigint | null => (digits === null ? null : BigInt(digits))
  return rows.map(({ fee, keeperReward, penalty, funding, collateral, ...row }) => ({
    ...row, fee: amountOf(fee), keeperReward: amountOf(keeperReward), penalty: amountOf(penalty), funding: amountOf(funding),
    collateral: amountOf(collateral),
  }))
}

async function insertFills(tx: Writable, rows: readonly FillRow[]): Promise<void> {
  await insertRows(tx, idx.position_fills, rows, {
    seq: 'seq', position_id: 'positionId', contract_epoch: 'contractEpoch', trader: 'trader', kind: 'kind', order_id: 'orderId', asset: 'asset',
    direction: 'direction', margin_mode: 'marginMode', price: 'price', size: 'size', pnl: 'pnl', fee: 'fee', keeper_reward: 'keeperReward',
    penalty: 'penalty', funding: 'funding', payout: 'payout', collateral: 'collateral', ledger: 'ledger', ts: 'ts', tx_hash: 'txHash',
  })
}

const COLUMNS = columns(idx.position_fills, 'r', {
  seq: 'seq', kind: expression<FillKind>(sql`r.kind`), positionId: 'position_id', orderId: 'order_id', asset: 'asset', direction: 'direction', price: 'price',
  size: 'size', pnl: 'pnl', fee: 'fee', funding: 'funding', payout: 'payout', ledger: 'ledger', ts: 'ts', txHash: 'tx_hash',
  deployment: expression<string | null>(olderDeployment(epochOfSeq(sql`r.seq`))),
})
const OF_ACCOUNT = columns(idx.position_fills, 'r', { account: 'trader' })
const OF_CHANGE = columns(idx.order_changes, 'k', { changeSeq: 'seq' })

type RawFill = RowOf<typeof COLUMNS>

function toFill({ deployment, ...row }: RawFill): Fill {
  return deployment === null ? row : { ...row, deployment }
}

const KIND = 'fills'

export interface FillsFilter extends AsOf {
  readonly trader: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The fills of an account, newest first. In generation 1 one event can change several positions: they are listed by their ids. */
export async function listFills(db: Queryable, filter: FillsFilter): Promise<Page<Fill>> {
  const { trader, limit, cursor } = filter
  const params: Param[] = [toSearchText(trader)]
  const bind = (value: Param): Sql => sql`$${params.push(value)}`
  const state = stateSource(filter, bind)
  const before = cursor === undefined ? undefined : positionOf(cursor)
  const after = state.throughSeq === undefined ? '' : sql`and (r.trader, r.seq) <= ($1, ${state.throughSeq})`
  const bound = before === undefined ? '' : sql`and (r.trader, r.seq, r.position_id) < ($1, ${bind(before[0])}::bigint, ${bind(before[1])}::bigint)`
  return await readPage<RawFill, Fill>(
    db,
    {
      state,
      page: sql`select ${COLUMNS} from ${idx.position_fills} r where r.trader = $1 ${after} ${bound}
        order by r.trader desc, r.seq desc, r.position_id desc limit ${limit + 1}`,
      params,
      limit,
      cursorOf: (raw) => encodeCursor(KIND, [raw.seq, raw.positionId]),
      order: sql`page.seq desc, page."positionId" desc`,
    },
    (raw) => toFill({ ...withoutSeq<RawFill>(raw), seq: raw.seq }),
  )
}

function positionOf(cursor: string): readonly [number, number] {
  const [seq, positionId] = decodeCursor(KIND, cursor, 2)
  if (typeof seq !== 'number' || typeof positionId !== 'number') throw new InvalidCursor(INVALID_CURSOR)
  return [seq, positionId]
}

/** A fill and its account. */
export interface FillOfAccount {
  readonly trader: string
  readonly fill: Fill
}

/** The fills of these events, in the order of the log. */
export async function readFillsBySeq(db: Queryable, seqs: readonly number[]): Promise<readonly FillOfAccount[]> {
  if (seqs.length === 0) return []
  const rows = await db.query(
    sql`select ${COLUMNS}, ${OF_ACCOUNT} from ${idx.cursor} c cross join ${idx.position_fills} r where r.seq = any($1::bigint[]) order by r.seq, r.position_id`,
    [seqs],
  )
  return rows.map(({ account, ...row }) => ({ trader: account, fill: toFill(row) }))
}

/** The fills that these changes completed, each with the seq of its change. */
export async function readCompletedFills(db: Queryable, changeSeqs: readonly number[]): Promise<readonly (FillOfAccount & { readonly changeSeq: number })[]> {
  if (changeSeqs.length === 0) return []
  const rows = await db.query(
    sql`select ${COLUMNS}, ${OF_ACCOUNT}, ${OF_CHANGE}
     from ${idx.cursor} c cross join ${idx.order_changes} k join ${idx.position_fills} r on r.seq = k.fill_seq and r.position_id = k.position_id
     where k.seq = any($1::bigint[]) order by k.seq`,
    [changeSeqs],
  )
  return rows.map(({ account, changeSeq, ...row }) => ({ trader: account, fill: toFill(row), changeSeq }))
}
