// What TradingView's charts ask of a data feed over HTTP (their "UDF"): names and shapes are theirs.

import { Type } from 'typebox'
import type { Static } from 'typebox'

/** What goes wrong is told in the body, as charts expect it. */
export interface UdfError {
  readonly s: 'error'
  readonly errmsg: string
}

const strings = (description: string) => Type.Array(Type.String(), { description })
const numbers = (description: string) => Type.Optional(Type.Array(Type.Number(), { description }))
const flag = (description: string) => Type.Boolean({ description })

export const UdfConfiguration = Type.Object(
  {
    supported_resolutions: strings('Widths of a bar: minutes, or days and weeks with their letter'),
    supports_group_request: flag('Symbols are looked up one by one'),
    supports_marks: flag('There are no marks'),
    supports_search: flag('/udf/search answers'),
    supports_timescale_marks: flag('There are no marks on the time scale'),
    supports_time: flag('/udf/time answers'),
  },
  { $id: 'UdfConfiguration', description: 'What the feed can do, in TradingView\'s terms' },
)
export type UdfConfiguration = Static<typeof UdfConfiguration>

const status = (values: readonly ('ok' | 'no_data' | 'error')[]) => Type.Unsafe<'ok' | 'no_data' | 'error'>({ type: 'string', enum: [...values] })
const errmsg = Type.Optional(Type.String({ description: 'With s error: what is wrong' }))

export const UdfSymbol = Type.Object(
  {
    s: Type.Optional(status(['error'])),
    errmsg,
    name: Type.Optional(Type.String({ examples: ['BTC'] })),
    ticker: Type.Optional(Type.String({ description: 'What the other addresses take as symbol', examples: ['BTC'] })),
    description: Type.Optional(Type.String({ examples: ['Bitcoin'] })),
    type: Type.Optional(Type.String({ examples: ['crypto'] })),
    exchange: Type.Optional(Type.String()),
    listed_exchange: Type.Optional(Type.String()),
    session: Type.Optional(Type.String({ examples: ['24x7'] })),
    timezone: Type.Optional(Type.String({ examples: ['Etc/UTC'] })),
    format: Type.Optional(Type.String({ examples: ['price'] })),
    minmov: Type.Optional(Type.Integer({ examples: [1] })),
    pricescale: Type.Optional(Type.Integer({ description: 'Ten to the number of decimals that are shown', examples: [100] })),
    has_intraday: Type.Optional(Type.Boolean()),
    intraday_multipliers: Type.Optional(strings('Minutes that there are bars of; others are put together from them')),
    has_daily: Type.Optional(Type.Boolean()),
    has_weekly_and_monthly: Type.Optional(Type.Boolean()),
    weekly_multipliers: Type.Optional(strings('Weeks')),
    monthly_multipliers: Type.Optional(strings('None: months are put together from days')),
    supported_resolutions: Type.Optional(strings('Widths of a bar')),
    visible_plots_set: Type.Optional(Type.String({ description: 'There is no volume', examples: ['ohlc'] })),
    data_status: Type.Optional(Type.String({ examples: ['streaming'] })),
  },
  { $id: 'UdfSymbol', description: 'A market, in TradingView\'s terms; {s: error} for one that there is not' },
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
  { $id: 'UdfFound', description: 'A market that a search found' },
)
export type UdfFound = Static<typeof UdfFound>

export const UdfHistory = Type.Object(
  {
    s: status(['ok', 'no_data', 'error']),
    errmsg,
    nextTime: Type.Optional(Type.Integer({ description: 'With no_data: start of the newest bar before what was asked for, where there is one' })),
    t: numbers('Starts of the bars, unix seconds, ascending'),
    o: numbers('First prices'),
    h: numbers('Highest prices'),
    l: numbers('Lowest prices'),
    c: numbers('Last prices'),
  },
  { $id: 'UdfHistory', description: 'Bars as columns, in TradingView\'s terms. There is no volume.' },
)
export type UdfHistory = Static<typeof UdfHistory>
