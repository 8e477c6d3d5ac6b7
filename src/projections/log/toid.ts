// Event ids and cursors of the RPC: `%019d-%010d` of a TOID (ledger, transaction, operation) and an event index.

const ID_PATTERN = /^\d{19}-\d{10}$/

const EVENT_INDEX_MAX = 4_294_967_295

/** True for an event id or cursor. Both sort as text in chain order. */
export function isEventId(text: string): boolean {
  return ID_PATTERN.test(text)
}

/** The ledger of an event id or cursor. */
export function ledgerOf(id: string): number {
  return Number(BigInt(id.slice(0, 19)) >> 32n)
}

/** The transaction of an event, as text: the events of one transaction share it. */
export function transactionOf(id: string): string {
  return String(BigInt(id.slice(0, 19)) >> 12n)
}

/** The last possible id of a ledger: as a cursor, the ledger has been read completely. */
export function endOfLedger(ledger: number): string {
  const toid = ((BigInt(ledger) + 1n) << 32n) - 1n
  return `${toid.toString().padStart(19, '0')}-${EVENT_INDEX_MAX}`
}

/** True for a cursor at the end of its ledger. */
export function isEndOfLedger(cursor: string): boolean {
  return cursor === endOfLedger(ledgerOf(cursor))
}

/** The last possible id of an event's transaction: as a cursor, the transaction has been read completely. */
export function endOfTransaction(id: string): string {
  const toid = BigInt(id.slice(0, 19)) | 0xfffn
  return `${toid.toString().padStart(19, '0')}-${EVENT_INDEX_MAX}`
}

/** The first ledger that has not been read completely once everything up to this cursor has. */
export function ledgerAfter(cursor: string): number {
  return isEndOfLedger(cursor) ? ledgerOf(cursor) + 1 : ledgerOf(cursor)
}
