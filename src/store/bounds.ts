// The store's own bounds: how long, how many, how often. The time limit of one read stands with the other limits in src/limits.ts.

/** Reads that may wait for their turn; the next one is refused at once. */
export const READ_QUEUE_MAX = 256
/** Writes that may wait for their turn. */
export const WRITE_QUEUE_MAX = 1_000
/** One statement of `store.write` may take this long. */
export const WRITE_STATEMENT_TIMEOUT_MS = 30_000
/** One statement of the chain history's writer may take this long: a rebuild moves many rows at once. */
export const BULK_STATEMENT_TIMEOUT_MS = 300_000
/** A transaction that sends nothing for this long is rolled back: whoever opened it is stuck, and others wait. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 30_000

/** Embedded: a writer waits this long for a running read before the read is interrupted and put back into the queue. */
export const WRITER_PATIENCE_MS = 100
/** Embedded: an interruption is repeated until it is heard. */
export const INTERRUPT_REPEAT_MS = 20
/** Embedded: an engine that hears no interruption for this long goes round in circles, and is started anew. */
export const STUCK_AFTER_MS = 30_000
/** Embedded: written rows after which the write-ahead log is checkpointed at once. */
export const CHECKPOINT_AFTER_ROWS = 20_000
/** Embedded: whatever was written is checkpointed after this long. */
export const CHECKPOINT_AFTER_MS = 60_000
/** Embedded: written rows after which tables are vacuumed and analyzed; the first time soon, so that plans are never blind for long. */
export const VACUUM_FIRST_AFTER_ROWS = 1_000
export const VACUUM_AFTER_ROWS = 50_000
/** Embedded: chores begin when nothing has been asked for this long. */
export const MAINTENANCE_AFTER_IDLE_MS = 500
/** Embedded: a chore that found no quiet moment for this long goes before the reads (never before a writer). */
export const MAINTENANCE_OVERDUE_MS = 60_000
/** Embedded: a table whose vacuum was interrupted this often in one round is left for the next round. */
export const VACUUM_TRIES = 5
/** Embedded: closing in good order may take this long; then the engine's thread is ended, which loses nothing that was acknowledged. */
export const CLOSE_TIMEOUT_MS = 10_000
/** Embedded: the holder of the lock file says this often that it lives. */
export const LOCK_FILE_HEARTBEAT_MS = 2_000
/** Embedded: how long a holder that cannot be looked at (another container) must be silent to count as gone. */
export const LOCK_FILE_STALE_AFTER_MS = 10_000
/** Embedded: attempts to take the lock file when others take it at the same moment. */
export const LOCK_FILE_ATTEMPTS = 5

/** Server: connections of the pools. */
export const READ_POOL_SIZE = 8
export const WRITE_POOL_SIZE = 4
/** Server: so many different reads are prepared in each connection; each keeps some tens of kilobytes there. */
export const PREPARED_STATEMENTS_MAX = 200
/** Server: connecting, or waiting for a free connection, may take this long. */
export const CONNECT_TIMEOUT_MS = 5_000
/** Server: an answer that is this much later than the statement's own time limit will not come: the connection is dead. */
export const DEAD_CONNECTION_GRACE_MS = 5_000
/** Server: an idle connection is probed after this long, so that a vanished server is noticed. */
export const KEEPALIVE_AFTER_MS = 10_000

/** Server: the writer lock's holder says this often that it lives. */
export const WRITER_LOCK_HEARTBEAT_MS = 1_000
/** Server: a holder that says nothing for this long (its machine is gone, its process stands still) loses the lock to whoever stands by. */
export const WRITER_LOCK_LOST_AFTER_MS = 6_000
/** Server: what is sent to a holder that has vanished is given up after this long, and so is a holder that answers no probe. */
export const WRITER_LOCK_PEER_TIMEOUT_MS = 5_000

/** Server: where reads come from a replica, which is behind the notification, the notification is told again after so long. */
export const REPLICA_NOTIFY_AGAIN_MS = [25, 100, 400] as const

/** After a loss, the first and the longest pause before trying again; the pause doubles in between. */
export const RECONNECT_DELAY_MIN_MS = 250
export const RECONNECT_DELAY_MAX_MS = 10_000
