// Network limits (soroban-rpc, "Ledger facts"). Values are those of the public test network where it defines them.

export const BASE_FEE_STROOPS = 100
export const BASE_RESERVE_STROOPS = 5_000_000n
/** The base reserves that an account needs besides those for its subentries. */
export const ACCOUNT_RESERVE_ENTRIES = 2
/** The header's totalCoins: the fixed supply of the native coin. */
export const TOTAL_COINS_STROOPS = 1_000_000_000_000_000_000n
export const INT64_MAX = 2n ** 63n - 1n

/** Per account. */
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

/** Per ledger. */
export const SOROBAN_TRANSACTIONS_PER_LEDGER = 100
export const CLASSIC_OPERATIONS_PER_LEDGER = 1_000
/** The queue holds the transactions of this many ledgers. */
export const QUEUE_CAPACITY_LEDGERS = 4

/** A transaction is dropped after this many ledgers in the queue. */
export const QUEUE_AGE_MAX_LEDGERS = 4
/** The queue rejects the hash of an applied or dropped transaction for this many ledgers. */
export const BAN_LEDGERS = 10
/** A fee bump replaces a queued transaction when its inclusion fee per operation is this many times higher. */
export const FEE_BUMP_MULTIPLIER = 10n
/** At submission, maxTime is compared with the last close time plus two expected closes of five seconds. */
export const ADMISSION_CLOSE_TIME_DRIFT_SEC = 10

/** TTL in ledgers, counted from the ledger that writes the entry. */
export const TTL_MAX_LEDGERS = 3_110_400
export const TTL_PERSISTENT_MIN_LEDGERS = 120_960
export const TTL_TEMPORARY_MIN_LEDGERS = 720
/** Contracts extend the entries they write, and their own instance and code, when the remaining TTL is below this … */
export const TTL_EXTEND_BELOW_LEDGERS = 17_280
/** … to this TTL (onchain, "Storage keys"). */
export const TTL_EXTEND_TO_LEDGERS = 518_400

export const CALL_DEPTH_MAX = 10

/** Taking another snapshot drops the oldest. */
export const SNAPSHOTS_MAX = 8
