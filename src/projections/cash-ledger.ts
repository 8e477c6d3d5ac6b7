// The movements of USDC between accounts and the exchange. The rows of a transaction are computed as a whole: again when a later page brings more of its
// events, and when its changed entries become known.

import type { CashKind, CashMovement } from '../resources/cash-movement.ts'
import type { Queryable } from '../store/store.ts'
import type { ArchivedEvent } from './archived-event.ts'
import { isTransfer } from './archived-event.ts'
import { readTransactionStart, readWholeTransactions } from './archived-transactions.ts'
import type { ArchivedTransaction } from './archived-transactions.ts'
import type { AsOf } from './as-of.ts'
import { CROSS_TOPICS, foldCashLedger } from './cash-ledger-fold.ts'
import type { CashRow } from './cash-ledger-fold.ts'
import { columnsOf } from './columns.ts'
import type { Epoch } from './epochs.ts'
import { listLog } from './log-list.ts'
import type { LogBounds } from './log-list.ts'
import type { Page } from './page.ts'
import { readSettlementFacts } from './settlement-facts.ts'

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
export async function applyCashLedger(tx: Queryable, { deployment, contracts }: Epoch, events: readonly ArchivedEvent[]): Promise<void> {
  const [first] = events
  if (first === undefined) return
  const earlier = await readTransactionStart(tx, deployment, first)
  await deleteRows(tx, earlier)
  const transactions = Map.groupBy([...earlier, ...events], ({ txHash }) => txHash)
  await insertRows(tx, await rowsOf(tx, deployment, [...transactions.values()].map((own) => ({ events: own, contracts }))))
}

/** Computes the rows of these transactions again, from what is known now. */
export async function refreshCashLedger(tx: Queryable, deployment: number, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  const transactions = await readWholeTransactions(tx, deployment, hashes)
  await deleteRows(tx, transactions.flatMap(({ events }) => events))
  await insertRows(tx, await rowsOf(tx, deployment, transactions))
}

async function rowsOf(tx: Queryable, deployment: number, transactions: readonly ArchivedTransaction[]): Promise<readonly CashRow[]> {
  const relevant = transactions.filter(({ events }) => events.some(movesMoney))
  const facts = await readSettlementFacts(tx, deployment, relevant.map(({ events, contracts }) =>
    ({ txHash: events[0]?.txHash ?? '', market: contracts.market, events })))
  return relevant.flatMap((transaction, index) => {
    const known = facts[index]
    return known === undefined ? [] : foldCashLedger({ ...transaction, ...known })
  })
}

/** Only transactions with such an event have rows. */
function movesMoney(event: ArchivedEvent): boolean {
  return isTransfer(event) || (event.contract === 'market' && CROSS_TOPICS.has(event.topic))
}

async function deleteRows(tx: Queryable, events: readonly ArchivedEvent[]): Promise<void> {
  if (events.length === 0) return
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
