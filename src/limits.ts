// Every number of the specification's "Limits", once, with its unit in its name. Own bounds that the specification leaves open stand below it.

/** Counted in windows of one minute, aligned to the wall clock ("Rate limits"). */
export const RATE_LIMIT_WINDOW_SEC = 60
export const RATE_LIMIT_PER_WINDOW = { public: 60, standard: 600, market_maker: 6000 } as const
/** The tiers that a key may have, the one of self-issued keys first. */
export const KEY_TIERS = ['standard', 'market_maker'] as const

/** "Pagination and size limits". */
export const PAGE_LIMITS = {
  events: { default: 50, max: 500 },
  trades: { default: 50, max: 200 },
  leaderboard: { default: 50, max: 200 },
  candles: { default: 500, max: 1000 },
  accountOrders: { default: 500, max: 500 },
  vaults: { default: 50, max: 200 },
  referral: { default: 50, max: 200 },
  pool: { default: 288, max: 1_000 },
  funding: { default: 50, max: 200 },
} as const
export const OPEN_POSITIONS_MAX_ROWS = 200
export const OPEN_POSITIONS_OF_TRADER_MAX_ROWS = 500
/** "GET /v1/account/me/positions". */
export const ACCOUNT_POSITION_EVENTS_MAX_ROWS = 200

/** "Other constants". */
export const ADDRESS_LENGTH = 56
export const ASSET_FILTER_MAX_LENGTH = 12
export const VAULT_NAME_MAX_LENGTH = 64
export const REFERRAL_CODE_LENGTH = { min: 3, max: 16 } as const
export const ORACLE_CACHE_MS = 3_000
export const STATS_CACHE_MS = 5_000
export const LEADERBOARD_CACHE_MS = 5_000
export const VAULT_CACHE_MS = 10_000
export const POLL_INTERVAL_MS = 2_000
export const PRICE_STALENESS_LIMIT_SEC = 60
export const CHALLENGE_TTL_MS = 5 * 60_000
export const TIMESTAMP_TOLERANCE_SEC = 30
/** Counted in code points. */
export const KEY_LABEL_MAX_LENGTH = 64

export const PREPARED_VALIDITY_SEC = 300
export const POLL_TIMEOUT_MS = { min: 1_000, max: 60_000, default: 30_000 } as const
export const SUBMIT_POLL_INTERVAL_MS = 1_000
export const QUEUE_FULL_RETRY_AFTER_SEC = 2
export const LEVERAGE = { min: 1, max: 10 } as const
/** As the API takes them; the contracts refuse slippage 0 and trailing above 5000. */
export const SLIPPAGE_TOLERANCE_BPS = { min: 0, max: 10_000 } as const
export const TRAILING_PERCENT_BPS = { min: 1, max: 10_000 } as const

/** By default: reserved payouts against the pool's AUM, and open interest of one side of an asset. */
export const OPEN_INTEREST_CAPS_BPS = { reserved: 7_000, assetSide: 2_500 } as const

/** Own bounds. */
/** Files of the console that one address may load in a minute: about twenty times all of them. */
export const CONSOLE_FILES_PER_WINDOW = 1_500
/** Bars of one answer to a chart. */
export const UDF_BARS_MAX = 2_000
/** What was read of the market and the pool is kept this long. */
export const VENUE_CACHE_MS = 3_000
/** Reading them may take this long, repetitions included. */
export const VENUE_READ_TIMEOUT_MS = 5_000
/** The pool is sampled once in so many seconds. */
export const POOL_SAMPLE_SEC = 300
/** An unreadable asset is served from its last known price for this long, marked stale. */
export const STALE_PRICE_SERVED_MS = 5 * 60_000
/** getEvents' largest page; catch-up asks for it, and one page is one transaction. */
export const EVENTS_PAGE_LIMIT = 1_000
/** So many positions, and as many orders, of one account are read from the ledger; one with more is told that they cannot be. */
export const ACCOUNT_ENTRIES_MAX = 500
/** What was read of an account is kept this long: about as long as a ledger stands at its shortest. */
export const ACCOUNT_CACHE_MS = 1_000
/** Reading an account from the ledger may take this long, repetitions included. */
export const ACCOUNT_READ_TIMEOUT_MS = 8_000
/** A gateway whose last indexed ledger closed longer ago says that it is not ready: above the restarts and upgrades of a node, below what users bear. */
export const READY_MAX_LEDGER_AGE_SEC = 300
/** Answers wait this long for the ledger that X-Min-Ledger names: about the close of a ledger and a poll. */
export const INDEX_WAIT_MS = 5_000
/** So many may wait for the index at the same time; those that come on top are told at once how far it is. */
export const INDEX_WAITERS_MAX = 1_024
/** So many of one caller, so that nobody takes all the places. */
export const INDEX_WAITERS_PER_CALLER_MAX = 64
/** One read statement may take this long. */
export const READ_STATEMENT_TIMEOUT_MS = 5_000
/** Connections of all kinds at the same time. */
export const HTTP_CONNECTIONS_MAX = 8_192
/** Largest request body. */
export const BODY_LIMIT_BYTES = 64 * 1024
/** Largest signed envelope that proves an address, in characters of base64; a hundred operations of this kind fit. */
export const SIGNED_CHALLENGE_MAX_LENGTH = 32 * 1024
/** A list of keys ends here; its owner would have to sign for every one of them. */
export const KEYS_LISTED_MAX = 1_000
/** Largest body that brings a signed transaction: what the network takes at most, in base64, and some room. */
export const TRANSACTION_BODY_LIMIT_BYTES = 256 * 1024
/** Transactions that are waited for at the same time, each asked after once a second however many wait for it. */
export const SUBMISSIONS_MAX = 256
/** Callers that wait for transactions at the same time. */
export const SUBMISSION_WAITERS_MAX = 4_096
/** A client's own x-request-id is kept up to this length. */
export const REQUEST_ID_MAX_LENGTH = 128

/** The stream's limits; all of them are configuration, with these defaults. */
export const STREAM_LIMITS = {
  connections: 1_000,
  connectionsPerAddress: 20,
  /** Per connection, and how many may come at once. */
  messagesPerSecond: 20,
  /** That may wait to be sent to one client. */
  waitingBytes: 1_048_576,
  pingIntervalMs: 30_000,
  /** Of a client's frame. */
  frameBytes: 65_536,
  /** One replay sends no more. */
  replayFrames: 100_000,
  /** Delivery goes on for so long after the shutdown was announced. */
  drainMs: 5_000,
} as const
export type StreamLimits = Readonly<Record<keyof typeof STREAM_LIMITS, number>>
/** "Sent every 3 s, changed or not". */
export const TICKER_BROADCAST_MS = 3_000
export const HEARTBEAT_MS = 1_000
export const PRINTS_IN_SNAPSHOT = 50
