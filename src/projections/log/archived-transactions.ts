// Transactions as the archive has them, for projections that compute a transaction as a whole. Its events follow each other in the log, but a page may end
// between them.

import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import { EVENT_CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import { columns, type } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import { arrayOf } from '../../store/store.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import type { EpochContracts } from '../state/epochs.ts'

/** A transaction with the contracts of its epoch. */
export interface ArchivedTransaction {
  readonly txHash: string
  readonly events: readonly ArchivedEvent[]
  readonly contracts: EpochContracts
}

const EVENT = columns(idx.events, 'e', {
  seq: 'seq', eventId: 'event_id', contractId: 'contract_id', topic: 'topic', ledger: 'ledger', ledgerCloseTs: 'ledger_close_ts', txHash: 'tx_hash',
  payload: ['payload', type<Payload | null>], problem: 'problem',
})
const EPOCH = columns(idx.epochs, 'p', { contracts: ['contracts', type<EpochContracts>] })
type Stored = RowOf<typeof EVENT> & RowOf<typeof EPOCH>
const FROM = sql`from ${idx.events} e join ${idx.epochs} p on p.number = e.epoch`

/** The events of a transaction before one that a page begins with; empty when that is its first. */
export async function readTransactionStart(tx: Queryable, contractEpoch: number, { txHash, seq }: ArchivedEvent): Promise<readonly ArchivedEvent[]> {
  const rows = await tx.query(
    sql`select ${EVENT}, ${EPOCH} ${FROM} where e.tx_hash = $1 and p.contract_epoch = $2 and e.seq < $3 order by e.seq`, [txHash, contractEpoch, seq],
  )
  return rows.flatMap(toEvent)
}

/** The transactions of these events, in log order. */
export function toTransactions(events: readonly ArchivedEvent[], contracts: EpochContracts): readonly ArchivedTransaction[] {
  return [...Map.groupBy(events, ({ txHash }) => txHash)].map(([txHash, own]) => ({ txHash, events: own, contracts }))
}

/** These transactions with all their events, transfers included, in log order. */
export async function readWholeTransactions(tx: Queryable, contractEpoch: number, hashes: readonly string[]): Promise<readonly ArchivedTransaction[]> {
  const rows = await tx.query(
    sql`select ${EVENT}, ${EPOCH} ${FROM} where e.tx_hash = any($1::text[]) and p.contract_epoch = $2 order by e.seq`, [arrayOf('text', hashes), contractEpoch],
  )
  return [...Map.groupBy(rows, ({ txHash }) => txHash)].flatMap(([txHash, own]) => {
    const [first] = own
    return first === undefined ? [] : [{ txHash, events: own.flatMap(toEvent), contracts: first.contracts }]
  })
}

function toEvent({ contracts, ...row }: Stored): ArchivedEvent[] {
  const contract = ARCHIVED_KEYS.find((key) => contracts[key] === row.contractId)
  return contract === undefined ? [] : [{ ...row, contract, topicsXdr: [], valueXdr: '' }]
}

const ARCHIVED_KEYS: readonly ArchivedContractKey[] = [...EVENT_CONTRACT_KEYS, 'usdcToken']
