import type { EventContractKey } from '../exchange/contracts.ts'

/** The decoded body of an event: `topic` and the fields of that topic. */
export type Payload = Readonly<Record<string, string | number>>

/** One event of the archive, as the indexer writes it and projections read it. */
export interface ArchivedEvent {
  readonly seq: number
  /** The RPC's id; epochs after the first append their name. */
  readonly eventId: string
  readonly contractId: string
  /** Which contract of its epoch emitted it. */
  readonly contract: EventContractKey
  /** Empty when the event has no readable topic. */
  readonly topic: string
  readonly ledger: number
  readonly ledgerCloseTs: number
  readonly txHash: string
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
  /** Null when the event could not be decoded; `problem` then says why. */
  readonly payload: Payload | null
  readonly problem: string | null
}
