// The limits of the RPC server: the defaults of a public node, so that clients find the same limits here.

/** The default number of retained ledgers: about seven days at five seconds each. */
export const RETENTION_LEDGERS_DEFAULT = 120_960

/** Rows per page. */
export const EVENTS_PAGE = { default: 100, max: 10_000 } as const
export const TRANSACTIONS_PAGE = { default: 50, max: 200 } as const
export const LEDGERS_PAGE = { default: 50, max: 200 } as const

/** The most ledgers that one getEvents call scans. */
export const EVENTS_SCAN_LEDGERS = 10_000

export const EVENT_FILTERS_MAX = 5
export const CONTRACT_IDS_PER_FILTER_MAX = 5
export const TOPIC_PATTERNS_PER_FILTER_MAX = 5
/** Segments of a topic pattern, without a final `**`. */
export const TOPIC_SEGMENTS_MAX = 4

export const LEDGER_KEYS_MAX = 200

/** A node is unhealthy when its last ledger is older than this. */
export const HEALTHY_LATENCY_SEC = 30

/** The windows of the fee statistics. */
export const CLASSIC_FEE_WINDOW_LEDGERS = 10
export const SOROBAN_FEE_WINDOW_LEDGERS = 50
/** The most transactions that the fee statistics read. */
export const FEE_SAMPLE_TRANSACTIONS_MAX = 20_000

/** The response to a larger body is HTTP 500. */
export const REQUEST_BODY_MAX_BYTES = 512 * 1024
/** A body that is too large is still read up to this size, so that its sender receives the response. */
export const REQUEST_BODY_DISCARD_MAX_BYTES = 8 * 1024 * 1024
/** Calls in one batch. The real node limits only the body. */
export const BATCH_CALLS_MAX = 100

/** Friendbot's starting balance, and its fee per operation. */
export const FRIENDBOT_STARTING_BALANCE_XLM = '10000'
export const FRIENDBOT_STARTING_BALANCE_STROOPS = 100_000_000_000n
export const FRIENDBOT_BASE_FEE_STROOPS = 100_000
/** Accounts per funding transaction (a transaction has at most 100 operations), and requests that may wait. */
export const FRIENDBOT_BATCH_ACCOUNTS = 100
export const FRIENDBOT_QUEUE_MAX = 500
/** Time for which friendbot waits for its transaction. */
export const FRIENDBOT_WAIT_MS = 30_000
/** Transactions per request before friendbot gives up. */
export const FRIENDBOT_ATTEMPTS_MAX = 3

/** Sockets. */
export const HEADERS_TIMEOUT_MS = 10_000
export const REQUEST_TIMEOUT_MS = 30_000
export const KEEP_ALIVE_TIMEOUT_MS = 5_000
export const HEADER_MAX_BYTES = 16 * 1024
export const CONNECTIONS_MAX = 1_000
/** A closing server cuts connections that are still busy after this time. */
export const DRAIN_MS = 2_000
