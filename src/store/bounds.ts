// The store's own bounds on time, numbers and rates. The time limit of one read is with the other limits in src/limits.ts.

/** Reads that may be queued. Then a caller with more of them than another loses its newest one. */
export const READ_QUEUE_MAX = 256
/** Lookups that may be queued. Their caller has few at a time. */
export const LOOKUP_QUEUE_MAX = 64
/** Writes that may be queued. */
export const WRITE_QUEUE_MAX = 1_000
/** Time limit of one statement of `store.write`. */
export const WRITE_STATEMENT_TIMEOUT_MS = 30_000
/** Time limit of one statement that may change many rows: migrations, maintenance, and everything the holder of a writer lock sends. */
export const BULK_STATEMENT_TIMEOUT_MS = 300_000
/** A transaction that sends nothing for this long is rolled back, because others wait for it. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/** Embedded: how much of a statement is logged when it exceeded its time limit. */
export const LOGGED_SQL_LENGTH = 200
/** Embedded: after this many written rows the write-ahead log is checkpointed as soon as the engine is idle. */
export const CHECKPOINT_AFTER_ROWS = 100_000
/** Embedded: after this many it is checkpointed at once. They are about 300 MB of log, which a start after a crash replays within seconds. */
export const CHECKPOINT_AT_ONCE_AFTER_ROWS = 400_000
/** Embedded: a write is checkpointed after this long. */
export const CHECKPOINT_AFTER_MS = 60_000
/** Embedded: tables are vacuumed and analyzed after this many written rows. The first round comes early, so that the planner soon has statistics. */
export const VACUUM_FIRST_AFTER_ROWS = 1_000
export const VACUUM_AFTER_ROWS = 50_000
/** Embedded: maintenance starts when the engine is idle; this is how often that is checked. */
export const MAINTENANCE_AFTER_IDLE_MS = 500
/** Embedded: an engine is idle when its last write ended this long ago. */
export const IDLE_AFTER_WRITE_MS = 200
/** Embedded: maintenance that found no idle moment for this long goes before the reads, though never before a write. */
export const MAINTENANCE_OVERDUE_MS = 60_000
/** Embedded: an engine that has not started after this long is killed. After a crash it replays up to 300 MB of log. */
export const ENGINE_START_TIMEOUT_MS = 300_000
/** Embedded: an engine that has not shut down after this long is killed, which loses nothing acknowledged. */
export const CLOSE_TIMEOUT_MS = 10_000

/** Server: connections of the pools. */
export const READ_POOL_SIZE = 8
/** Of these, connections that large reads may use at the same time, so that small ones never wait for them. */
export const LARGE_READS_MAX = 6
export const LOOKUP_POOL_SIZE = 2
export const WRITE_POOL_SIZE = 4
/** Statements that are prepared on each connection. Each one takes some tens of kilobytes there. */
export const PREPARED_STATEMENTS_MAX = 200
/** Server: time limit for connecting, and for waiting for a free connection. */
export const CONNECT_TIMEOUT_MS = 5_000
/** Server: a connection counts as dead when a response is this much later than the statement's own time limit. */
export const DEAD_CONNECTION_GRACE_MS = 5_000
/** Server: an idle connection is probed after this long, to notice a server that vanished. */
export const KEEPALIVE_AFTER_MS = 10_000

/** Server: how often the holder of a writer lock sends a heartbeat. */
export const WRITER_LOCK_HEARTBEAT_MS = 1_000
/** Server: a holder that is silent for this long loses the lock. Its machine is gone, or its process is suspended. */
export const WRITER_LOCK_LOST_AFTER_MS = 6_000
/** Server: the server closes the holder's connection when the network acknowledges nothing for this long. */
export const WRITER_LOCK_PEER_TIMEOUT_MS = 5_000

/** Server: a replica lags behind the notifications of its primary. With a replica for reads, each notification is repeated after these delays. */
export const REPLICA_NOTIFY_AGAIN_MS = [25, 100, 400] as const

/** A problem of writes is reported for this long after the last one that failed. The indexer writes more often. */
export const WRITE_PROBLEM_HELD_MS = 10_000

/** The delay between attempts to reconnect or restart doubles from the minimum to the maximum. */
export const RECONNECT_DELAY_MS = { min: 250, max: 10_000 } as const
