// The ledger's record of a transaction, also on chains that a reset or a restore has ended.

import type { LocalNetwork } from '../../localnet/start.ts'

export interface AppliedTransaction {
  readonly ledger: number
  readonly status: string
}

export interface LedgerTruth {
  /** The transaction on the current chain. */
  current(hash: string): AppliedTransaction | undefined
  /** The transaction on every chain so far, the current one first. */
  everywhere(hash: string): readonly AppliedTransaction[]
  /** The close time of the newest ledger, Unix seconds. */
  closeTimeSec(): number
  /** Keeps the transactions of the current chain. Called before it ends. */
  endChain(): void
}

const TRANSACTIONS_MAX = 1_000_000

export function createLedgerTruth({ chain }: { readonly chain: Pick<LocalNetwork['chain'], 'history'> }): LedgerTruth {
  const ended: ReadonlyMap<string, AppliedTransaction>[] = []
  const current = (hash: string): AppliedTransaction | undefined => chain.history.transaction(hash)
  return {
    current,
    everywhere: (hash) => [current(hash), ...ended.map((one) => one.get(hash))].filter((applied) => applied !== undefined),
    closeTimeSec: () => chain.history.latest().closeTimeSec,
    endChain() {
      const all = chain.history.transactionsAfter(0, 0, TRANSACTIONS_MAX)
      ended.unshift(new Map(all.map(({ hash, ledger, status }) => [hash, { ledger, status }])))
    },
  }
}

/** True if a transaction with this result is on one of the chains. */
export function isOnLedger(applied: readonly AppliedTransaction[], status: string, ledger?: number | null): boolean {
  return applied.some((one) => one.status === status && (ledger === undefined || one.ledger === ledger))
}
