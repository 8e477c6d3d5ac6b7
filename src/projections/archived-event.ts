// An event of the archive, as the indexer writes it and as every projection reads it.

import type { EventContractKey } from '../exchange/contracts.ts'

/** The decoded body of an event: `topic` and the topic's own keys. */
export type Payload = Readonly<Record<string, string | number>>

/** One event of the log. */
export interface ArchivedEvent {
  readonly seq: number
  /** The RPC's id; in later epochs with the epoch behind it. */
  readonly eventId: string
  readonly contractId: string
  /** Which contract of its epoch emitted it. */
  readonly contract: EventContractKey
  /** Empty when the event has none that can be read. */
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
