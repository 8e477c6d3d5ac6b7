// Fills: every change of a position and what it moved. They are computed for a whole transaction at a time, from its archived events and its effects.

import type { PositionChange, TransactionItem } from '../exchange/position-changes.ts'
import { settlementOf } from '../exchange/settlement.ts'
import type { Fill } from '../resources/fill.ts'
import type { Param, Queryable } from '../store/store.ts'
import { readTransfer } from './archived-event.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { stateSource } from './as-of.ts'
import type { AsOf } from './as-of.ts'
import { columnsOf } from './columns.ts'
import type { EpochContracts } from './epochs.ts'
import { INVALID_CURSOR, InvalidCursor } from './page.ts'
import type { Page } from './page.ts'
import { decodeCursor, encodeCursor } from './page.ts'
import { readPage, toSearchText, withoutSeq } from './log-list.ts'
import { epochOfSeq, olderDeployment } from './older-deployment.ts'
import { readSettlementFacts } from './settlement-facts.ts'
import type { SettledEvent } from './settlement-facts.ts'
import { replaceCosts } from './trader-results.ts'

/** Events that change positions, or that say of the event before what caused it. */
const TOPICS: ReadonlySet<string> = new Set([
  'position_opened', 'position_closed', 'position_reduced', 'position_liquidated', 'position_partial_liq', 'adl_executed', 'cross_liq', 'order_executed',
])

/**
 * Adds the fills of a page, whose events are already archived, transfers included. A page may begin inside a transaction: its earlier events are read from the
 * archive. During a rebuild the archive may still hold what an earlier version decoded.
 */
export async function applyFills(tx: Queryable, deployment: number, events: readonly ArchivedEvent[]): Promise<void> {
  const hashes = new Set(events.filter(({ contract, topic }) => contract === 'market' && TOPICS.has(topic)).map(({ txHash }) => txHash))
  await refreshFills(tx, deployment, [...hashes], new Map(events.map((event) => [event.seq, event])))
}

interface FillEvent extends SettledEvent {
  readonly txHash: string
  readonly ledger: number
  readonly ts: number
  readonly contracts: EpochContracts
}

/** Computes the fills of these transactions again, from what is known now. `decoded` holds events whose archived content may be outdated. */
export async function refreshFills(
  tx: Queryable, deployment: number, hashes: readonly string[], decoded: ReadonlyMap<number, Pick<ArchivedEvent, 'topic' | 'payload'>> = new Map(),
): Promise<void> {
  if (hashes.length === 0) return
  const archived = await tx.query<FillEvent>(
    `select e.seq, e.event_id as "eventId", e.contract_id as "contractId", e.topic, e.payload, e.tx_hash as "txHash", e.ledger, e.ledger_close_ts as ts,
       p.contracts
     from idx.events e join idx.epochs p on p.number = e.epoch
     where e.tx_hash = any($2::text[]) and p.deployment = $1 order by e.seq`,
    [deployment, hashes],
  )
  const events = archived.map((event) => ({ ...event, ...pickDecoded(decoded.get(event.seq)) }))
  const transactions = [...Map.groupBy(events, ({ txHash }) => txHash)].flatMap(([txHash, own]) =>
    own.slice(0, 1).map(({ ledger, ts, contracts }) => ({ txHash, market: contracts.market, events: own, ledger, ts, contracts })))
  const facts = await readSettlementFacts(tx, deployment, transactions)
  const rows = transactions.flatMap(({ txHash, events: own, ledger, ts, contracts }, index) => {
    const changes = settlementOf({ items: own.flatMap(toItem), contracts, changes: null, ...facts[index] })
    return changes.map((change) => ({ ...change, deployment, ledger, ts, txHash }))
  })
  await storeFills(tx, rows)
}

function pickDecoded(event: Pick<ArchivedEvent, 'topic' | 'payload'> | undefined): Partial<Pick<FillEvent, 'topic' | 'payload'>> {
  return event === undefined ? {} : { topic: event.topic, payload: event.payload }
}

function toItem({ seq, contractId, topic, payload, contracts }: FillEvent): TransactionItem[] {
  if (contractId === contracts.usdcToken) {
    const transfer = readTransfer(payload)
    return transfer === undefined ? [] : [{ type: 'transfer', ...transfer }]
  }
  const contract = (['market', 'vault', 'vaultFactory', 'referral'] as const).find((key) => contracts[key] === contractId)
  return contract === undefined ? [] : [{ type: 'event', seq, contract, topic, payload }]
}

interface FillRow extends PositionChange {
  readonly deployment: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

async function storeFills(tx: Queryable, rows: readonly FillRow[]): Promise<void> {
  if (rows.length === 0) return
  await replaceCosts(tx, rows)
  await tx.query(
    `insert into idx.position_fills (seq, position_id, deployment, trader, kind, order_id, asset, direction, margin_mode, price, size, pnl, fee,
       keeper_reward, penalty, funding, payout, collateral, ledger, ts, tx_hash)
     select * from unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::smallint[], $9::text[],
       $10::numeric[], $11::numeric[], $12::numeric[], $13::numeric[], $14::numeric[], $15::numeric[], $16::numeric[], $17::numeric[], $18::numeric[],
       $19::bigint[], $20::bigint[], $21::text[])
     on conflict (seq, position_id) do update set kind = excluded.kind, order_id = excluded.order_id, asset = excluded.asset,
       direction = excluded.direction, margin_mode = excluded.margin_mode, price = excluded.price, size = excluded.size, pnl = excluded.pnl,
       fee = excluded.fee, keeper_reward = excluded.keeper_reward, penalty = excluded.penalty, funding = excluded.funding, payout = excluded.payout,
       collateral = excluded.collateral`,
    columnsOf(rows, [
      'seq', 'positionId', 'deployment', 'trader', 'kind', 'orderId', 'asset', 'direction', 'marginMode', 'price', 'size', 'pnl', 'fee', 'keeperReward',
      'penalty', 'funding', 'payout', 'collateral', 'ledger', 'ts', 'txHash',
    ]),
  )
}

const COLUMNS: Readonly<Record<keyof Fill, string>> = {
  seq: 'r.seq', kind: 'r.kind', positionId: 'r.position_id', orderId: 'r.order_id', asset: 'r.asset', direction: 'r.direction', price: 'r.price',
  size: 'r.size', pnl: 'r.pnl', fee: 'r.fee', funding: 'r.funding', payout: 'r.payout', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
  deployment: olderDeployment(epochOfSeq('r.seq')),
}

const SELECTED = Object.entries(COLUMNS).map(([name, sql]) => `${sql} as "${name}"`).join(', ')

interface RawFill extends Omit<Fill, 'deployment'> {
  readonly deployment: string | null
}

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
  const bind = (value: Param): string => `$${params.push(value)}`
  const state = stateSource(filter, bind)
  const before = cursor === undefined ? undefined : positionOf(cursor)
  const after = state.throughSeq === undefined ? '' : `and (r.trader, r.seq) <= ($1, ${state.throughSeq})`
  const bound = before === undefined ? '' : `and (r.trader, r.seq, r.position_id) < ($1, ${bind(before[0])}::bigint, ${bind(before[1])}::bigint)`
  return await readPage<RawFill, Fill>(
    db,
    {
      state,
      page: `select ${SELECTED} from idx.position_fills r where r.trader = $1 ${after} ${bound}
        order by r.trader desc, r.seq desc, r.position_id desc limit ${limit + 1}`,
      params,
      limit,
      cursorOf: (raw) => encodeCursor(KIND, [raw.seq, raw.positionId]),
      order: 'page.seq desc, page."positionId" desc',
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
  const rows = await db.query<RawFill & { readonly account: string }>(
    `select ${SELECTED}, r.trader as account from idx.cursor c cross join idx.position_fills r where r.seq = any($1::bigint[]) order by r.seq, r.position_id`,
    [seqs],
  )
  return rows.map(({ account, ...row }) => ({ trader: account, fill: toFill(row) }))
}
