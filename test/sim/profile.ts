// The parameters of one simulation. Each seed draws a profile in which several faults are off: a fault that is always on hides what happens without it.

import type { LocalGeneration } from '../../localnet/setup.ts'
import { CHOSEN_GENERATION } from '../support/generation.ts'
import { fraction } from './decisions.ts'

/** Probabilities are per occurrence: per RPC call, per transaction, per ledger of the driver. */
export interface Profile {
  /** Of the contracts; the first in runs that were saved before there were two. */
  readonly generation?: LocalGeneration
  readonly traders: number
  /** Processes that run at the same time; one writes the index, the others are on standby. */
  readonly indexers: number
  /** Ledgers with faults. */
  readonly ledgers: number
  /** Virtual time between two ledgers: the longer, the more happens in each. */
  readonly ledgerSec: number
  /** Probability per ledger that a price jumps, so that positions are liquidated. */
  readonly priceJump: number
  /** Polls of the indexer per ledger. */
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
  /** Missing in runs that were saved before submissions were simulated. */
  readonly send?: {
    /** The network reports that its queue is full and may have accepted the transaction. */
    readonly tryAgainLater: number
    readonly duplicate: number
    /** The node could not reach its core, or not parse its response. */
    readonly lost: number
    /** The call took effect and its response was lost. */
    readonly executed: number
  }
  readonly notify?: {
    readonly lost: number
    readonly twice: number
    readonly late: number
  }
  /** Clients that obtain keys, trade and submit, and the probability per ledger that each acts. */
  readonly clients?: number
  readonly activity?: number
  /** Probability per ledger that the wall clock of a process is stepped by an hour. */
  readonly timeStep?: number
  readonly store: {
    /** The transaction is rolled back and fails. */
    readonly failBeforeCommit: number
    /** The transaction is committed, and the caller gets an error. */
    readonly failAfterCommit: number
    readonly failRead: number
  }
  /** A process is killed or stopped, and replaced. */
  readonly restart: number
  /** The network restarts from its first ledger. */
  readonly networkReset: number
  /** The network restarts with contracts of generation 2 at other addresses. */
  readonly redeploy?: number
  /** A contract of generation 2 is upgraded in place to another build. */
  readonly upgrade?: number
  /** The network's first protocol. */
  readonly protocol?: number
  /** The network goes to the next protocol. */
  readonly protocolUpgrade?: number
  /** The next ledger has no transactions, or the next two close within the second of the last one. */
  readonly ledgerFault?: number
  /** The network is saved, and restored later. */
  readonly networkRestore: number
  /** The ledger clock is stepped by hours. After a restore, close times may go backward. */
  readonly clockStep: number
  /** Hours pass without a ledger: 24-hour windows move. */
  readonly night: number
}

const RARE = [0, 0, 0, 0.02, 0.1] as const
const OFTEN = [0, 0, 0.03, 0.1, 0.3] as const

/** The profile of a seed. Runs are short: many short runs find more than few long ones. */
export function profileOfSeed(seed: string): Profile {
  const pick = <T>(name: string, values: readonly [T, ...T[]]): T => values[Math.floor(fraction(`${seed}/profile/${name}`) * values.length)] ?? values[0]
  const staysOne = pick('staysOne', [true, true, false])
  const clients = pick('clients', [0, 2, 4])
  const networkRestore = staysOne ? 0 : pick('networkRestore', [0, 0.1, 0.2])
  // A restored network that outgrows its indexed part between two responses looks like one that was never restored. So profiles with restores have no RPC
  // faults.
  const unless = <T>(value: T, none: T): T => (networkRestore > 0 ? none : value)
  return {
    generation: CHOSEN_GENERATION ?? pick('generation', ['1', '1', '2']),
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
    redeploy: staysOne || networkRestore > 0 ? 0 : pick('redeploy', [0, 0.05, 0.1]),
    upgrade: pick('upgrade', [0, 0.1, 0.3]),
    protocol: pick('protocol', [29, 29, 30]),
    protocolUpgrade: pick('protocolUpgrade', [0, 0.1, 0.3]),
    ledgerFault: pick('ledgerFault', [0, 0, 0.1, 0.3]),
    networkRestore,
    clockStep: pick('clockStep', [0, 0, 0.05]),
    night: pick('night', [0, 0.02, 0.05]),
  }
}
