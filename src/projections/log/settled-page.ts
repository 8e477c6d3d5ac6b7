// Transactions with everything that their rows of fills and of the account ledger are computed from.

import type { Queryable } from '../../store/store.ts'
import type { ArchivedTransaction } from './archived-transactions.ts'
import type { Position } from '../positions/positions.ts'
import { readSettlementFacts } from '../positions/settlement-facts.ts'
import type { TransactionFacts } from '../positions/settlement-facts.ts'

export interface TransactionWithFacts extends ArchivedTransaction {
  readonly facts: TransactionFacts
}

/** Transactions whose rows are to be written. */
export interface SettledPage {
  readonly transactions: readonly TransactionWithFacts[]
  /** Those that have rows already, from fewer events or facts. */
  readonly again: readonly ArchivedTransaction[]
}

/** Reads the facts of transactions. `positions` holds those that need not be read. */
export async function readSettledPage(
  tx: Queryable, contractEpoch: number,
  { transactions, again, positions }: {
    readonly transactions: readonly ArchivedTransaction[]
    readonly again: readonly ArchivedTransaction[]
    readonly positions?: ReadonlyMap<number, Position>
  },
): Promise<SettledPage> {
  const settled = transactions.map(({ txHash, events, contracts }) => ({ txHash, market: contracts.market, events }))
  const facts = await readSettlementFacts(tx, contractEpoch, settled, positions)
  return {
    transactions: transactions.flatMap((transaction, index) => {
      const own = facts[index]
      return own === undefined ? [] : [{ ...transaction, facts: own }]
    }),
    again,
  }
}
