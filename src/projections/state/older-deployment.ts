/**
 * SQL: the name of a deployment that is not the current one, else null; `epoch` is SQL of the number of one of its epochs. The current
 * deployment is looked up once per statement.
 */
export function olderDeployment(epoch: Sql): Sql {
  return sql`(select p.name from ${idx.epochs} p where p.number = ${epoch}
    and p.contract_epoch <> (select h.contract_epoch from ${idx.cursor} hc join ${idx.epochs} h on h.number = hc.epoch))`
}

import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import { idx } from '../../store/tables.ts'

/** SQL: the epoch of a seq. */
export function epochOfSeq(seq: Sql): Sql {
  return sql`(select s.epoch from ${idx.epoch_ranges} s where s.first_seq <= ${seq} order by s.first_seq desc limit 1)`
}
