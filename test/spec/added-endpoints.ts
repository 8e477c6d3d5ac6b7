// Endpoints of this gateway that the specification does not have, in the notation of endpoints.test.ts: the chart feed, instruments and the book.

/** Field names of TradingView's data feed (UDF). */
const UDF_SYMBOL = [
  's', 'errmsg', 'name', 'ticker', 'description', 'type', 'exchange', 'listed_exchange', 'session', 'timezone', 'format', 'minmov', 'pricescale',
  'has_intraday', 'intraday_multipliers', 'has_daily', 'has_weekly_and_monthly', 'weekly_multipliers', 'monthly_multipliers',
  'supported_resolutions', 'visible_plots_set', 'data_status',
]
const UDF_CONFIG = [
  'supported_resolutions', 'supports_group_request', 'supports_marks', 'supports_search', 'supports_timescale_marks', 'supports_time',
]
const CHART_SYMBOL = 'symbol string minLength=1 maxLength=32'

const INSTRUMENT = [
  'symbol', 'base', 'quote', 'settlement', 'kind', 'priceDecimals', 'displayDecimals', 'tickSize', 'amountStep', 'contractSize', 'minCollateral',
  'minNotional', 'maxNotional', 'maxLeverage', 'leverageStep', 'initialMarginBps', 'maintenanceMarginBps', 'liquidationPenaltyBps', 'feeTiers',
  'keeperFee', 'fundingIntervalSec', 'marginModes', 'positionMode', 'orderTypes', 'timeInForce', 'canReduce', 'clientIdMaxLength', 'open',
]
const ASSET_PATH = ['asset string']

export const ADDED_ENDPOINTS = [
  { path: '/v1/log/checkpoint', binary: 'text/plain', query: [], body: [], errors: [429, 500, 503] },
  { path: '/v1/log/tile/{path}', binary: 'application/octet-stream', pathParameters: ['path string'], query: [], body: [], errors: [400, 404, 429, 500, 503] },
  {
    path: '/v1/log/records/{leafIndex}', pathParameters: ['leafIndex integer minimum=0'], query: ['cursor? string'],
    body: ['record', 'leafIndex', 'correctedBy', 'events'], errors: [400, 404, 429, 500, 503],
  },
  {
    path: '/v1/log/inclusion', query: ['eventId string minLength=1 maxLength=64'],
    body: ['record', 'leafIndex', 'treeSize', 'root', 'hashes', 'event', 'checkpoint'], errors: [400, 404, 429, 500, 503],
  },
  { path: '/v1/log/consistency', query: ['from integer minimum=0', 'to integer minimum=0'], body: ['hashes'], errors: [400, 404, 429, 500, 503] },
  { path: '/.well-known/http-message-signatures-directory', query: [], body: ['keys'], errors: [429, 500] },
  { path: '/udf/config', query: [], body: UDF_CONFIG, errors: [429, 500] },
  { path: '/udf/time', query: [], body: [], errors: [429, 500] },
  { path: '/udf/symbols', query: [CHART_SYMBOL], body: UDF_SYMBOL, example: UDF_SYMBOL.slice(2), errors: [400, 429, 500] },
  { path: '/udf/search', query: ['query? string maxLength=32', 'limit? integer minimum=1'], body: [], example: ['0'], errors: [400, 429, 500] },
  {
    path: '/udf/history', indexed: true,
    query: [CHART_SYMBOL, 'resolution string minLength=1 maxLength=8', 'from integer', 'to integer', 'countback? integer minimum=1'],
    body: ['s', 'errmsg', 'nextTime', 't', 'o', 'h', 'l', 'c', 'v'], example: ['s', 't', 'o', 'h', 'l', 'c', 'v'], errors: [400, 429, 500],
  },
  { path: '/v1/instruments', query: [], body: ['instruments'], errors: [429, 500, 502] },
  { path: '/v1/instruments/{asset}', pathParameters: ASSET_PATH, query: [], body: INSTRUMENT, errors: [400, 404, 429, 500, 502] },
  {
    path: '/v1/markets/{asset}/book', pathParameters: ASSET_PATH, query: [], body: ['asset', 'bids', 'asks', 'ledger', 'synthetic'],
    errors: [400, 404, 429, 500, 502],
  },
] as const
