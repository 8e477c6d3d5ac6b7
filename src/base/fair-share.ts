// Shares of a bounded resource that shrink as more callers come: one caller may use everything while it is alone, and gives way when others arrive.

/** The holder of a share. Clients are distinguished by address first, because one client can have many keys. */
export interface Requester {
  /** The network around the address, where clients may have many addresses. The address itself by default. */
  readonly network?: string
  readonly address: string
  readonly key: string
}

export interface Holder {
  readonly requester: Requester
}

type Level = (requester: Requester) => string

/** By what holders are counted, in this order. */
const LEVELS: readonly Level[] = [({ network, address }) => network ?? address, ({ address }) => address, ({ key }) => key]

/**
 * The holder that gives way to a new requester: the newest of the network with the most holders, of the address with the most there and, at that address, of
 * the key with the most. Undefined when no network has more than the new requester's would, and no address or key within its own. `holders` are all in the
 * order of their arrival.
 */
export function findSurplusHolder<T extends Holder>(holders: Iterable<T>, newcomer: Requester, mayGiveWay: (holder: T) => boolean): T | undefined {
  return findSurplus([...holders], newcomer, mayGiveWay, LEVELS)
}

function findSurplus<T extends Holder>(
  holders: readonly T[], newcomer: Requester, mayGiveWay: (holder: T) => boolean, [level, ...below]: readonly Level[],
): T | undefined {
  if (level === undefined) return undefined
  const groups = groupBy(holders, level)
  const own = groups.get(level(newcomer)) ?? []
  groups.delete(level(newcomer))
  const larger = [...groups.values()].filter(({ length }) => length > own.length + 1)
  return newestOfLargest(larger, mayGiveWay, below) ?? findSurplus(own, newcomer, mayGiveWay, below)
}

function newestOfLargest<T extends Holder>(groups: readonly (readonly T[])[], mayGiveWay: (holder: T) => boolean, levels: readonly Level[]): T | undefined {
  const [level, ...below] = levels
  // Of equally large groups, the later one gives way.
  for (const group of groups.toSorted((a, b) => a.length - b.length).reverse()) {
    const newest = level === undefined ? group.findLast(mayGiveWay) : newestOfLargest([...groupBy(group, level).values()], mayGiveWay, below)
    if (newest !== undefined) return newest
  }
  return undefined
}

function groupBy<T extends Holder>(holders: readonly T[], level: Level): Map<string, T[]> {
  return Map.groupBy(holders, ({ requester }) => level(requester))
}
