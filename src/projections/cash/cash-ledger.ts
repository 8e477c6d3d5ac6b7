// The movements of USDC between accounts and the exchange. The rows of a transaction are computed as a whole: again when a later page brings more of its
// events, and when its changed entries become known.

import type { CashKind, CashMovement } from '../../resources/cash-movement.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { isTransfer } from '../log/archived-event.ts'
import type { AsOf } from '../state/as-of.ts'
import { CROSS_TOPICS, foldCashLedger } from './cash-ledger-fold.ts'
import { listLog } from '../log/log-list.ts'
import type { LogBounds } from '../log/log-list.ts'
import type { Page } from '../log/page.ts'
import type { SettledPage } from '../log/settled-page.ts'

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
    table: idx.cash_ledger,
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

/** Writes the movements of settled transactions. */
export async function applyCashLedger(tx: Writable, { transactions, again }: SettledPage): Promise<void> {
  await deleteRows(tx, again.flatMap(({ events }) => events))
  const rows = transactions.flatMap(({ events, contracts, facts }) => (events.some(movesMoney) ? foldCashLedger({ events, contracts, ...facts }) : []))
  await insertRows(tx, idx.cash_ledger, rows, {
    account: 'account', seq: 'seq', leg: 'leg', kind: 'kind', amount: 'amount', balance_of: 'balanceOf', position_id: 'positionId', order_id: 'orderId',
    vault_id: 'vaultId', fee: 'fee', funding: 'funding', pnl: 'pnl', ledger: 'ledger', ts: 'ts', tx_hash: 'txHash',
  })
}

/** Only transactions with such an event have rows. */
function movesMoney(event: ArchivedEvent): boolean {
  return isTransfer(event) || (event.contract === 'market' && CROSS_TOPICS.has(event.topic))
}

async function deleteRows(tx: Writable, events: readonly ArchivedEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.run(sql`${sql.deleteFrom(idx.cash_ledger)} where seq = any($1::bigint[])`, [events.map(({ seq }) => seq)])
}
