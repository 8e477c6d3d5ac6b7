// Responses of the TradingView UDF datafeed protocol. TradingView defines all names and shapes.

import { Type } from 'typebox'
import type { Static } from 'typebox'

/** UDF reports errors in the body of a 200 response. */
export interface UdfError {
  readonly s: 'error'
  readonly errmsg: string
}

const strings = (description: string) => Type.Array(Type.String(), { description })
const numbers = (description: string) => Type.Optional(Type.Array(Type.Number(), { description }))
const flag = (description: string) => Type.Boolean({ description })

export const UdfConfiguration = Type.Object(
  {
    supported_resolutions: strings('Supported bar widths: minutes, or a number followed by D or W.'),
    supports_group_request: flag('False: symbols are resolved one by one.'),
    supports_marks: flag('False: the feed has no marks.'),
    supports_search: flag('True: use /udf/search.'),
    supports_timescale_marks: flag('False: the feed has no timescale marks.'),
    supports_time: flag('True: use /udf/time.'),
  },
  { $id: 'UdfConfiguration', description: 'Capabilities of the UDF datafeed.' },
)
export type UdfConfiguration = Static<typeof UdfConfiguration>

const status = (values: readonly ('ok' | 'no_data' | 'error')[]) => Type.Unsafe<'ok' | 'no_data' | 'error'>({ type: 'string', enum: [...values] })
const errmsg = Type.Optional(Type.String({ description: 'Error message. Only with s: error.' }))

export const UdfSymbol = Type.Object(
  {
    s: Type.Optional(status(['error'])),
    errmsg,
    name: Type.Optional(Type.String({ examples: ['BTC'] })),
    ticker: Type.Optional(Type.String({ description: 'Symbol to pass to the other UDF endpoints.', examples: ['BTC'] })),
    description: Type.Optional(Type.String({ examples: ['Bitcoin'] })),
    type: Type.Optional(Type.String({ examples: ['crypto'] })),
    exchange: Type.Optional(Type.String()),
    listed_exchange: Type.Optional(Type.String()),
    session: Type.Optional(Type.String({ examples: ['24x7'] })),
    timezone: Type.Optional(Type.String({ examples: ['Etc/UTC'] })),
    format: Type.Optional(Type.String({ examples: ['price'] })),
    minmov: Type.Optional(Type.Integer({ examples: [1] })),
    pricescale: Type.Optional(Type.Integer({ description: '10 to the power of the number of displayed decimals.', examples: [100] })),
    has_intraday: Type.Optional(Type.Boolean()),
    intraday_multipliers: Type.Optional(strings('Bar widths in minutes that the feed provides. Charts build other widths from them.')),
    has_daily: Type.Optional(Type.Boolean()),
    has_weekly_and_monthly: Type.Optional(Type.Boolean()),
    weekly_multipliers: Type.Optional(strings('Bar widths in weeks.')),
    monthly_multipliers: Type.Optional(strings('Empty: charts build monthly bars from daily bars.')),
    supported_resolutions: Type.Optional(strings('Supported bar widths.')),
    visible_plots_set: Type.Optional(Type.String({ description: 'ohlcv: bars have prices and volume.', examples: ['ohlcv'] })),
    data_status: Type.Optional(Type.String({ examples: ['streaming'] })),
  },
  { $id: 'UdfSymbol', description: 'A UDF symbol. An unknown symbol returns s: error.' },
)
export type UdfSymbol = Static<typeof UdfSymbol>

export const UdfFound = Type.Object(
  {
    symbol: Type.String({ examples: ['BTC'] }),
    full_name: Type.String({ examples: ['BTC'] }),
    description: Type.String({ examples: ['Bitcoin'] }),
    exchange: Type.String(),
    ticker: Type.String({ examples: ['BTC'] }),
    type: Type.String({ examples: ['crypto'] }),
  },
  { $id: 'UdfFound', description: 'A UDF search result.' },
)
export type UdfFound = Static<typeof UdfFound>

export const UdfHistory = Type.Object(
  {
    s: status(['ok', 'no_data', 'error']),
    errmsg,
    nextTime: Type.Optional(Type.Integer({ description: 'With no_data: start of the newest bar before the requested range, if one exists.' })),
    t: numbers('Bar start times, Unix seconds, ascending.'),
    o: numbers('Open prices.'),
    h: numbers('High prices.'),
    l: numbers('Low prices.'),
    c: numbers('Close prices.'),
    v: numbers('Volumes in USDC.'),
  },
  { $id: 'UdfHistory', description: 'UDF bars as columns.' },
)
export type UdfHistory = Static<typeof UdfHistory>
