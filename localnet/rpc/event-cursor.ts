// Cursors of getEvents: an event's id, or the last possible position of a ledger (soroban-rpc, "getEvents").

import { parseToid } from './toid.ts'
import { wrongType } from './rpc-error.ts'

const CURSOR_TEXT = /^(\d{1,19})-(\d{1,10})$/
const TOID_DIGITS = 19
const INDEX_DIGITS = 10
const TOID_MAX = 2n ** 63n - 1n
const INDEX_MAX = 4_294_967_295n

/** A position in the order of events. Reading resumes directly after it. */
export interface EventCursor {
  /** Padded, so that ids sort as strings in the order of events. */
  readonly id: string
  readonly ledger: number
}

/** Reads a cursor. Throws RpcError. */
export function parseEventCursor(text: string): EventCursor {
  const [, toidText, indexText] = CURSOR_TEXT.exec(text) ?? []
  if (toidText === undefined || indexText === undefined) throw wrongType(`invalid event id ${text}`)
  const [toidValue, index] = [BigInt(toidText), BigInt(indexText)]
  if (toidValue > TOID_MAX || index > INDEX_MAX) throw wrongType(`invalid event id ${text}`)
  return { id: eventId(toidValue, index), ledger: parseToid(toidValue).ledger }
}

/** The position after all events of a ledger. */
export function endOfLedgerCursor(ledger: number): string {
  return eventId((BigInt(ledger + 1) << 32n) - 1n, INDEX_MAX)
}

/** An event's id. */
export function eventId(toidValue: bigint, index: bigint): string {
  return `${toidValue.toString().padStart(TOID_DIGITS, '0')}-${index.toString().padStart(INDEX_DIGITS, '0')}`
}
