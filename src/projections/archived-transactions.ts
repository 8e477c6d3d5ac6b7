// Transactions as the archive has them, for projections that compute a transaction as a whole. Its events follow each other in the log, but a page may end
// between them.

import type { ArchivedContractKey } from '../exchange/contracts.ts'
import { EVENT_CONTRACT_KEYS } from '../exchange/contracts.ts'
import type { Queryable } from '../store/store.ts'
import type { ArchivedEvent } from './archived-event.ts'
import type { Epoch } from './epochs.ts'

type Stored = Omit<ArchivedEvent, 'contract' | 'topicsXdr' | 'valueXdr'>

const SELECT = `select e.seq, e.event_id as "eventId", e.contract_id as "contractId", e.topic, e.ledger, e.ledger_close_ts as "ledgerCloseTs",
  e.tx_hash as "txHash", e.payload, e.problem from idx.events e join idx.epochs p on p.number = e.epoch`

/** The events of a transaction before one that a page begins with; empty when that is its first. */
export async function readTransactionStart(tx: Queryable, epoch: Epoch, { txHash, seq }: ArchivedEvent): Promise<readonly ArchivedEvent[]> {
  const rows = await tx.query<Stored>(`${SELECT} where e.tx_hash = $1 and p.deployment = $2 and e.seq < $3 order by e.seq`, [txHash, epoch.deployment, seq])
  return toEvents(epoch, rows)
}

/** All events of these transactions, transfers included, in log order. */
export async function readWholeTransactions(tx: Queryable, epoch: Epoch, hashes: readonly string[]): Promise<readonly ArchivedEvent[]> {
  const rows = await tx.query<Stored>(`${SELECT} where e.tx_hash = any($1::text[]) and p.deployment = $2 order by e.seq`, [hashes, epoch.deployment])
  return toEvents(epoch, rows)
}

function toEvents({ contracts }: Epoch, rows: readonly Stored[]): readonly ArchivedEvent[] {
  const keys: readonly ArchivedContractKey[] = [...EVENT_CONTRACT_KEYS, 'usdcToken']
  return rows.flatMap((row) => {
    const contract = keys.find((key) => contracts[key] === row.contractId)
    return contract === undefined ? [] : [{ ...row, contract, topicsXdr: [], valueXdr: '' }]
  })
}
