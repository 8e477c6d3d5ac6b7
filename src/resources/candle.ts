import { Type } from 'typebox'
import type { Static } from 'typebox'
import { seconds } from './fields.ts'

/** Specification, "GET /v1/candles". */
export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const

export type CandleInterval = (typeof CANDLE_INTERVALS)[number]

/** Source of candles: the exchange's oracle, or an external exchange. */
export const CANDLE_SOURCES = ['noeracle', 'binance'] as const

export type CandleSource = (typeof CANDLE_SOURCES)[number]

/** Specification, "Candle". */
export const Candle = Type.Object(
  {
    time: seconds('Start of the interval, Unix seconds. Weeks start on Monday 00:00 UTC.'),
    open: Type.Number({ description: 'First price of the interval.', examples: [108421.5] }),
    high: Type.Number({ description: 'Highest price of the interval.', examples: [108600] }),
    low: Type.Number({ description: 'Lowest price of the interval.', examples: [108300.25] }),
    close: Type.Number({ description: 'Last price of the interval. Changes until the interval ends.', examples: [108512.75] }),
    source: Type.Optional(Type.Unsafe<'trades'>({
      type: 'string', enum: ['trades'],
      description: 'Present when the gateway missed oracle prices of this interval, for example while it was down, and filled them with prices of trades.',
    })),
  },
  { $id: 'Candle', description: 'OHLC prices of one time interval. Candles have no volume.' },
)

export type Candle = Static<typeof Candle>
