// Prices: read from the exchange by one part, and aged by the time of its last ledger.

import { nowSec } from '../base/clock.ts'
import { presentSec } from '../base/ledger-clock.ts'
import type { LedgerTime } from '../base/ledger-clock.ts'
import type { Log } from '../base/log.ts'
import { createPriceEntries } from '../chain/views/price-entries.ts'
import { comparedRpc } from '../chain/rpc/compared-reads.ts'
import type { ComparingParts } from '../chain/rpc/compared-reads.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { readDayHistory } from '../markets/day-history.ts'
import { createDayRanges } from '../markets/day-range.ts'
import type { DayRangeReader } from '../markets/day-range.ts'
import { createOracle } from '../markets/oracle.ts'
import type { Oracle } from '../markets/oracle.ts'
import { readDayFigures } from '../projections/markets/day-figures.ts'
import type { Store } from '../store/store.ts'
import type { CandleParts } from './candles.ts'

export interface PriceParts {
  readonly oracle: Oracle
  readonly dayRanges: DayRangeReader
  /** The exchange's time as far as it is known, Unix seconds: a local network's clock can be ahead of this one. */
  nowSec(): number
  /** Takes the close time of the last indexed ledger from here. */
  followLedgers(closeSec: () => number | null): void
}

export function createPriceParts(
  { store, rpc, clock, ledgerTime, log, deployment, agreement }: ComparingParts & {
    readonly store: Store
    readonly ledgerTime: LedgerTime
    readonly log: Log
    readonly deployment: CurrentDeployment
  },
  { history, writing }: Pick<CandleParts, 'history' | 'writing'>,
): PriceParts {
  let readCloseSec = (): number | null => null
  const exchangeSec = (): number => Math.max(presentSec(clock, ledgerTime), readCloseSec() ?? 0)
  const entries = createPriceEntries({ rpc: comparedRpc({ rpc, clock, agreement }, 'prices'), deployment })
  return {
    oracle: createOracle({ deployment, entries, nowSec: exchangeSec, ...writing, clock, log }),
    dayRanges: createDayRanges({
      clock, log,
      listed: () => deployment.current.assets.symbols,
      readFigures: (assets) => readDayFigures(store.read, { assets, nowSec: nowSec(clock) }),
      readHistory: (assets) => readDayHistory(history, { assets, nowSec: exchangeSec() }),
    }),
    nowSec: exchangeSec,
    followLedgers: (closeSec) => void (readCloseSec = closeSec),
  }
}
