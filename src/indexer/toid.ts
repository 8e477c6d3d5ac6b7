// Places in the chain's own numbering: event ids and cursors, `%019d-%010d` of a TOID (ledger, transaction, operation) and an index.

const ID_PATTERN = /^\d{19}-\d{10}$/

/** The last index that a position can have. */
const LAST_INDEX = 4_294_967_295

/** True for the text of an event id or cursor. Such texts order as the places they stand for. */
export function isEventId(text: string): boolean {
  return ID_PATTERN.test(text)
}

/** The ledger of an event id or cursor. */
export function ledgerOf(id: string): number {
  return Number(BigInt(id.slice(0, 19)) >> 32n)
}

/** The last possible place of a ledger: as a cursor, everything up to its end has been read. */
export function endOfLedger(ledger: number): string {
  const toid = ((BigInt(ledger) + 1n) << 32n) - 1n
  return `${toid.toString().padStart(19, '0')}-${LAST_INDEX}`
}

/** True for a cursor at the end of its ledger. */
export function isEndOfLedger(cursor: string): boolean {
  return cursor === endOfLedger(ledgerOf(cursor))
}

/** The first ledger that has not been read whole when everything up to this cursor has. */
export function ledgerAfter(cursor: string): number {
  return isEndOfLedger(cursor) ? ledgerOf(cursor) + 1 : ledgerOf(cursor)
}
