// The protocols that the local network can run, and what each changes about a ledger's header.

/** The protocols of a chain: chosen at its start, and raised by upgrades. */
export const OLDEST_PROTOCOL = 27
export const NEWEST_PROTOCOL = 30
/** The newest whose headers the Stellar SDK of this project decodes. Unmodified clients therefore work on a default chain. */
export const DEFAULT_PROTOCOL = 29
/** An example of a later protocol: its headers have a form that no program knows. A chain only gets there by an upgrade. */
export const UNRELEASED_PROTOCOL = NEWEST_PROTOCOL + 1

/** Since this protocol, validators may agree on a ledger without its transaction set (CAP-83). */
export const DROPPED_SETS_SINCE = 28

/** The protocol before the first ledger. */
export const INITIAL_PROTOCOL = 27

/** Throws RangeError unless a chain can start with the protocol. */
export function requireStartProtocol(protocol: number): void {
  if (Number.isInteger(protocol) && protocol >= OLDEST_PROTOCOL && protocol <= NEWEST_PROTOCOL) return
  throw new RangeError(`protocol must be ${OLDEST_PROTOCOL} to ${NEWEST_PROTOCOL}, not ${protocol}`)
}

/** Throws RangeError unless a chain at `from` can be upgraded to `to`. */
export function requireUpgrade(from: number, to: number, isUnreleasedAllowed: boolean): void {
  if (!Number.isInteger(to)) throw new RangeError(`protocol must be an integer, not ${to}`)
  if (to <= from) throw new RangeError(`the network runs protocol ${from} already and cannot go to ${to}: an upgrade goes to a later protocol`)
  if (to > (isUnreleasedAllowed ? UNRELEASED_PROTOCOL : NEWEST_PROTOCOL)) {
    throw new RangeError(`protocol ${to} is unknown: an upgrade goes to ${NEWEST_PROTOCOL} at most, or to ${UNRELEASED_PROTOCOL} with unreleased: true`)
  }
}
