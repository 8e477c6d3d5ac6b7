// The SQLite database of the ledger. Each closed ledger is one transaction, synced to disk before the ledger becomes visible.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const FILE_NAME = 'ledger.sqlite'
const SCHEMA_VERSION = 1

const SCHEMA = `
  create table if not exists facts (name text primary key, value text not null) without rowid;
  create table if not exists entries (
    key text primary key, data blob not null, modified integer not null, live_until integer
  ) without rowid;
  create table if not exists ledgers (
    branch integer not null, sequence integer not null, hash text not null, previous_hash text not null, close_time integer not null,
    header blob not null, evicted blob not null, primary key (branch, sequence)
  ) without rowid;
  create table if not exists transactions (
    branch integer not null, ledger integer not null, position integer not null, hash text not null, inner_hash text,
    close_time integer not null, soroban integer not null, success integer not null, inclusion_fee integer not null, body blob not null,
    primary key (branch, ledger, position)
  ) without rowid;
  create index if not exists transactions_hash on transactions (hash);
  create index if not exists transactions_inner_hash on transactions (inner_hash) where inner_hash is not null;
  create table if not exists events (
    branch integer not null, id text not null, ledger integer not null, close_time integer not null, tx_index integer not null,
    operation_index integer not null, type text not null, contract text not null, tx_hash text not null, success integer not null,
    topics text not null, value text not null, primary key (branch, id)
  ) without rowid;
  create index if not exists events_contract on events (branch, contract, id);
`

export interface LedgerDatabase extends Disposable {
  readonly sql: DatabaseSync
  /** Runs `write` in one transaction. When this returns, all of its changes are on disk; when it throws, none are. */
  transaction(write: () => void): void
}

/** Opens the database file, or an in-memory database when `directory` is null. Throws when another process has it open, or when its schema is newer. */
export function openDatabase(directory: string | null): LedgerDatabase {
  if (directory !== null) mkdirSync(directory, { recursive: true })
  const path = directory === null ? ':memory:' : join(directory, FILE_NAME)
  const sql = new DatabaseSync(path)
  try {
    prepare(sql, path)
  } catch (error) {
    sql.close()
    throw error
  }
  return {
    sql,
    transaction(write) {
      sql.exec('begin immediate')
      try {
        write()
        sql.exec('commit')
      } catch (error) {
        if (sql.isTransaction) sql.exec('rollback')
        throw error
      }
    },
    [Symbol.dispose]() {
      if (sql.isOpen) sql.close()
    },
  }
}

function prepare(sql: DatabaseSync, path: string): void {
  // The operating system releases this lock when the process ends, even after a crash. Two processes cannot write one chain.
  sql.exec('pragma locking_mode = exclusive; pragma busy_timeout = 0')
  try {
    sql.exec('pragma journal_mode = wal; pragma synchronous = full')
    sql.exec('begin immediate; commit')
  } catch (cause) {
    throw new Error(`Cannot open the ledger in ${path}. Another process may be using it.`, { cause })
  }
  const version = Number(Object.values(sql.prepare('pragma user_version').get() ?? {})[0] ?? 0)
  if (version > SCHEMA_VERSION) throw new Error(`The ledger in ${path} was written by a newer version of this program.`)
  sql.exec(`${SCHEMA}; pragma user_version = ${SCHEMA_VERSION}`)
}
