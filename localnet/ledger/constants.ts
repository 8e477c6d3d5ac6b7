// Every number of the ledger, once (soroban-rpc, "Ledger facts"). They are the public test network's where it has them.

/** The protocol that ledgers close under. */
export const PROTOCOL_VERSION = 27

export const BASE_FEE_STROOPS = 100
export const BASE_RESERVE_STROOPS = 5_000_000n
/** An account's own reserve counts as this many entries. */
export const ACCOUNT_RESERVE_ENTRIES = 2
/** All native coins there will ever be: what the header's totalCoins says. */
export const TOTAL_COINS_STROOPS = 1_000_000_000_000_000_000n
export const INT64_MAX = 2n ** 63n - 1n

/** Entries that belong to one account. */
export const SUBENTRIES_MAX = 1_000
export const SIGNERS_MAX = 20

/** Per transaction. */
export const OPERATIONS_MAX = 100
export const INSTRUCTIONS_MAX = 100_000_000
export const DISK_READ_ENTRIES_MAX = 100
export const DISK_READ_BYTES_MAX = 200_000
export const WRITE_ENTRIES_MAX = 50
export const WRITE_BYTES_MAX = 132_096
export const FOOTPRINT_ENTRIES_MAX = 100
export const TX_BYTES_MAX = 132_096
/** Contract events and the return value together. */
export const EVENTS_BYTES_MAX = 16_384
export const DATA_KEY_BYTES_MAX = 250
export const DATA_ENTRY_BYTES_MAX = 65_536
/** How much a list that all traders share may have grown since a simulation: two full ledgers' calls, a number of 12 bytes each. */
export const SHARED_LIST_GROWTH_BYTES_MAX = 2_400

/** Per ledger. */
export const SOROBAN_TRANSACTIONS_PER_LEDGER = 100
export const CLASSIC_OPERATIONS_PER_LEDGER = 1_000
/** The queue holds this many ledgers' worth. */
export const QUEUE_CAPACITY_LEDGERS = 4

/** A queued transaction that these many ledgers passed by is dropped. */
export const QUEUE_AGE_MAX_LEDGERS = 4
/** The hash of an applied or dropped transaction is refused for so many ledgers. */
export const BAN_LEDGERS = 10
/** A replacement must bid this many times the fee. */
export const FEE_BUMP_MULTIPLIER = 10n
/** Admission adds two expected closes of five seconds to the last close time before it looks at maxTime. */
export const ADMISSION_CLOSE_TIME_DRIFT_SEC = 10

/** How many ledgers an entry lives, counted from the one that writes it. */
export const TTL_MAX_LEDGERS = 3_110_400
export const TTL_PERSISTENT_MIN_LEDGERS = 120_960
export const TTL_TEMPORARY_MIN_LEDGERS = 720
/** The contracts extend what they write, and themselves, when less than this is left … */
export const TTL_EXTEND_BELOW_LEDGERS = 17_280
/** … to this much (onchain, "Storage keys"). */
export const TTL_EXTEND_TO_LEDGERS = 518_400

/** How deep contracts may call each other. */
export const CALL_DEPTH_MAX = 10
/** How deep a trace of diagnostics may grow before its oldest half is no longer written into an error's text. */
export const EVENTS_PER_CALL_MAX = 1_000

/** Snapshots kept; the oldest goes when one more is taken. */
export const SNAPSHOTS_MAX = 8
