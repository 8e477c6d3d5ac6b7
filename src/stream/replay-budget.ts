// Bounds what replays and snapshots cost, so that small requests cannot trigger large responses without end (docs/decisions/fair-shares.md). The first
// replay of a frame to a connection is free. Repeats, snapshots and database reads use up the connection's budget. All bytes use up the budget of the
// client's address, which only slows replays down.

import type { Clock } from '../base/clock.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { StreamLimits } from '../limits.ts'
import type { Frame } from './frames.ts'
import { createTokenBucket } from './token-bucket.ts'
import type { TokenBucket } from './token-bucket.ts'

/** Concurrent database reads over all connections, so that many reconnecting clients do not use up the database connections. */
const READS_MAX = 4
/** Bytes that a connection may receive repeatedly, at once and per second. */
export const REPEATED_BYTES = { burst: 4_194_304, perSecond: 65_536 } as const
/** Whole replays to one address, at once and per second: as many as it may have connections, then ten per minute. Further ones wait. */
export const WHOLE_REPLAYS = { burst: 20, perSecond: 1 / 6 } as const
/** The cost of a read from the database, in bytes of the connection's budget. */
const READ_COST = 16_384
/** Counting the frames of a long replay reads many index entries. */
const COUNT_COST = 262_144
/** Addresses with a budget. When there are more, the oldest starts over. */
const ADDRESSES_MAX = 10_000

/** The database work of a request. */
export interface RequestCost {
  readonly reads: number
  readonly counts: boolean
}

/** The budget of one connection. */
export interface ReplayBudget {
  /** Runs a read from the database. Addresses take turns. */
  read<T>(read: () => Promise<T>): Promise<T>
  /** Takes what a request costs. False when the connection has asked for too much. */
  takeRequest(cost: RequestCost): boolean
  /** Resolves when the address may have one more whole replay, or the signal aborts. */
  waitForReplay(signal: AbortSignal): Promise<void>
  /** Accounts for replayed frames that were sent. */
  spendReplayed(frames: readonly Frame[]): void
  /** Accounts for a snapshot that was sent. */
  spendSnapshot(bytes: number): void
  /** Milliseconds until the address may receive more replayed frames; 0 for now. */
  delayMs(): number
}

export interface ReplayBudgets {
  /** The budget of a new connection from this address. */
  open(address: string): ReplayBudget
  /** Addresses that have not got their whole budget back. */
  addresses(): number
}

/** The remaining bytes and replays of one address. */
interface AddressBudget {
  readonly bytes: TokenBucket
  readonly replays: TokenBucket
}

export function createReplayBudgets({ limits, clock }: { readonly limits: StreamLimits; readonly clock: Clock }): ReplayBudgets {
  const byAddress = new Map<string, AddressBudget>()
  const reads = createSemaphore(READS_MAX)

  /** Budgets outlive connections: reconnecting does not renew them. */
  function budgetOf(address: string): AddressBudget {
    const known = byAddress.get(address)
    if (known !== undefined) return known
    if (byAddress.size >= ADDRESSES_MAX) makeRoom()
    const budget = {
      bytes: createTokenBucket({ perSecond: limits.replayBytesPerSecond, burst: limits.replayBurstBytes, clock }),
      replays: createTokenBucket({ ...WHOLE_REPLAYS, clock }),
    }
    byAddress.set(address, budget)
    return budget
  }

  function makeRoom(): void {
    for (const [address, { bytes, replays }] of byAddress) if (bytes.isFull() && replays.isFull()) byAddress.delete(address)
    const oldest = byAddress.keys().next()
    if (byAddress.size >= ADDRESSES_MAX && oldest.done !== true) byAddress.delete(oldest.value)
  }

  return {
    addresses: () => byAddress.size,
    open(address) {
      const own = createTokenBucket({ ...REPEATED_BYTES, clock })
      /** The seq of the last frame replayed, by channel. */
      const replayedThrough = new Map<string, number>()
      return {
        read: (read) => reads.run(read, address),
        takeRequest: (cost) => own.take(cost.reads * READ_COST + (cost.counts ? COUNT_COST : 0)),
        async waitForReplay(signal) {
          const { replays } = budgetOf(address)
          while (!signal.aborted && !replays.take()) await clock.sleep(replays.tokenMs(), signal)
        },
        spendReplayed(frames) {
          let [bytes, repeated] = [0, 0]
          for (const { channel, seq = 0, bytes: encode } of frames) {
            const { length } = encode()
            bytes += length
            if (seq <= (replayedThrough.get(channel) ?? 0)) repeated += length
            else replayedThrough.set(channel, seq)
          }
          own.spend(repeated)
          budgetOf(address).bytes.spend(bytes)
        },
        spendSnapshot(bytes) {
          own.spend(bytes)
          budgetOf(address).bytes.spend(bytes)
        },
        delayMs: () => byAddress.get(address)?.bytes.debtMs() ?? 0,
      }
    },
  }
}
