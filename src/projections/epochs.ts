// Epochs: sections of the log with one set of contracts on one chain. A network reset starts a new chain.

import type { EventContractKey } from '../exchange/contracts.ts'
import type { Queryable } from '../store/store.ts'

/** The addresses of the contracts that emit events. */
export type EventContracts = Readonly<Record<EventContractKey, string>>

export type EpochReason = 'first' | 'contracts' | 'reset'

export interface Epoch {
  /** Counts from one, in log order. */
  readonly number: number
  /** A short random name, shown to clients. */
  readonly epoch: string
  /** Increases with every network reset. */
  readonly chain: number
  /** Number of the first epoch with this market on this chain; position ids are unique within it. */
  readonly deployment: number
  readonly reason: EpochReason
  readonly passphrase: string
  readonly contracts: EventContracts
  readonly startLedger: number
  /** The last indexed cursor; null for the current epoch. */
  readonly finalCursor: string | null
}

/** Every epoch, oldest first: one per reset or redeployment. */
export async function listEpochs(db: Queryable): Promise<readonly Epoch[]> {
  return await db.query<Epoch>(
    `select number, epoch, chain, deployment, reason, passphrase, contracts, start_ledger as "startLedger", final_cursor as "finalCursor"
     from idx.epochs order by number`,
  )
}

/** Adds an epoch and seals the previous one at its last cursor. */
export async function insertEpoch(tx: Queryable, epoch: Epoch, sealedCursor: string | null, nowMs: number): Promise<void> {
  await tx.query('update idx.epochs set final_cursor = $2 where number = $1', [epoch.number - 1, sealedCursor])
  await tx.query(
    `insert into idx.epochs (number, epoch, chain, deployment, reason, passphrase, contracts, start_ledger, started_at)
     values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)`,
    [
      epoch.number, epoch.epoch, epoch.chain, epoch.deployment, epoch.reason, epoch.passphrase, JSON.stringify(epoch.contracts), epoch.startLedger, nowMs,
    ],
  )
}

/** Renames an epoch: clients that know the old name must read its log again. */
export async function renameEpoch(tx: Queryable, number: number, name: string): Promise<void> {
  await tx.query('update idx.epochs set epoch = $2 where number = $1', [number, name])
}
