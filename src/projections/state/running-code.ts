// The code that contracts run now, as the indexer has read it.

import { columns, expression } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'

/** The newest version of a contract on the current chain. */
export interface RunningVersion {
  readonly address: string
  /** Lower-case hex; null: the code is unknown. */
  readonly wasmHash: string | null
  /** The reason why the code is unknown; null when it is known. */
  readonly problem: string | null
  readonly sinceLedger: number
  /** True when the code was read. */
  readonly isRead: boolean
}

const COLUMNS = columns(idx.contract_versions, 'v', {
  address: 'address', wasmHash: 'wasm_hash', problem: 'problem', sinceLedger: 'from_ledger', isRead: expression<boolean>(sql`c.wasm_hash is not null`),
})

/** The newest version of each of these contracts on the chain that is indexed now. One statement, whatever the number of versions. */
export async function listRunningVersions(db: Queryable, addresses: readonly string[]): Promise<readonly RunningVersion[]> {
  return await db.query(
    sql`select distinct on (v.address) ${COLUMNS} from ${idx.contract_versions} v left join ${idx.contract_code} c using (wasm_hash)
     where v.address = any($1::text[])
       and v.chain = (select e.chain from ${idx.epoch_ranges} s join ${idx.epochs} e on e.number = s.epoch order by s.first_seq desc limit 1)
     order by v.address, v.from_ledger desc, v.from_event_id desc`,
    [addresses],
  )
}
