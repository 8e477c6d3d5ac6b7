// All numbers of the specification's "Limits", with their unit in the name, followed by bounds that the specification leaves open.

/** Windows are aligned to the wall clock ("Rate limits"). */
export const RATE_LIMIT_WINDOW_SEC = 60
export const RATE_LIMIT_PER_WINDOW = { public: 60, standard: 600, market_maker: 6000 } as const
/** All keys used from one client address (`ADDRESS_CEILING_PER_MIN`). */
export const ADDRESS_CEILING_PER_WINDOW = 12_000
/** The limit of an IPv6 /48 network, as a multiple of the limit of a /64 network. */
export const WIDE_NETWORK_FACTOR = 10
/** Tiers of API keys. Self-issued keys get the first. */
export const KEY_TIERS = ['standard', 'market_maker'] as const
/** The scopes of keys. A new key has all but the last. */
export const KEY_SCOPES = ['read', 'trade', 'close', 'vaults', 'referral', 'keys', 'lend'] as const
export const KEY_CIDRS_MAX = 16
/** Assets that a key may be limited to. */
export const KEY_ASSETS_MAX = 64
/** Time for which the secret before a rotation stays valid. */
export const KEY_OVERLAP_MAX_SEC = 86_400

/** "Pagination and size limits". */
export const PAGE_LIMITS = {
  events: { default: 50, max: 500 },
  trades: { default: 50, max: 200 },
  corrections: { default: 50, max: 200 },
  leaderboard: { default: 50, max: 200 },
  placedOrders: { default: 50, max: 200 },
  orderHistory: { default: 50, max: 200 },
  /** The specification allows 1000, its additions 5000. */
  candles: { default: 500, max: 5_000 },
  accountOrders: { default: 500, max: 500 },
  vaults: { default: 50, max: 200 },
  referral: { default: 50, max: 200 },
  pool: { default: 288, max: 1_000 },
  funding: { default: 50, max: 200 },
  /** Days. */
  exports: { default: 30, max: 366 },
  transactions: { default: 50, max: 200 },
  /** The specification lists every key in one response; only owners of more keys than this see pages. */
  keys: { default: 1_000, max: 1_000 },
  /** Not in the specification. */
  vaultHistory: { default: 288, max: 1_000 },
  fills: { default: 50, max: 500 },
  cashLedger: { default: 50, max: 500 },
} as const
/** Begins the name of the log of pages, unless the operator names it. */
export const DEFAULT_LOG_ORIGIN = 'localhost'
/** Events of a record of the log of pages, in one response. */
export const LOG_EVENTS_PER_PAGE = 500
/** Intervals of a PnL curve. */
export const PNL_POINTS = { default: 100, max: 1_000 } as const
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
/** The ranking of a period reads the results of every trader. */
export const LEADERBOARD_PERIOD_CACHE_MS = 30_000
/** "Leaderboard" of generation 2. */
export const LEADERBOARD_SNAPSHOT_MAX_LENGTH = 128
export const VAULT_CACHE_MS = 10_000
export const POLL_INTERVAL_MS = 2_000
export const PRICE_STALENESS_LIMIT_SEC = 60
export const CHALLENGE_TTL_MS = 5 * 60_000
export const TIMESTAMP_TOLERANCE_SEC = 30
/** In code points. */
export const KEY_LABEL_MAX_LENGTH = 64

export const PREPARED_VALIDITY_SEC = 300
export const POLL_TIMEOUT_MS = { min: 1_000, max: 60_000, default: 30_000 } as const
export const SUBMIT_POLL_INTERVAL_MS = 1_000
export const QUEUE_FULL_RETRY_AFTER_SEC = 2
/** Of limit orders, by the contracts' number. */
export const TIMES_IN_FORCE = ['gtc', 'ioc', 'post_only'] as const
/** Seconds between two funding payments. */
export const FUNDING_INTERVAL_SEC = 3_600
/** Of a client's own id of a transaction. */
export const CLIENT_ID_MAX_LENGTH = 64
export const LEVERAGE = { min: 1, max: 10 } as const
/** Bounds of the API. The contracts also reject slippage 0 and trailing distances above 5000. */
export const SLIPPAGE_TOLERANCE_BPS = { min: 0, max: 10_000 } as const
/** Allowed distance of the acceptable price of an open or close from the simulated price. */
export const SLIPPAGE_BPS = { min: 1, max: 5_000 } as const
/** Good till cancelled, immediate or cancel, post-only. */
export const TIME_IN_FORCE = { min: 0, max: 2 } as const
export const TRAILING_PERCENT_BPS = { min: 1, max: 10_000 } as const

/** Defaults of a contract that stores no limit, as shares of the pool's AUM: all reserved payouts, and open interest of one side of an asset. */
export const OPEN_INTEREST_CAPS_BPS = { reserved: 7_000, assetSide: 2_500 } as const

// Bounds not in the specification.

/** Ranks that are counted; also the largest offset of the leaderboard. */
export const LEADERBOARD_RANKS_MAX = 10_000

/** Callers in a table of rate limit counts. With 60 requests each per minute they are at least 50,000 requests per second. */
export const COUNTED_CALLERS_MAX = 100_000
/** Public documents (`/docs`, the console) per address and minute, in units of their size: 23 MiB, more than twenty page loads of either. */
export const DOCUMENT_UNITS_PER_WINDOW = 1_500
export const DOCUMENT_UNIT_BYTES = 16 * 1024
/** Bars per UDF response. */
export const UDF_BARS_MAX = 2_000
/** Cache time of market and pool state. */
export const VENUE_CACHE_MS = 3_000
/** Time for which requests wait for the markets' remaining capacity, and for which the last one is served when it cannot be read ("5.10"). */
export const CAPACITY_WAIT_MS = 1_000
/** From this age on the figures are marked as stale. */
export const CAPACITY_STALE_MS = 10_000
export const CAPACITY_SERVED_MS = 35_000
/** Time for which preparing a transaction waits for the data of its warnings. */
export const CONDITIONS_WAIT_MS = 500
/** Cache time of the figures of quotes: about the shortest time between two ledgers. Traders whose figures are cached. */
export const QUOTE_CACHE_MS = 1_000
export const QUOTED_TRADERS_MAX = 1_000
/** Cache time of the vault's limits while the entries that hold them do not change. */
export const VAULT_CAPS_CACHE_MS = 5 * 60_000
/** Auto-deleveraging queues: cache time, positions per asset, and how long the list of positions waits for them. */
export const ADL_CACHE_MS = 30_000
export const ADL_POSITIONS_MAX = 1_000
export const ADL_QUINTILES_WAIT_MS = 500
/** Health waits no longer for the market's pause state. */
export const PAUSE_STATE_CACHE_MS = 15_000
/** An older pause state is reported as unknown. */
export const PAUSE_STATE_SERVED_MS = 60_000
export const PAUSE_STATE_TIMEOUT_MS = 500
export const SHORTFALL_CACHE_MS = 5_000
/** The oracle's health: age from which the keeper is stale, and the size of its report. */
export const KEEPER_STALE_MS = 120_000
export const KEEPER_REPORT_MAX_BYTES = 4 * 1024
/** Timeout for reading market and pool state, including retries. */
export const VENUE_READ_TIMEOUT_MS = 5_000
/** Sampling interval of the pool history. */
export const POOL_SAMPLE_SEC = 300
/** Time for which the last known price of an unreadable asset is served, marked stale. */
export const STALE_PRICE_SERVED_MS = 5 * 60_000
/** Maximum page size of getEvents, used during catch-up. One page is one database transaction. */
export const EVENTS_PAGE_LIMIT = 1_000
/** Maximum number of positions and of orders read from the ledger per account. Accounts with more get null. */
export const ACCOUNT_ENTRIES_MAX = 500
/** Cache time of account state: about the shortest ledger close time. */
export const ACCOUNT_CACHE_MS = 1_000
/** Vaults in one request for an account's holdings. Each may cost a simulation. */
export const HOLDINGS_VAULTS_MAX = 20
/** Cache time of a vault's full value, which a simulation computes. */
export const VAULT_VALUE_CACHE_MS = 3_000
/** Timeout for reading an account from the ledger, including retries. */
export const ACCOUNT_READ_TIMEOUT_MS = 8_000
/** Maximum age of the last indexed ledger for readiness. Longer than an RPC node restart or upgrade, shorter than what users tolerate. */
export const READY_MAX_LEDGER_AGE_SEC = 300
/** An instance that read no price for this long is not ready. The contracts reject older prices. */
export const READY_MAX_PRICE_AGE_SEC = 60
/** Maximum wait for X-Min-Ledger: about one ledger close and one poll. */
export const INDEX_WAIT_MS = 5_000
/** Maximum number of requests waiting for X-Min-Ledger. Further requests do not wait. */
export const INDEX_WAITERS_MAX = 1_024
/** The same per caller, so that no caller can take all waiting slots. */
export const INDEX_WAITERS_PER_CALLER_MAX = 64
export const READ_STATEMENT_TIMEOUT_MS = 5_000
/** Connections that wait to be accepted: when an instance stops, all of its clients reconnect at once. The operating system may allow fewer. */
export const LISTEN_BACKLOG = 16_384
/** Open connections besides those that the stream may have. */
export const HTTP_CONNECTIONS_MAX = 8_192
export const BODY_LIMIT_BYTES = 64 * 1024
/** Base64 characters of the signed envelope that proves an address. Fits a hundred operations. */
export const SIGNED_CHALLENGE_MAX_LENGTH = 32 * 1024
/** Active API keys per owner, unless configured. Owners that had more keep them. */
export const MAX_KEYS_PER_OWNER = 20
/** Fits the largest transaction that the network accepts, in base64. */
export const TRANSACTION_BODY_LIMIT_BYTES = 256 * 1024
/** Transactions polled at the same time. Each is polled once per second, regardless of the number of waiting callers. */
export const SUBMISSIONS_MAX = 256
/** Callers waiting for transactions at the same time. */
export const SUBMISSION_WAITERS_MAX = 4_096
/** Longer request ids of clients are replaced. */
export const REQUEST_ID_MAX_LENGTH = 128

/** Limits of the stream. The number of connections, the waiting bytes and the time to drain are configurable. */
export const STREAM_LIMITS = {
  connections: 1_000,
  connectionsPerAddress: 20,
  /** Per connection. Also the burst size. */
  messagesPerSecond: 20,
  /** Bytes queued for one client. */
  waitingBytes: 1_048_576,
  pingIntervalMs: 30_000,
  /** Size of a frame from a client. */
  frameBytes: 65_536,
  /** Frames per replay. */
  replayFrames: 100_000,
  /** Bytes of replays and snapshots that one client address receives at once, and then per second. */
  replayBurstBytes: 134_217_728,
  replayBytesPerSecond: 4_194_304,
  /** Time between the shutdown notice and the close of connections. */
  drainMs: 5_000,
} as const
export type StreamLimits = Readonly<Record<keyof typeof STREAM_LIMITS, number>>
/** Sent every 3 s even if unchanged. */
export const TICKER_BROADCAST_MS = 3_000
export const HEARTBEAT_MS = 1_000
export const PRINTS_IN_SNAPSHOT = 50
export const FILLS_IN_SNAPSHOT = 50
/** Open orders and pending submissions each. */
export const ORDERS_IN_SNAPSHOT = 200
