// The health of the prices and of the program that publishes them, which reports itself by heartbeats. Reports are kept in memory, by each instance.

import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { KEEPER_STALE_MS, PRICE_STALENESS_LIMIT_SEC } from '../limits.ts'
import type { KeeperReport, OracleHealth } from '../resources/oracle-health.ts'
import type { PriceReading, Prices } from './prices.ts'

export interface OracleHealthReader {
  health(): Promise<OracleHealth>
  /** Checks the secret of a heartbeat. */
  checkSecret(secret: string | undefined): 'accepted' | 'unauthorized' | 'heartbeat_disabled'
  heartbeat(report: KeeperReport): void
}

export function createOracleHealth(parts: {
  readonly prices: Pick<Prices, 'snapshot' | 'readings' | 'maxAgeSec'>
  readonly clock: Clock
  /** Null: no heartbeats. */
  readonly heartbeatSecret: string | null
}): OracleHealthReader {
  const { prices, clock, heartbeatSecret } = parts
  let last: { readonly report: KeeperReport; readonly atMs: number } | null = null

  function keeper(): OracleHealth['keeper'] {
    const ageMs = last === null ? null : Math.floor(clock.elapsedMs() - last.atMs)
    return { configured: heartbeatSecret !== null, ageMs, stale: ageMs === null || ageMs > KEEPER_STALE_MS, lastReport: last?.report ?? null }
  }

  return {
    async health() {
      await prices.snapshot()
      const now = nowSec(clock)
      const staleAfterSec = prices.maxAgeSec() ?? PRICE_STALENESS_LIMIT_SEC
      const assets = prices.readings().map((reading) => describeReading(reading, now, staleAfterSec))
      const staleCount = assets.filter(({ stale }) => stale).length
      const publisher = keeper()
      const isDegraded = staleCount > 0 || publisher.stale || !publisher.configured
      return {
        status: staleCount === assets.length ? 'down' : isDegraded ? 'degraded' : 'ok',
        onchain: { staleAfterSec, staleCount, assets },
        keeper: publisher,
      }
    },
    checkSecret(secret) {
      if (heartbeatSecret === null) return 'heartbeat_disabled'
      return secret !== undefined && timingSafeEqual(digest(secret), digest(heartbeatSecret)) ? 'accepted' : 'unauthorized'
    },
    heartbeat(report) {
      last = { report, atMs: clock.elapsedMs() }
    },
  }
}

function describeReading({ asset, price, isReadable }: PriceReading, now: number, staleAfterSec: number): OracleHealth['onchain']['assets'][number] {
  // The time of the chain may be slightly ahead of the clock.
  const ageSec = price === null ? null : Math.max(0, now - price.timestamp)
  const stale = ageSec === null || ageSec > staleAfterSec
  return { asset, priceFloat: price?.priceFloat ?? null, ageSec, stale, error: isReadable ? null : 'price_unreadable' }
}

/** Digests have one length, as the comparison requires. */
function digest(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}
