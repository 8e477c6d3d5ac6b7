// Transaction hashes that the queue rejects for a number of ledgers after they were applied or dropped.

export interface BanList {
  has(hash: string): boolean
  /** Bans a hash, or restarts its ban. */
  add(hash: string): void
  /** Counts one closed ledger; bans that are over are removed. */
  ledgerClosed(): void
  clear(): void
}

/** An empty list. A ban lasts for `ledgers` closed ledgers. */
export function createBanList(ledgers: number): BanList {
  const ledgersLeft = new Map<string, number>()
  return {
    has: (hash) => ledgersLeft.has(hash),
    add: (hash) => void ledgersLeft.set(hash, ledgers),
    ledgerClosed() {
      for (const [hash, left] of ledgersLeft) {
        if (left <= 1) ledgersLeft.delete(hash)
        else ledgersLeft.set(hash, left - 1)
      }
    },
    clear: () => ledgersLeft.clear(),
  }
}
