/**
 * SQL: the name of a deployment that is not the current one, else null; `epoch` is SQL of the number of one of its epochs. The current
 * deployment is looked up once per statement.
 */
export function olderDeployment(epoch: string): string {
  return `(select p.name from idx.epochs p where p.number = ${epoch}
    and p.deployment <> (select h.deployment from idx.cursor hc join idx.epochs h on h.number = hc.epoch))`
}

/** SQL: the epoch of a seq. */
export function epochOfSeq(seq: string): string {
  return `(select s.epoch from idx.sections s where s.first_seq <= ${seq} order by s.first_seq desc limit 1)`
}
