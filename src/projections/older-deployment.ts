/**
 * SQL: the name of a deployment that is not the current one, else null; `epoch` is SQL of the number of one of its epochs. Epochs from before deployments had
 * names are named by themselves.
 */
export function olderDeployment(epoch: string): string {
  return `(select case when p.deployment <> h.deployment then coalesce(p.name, p.epoch) end
    from idx.epochs p, idx.epochs h, idx.cursor hc where p.number = ${epoch} and h.number = hc.epoch)`
}

/** SQL: the epoch of a seq. */
export function epochOfSeq(seq: string): string {
  return `(select s.epoch from idx.sections s where s.first_seq <= ${seq} order by s.first_seq desc limit 1)`
}
