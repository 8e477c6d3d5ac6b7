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
/** What reading from the database costs, in bytes of the connection's budget. */
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

export function createReplayBudgets({ limits, clock }: { readonly limits: StreamLimits; readonly clock: Clock }): ReplayBudgets {
  const byAddress = new Map<string, TokenBucket>()
  const reads = createSemaphore(READS_MAX)

  /** Budgets outlive connections: reconnecting does not renew them. */
  function bucketOf(address: string): TokenBucket {
    const known = byAddress.get(address)
    if (known !== undefined) return known
    if (byAddress.size >= ADDRESSES_MAX) makeRoom()
    const bucket = createTokenBucket({ perSecond: limits.replayBytesPerSecond, burst: limits.replayBurstBytes, clock })
    byAddress.set(address, bucket)
    return bucket
  }

  function makeRoom(): void {
    for (const [address, bucket] of byAddress) if (bucket.isFull()) byAddress.delete(address)
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
        spendReplayed(frames) {
          let [bytes, repeated] = [0, 0]
          for (const { channel, seq = 0, bytes: encode } of frames) {
            const { length } = encode()
            bytes += length
            if (seq <= (replayedThrough.get(channel) ?? 0)) repeated += length
            else replayedThrough.set(channel, seq)
          }
          own.spend(repeated)
          bucketOf(address).spend(bytes)
        },
        spendSnapshot(bytes) {
          own.spend(bytes)
          bucketOf(address).spend(bytes)
        },
        delayMs: () => byAddress.get(address)?.debtMs() ?? 0,
      }
    },
  }
}
