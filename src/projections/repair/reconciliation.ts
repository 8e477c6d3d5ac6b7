// Queries for comparing the projections with the ledger, and the stored result.

import { columns, expression, expressions } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Epoch } from '../state/epochs.ts'
import { readContractEpoch } from '../state/contract-epochs.ts'
import { alignInterestVersions } from '../markets/interest-versions.ts'
import type { MarginMode, Position } from '../positions/positions.ts'

/** A position as its ledger entry states it. */
export interface LedgerPosition {
  readonly trader: string
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly entryPrice: bigint
  /** Unix seconds. */
  readonly openedAt: number
  readonly marginMode: MarginMode | null
}

const OPEN_ID = columns(idx.positions, 'p', { positionId: 'position_id', trader: 'trader', openedSeq: 'opened_seq' })

/** Open positions after a seq, in order of opening. */
export async function listOpenIds(
  db: Queryable,
  contractEpoch: number,
  page: { readonly afterSeq: number; readonly limit: number },
): Promise<readonly RowOf<typeof OPEN_ID>[]> {
  return await db.query(
    sql`select ${OPEN_ID} from ${idx.positions} p
     where p.contract_epoch = $1 and p.state = 'open' and p.opened_seq > $2::bigint order by p.opened_seq limit $3::int`,
    [contractEpoch, page.afterSeq, page.limit],
  )
}

/** Activity on the market and the vaults after a ledger. */
export interface ActivitySince {
  readonly positionIds: ReadonlySet<number>
  /** Traders whose cross positions were liquidated. */
  readonly traders: ReadonlySet<string>
  readonly touchesVaults: boolean
  /** Positions that were opened, orders that were placed or ended, vaults that were created. */
  readonly opened: ReadonlySet<number>
  readonly orders: ReadonlySet<number>
  readonly vaults: ReadonlySet<number>
}

/** Ids named in leader events can be any number and are ignored. `$5` is the market. */
const ACTIVITY = columns(idx.events, 'e', {
  isMarket: expression<boolean>(sql`e.contract_id = $5`),
  topic: 'topic',
  trader: expression<string | null>(sql`e.payload->>'trader'`),
  positionId: expression<number | null>(sql`case when e.contract_id = $5 then (e.payload->>'positionId')::numeric::bigint end`),
  orderId: expression<number | null>(sql`case when e.contract_id = $5 then (e.payload->>'orderId')::numeric::bigint end`),
  vaultId: expression<number | null>(sql`case when e.topic = 'vault_created' then (e.payload->>'vaultId')::numeric::bigint end`),
})
type ActivityRow = RowOf<typeof ACTIVITY>

/** With more events than this after a ledger, a comparison with it is skipped. */
const ACTIVITY_EVENTS_MAX = 2_000

/** The activity archived in this epoch after `ledger`; null when there is too much. */
export async function readActivitySince(db: Queryable, epoch: Epoch, ledger: number): Promise<ActivitySince | null> {
  const { market, vaultFactory } = epoch.contracts
  const rows = await db.query(
    sql`select ${ACTIVITY} from ${idx.events} e where e.epoch = $1 and not e.is_transfer
       and e.seq > coalesce((select l.last_seq from ${idx.ledgers} l where l.epoch = $1 and l.ledger <= $2 order by l.ledger desc limit 1), 0)
       and e.contract_id = any($3::text[]) order by e.seq limit $4::int`,
    [epoch.number, ledger, [market, vaultFactory], ACTIVITY_EVENTS_MAX, market],
  )
  if (rows.length === ACTIVITY_EVENTS_MAX) return null
  const opened = rows.filter(({ isMarket, topic }) => isMarket && topic === 'position_opened')
  return {
    positionIds: idsIn(rows, 'positionId'),
    traders: new Set(rows.filter(({ isMarket, topic }) => isMarket && topic === 'cross_liq').map(({ trader }) => trader).filter((trader) => trader !== null)),
    touchesVaults: rows.some(({ isMarket, trader }) => !isMarket || trader === vaultFactory),
    opened: idsIn(opened, 'positionId'),
    orders: idsIn(rows, 'orderId'),
    vaults: idsIn(rows, 'vaultId'),
  }
}

function idsIn(rows: readonly ActivityRow[], key: 'positionId' | 'orderId' | 'vaultId'): ReadonlySet<number> {
  return new Set(rows.map((row) => row[key]).filter((id) => id !== null))
}

/** True when the position may have been different at the start of this activity. */
export function hasActivity(since: ActivitySince, position: Pick<Position, 'positionId' | 'trader'>): boolean {
  return since.positionIds.has(position.positionId) || since.traders.has(position.trader)
}

/** The stored open interest, by asset. */
export async function readInterest(db: Queryable, contractEpoch: number): Promise<ReadonlyMap<string, { readonly long: bigint; readonly short: bigint }>> {
  const sides = columns(idx.open_interest, 'o', { asset: 'asset', long: 'long_size', short: 'short_size' })
  const rows = await db.query(sql`select ${sides} from ${idx.open_interest} o where o.contract_epoch = $1`, [contractEpoch])
  return new Map(rows.map(({ asset, long, short }) => [asset, { long: BigInt(long), short: BigInt(short) }]))
}

/** Recomputes the open interest from the open positions. */
export async function recomputeInterest(tx: Writable, contractEpoch: number): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(idx.open_interest)} where contract_epoch = $1`, [contractEpoch])
  await tx.run(
    sql`${sql.insertInto(idx.open_interest)} (contract_epoch, asset, long_size, short_size, positions)
     select contract_epoch, asset, coalesce(sum(size) filter (where direction = 0), 0), coalesce(sum(size) filter (where direction = 1), 0), count(*)
     from ${idx.positions} where contract_epoch = $1 and state = 'open' group by contract_epoch, asset`,
    [contractEpoch],
  )
  await alignInterestVersions(tx, contractEpoch)
}

/** The total value of this factory's vaults. */
export async function readVaultsTotal(db: Queryable, epoch: Epoch): Promise<bigint> {
  const contractEpoch = await readContractEpoch(db, epoch, 'vaultFactory')
  const total = expression<string>(sql`coalesce(sum(v.total_usdc), 0)::numeric`)
  const [row] = await db.query(sql`select ${expressions({ total })} from ${idx.vaults} v where v.contract_epoch = $1`, [contractEpoch])
  return BigInt(row?.total ?? 0)
}

/** The number of ids allocated since the first one seen, and how many of them no event reported. */
export interface Completeness {
  readonly expected: number
  readonly missing: number
}

/** The result of a comparison. */
export interface Comparison {
  readonly ledger: number
  readonly positions: Completeness | null
  readonly orders: Completeness | null
  readonly vaults: Completeness | null
  /** Open positions and orders of the index less those of the market; null: unknown. */
  readonly drift: { readonly positions: number | null; readonly orders: number | null }
  /** True when the open interest differed and was recomputed. */
  readonly interestWrong: boolean
  readonly factoryBalance: bigint | null
  readonly vaultsTotal: bigint | null
}

export async function recordComparison(tx: Writable, comparison: Comparison, nowMs: number): Promise<void> {
  const { ledger, positions, orders, vaults, drift, interestWrong, ...funds } = comparison
  await tx.run(
    sql`${sql.insertInto(idx.reconciliation)} as r (ledger, compared_at, positions_expected, positions_missing, orders_expected, orders_missing,
       vaults_expected, vaults_missing, interest_corrections, factory_balance, vaults_total, open_positions_drift, open_orders_drift,
       market_found)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, true)
     on conflict (id) do update set ledger = excluded.ledger, compared_at = excluded.compared_at, positions_expected = excluded.positions_expected,
       positions_missing = excluded.positions_missing, orders_expected = excluded.orders_expected, orders_missing = excluded.orders_missing,
       vaults_expected = excluded.vaults_expected, vaults_missing = excluded.vaults_missing,
       interest_corrections = r.interest_corrections + excluded.interest_corrections,
       factory_balance = excluded.factory_balance, vaults_total = excluded.vaults_total,
       open_positions_drift = excluded.open_positions_drift, open_orders_drift = excluded.open_orders_drift, market_found = true`,
    [
      ledger, nowMs, positions?.expected ?? 0, positions?.missing ?? 0, orders?.expected ?? null, orders?.missing ?? null, vaults?.expected ?? null,
      vaults?.missing ?? null, interestWrong ? 1 : 0, funds.factoryBalance, funds.vaultsTotal, drift.positions, drift.orders,
    ],
  )
}

/** Records that there is no market contract at its address. */
export async function recordMissingMarket(tx: Writable): Promise<void> {
  await tx.run(sql`${sql.insertInto(idx.reconciliation)} as r (market_found) values (false) on conflict (id) do update set market_found = false`)
}
