// The movements of USDC between accounts and the exchange. The rows of a transaction are computed as a whole: again when a later page brings more of its
// events, and when its changed entries become known.

import type { OpenedPosition } from '../exchange/position-changes.ts'
import type { CashKind, CashMovement } from '../resources/cash-movement.ts'
import type { Queryable } from '../store/store.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { isTransfer } from './archived-event.ts'
import { readTransactionStart } from './archived-transactions.ts'
import type { AsOf } from './as-of.ts'
import { foldCashLedger } from './cash-ledger-fold.ts'
import type { CashRow } from './cash-ledger-fold.ts'
import { columnsOf } from './columns.ts'
import type { Epoch } from './epochs.ts'
import { listLog } from './log-list.ts'
import type { LogBounds } from './log-list.ts'
import type { Page } from './page.ts'
import { loadPositions } from './positions.ts'

export interface CashLedgerFilter extends AsOf, Pick<LogBounds, 'beforeTs'> {
  readonly account: string
  readonly kind?: CashKind | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

type ListedRow = Omit<CashMovement, 'seq'> & { readonly logSeq: number }

/** An account's movements, newest first. */
export async function listCashLedger(db: Queryable, { account, kind, ...rest }: CashLedgerFilter): Promise<Page<CashMovement>> {
  const page = await listLog<ListedRow>(db, {
    ...rest,
    kind: kind === undefined ? 'cash' : `cash-${kind}`,
    table: 'idx.cash_ledger',
    tie: 'leg',
    equals: { account, kind },
    gaps: true,
    columns: {
      logSeq: 'r.seq', kind: 'r.kind', amount: 'r.amount', balanceOf: 'r.balance_of', positionId: 'r.position_id', orderId: 'r.order_id',
      vaultId: 'r.vault_id', fee: 'r.fee', funding: 'r.funding', pnl: 'r.pnl', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
    },
  })
  return { ...page, rows: page.rows.map(({ logSeq, ...row }) => ({ seq: logSeq, ...row })) }
}

/** Adds the movements of a page. Must run after the positions of the page are stored. */
export async function applyCashLedger(tx: Queryable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const earlier = await readTransactionStart(tx, epoch, first)
  if (earlier.length > 0) await deleteRows(tx, earlier)
  await insertRows(tx, await rowsOf(tx, epoch, [...earlier, ...events]))
}

/** Computes the rows of whole transactions again, because more is known of them. */
export async function refreshCashLedger(tx: Queryable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  await deleteRows(tx, events)
  await insertRows(tx, await rowsOf(tx, epoch, events))
}

async function rowsOf(tx: Queryable, epoch: Epoch, events: readonly ArchivedEvent[]): Promise<readonly CashRow[]> {
  const transactions = new Map<string, ArchivedEvent[]>()
  for (const event of events) {
    const own = transactions.get(event.txHash)
    if (own === undefined) transactions.set(event.txHash, [event])
    else own.push(event)
  }
  const relevant = [...transactions].filter(([, own]) => own.some((event) => isTransfer(event) || typeof event.payload?.['positionId'] === 'number'
    || event.topic === 'cross_liq'))
  if (relevant.length === 0) return []
  const opened = await readOpened(tx, epoch, relevant.flatMap(([, own]) => own))
  const effects = new Map<string, null>()
  return relevant.flatMap(([hash, own]) =>
    foldCashLedger({ events: own, changes: effects.get(hash) ?? null, contracts: epoch.contracts, generation: null, opened }))
}

async function readOpened(tx: Queryable, { deployment }: Epoch, events: readonly ArchivedEvent[]): Promise<ReadonlyMap<number, OpenedPosition>> {
  const ids = events.flatMap(({ contract, payload }) => {
    const id = contract === 'market' ? payload?.['positionId'] : undefined
    return typeof id === 'number' ? [id] : []
  })
  const positions = await loadPositions(tx, deployment, { ids: [...new Set(ids)], openOf: [] })
  return new Map(positions.map(({ positionId, asset, direction, entryPrice }) => [positionId, { asset, direction, entryPrice }]))
}

async function deleteRows(tx: Queryable, events: readonly ArchivedEvent[]): Promise<void> {
  await tx.query('delete from idx.cash_ledger where seq = any($1::bigint[])', [events.map(({ seq }) => seq)])
}

async function insertRows(tx: Queryable, rows: readonly CashRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into idx.cash_ledger (account, seq, leg, kind, amount, balance_of, position_id, order_id, vault_id, fee, funding, pnl, ledger, ts, tx_hash)
     select * from unnest($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::numeric[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
       $10::numeric[], $11::numeric[], $12::numeric[], $13::bigint[], $14::bigint[], $15::text[])`,
    columnsOf(rows, [
      'account', 'seq', 'leg', 'kind', 'amount', 'balanceOf', 'positionId', 'orderId', 'vaultId', 'fee', 'funding', 'pnl', 'ledger', 'ts', 'txHash',
    ]),
  )
}
