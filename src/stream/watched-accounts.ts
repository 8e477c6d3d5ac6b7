// The heads of the account channels of one kind that at least one client is subscribed to.

interface WatchedAccount {
  watchers: number
  /** Seq of the last frame published since watching began. */
  publishedSeq: number | undefined
  /** The channel's head when watching began. */
  readonly initialHead: Promise<number>
  /** `initialHead` once it was read; 0 before. */
  baseSeq: number
}

export interface WatchedAccounts {
  /** Counts a watcher, and reads the head for the first one. Rejects when it cannot be read. */
  watch(account: string): Promise<void>
  /** Counts a watcher less; the last one ends the tracking. */
  release(account: string): void
  count(): number
  names(): readonly string[]
  has(account: string): boolean
  /** Seq of the last frame, 0 when there is none or the account is not watched. */
  head(account: string): number
  /** Moves the head of a watched account to `seq`. */
  advance(account: string, seq: number): void
}

/** `readHead` reads an account channel's head as of the current position. */
export function createWatchedAccounts(readHead: (account: string) => Promise<number>): WatchedAccounts {
  const accounts = new Map<string, WatchedAccount>()

  return {
    async watch(account) {
      let watched = accounts.get(account)
      if (watched === undefined) {
        watched = { watchers: 0, publishedSeq: undefined, baseSeq: 0, initialHead: readHead(account) }
        accounts.set(account, watched)
      }
      watched.watchers++
      try {
        watched.baseSeq = await watched.initialHead
      } catch (error) {
        if (accounts.get(account) === watched) accounts.delete(account)
        throw error
      }
    },
    release(account) {
      const watched = accounts.get(account)
      if (watched !== undefined && --watched.watchers === 0) accounts.delete(account)
    },
    count: () => accounts.size,
    names: () => [...accounts.keys()],
    has: (account) => accounts.has(account),
    head(account) {
      const watched = accounts.get(account)
      return watched?.publishedSeq ?? watched?.baseSeq ?? 0
    },
    advance(account, seq) {
      const watched = accounts.get(account)
      if (watched !== undefined) watched.publishedSeq = seq
    },
  }
}
