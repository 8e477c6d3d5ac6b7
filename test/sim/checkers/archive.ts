// The archive, read from the tables without the gateway's own queries.

import assert from 'node:assert/strict'
import type { Queryable } from '../../../src/store/store.ts'

/** One archived event. */
export interface Archived {
  readonly seq: number
  readonly epoch: number
  readonly contractEpoch: number
  /** Grows with every reset of the network. */
  readonly chain: number
  readonly eventId: string
  readonly contractId: string
  /** `market`, `vault` and so on, by the epoch's own contracts. */
  readonly contractKey: string
  readonly topic: string
  readonly ledger: number
  readonly ledgerCloseTs: number
  readonly txHash: string
  readonly topicsXdr: string
  readonly valueXdr: string
  readonly payload: Readonly<Record<string, unknown>> | null
  readonly problem: string | null
}

interface Row extends Omit<Archived, 'contractKey'> {
  readonly contracts: Readonly<Record<string, string>>
}

const ARCHIVE = `
  select e.seq, e.epoch, p.contract_epoch as "contractEpoch", p.chain, e.event_id as "eventId", e.contract_id as "contractId", e.topic, e.ledger,
    e.ledger_close_ts as "ledgerCloseTs", e.tx_hash as "txHash", e.topics_xdr as "topicsXdr", e.value_xdr as "valueXdr", e.payload, e.problem, p.contracts
  from idx.events e join idx.epochs p on p.number = e.epoch
  where not e.is_transfer order by e.seq`

/** Checks that events, transfers, upgrades, corrections and changes of submissions and orders share the numbers of the log, without a gap or a duplicate. */
export async function checkLogNumbers(db: Queryable): Promise<void> {
  const rows = await db.query<{ seq: number }>(
    `select seq from idx.events union all select seq from tx.submission_changes where seq is not null union all select seq from idx.order_changes
     union all select seq from idx.contract_versions where seq is not null union all select seq from idx.corrections order by seq`,
  )
  rows.forEach(({ seq }, index) => assert.equal(seq, index + 1, 'the log has a gap or a duplicate number'))
}

/** All events of the exchange's contracts, oldest first. */
export async function readArchive(db: Queryable): Promise<readonly Archived[]> {
  const rows = await db.query<Row>(ARCHIVE)
  return rows.map(({ contracts, ...row }) => {
    const key = Object.keys(contracts).find((name) => contracts[name] === row.contractId)
    return { ...row, contractKey: key ?? '' }
  })
}
