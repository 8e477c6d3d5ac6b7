// Trader vaults: the sums of the factory's events, corrected by figures read from the factory.

import type { TraderVault } from '../../resources/trader-vault.ts'
import type { VaultFlow, VaultTrade } from '../../resources/vault-activity.ts'
import { columns, outerJoined } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { SelectList, Sql } from '../../store/sql.ts'
import type { Param, Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { Epoch, EpochContracts } from '../state/epochs.ts'
import { contractEpochSql, readContractEpoch } from '../state/contract-epochs.ts'
import type { AsOf, HeadColumns, StateSource } from '../state/as-of.ts'
import { stateSource } from '../state/as-of.ts'
import { epochOfSeq } from '../state/older-deployment.ts'
import type { LogBounds } from '../log/log-list.ts'
import { clampToSafeInteger, headOf, listLog, seqFromCursor, readPage, toSearchText } from '../log/log-list.ts'
import type { Head, Page } from '../log/page.ts'
import { encodeCursor } from '../log/page.ts'
import { numberOf, textOf } from '../log/payload.ts'
import { toTraderVault } from './vault-figures.ts'
import type { ApyTerms } from './vault-figures.ts'
import { foldVaults, idOf } from './vaults-fold.ts'
import type { VaultFlowKind } from './vaults-fold.ts'
import { FIGURE_COLUMNS } from './vault-state.ts'
import { vaultsAt } from './vault-versions.ts'
import { loadVaults, storeVaults } from './vaults-store.ts'

/**
 * Applies a page's events to the vaults of its factory and their positions on its market. `begun` are the events of its first transaction that earlier pages
 * have applied.
 */
export async function applyVaultEvents(tx: Writable, epoch: Epoch, archived: readonly ArchivedEvent[], begun: readonly ArchivedEvent[]): Promise<void> {
  const selected = selectVaultEvents([...begun, ...archived], epoch.contracts)
  const earlier = new Set(begun)
  const relevant = selected.filter((event) => !earlier.has(event))
  if (relevant.length === 0) return
  const contractEpoch = await readContractEpoch(tx, epoch, 'vaultFactory')
  const known = await loadVaults(tx, contractEpoch, {
    vaults: idsIn(relevant, 'vaultFactory', (event) => numberOf(event, 'vaultId')),
    positions: idsIn(relevant, 'market', (event) => (event.topic === 'order_executed' ? undefined : numberOf(event, 'positionId')))
      .concat(idsIn(relevant, 'vaultFactory', (event) => (event.topic === 'leader_close' ? idOf(event, 'positionId') : undefined))),
    orders: idsIn(relevant, 'market', (event) => (event.topic === 'order_executed' ? numberOf(event, 'orderId') : undefined)),
    depositors: [...new Set(relevant.filter(isDeposit).map((event) => textOf(event, 'depositor')))],
  })
  await storeVaults(tx, contractEpoch, known, foldVaults(relevant, known, selected.filter((event) => earlier.has(event))))
}

const MARKET_TOPICS: ReadonlySet<string> = new Set([
  'position_opened', 'position_closed', 'position_liquidated', 'position_reduced', 'position_partial_liq',
])

/** The factory's events, what it pays the market, market events with the factory as trader, and executions that opened positions for it. */
function selectVaultEvents(events: readonly ArchivedEvent[], { vaultFactory: factory, market }: EpochContracts): readonly ArchivedEvent[] {
  const executing = new Set<string>()
  return events.filter((event) => {
    if (event.payload === null) return false
    // The factory's own settings name no vault.
    if (event.contract === 'vaultFactory') return typeof event.payload['vaultId'] === 'number'
    if (event.contract === 'usdcToken') return event.payload['from'] === factory && event.payload['to'] === market
    if (event.contract !== 'market') return false
    if (event.topic === 'order_executed') return executing.has(event.txHash)
    const isFactoryTrade = MARKET_TOPICS.has(event.topic) && event.payload['trader'] === factory
    if (isFactoryTrade && event.topic === 'position_opened') executing.add(event.txHash)
    return isFactoryTrade
  })
}

function isDeposit(event: ArchivedEvent): boolean {
  return event.contract === 'vaultFactory' && event.topic === 'deposit'
}

function idsIn(
  events: readonly ArchivedEvent[],
  contract: ArchivedEvent['contract'],
  idIn: (event: ArchivedEvent) => number | undefined,
): number[] {
  const ids = events.filter((event) => event.contract === contract).map(idIn).filter((id) => id !== undefined)
  return [...new Set(ids)]
}

const VAULTS_KIND = 'vaults'

const VAULT_COLUMNS = columns(idx.vaults, 'v', {
  seq: 'created_seq', id: 'vault_id', leader: 'leader', name: 'name', createdAt: 'created_at', ...FIGURE_COLUMNS, updatedAt: 'updated_at',
  depositorCount: 'depositor_count', openPositions: 'open_positions', tradeCount: 'trade_count', closedTradePnl: 'closed_trade_pnl',
})
const FOUND_VAULT = outerJoined(VAULT_COLUMNS)

const CURRENT_CONTRACT_EPOCH = contractEpochSql('vaultFactory', sql`c.epoch`)

export interface VaultsFilter extends ApyTerms, AsOf {
  readonly leader?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The current factory's vaults, newest first (specification, "GET /v1/vaults"). */
export async function listVaults(db: Queryable, filter: VaultsFilter): Promise<Page<TraderVault>> {
  const params: Param[] = [filter.limit + 1]
  const state = stateSource(filter, (value) => sql`$${params.push(value)}`)
  const conditions = [sql`v.contract_epoch = ${CURRENT_CONTRACT_EPOCH}`]
  if (filter.leader !== undefined) conditions.push(sql`v.leader = $${params.push(toSearchText(filter.leader))}`)
  if (filter.cursor !== undefined) conditions.push(sql`v.created_seq < $${params.push(seqFromCursor(VAULTS_KIND, filter.cursor))}::bigint`)
  return await readPage(
    db,
    {
      state,
      page: sql`select ${VAULT_COLUMNS} from ${vaultsOf(state)} v where ${sql.join(conditions, ' and ')} order by v.created_seq desc limit $1::int`,
      params,
      limit: filter.limit,
      cursorOf: ({ seq }) => encodeCursor(VAULTS_KIND, [seq]),
    },
    (raw) => toTraderVault(raw, termsAt(filter, raw)),
  )
}

/** One vault of the current factory; null when the id does not exist (specification, "GET /v1/vaults/{id}"). */
export async function readVault(
  db: Queryable,
  wanted: ApyTerms & AsOf & { readonly id: number },
): Promise<{ readonly vault: TraderVault | null; readonly head: Head }> {
  const params: Param[] = [clampToSafeInteger(wanted.id)]
  const state = stateSource(wanted, (value) => sql`$${params.push(value)}`)
  const stateHead: SelectList<HeadColumns> = state.head
  const rows = await db.query(
    sql`select ${stateHead}, ${FOUND_VAULT}
     from ${state.from} left join lateral (
       select * from ${vaultsOf(state)} v where v.contract_epoch = ${CURRENT_CONTRACT_EPOCH} and v.vault_id = $1::bigint) v on true`,
    params,
  )
  const head = headOf(rows)
  const [raw] = rows
  return { vault: raw === undefined || raw.id === null ? null : toTraderVault(raw, termsAt(wanted, raw)), head }
}

/** SQL of the vaults of a state. */
function vaultsOf({ throughSeq }: StateSource): Sql {
  return throughSeq === undefined ? sql`${idx.vaults}` : vaultsAt(throughSeq)
}

/** APYs as of a ledger end with its close time. */
function termsAt(terms: ApyTerms, { headCloseTs }: Partial<HeadColumns>): ApyTerms {
  return { ...terms, nowSec: headCloseTs ?? terms.nowSec }
}

export interface VaultActivityFilter extends AsOf, Pick<LogBounds, 'beforeTs'> {
  readonly id: number
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A vault's opens and closes, newest first (specification, "GET /v1/vaults/{id}/trades, /deposits, /withdraws, /fee-claims"). */
export async function listVaultTrades(db: Queryable, filter: VaultActivityFilter): Promise<Page<VaultTrade>> {
  const { id, ...rest } = filter
  return await listLog<VaultTrade>(db, {
    ...rest,
    kind: `vault-trades-${id}`,
    table: idx.vault_trades,
    scope: { column: 'contract_epoch', value: CURRENT_CONTRACT_EPOCH },
    equals: { vault_id: clampToSafeInteger(id) },
    columns: {
      id: 'r.seq', vaultId: 'r.vault_id', positionId: 'r.position_id', action: 'r.action', leader: 'r.leader', collateral: 'r.collateral',
      ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash', pnl: 'r.pnl', ...MARKET_PART,
    },
  })
}

/** SQL: the market's close `t` of the row `r`, and the position `p` with its open `o`. The ids of events are u64, beyond what a position has. */
const OF_CLOSE = sql`from ${idx.trades} t where t.seq = r.seq`
const OF_POSITION = sql`from ${idx.positions} p join ${idx.opens} o on o.seq = p.opened_seq
  where p.contract_epoch = (select e.contract_epoch from ${idx.epochs} e where e.number = ${epochOfSeq(sql`r.seq`)})
    and p.position_id = case when r.position_id <= ${Number.MAX_SAFE_INTEGER} then r.position_id::bigint end`

/** The market's part of a vault trade: its own event has no asset, side or size. */
const MARKET_PART = {
  asset: sql`coalesce((select t.asset ${OF_CLOSE}), (select p.asset ${OF_POSITION}))`,
  direction: sql`coalesce((select t.direction ${OF_CLOSE}), (select p.direction ${OF_POSITION}))`,
  size: sql`case r.action when 'open' then (select o.size ${OF_POSITION}) else (select t.size ${OF_CLOSE}) end`,
  price: sql`case r.action when 'open' then (select o.entry_price ${OF_POSITION}) else (select t.close_price ${OF_CLOSE}) end`,
}

/** A vault's deposits, withdrawals or fee claims, newest first (specification, the same heading). */
export async function listVaultFlows(db: Queryable, kind: VaultFlowKind, filter: VaultActivityFilter): Promise<Page<VaultFlow>> {
  const { id, ...rest } = filter
  const page = await listLog<Omit<VaultFlow, 'shares'> & { readonly shares: string | null }>(db, {
    ...rest,
    kind: `vault-${kind}-${id}`,
    table: idx.vault_flows,
    scope: { column: 'contract_epoch', value: CURRENT_CONTRACT_EPOCH },
    equals: { vault_id: clampToSafeInteger(id), kind },
    columns: {
      id: 'r.seq', vaultId: 'r.vault_id', principal: 'r.principal', amount: 'r.amount', shares: 'r.shares', ledger: 'r.ledger', ts: 'r.ts',
      txHash: 'r.tx_hash',
    },
  })
  return { ...page, rows: page.rows.map(({ shares, ...row }) => (shares === null ? row : { ...row, shares })) }
}
