// The protocol of the Stellar network.

/**
 * The newest protocol whose forms this gateway knows. Increase it together with PROJECTIONS_VERSION when the forms of a protocol were added: events that were
 * archived undecoded are then decoded again. docs/operating.md, "Protocol upgrades".
 */
export const KNOWN_PROTOCOL = 30

/** Headers have milliseconds from the ledger after the upgrade to this protocol on, and two ledgers may close in the same second (CAP-88). */
export const MILLISECONDS_SINCE = 30
