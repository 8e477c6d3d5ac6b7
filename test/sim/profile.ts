// What one simulation is made of. Each seed draws a profile of its own in which several faults are off altogether: a fault that is always there hides
// what happens without it.

import { fraction } from './decisions.ts'

/** Chances are per occurrence: per call of the RPC, per transaction, per step of the driver. */
export interface Profile {
  readonly traders: number
  /** How many processes run at the same time; one of them writes the index, the others stand by. */
  readonly indexers: number
  /** Ledgers that close while faults are on. */
  readonly ledgers: number
  /** Virtual time between two ledgers: the longer it is, the more happens in each. */
  readonly ledgerSec: number
  /** Chance per ledger that a price jumps, so that positions are closed in haste and liquidated. */
  readonly priceJump: number
  /** How often the indexer polls for each ledger that closes. */
  readonly pollsPerLedger: number
  readonly rpc: {
    readonly timeout: number
    readonly status5xx: number
    readonly reset: number
    readonly tornJson: number
    readonly html: number
    readonly rpcError: number
    readonly repeatedPage: number
    readonly cutPage: number
    readonly cursorIgnored: number
    readonly lagging: number
  }
  /** Runs that were kept before there was a submission door have none of these. */
  readonly send?: {
    /** The network says that it has no room, and may have taken the transaction all the same. */
    readonly tryAgainLater: number
    readonly duplicate: number
    /** The node could not tell whether its core took it, or did not understand what that said. */
    readonly lost: number
    /** Any fault of the way, where the call took effect although its answer was lost. */
    readonly executed: number
  }
  readonly notify?: {
    readonly lost: number
    readonly twice: number
    readonly late: number
  }
  /** People who get keys, trade and submit, and how often each of them does something, per ledger. */
  readonly clients?: number
  readonly activity?: number
  /** Chance per ledger that the time of day of a process is stepped by an hour, forward or back. */
  readonly timeStep?: number
  readonly store: {
    /** The transaction is rolled back and fails. */
    readonly failBeforeCommit: number
    /** The transaction is committed, and the caller hears that it failed. */
    readonly failAfterCommit: number
    readonly failRead: number
  }
  /** An indexer is killed or restarted; another one takes its place. */
  readonly restart: number
  /** The whole network starts anew. */
  readonly networkReset: number
  /** The whole network is kept, and put back later. */
  readonly networkRestore: number
  /** The ledger's clock is stepped by hours: times of a network that is put back then go backward. */
  readonly clockStep: number
  /** Nothing at all happens for hours: windows of a day move on. */
  readonly night: number
}

const RARE = [0, 0, 0, 0.02, 0.1] as const
const OFTEN = [0, 0, 0.03, 0.1, 0.3] as const

/** The profile that belongs to a seed: short, because many short lives meet more than few long ones. */
export function profileOfSeed(seed: string): Profile {
  const pick = <T>(name: string, values: readonly [T, ...T[]]): T => values[Math.floor(fraction(`${seed}/profile/${name}`) * values.length)] ?? values[0]
  // Where the network itself goes back, a transaction may be applied twice, and nothing could be said about what is final.
  const staysOne = pick('staysOne', [true, true, false])
  const clients = staysOne ? pick('clients', [0, 2, 4]) : 0
  const networkRestore = staysOne ? 0 : pick('networkRestore', [0, 0.1, 0.2])
  // A network that was put back and has outgrown what is known of it, all between two answers, cannot be told from one that went on: where that may happen,
  // answers come.
  const unless = <T>(value: T, none: T): T => (networkRestore > 0 ? none : value)
  return {
    traders: pick('traders', [1, 2, 4, 5]),
    indexers: pick('indexers', [1, 2, 2]),
    ledgers: pick('ledgers', [8, 12, 16, 24]),
    clients,
    activity: pick('activity', [0.3, 0.7, 1]),
    timeStep: pick('timeStep', [0, 0, 0.1]),
    send: {
      tryAgainLater: pick('tryAgainLater', OFTEN),
      duplicate: pick('duplicate', OFTEN),
      lost: pick('lost', OFTEN),
      executed: pick('executed', OFTEN),
    },
    notify: { lost: pick('notifyLost', [0, 0, 0.1, 1]), twice: pick('notifyTwice', OFTEN), late: pick('notifyLate', OFTEN) },
    ledgerSec: pick('ledgerSec', [1, 5, 10, 20]),
    priceJump: pick('priceJump', [0, 0.1, 0.3]),
    pollsPerLedger: pick('pollsPerLedger', [0.34, 0.5, 1, 2]),
    rpc: {
      timeout: unless(pick('timeout', RARE), 0),
      status5xx: unless(pick('status5xx', OFTEN), 0),
      reset: unless(pick('reset', RARE), 0),
      tornJson: unless(pick('tornJson', OFTEN), 0),
      html: unless(pick('html', RARE), 0),
      rpcError: unless(pick('rpcError', RARE), 0),
      repeatedPage: unless(pick('repeatedPage', OFTEN), 0),
      cutPage: pick('cutPage', [0, 0.1, 0.5, 0.9]),
      cursorIgnored: unless(pick('cursorIgnored', RARE), 0),
      lagging: unless(pick('lagging', RARE), 0),
    },
    store: {
      failBeforeCommit: unless(pick('failBeforeCommit', OFTEN), 0),
      failAfterCommit: unless(pick('failAfterCommit', OFTEN), 0),
      failRead: unless(pick('failRead', RARE), 0),
    },
    restart: unless(pick('restart', OFTEN), 0),
    networkReset: staysOne ? 0 : pick('networkReset', [0, 0.05, 0.1]),
    networkRestore,
    clockStep: pick('clockStep', [0, 0, 0.05]),
    night: pick('night', [0, 0.02, 0.05]),
  }
}
