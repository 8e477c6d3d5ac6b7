import { Type } from 'typebox'
import type { Static } from 'typebox'
import { seconds } from './fields.ts'

/** The bucket widths that candles come in (specification, "GET /v1/candles"). */
export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const

export type CandleInterval = (typeof CANDLE_INTERVALS)[number]

/** Where candles came from: the oracle's own prices, or an outside exchange. */
export const CANDLE_SOURCES = ['noeracle', 'binance'] as const

export type CandleSource = (typeof CANDLE_SOURCES)[number]

/** Specification, "Candle". */
export const Candle = Type.Object(
  {
    time: seconds('Start of the bucket, unix seconds; weeks start on Monday 00:00 UTC'),
    open: Type.Number({ description: 'First price of the bucket', examples: [108421.5] }),
    high: Type.Number({ description: 'Highest price', examples: [108600] }),
    low: Type.Number({ description: 'Lowest price', examples: [108300.25] }),
    close: Type.Number({ description: 'Latest price; moves while the bucket is still forming', examples: [108512.75] }),
  },
  { $id: 'Candle', description: 'Prices of one time bucket. There is no volume.' },
)

export type Candle = Static<typeof Candle>
