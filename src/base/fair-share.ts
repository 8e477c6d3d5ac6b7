// Shares of a bounded resource that shrink as more callers come: one caller may use everything while it is alone, and gives way when others arrive.

/** Who holds a share. Clients are distinguished by address first, because one client can have many keys. */
export interface Requester {
  readonly address: string
  readonly key: string
}

export interface Holder {
  readonly requester: Requester
}

/**
 * The holder that gives way to a new requester: the newest of the address with the most holders and, at that address, of the key with the most. Undefined
 * when no address has more than the new requester's would, and no key at its own address. `holders` are all in the order of their arrival.
 */
export function findSurplusHolder<T extends Holder>(holders: Iterable<T>, newcomer: Requester, mayGiveWay: (holder: T) => boolean): T | undefined {
  const byAddress = Map.groupBy(holders, ({ requester }) => requester.address)
  const own = byAddress.get(newcomer.address) ?? []
  byAddress.delete(newcomer.address)
  const others = [...byAddress.values()].filter(({ length }) => length > own.length + 1)
  return newestOfLargest(others.flatMap((group) => largestKeys(group)), mayGiveWay) ?? surplusOfOtherKeys(own, newcomer, mayGiveWay)
}

function surplusOfOtherKeys<T extends Holder>(own: readonly T[], { key }: Requester, mayGiveWay: (holder: T) => boolean): T | undefined {
  const byKey = Map.groupBy(own, ({ requester }) => requester.key)
  const count = byKey.get(key)?.length ?? 0
  const larger = [...byKey.values()].filter(({ length }) => length > count + 1)
  return newestOfLargest(larger.map((group) => ({ group, size: group.length })), mayGiveWay)
}

interface Group<T> {
  readonly group: readonly T[]
  /** Groups give way in descending order of this. */
  readonly size: number
}

/** The holders of an address by key. The address counts first, then the key. */
function largestKeys<T extends Holder>(ofAddress: readonly T[]): readonly Group<T>[] {
  const byKey = Map.groupBy(ofAddress, ({ requester }) => requester.key)
  return [...byKey.values()].map((group) => ({ group, size: ofAddress.length + group.length / (ofAddress.length + 1) }))
}

function newestOfLargest<T>(groups: readonly Group<T>[], mayGiveWay: (holder: T) => boolean): T | undefined {
  // Of equally large groups, the later one gives way.
  for (const { group } of groups.toSorted((a, b) => a.size - b.size).reverse()) {
    const newest = group.findLast(mayGiveWay)
    if (newest !== undefined) return newest
  }
  return undefined
}
