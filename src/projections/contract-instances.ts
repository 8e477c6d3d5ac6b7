// Where ids are unique in: a contract on one incarnation of the network, named by the first epoch that has it.

import { defined } from '../base/assert.ts'
import type { EventContractKey } from '../exchange/contracts.ts'
import type { Queryable } from '../store/store.ts'
import type { Epoch } from './epochs.ts'

/** SQL: the home of this contract of the epoch whose number is `epoch`, an SQL expression. */
export function contractInstanceSql(key: EventContractKey, epoch: string): string {
  return `(select min(h.number) from idx.epochs e join idx.epochs h on h.chain = e.chain and h.contracts->>'${key}' = e.contracts->>'${key}'
    where e.number = ${epoch})`
}

/** The home of a contract of this epoch. */
export async function readContractInstance(db: Queryable, epoch: Epoch, key: EventContractKey): Promise<number> {
  const [row] = await db.query<{ home: number }>(`select ${contractInstanceSql(key, '$1::int')} as home`, [epoch.number])
  return defined(row, 'the home of an epoch').home
}
