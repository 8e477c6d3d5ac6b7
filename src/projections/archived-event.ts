import type { EventContractKey } from '../exchange/contracts.ts'

/** A decoded value; wide integers are digits. */
export type PayloadValue = string | number | boolean | null | readonly PayloadValue[] | { readonly [name: string]: PayloadValue }

/** The decoded body of an event: `topic` and the fields of that topic. */
export type Payload = Readonly<Record<string, PayloadValue>>

/** Begins the problem of an event whose XDR does not decode. That is a node's fault; every other problem means that the contracts have changed. */
export const MALFORMED_PREFIX = 'malformed: '

/** The names under which undecodable events are counted, because their topics are unbounded. */
export const UNKNOWN_TOPIC = 'unknown'
export const MALFORMED_TOPIC = 'malformed'

/** The name under which an event is counted. */
export function countedTopic({ topic, problem }: Pick<ArchivedEvent, 'topic' | 'problem'>): string {
  if (problem === null) return topic
  return problem.startsWith(MALFORMED_PREFIX) ? MALFORMED_TOPIC : UNKNOWN_TOPIC
}

/** The number of events of unknown topic or shape. */
export function countUnknown(events: readonly ArchivedEvent[]): number {
  return events.filter((event) => countedTopic(event) === UNKNOWN_TOPIC).length
}

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
