import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, seconds } from './fields.ts'

/** Specification, "GET /v1/candles". */
export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const

export type CandleInterval = (typeof CANDLE_INTERVALS)[number]

/** Source of candles: the exchange's oracle, or an external exchange. */
export const CANDLE_SOURCES = ['noeracle', 'binance'] as const

export type CandleSource = (typeof CANDLE_SOURCES)[number]

/** Source of one candle. `trades`: the gateway missed oracle prices, and filled them with prices of trades. */
const CANDLE_PRICE_SOURCES = [...CANDLE_SOURCES, 'trades'] as const

/** Specification, "Candle", and additions, "Market data". */
export const Candle = Type.Object(
  {
    time: seconds('Start of the interval, Unix seconds. Weeks start on Monday 00:00 UTC.'),
    open: Type.Number({ description: 'First price of the interval.', examples: [108421.5] }),
    high: Type.Number({ description: 'Highest price of the interval.', examples: [108600] }),
    low: Type.Number({ description: 'Lowest price of the interval.', examples: [108300.25] }),
    close: Type.Number({ description: 'Last price of the interval. Changes until the interval ends.', examples: [108512.75] }),
    volume: amount(
      'Traded on this exchange in the interval, 7-decimal USDC: every open, close, partial close and liquidation by its size, each once. Counts what is ' +
      'indexed.', '48000000000',
    ),
    trades: Type.Integer({ description: 'Number of these opens, closes, partial closes and liquidations.', examples: [12] }),
    final: Type.Boolean({ description: 'True when an indexed ledger closed at or after the end of the interval. A later correction has a `revision`.' }),
    source: Type.Unsafe<(typeof CANDLE_PRICE_SOURCES)[number]>({
      type: 'string', enum: [...CANDLE_PRICE_SOURCES],
      description:
        'noeracle: prices of the exchange\'s oracle. trades: also prices of trades, because the gateway missed oracle prices of this interval, for example ' +
        'while it was down. binance: prices of an external exchange, before the first native candle.',
    }),
    filled: Type.Optional(Type.Unsafe<true>({
      type: 'boolean', enum: [true], description: 'Present when the interval has no price: all four prices repeat the close of the candle before.',
    })),
    revision: Type.Optional(Type.Integer({
      minimum: 1, description: 'Present when the candle changed after it was final: how often. The candle with the higher revision is right.', examples: [1],
    })),
  },
  { $id: 'Candle', description: 'OHLC prices and volume of one time interval.' },
)

export type Candle = Static<typeof Candle>
