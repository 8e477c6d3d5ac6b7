// A contract instance is one contract address on one chain, the scope in which its ids are unique. Its number is that of the first epoch that has it.

import { defined } from '../../base/assert.ts'
import type { EventContractKey } from '../../exchange/contracts/contracts.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Epoch } from './epochs.ts'

/** SQL: the instance of this contract in an epoch; `epoch` is an SQL expression for the epoch's number. */
export function contractInstanceSql(key: EventContractKey, epoch: Sql): Sql {
  return sql`(select min(h.number) from ${idx.epochs} e join ${idx.epochs} h on h.chain = e.chain and h.contracts->>'${key}' = e.contracts->>'${key}'
    where e.number = ${epoch})`
}

/** The instance of a contract in this epoch. */
export async function readContractInstance(db: Queryable, epoch: Epoch, key: EventContractKey): Promise<number> {
  const [row] = await db.query<{ instance: number }>(sql`select ${contractInstanceSql(key, sql`$1::int`)} as instance`, [epoch.number])
  return defined(row, 'the contract instance').instance
}
