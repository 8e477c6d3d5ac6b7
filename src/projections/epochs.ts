// Epochs: stretches of the log with one set of contracts on one incarnation of the network.

import type { EventContractKey } from '../exchange/contracts.ts'
import type { Queryable } from '../store/store.ts'

/** Where the contracts with events live. */
export type EventContracts = Readonly<Record<EventContractKey, string>>

export type EpochReason = 'first' | 'contracts' | 'reset'

export interface Epoch {
  /** Grows from one; the order of the log. */
  readonly number: number
  /** A short random text, told to clients. */
  readonly epoch: string
  /** Grows with every reset of the network. */
  readonly chain: number
  /** The first epoch with this market on this chain: what position ids are unique in. */
  readonly deployment: number
  readonly reason: EpochReason
  readonly passphrase: string
  readonly contracts: EventContracts
  readonly startLedger: number
  /** Up to where it was indexed; null for the current one. */
  readonly finalCursor: string | null
}

/** Every epoch, the oldest first. There are as many as there were resets and redeployments. */
export async function listEpochs(db: Queryable): Promise<readonly Epoch[]> {
  return await db.query<Epoch>(
    `select number, epoch, chain, deployment, reason, passphrase, contracts, start_ledger as "startLedger", final_cursor as "finalCursor"
     from idx.epochs order by number`,
  )
}

/** Adds an epoch and seals the one before it at its last cursor. */
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

/** Gives an epoch another name: from now on its log is not what those who know the old name have of it. */
export async function renameEpoch(tx: Queryable, number: number, name: string): Promise<void> {
  await tx.query('update idx.epochs set epoch = $2 where number = $1', [number, name])
}
