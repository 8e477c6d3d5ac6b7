// Candles: the oracle's prices are written by one part and read by others.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { createCandleHistory } from '../markets/candle-history.ts'
import type { CandleHistory } from '../markets/candle-history.ts'
import { createKlines } from '../markets/klines.ts'
import type { OracleOptions } from '../markets/oracle.ts'
import { fillCandles, readArchiveHead } from '../projections/candles/candle-fill.ts'
import { readCandleSpan } from '../projections/candles/candle-rows.ts'
import { foldTicks } from '../projections/candles/candles.ts'
import type { Store } from '../store/store.ts'

export interface CandleParts {
  readonly history: CandleHistory
  readonly writing: Pick<OracleOptions, 'foldTicks' | 'filling'>
  /** Calls back after prices were stored. */
  onStored(callback: () => void): void
}

export function createCandleParts({ store, clock, log, deployment, klinesUrls, hasKlinesOfEveryAsset = false }: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly deployment: CurrentDeployment
  readonly klinesUrls: readonly string[]
  readonly hasKlinesOfEveryAsset?: boolean | undefined
}): CandleParts {
  const readKlines = createKlines({ baseUrls: klinesUrls, deployment, everyAsset: hasKlinesOfEveryAsset, clock, log })
  let stored = (): void => {}
  return {
    history: createCandleHistory({ readSpan: (range) => readCandleSpan(store.read, range), readKlines, deployment, clock }),
    writing: {
      async foldTicks(ticks) {
        await foldTicks(store.write, ticks)
        stored()
      },
      filling: { readHead: () => readArchiveHead(store.write), fillPage: (range) => fillCandles(store.write, range) },
    },
    onStored: (callback) => void (stored = callback),
  }
}
