// The contract epoch of a row is the first epoch with its contract's address on its chain: the contract's ids are unique within it.

import { defined } from '../../base/assert.ts'
import type { EventContractKey } from '../../exchange/contracts/contracts.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Epoch } from './epochs.ts'

/** SQL: the contract epoch of this contract in an epoch; `epoch` is an SQL expression for the epoch's number. */
export function contractEpochSql(key: EventContractKey, epoch: Sql): Sql {
  return sql`(select min(h.number) from ${idx.epochs} e join ${idx.epochs} h on h.chain = e.chain and h.contracts->>'${key}' = e.contracts->>'${key}'
    where e.number = ${epoch})`
}

/** The contract epoch of a contract in this epoch. */
export async function readContractEpoch(db: Queryable, epoch: Epoch, key: EventContractKey): Promise<number> {
  const [row] = await db.query<{ contractEpoch: number }>(sql`select ${contractEpochSql(key, sql`$1::int`)} as "contractEpoch"`, [epoch.number])
  return defined(row, 'the contract epoch').contractEpoch
}
