import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'

/** A decoded value; wide integers are digits. */
export type PayloadValue = string | number | boolean | null | readonly PayloadValue[] | { readonly [name: string]: PayloadValue }

/** The decoded body of an event: `topic` and the fields of that topic. */
export type Payload = Readonly<Record<string, PayloadValue>>

/** Begins the problem of an event that has a form of a later protocol, followed by the name of the form. It is decoded again after an upgrade. */
export const NEWER_PREFIX = 'newer than this gateway: '

/** The name under which undecodable events are counted, because their topics are unbounded. */
const UNKNOWN_TOPIC = 'unknown'
/** The name under which transfers of the token are counted: no topic has a space. */
export const TRANSFER_TOPIC = 'token transfer'

/** The name under which an event is counted. */
export function countedTopic(event: Pick<ArchivedEvent, 'topic' | 'problem' | 'contract'>): string {
  const { topic, problem } = event
  if (problem !== null) return UNKNOWN_TOPIC
  return isTransfer(event) ? TRANSFER_TOPIC : topic
}

/** True when an event is a transfer of the token, and not one of the exchange's own events. */
export function isTransfer({ contract }: Pick<ArchivedEvent, 'contract'>): boolean {
  return contract === 'usdcToken'
}

/** The number of events of unknown topic or shape. */
export function countUnknown(events: readonly ArchivedEvent[]): number {
  return events.filter(({ problem }) => problem !== null).length
}

/** One event of the archive, as the indexer writes it and projections read it. */
export interface ArchivedEvent {
  readonly seq: number
  /** The RPC's id; epochs after the first append their name. */
  readonly eventId: string
  readonly contractId: string
  /** The contract of its epoch that emitted it. Transfers of the token are in no list of events. */
  readonly contract: ArchivedContractKey
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

/** A transfer between two holders of the token. */
export interface TokenTransfer {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** The transfer in a payload of the token; undefined for its other events: a mint has no sender, a burn or clawback no receiver. */
export function readTransfer(payload: Payload | null): TokenTransfer | undefined {
  const { from, to, amount } = payload ?? {}
  if (typeof from !== 'string' || typeof to !== 'string' || typeof amount !== 'string') return undefined
  return { from, to, amount: BigInt(amount) }
}
