// Every number of the RPC door, once. They are the public node's defaults, so that a client meets here what it will meet there.

/** How many closed ledgers a node keeps unless its operator says otherwise: about seven days at five seconds each. */
export const RETENTION_LEDGERS_DEFAULT = 120_960

/** Rows per page: what is served when the caller names no limit, and the most it may name. */
export const EVENTS_PAGE = { default: 100, max: 10_000 } as const
export const TRANSACTIONS_PAGE = { default: 50, max: 200 } as const
export const LEDGERS_PAGE = { default: 50, max: 200 } as const

/** One getEvents call looks at this many ledgers at most, whatever it finds there. */
export const EVENTS_SCAN_LEDGERS = 10_000

export const EVENT_FILTERS_MAX = 5
export const CONTRACT_IDS_PER_FILTER_MAX = 5
export const TOPIC_PATTERNS_PER_FILTER_MAX = 5
/** Segments of a topic pattern, a last `**` not counted. */
export const TOPIC_SEGMENTS_MAX = 4

export const LEDGER_KEYS_MAX = 200

/** A node calls itself unhealthy when its last ledger is older than this. */
export const HEALTHY_LATENCY_SEC = 30

/** How many of the last ledgers the fee statistics look at. */
export const CLASSIC_FEE_WINDOW_LEDGERS = 10
export const SOROBAN_FEE_WINDOW_LEDGERS = 50
/** The fee statistics never read more transactions than this, however full the ledgers are. */
export const FEE_SAMPLE_TRANSACTIONS_MAX = 20_000

/** A larger body is answered with HTTP 500. */
export const REQUEST_BODY_MAX_BYTES = 512 * 1024
/** So much of a body that is too large is still read, so that its sender gets to hear the answer; what is longer is cut off. */
export const REQUEST_BODY_DISCARD_MAX_BYTES = 8 * 1024 * 1024
/** Calls in one batch. The real node is bounded by the body alone; here one process serves everybody. */
export const BATCH_CALLS_MAX = 100

/** What friendbot gives, and what it bids for each operation. */
export const FRIENDBOT_STARTING_BALANCE_XLM = '10000'
export const FRIENDBOT_STARTING_BALANCE_STROOPS = 100_000_000_000n
export const FRIENDBOT_BASE_FEE_STROOPS = 100_000
/** Accounts funded by one transaction (a transaction holds at most 100 operations), and accounts waiting for one. */
export const FRIENDBOT_BATCH_ACCOUNTS = 100
export const FRIENDBOT_QUEUE_MAX = 500
/** How long friendbot waits for its transaction to be final. */
export const FRIENDBOT_WAIT_MS = 30_000
/** How often friendbot builds its transaction anew for one account before it gives up. */
export const FRIENDBOT_ATTEMPTS_MAX = 3

/** Sockets. */
export const HEADERS_TIMEOUT_MS = 10_000
export const REQUEST_TIMEOUT_MS = 30_000
export const KEEP_ALIVE_TIMEOUT_MS = 5_000
export const HEADER_MAX_BYTES = 16 * 1024
export const CONNECTIONS_MAX = 1_000
/** A closing server lets answers in progress end for this long, then it cuts the connections. */
export const DRAIN_MS = 2_000
