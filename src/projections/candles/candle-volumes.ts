// What was traded in each bucket of the candles. Added up while events are applied, so that reads never aggregate.

import type { CandleInterval } from '../../resources/candle.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql, tableIn } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { bucketStart, CANDLE_WIDTHS, RECORD_REVISIONS } from './candles.ts'
import type { TradedVolume } from '../trades/volumes.ts'

interface BucketVolume {
  readonly asset: string
  readonly interval: CandleInterval
  readonly time: number
  volume: bigint
  trades: number
}

/** Adds a page's volumes to the buckets of every interval in one statement. */
export async function addCandleVolumes(tx: Writable, volumes: readonly TradedVolume[]): Promise<void> {
  await insertRows(
    tx, idx.candle_volumes, sumBuckets(volumes), { asset: 'asset', interval: 'interval', time: 'time', volume: 'volume', trades: 'trades' },
    sql`on conflict (asset, interval, time) do update set volume = candle_volumes.volume + excluded.volume,
      trades = candle_volumes.trades + excluded.trades`,
  )
}

function sumBuckets(volumes: readonly TradedVolume[]): readonly BucketVolume[] {
  const buckets = new Map<string, BucketVolume>()
  for (const { asset, ts, size } of volumes) {
    for (const interval of CANDLE_WIDTHS.keys()) {
      const time = bucketStart(ts, interval)
      const key = `${interval} ${time} ${asset}`
      const bucket = buckets.get(key)
      if (bucket === undefined) {
        buckets.set(key, { asset, interval, time, volume: size, trades: 1 })
      } else {
        bucket.volume += size
        bucket.trades += 1
      }
    }
  }
  return [...buckets.values()]
}

/**
 * Gives a revision to every candle whose volume differs in the copy of the projections that is about to take their place: events of its bucket were added to
 * the archive, or corrected there.
 */
export async function recordVolumeRevisions(tx: Writable): Promise<void> {
  await tx.run(
    sql`with late as (
       select asset, interval, time from ${idx.candle_volumes} o full join ${tableIn(idx.candle_volumes, 'shadow')} n using (asset, interval, time)
       where (o.volume, o.trades) is distinct from (n.volume, n.trades)),
     ${RECORD_REVISIONS}
     select 1`,
  )
}
