// "Endpoints" and "Pagination and size limits", copied by hand: the routes, their parameters with bounds, and what the OpenAPI document says about each.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { createSeededRandom } from '../../src/base/random.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { GatewayParts } from '../../src/gateway/gateway.ts'
import { ADDED_ENDPOINTS } from './added-endpoints.ts'
import { ISSUED_KEY, KEY_ENDPOINTS } from './key-endpoints.ts'
import { anyDeployment } from '../support/deployments.ts'

interface Endpoint {
  /** GET by default. */
  readonly method?: 'get' | 'post' | 'delete'
  readonly path: string
  /** True where the "Directory" says `key`. */
  readonly key?: true
  /** True without a rate limit. */
  readonly exempt?: true
  /** True for reads from the index: accepts X-Min-Ledger and may respond 409. */
  readonly indexed?: true
  /** The request body's fields, in the notation of the query. */
  readonly fields?: readonly string[]
  /** True for a body that may be any JSON object. */
  readonly anyBody?: true
  /** For a body that is a union discriminated by `op`: the other fields of each operation. */
  readonly operations?: Readonly<Record<string, readonly string[]>>
  /** The status of success, 200 by default. */
  readonly status?: 201 | 204
  /** Path parameters, then the query: `name type attributes…`; a name without `?` is required. */
  readonly pathParameters?: readonly string[]
  readonly query: readonly string[]
  /** Keys of the 200 body, in order. Lists with pages have PAGE_KEYS after them. */
  readonly body: readonly string[]
  /** Headers, in the notation of the query. */
  readonly headers?: readonly string[]
  /** The content type of a body that is not JSON. */
  readonly binary?: string
  /** Keys of the example, if it lacks some of the body's. */
  readonly example?: readonly string[]
  /** Error statuses that the document must list. */
  readonly errors: readonly number[]
}

const TRADER = 'trader? string minLength=56 maxLength=56'
const BEFORE = 'before_ts? integer minimum=0'
const CURSOR = 'cursor? string'
/** "As of a ledger" of the additions. */
const AT_LEDGER = 'at_ledger? integer minimum=0 maximum=4294967295'
/** Added by this gateway. */
const DEPLOYMENT = 'deployment? string minLength=1 maxLength=128'
const ADDRESS = 'address string minLength=56 maxLength=56'
const ASSET_PATH = ['asset string']
const limit = (standard: number, max: number): string => `limit? integer minimum=1 maximum=${max} default=${standard}`

const OPEN = ['asset string', 'collateral string', 'leverage integer minimum=1 maximum=10', 'direction string enum=Long|Short']
const POSITION = ['positionId']
const ORDER = ['orderId']
const SLIPPAGE = ['slippageToleranceBps integer minimum=0 maximum=10000']
const TRIGGER = ['triggerPrice string', ...SLIPPAGE]
const LIMIT_ORDER = [...OPEN, 'triggerCondition string enum=Above|Below', ...TRIGGER]

/** The options of "Compatibility with clients of the deployed service". */
const PRICE_BOUND = ['acceptablePrice? string default=0', 'slippageBps? integer minimum=1 maximum=5000']
const LEAST_OUTPUT = 'minOut? string default=0'
const ENTRY_OPTIONS = ['timeInForce? integer minimum=0 maximum=2 default=0', 'reduceOnly? boolean default=false']
const TAKE_PROFIT_LIMIT = 'limitPrice? string default=0'

/** "POST /v1/orders/prepare", operation by operation. */
const CLIENT_ID = 'clientId? string pattern=^[A-Za-z0-9_.:-]{1,64}$'
const TRANSACTION = [
  'hash', 'status', 'op', 'trader', 'clientId', 'ledger', 'ts', 'expiresAt', 'contractError', 'hostError', 'txResultCode', 'resultXdr', 'confirmedBy',
  'nodes', 'events', 'orderId', 'positionId', 'outcome',
]
const PREPARED = [
  'op', 'trader', 'xdr', 'minResourceFee', 'extraResourceFee', 'feeConfirmedBy', 'nodes', 'hash', 'clientId', 'expiresAt', 'intent', 'preview', 'warnings',
]

const OPERATIONS = {
  open_position: [...OPEN, ...PRICE_BOUND],
  open_position_cross: [...OPEN, ...PRICE_BOUND],
  close_position: [...POSITION, ...PRICE_BOUND],
  close_position_cross: [...POSITION, ...PRICE_BOUND],
  place_limit_order: [...LIMIT_ORDER, ...ENTRY_OPTIONS],
  place_stop_limit_order: [...LIMIT_ORDER, 'limitPrice string', ...ENTRY_OPTIONS],
  place_trailing_stop: [...POSITION, 'trailingPercentBps integer minimum=1 maximum=10000', ...SLIPPAGE],
  set_stop_loss: [...POSITION, ...TRIGGER],
  set_take_profit: [...POSITION, ...TRIGGER, TAKE_PROFIT_LIMIT],
  cancel_order: ORDER,
}

/** Actions of this gateway that the specification does not have. */
const VAULT_ID = ['vaultId integer minimum=0']
const TRAILING = 'trailingPercentBps integer minimum=1 maximum=10000'
const LEADER_ORDER = [...VAULT_ID, ...OPEN, 'triggerCondition string enum=Above|Below', ...TRIGGER]
const ACTIONS = {
  close_position_partial: [...POSITION, 'closeSize string'],
  add_collateral: [...POSITION, 'amount string'],
  remove_collateral: [...POSITION, 'amount string'],
  claim_shortfall: [],
  deposit_cross_margin: ['amount string'],
  withdraw_cross_margin: ['amount string'],
  deposit_liquidity: ['amount string', LEAST_OUTPUT],
  approve_liquidity_withdrawal: ['lpAmount string', 'expirationLedger integer minimum=0'],
  withdraw_liquidity: ['lpAmount string', LEAST_OUTPUT],
  create_vault: ['name string minLength=1 maxLength=64'],
  deposit_vault: [...VAULT_ID, 'amount string', LEAST_OUTPUT],
  withdraw_vault: [...VAULT_ID, 'shares string', LEAST_OUTPUT],
  leader_open_position: [...VAULT_ID, ...OPEN],
  leader_close_position: [...VAULT_ID, ...POSITION],
  leader_place_limit_order: LEADER_ORDER,
  leader_place_stop_limit: [...LEADER_ORDER, 'limitPrice string'],
  leader_set_stop_loss: [...VAULT_ID, ...POSITION, ...TRIGGER],
  leader_set_take_profit: [...VAULT_ID, ...POSITION, ...TRIGGER, TAKE_PROFIT_LIMIT],
  leader_place_trailing_stop: [...VAULT_ID, ...POSITION, TRAILING, ...SLIPPAGE],
  leader_cancel_order: [...VAULT_ID, ...ORDER],
  claim_leader_fees: VAULT_ID,
  set_vault_paused: [...VAULT_ID, 'paused boolean'],
  create_referral_code: ['code string minLength=3 maxLength=16'],
  set_referrer: ['code string minLength=3 maxLength=16'],
  claim_referral: [], transfer_usdc: ['destination string minLength=56 maxLength=56', 'amount string'],
}

const CURVE = ['interval? string enum=1m|5m|15m|1h|4h|1d|1w default=1d', 'from? integer minimum=0', 'to? integer minimum=0', AT_LEDGER]
const CASH_KIND = 'kind? string enum=' + [
  'open', 'close', 'liquidation', 'order_escrow', 'order_refund', 'keeper_reward', 'cross_deposit', 'cross_withdraw', 'lp_deposit', 'lp_withdraw',
  'vault_deposit', 'vault_withdraw', 'fees_claimed', 'referral_claim', 'other',
].join('|')
const SORT = 'sort? string enum=pnl|volume default=pnl'
const [SCOPE, PERIOD] = ['scope? string enum=testnet|mainnet', 'period? string enum=day|week|month'] as const
const VAULT_PATH = ['id integer minimum=0']
const VAULT = [
  'id', 'leader', 'name', 'createdAt', 'totalUsdc', 'circulatingShares', 'hwmNav', 'realizedPnl', 'leaderShares', 'profitShareBps', 'paused', 'updatedAt',
  'depositorCount', 'openPositions', 'tradeCount', 'drawdownBps', 'apyBps', 'apyKind', 'closedTradePnl',
]
const ORDER_ROW = [
  'orderId', 'trader', 'orderType', 'asset', 'direction', 'positionId', 'collateral', 'leverage', 'size', 'triggerPrice', 'triggerCondition', 'limitPrice',
  'stopLimitPhase', 'trailingPercentBps', 'peakPrice', 'referencePrice', 'slippageToleranceBps', 'timeInForce', 'reduceOnly', 'createdAt', 'warnings',
  'status', 'placed', 'ended', 'execution',
]
const REFERRER = ['referrer', 'code', 'createdAt', 'referredCount', 'totalVolumeGenerated', 'totalEarned', 'claimable', 'updatedAt']

const HEALTH = ['status', 'warnings', 'uptime', 'version', 'network', 'passphrase', 'deployment', 'contracts', 'protocol', 'indexer', 'market', 'nodes',
  'rateLimits'] as const

/** The endpoints. `cursor` is an addition of this gateway: it continues a list without losing rows. */
const ENDPOINTS: readonly Endpoint[] = [
  { path: '/v1/health', exempt: true, query: [], body: HEALTH, errors: [500] },
  { path: '/livez', exempt: true, query: [], body: ['status'], errors: [500] },
  { path: '/readyz', exempt: true, query: [], body: ['status', 'warnings'], example: ['status'], errors: [500, 503] },
  { path: '/v1/markets', query: [], body: ['markets'], errors: [429, 500] },
  { path: '/v1/markets/stats', indexed: true, query: [AT_LEDGER], body: ['stats', 'pool', 'solvency'], errors: [400, 429, 500] },
  {
    path: '/v1/markets/{asset}', pathParameters: ASSET_PATH, query: [],
    body: ['asset', 'oracle', 'change24h', 'high24h', 'low24h'], errors: [404, 429, 500, 502],
  },
  {
    path: '/v1/markets/{asset}/price', pathParameters: ASSET_PATH, query: [],
    body: ['asset', 'price', 'priceFloat', 'timestamp', 'stale', 'ageSec', 'ledger'], errors: [404, 429, 500, 502],
  },
  { path: '/v1/oracle/prices', query: [], body: ['prices'], errors: [429, 500] },
  { path: '/v1/oracle/health', query: ['strict? string maxLength=128'], body: ['status', 'onchain', 'keeper'], errors: [400, 429, 500, 503] },
  { method: 'post', path: '/v1/oracle/heartbeat', status: 204, anyBody: true, query: [], body: [], errors: [400, 401, 429, 500, 503] },
  {
    path: '/v1/adl/queue', query: ['asset string minLength=1 maxLength=12', TRADER], body: ['asset', 'updatedAt', 'degraded', 'rows', 'supported'],
    errors: [400, 404, 429, 500],
  },
  { path: '/v1/account/shortfall', query: [ADDRESS], body: ['address', 'owed', 'reserve', 'supported'], errors: [400, 429, 500] },
  {
    path: '/v1/orders/open', indexed: true, query: [TRADER, 'status? string enum=open|all default=open', AT_LEDGER, limit(50, 200), CURSOR],
    body: ['orders'], errors: [400, 429, 500],
  },
  {
    path: '/v1/orders/{orderId}', indexed: true, pathParameters: ['orderId integer minimum=1'], query: [DEPLOYMENT, AT_LEDGER], body: ORDER_ROW,
    example: ORDER_ROW.filter((key) => key !== 'warnings'),
    errors: [400, 404, 429, 500],
  },
  {
    path: '/v1/account/me/orders/history', indexed: true, key: true,
    query: ['status? string enum=pending|executed|cancelled', 'asset? string minLength=1 maxLength=12', DEPLOYMENT, AT_LEDGER, limit(50, 200), CURSOR],
    body: ['orders'], errors: [400, 401, 429, 500],
  },
  {
    path: '/v1/trades', indexed: true,
    query: [TRADER, 'asset? string minLength=1 maxLength=12', BEFORE, AT_LEDGER, 'include_opens? boolean default=false', limit(50, 200), DEPLOYMENT, CURSOR],
    body: ['trades'], errors: [400, 429, 500],
  },
  {
    path: '/v1/corrections', indexed: true,
    query: [
      TRADER, 'kind? string enum=ended|changed|opened|interest|vault|event|epoch', 'asset? string minLength=1 maxLength=12',
      'from? integer minimum=0 maximum=4294967295', 'to? integer minimum=0 maximum=4294967295', limit(50, 200), DEPLOYMENT, CURSOR,
    ],
    body: ['corrections'], errors: [400, 429, 500],
  },
  {
    path: '/v1/candles', indexed: true,
    query: [
      'asset string minLength=1 maxLength=12', 'interval? string enum=1m|5m|15m|1h|4h|1d|1w default=1h', 'from? integer minimum=0 maximum=4294967295',
      'to? integer minimum=0 maximum=4294967295', limit(500, 5000), CURSOR,
    ],
    body: ['candles', 'source'], errors: [400, 429, 500],
  },
  ...ADDED_ENDPOINTS,
  {
    path: '/v1/leaderboard', indexed: true,
    query: [SCOPE, SORT, PERIOD, AT_LEDGER, limit(50, 200), 'offset? integer minimum=0 default=0', 'snapshot? string maxLength=128', CURSOR],
    body: ['sort', 'scope', 'network', 'state', 'updatedAt', 'total', 'limit', 'offset', 'snapshot', 'snapshotChanged', 'leaders'], errors: [400, 429, 500],
  },
  {
    path: '/v1/leaderboard/rank', indexed: true, query: ['trader string pattern=^G[A-Z2-7]{55}$', SCOPE, SORT, AT_LEDGER],
    body: ['trader', 'sort', 'scope', 'network', 'state', 'rank', 'total', 'snapshot', 'updatedAt', 'entry'], errors: [400, 429, 500],
  },
  {
    path: '/v1/leaderboard/totals', indexed: true, query: [SCOPE, AT_LEDGER],
    body: ['scope', 'network', 'state', 'updatedAt', 'traders', 'volume', 'trades'], errors: [400, 429, 500],
  },
  { path: '/v1/export', indexed: true, query: [limit(30, 366), CURSOR], body: ['exports'], errors: [400, 429, 500, 503] },
  {
    path: '/v1/stream', binary: 'text/event-stream', headers: ['last-event-id? string'],
    query: ['channels? string', 'since? integer minimum=0', 'epoch? string minLength=1'], body: [], example: [], errors: [400, 429, 500, 503],
  },
  {
    path: '/v1/export/{kind}/{file}', binary: 'application/gzip', query: [], body: [],
    pathParameters: ['kind string enum=events|trades|candles|ledger', 'file string pattern=^\\d{4}-\\d{2}-\\d{2}\\.ndjson\\.gz$'],
    errors: [400, 404, 429, 500, 503],
  },
  {
    path: '/v1/events', indexed: true,
    query: ['topic? string', 'contract? string', 'from_ledger? integer minimum=0', 'to_ledger? integer minimum=0', BEFORE, limit(50, 500), DEPLOYMENT, CURSOR],
    body: ['events', 'gaps'], errors: [400, 429, 500],
  },
  { path: '/v1/positions/open', indexed: true, query: [TRADER, AT_LEDGER, CURSOR], body: ['positions'], errors: [400, 429, 500] },
  {
    path: '/v1/vaults', indexed: true, query: ['leader? string minLength=56 maxLength=56', AT_LEDGER, limit(50, 200), CURSOR],
    body: ['vaults'], errors: [400, 429, 500],
  },
  { path: '/v1/vaults/{id}', indexed: true, pathParameters: VAULT_PATH, query: [AT_LEDGER], body: VAULT, errors: [400, 404, 429, 500] },
  {
    path: '/v1/vaults/{id}/trades', indexed: true, pathParameters: VAULT_PATH, query: [BEFORE, AT_LEDGER, limit(50, 200), CURSOR],
    body: ['trades'], errors: [400, 429, 500],
  },
  {
    path: '/v1/vaults/{id}/deposits', indexed: true, pathParameters: VAULT_PATH, query: [BEFORE, AT_LEDGER, limit(50, 200), CURSOR],
    body: ['deposits'], errors: [400, 429, 500],
  },
  {
    path: '/v1/vaults/{id}/withdraws', indexed: true, pathParameters: VAULT_PATH, query: [BEFORE, AT_LEDGER, limit(50, 200), CURSOR],
    body: ['withdraws'], errors: [400, 429, 500],
  },
  {
    path: '/v1/vaults/{id}/fee-claims', indexed: true, pathParameters: VAULT_PATH, query: [BEFORE, AT_LEDGER, limit(50, 200), CURSOR],
    body: ['feeClaims'], errors: [400, 429, 500],
  },
  {
    path: '/v1/vaults/{id}/history', indexed: true, pathParameters: VAULT_PATH, query: [BEFORE, AT_LEDGER, limit(288, 1_000), CURSOR],
    body: ['samples'], errors: [400, 429, 500],
  },
  {
    path: '/v1/traders/{address}', indexed: true, pathParameters: [ADDRESS], query: [],
    body: [
      'address', 'volume', 'volume24h', 'volume14d', 'realizedPnl', 'trades', 'liquidations', 'wins', 'losses', 'winRate', 'openPositions', 'openInterest',
      'firstTradeAt', 'lastTradeAt', 'bestTrade', 'worstTrade',
    ],
    errors: [400, 429, 500],
  },
  { path: '/v1/traders/{address}/pnl', indexed: true, pathParameters: [ADDRESS], query: CURVE, body: ['points', 'gaps'], errors: [400, 429, 500] },
  { path: '/v1/account/me/pnl', indexed: true, key: true, query: CURVE, body: ['points', 'gaps'], errors: [400, 401, 429, 500] },
  {
    path: '/v1/traders/{address}/ledger', indexed: true, pathParameters: [ADDRESS], query: [CASH_KIND, BEFORE, AT_LEDGER, limit(50, 500), CURSOR],
    body: ['ledger', 'gaps'], errors: [400, 429, 500],
  },
  {
    path: '/v1/account/me/ledger', indexed: true, key: true, query: [CASH_KIND, BEFORE, AT_LEDGER, limit(50, 500), CURSOR],
    body: ['ledger', 'gaps'], errors: [400, 401, 429, 500],
  },
  { path: '/v1/referral/lookup', indexed: true, query: ['code string minLength=3 maxLength=16'], body: REFERRER, errors: [400, 404, 429, 500] },
  { path: '/v1/referral/info', indexed: true, query: [ADDRESS], body: ['self', 'binding'], errors: [400, 404, 429, 500] },
  { path: '/v1/referral/me', indexed: true, key: true, query: [], body: ['self', 'binding'], errors: [401, 429, 500] },
  { path: '/v1/referral/me/trades', indexed: true, key: true, query: [limit(50, 200), CURSOR], body: ['trades'], errors: [400, 401, 429, 500] },
  { path: '/v1/referral/me/claims', indexed: true, key: true, query: [limit(50, 200), CURSOR], body: ['claims'], errors: [400, 401, 429, 500] },
  {
    path: '/v1/pool', query: [],
    body: [
      'ledger', 'aum', 'lpPrice', 'lpSupply', 'totalUsdc', 'usdcBalance', 'totalFees', 'unrealizedPnl', 'reservedPayout', 'shortfall', 'bufferBalance',
      'shortfallReserve', 'depositFeeBps',
      'withdrawFeeBps', 'paused', 'caps', 'headroom',
    ],
    errors: [429, 500, 502],
  },
  { path: '/v1/pool/history', indexed: true, query: [BEFORE, AT_LEDGER, limit(288, 1_000), CURSOR], body: ['samples'], errors: [400, 429, 500] },
  {
    path: '/v1/funding', indexed: true, query: ['asset? string minLength=1 maxLength=12', BEFORE, limit(50, 200), CURSOR],
    body: ['current', 'history'], errors: [400, 429, 500],
  },
  {
    path: '/v1/markets/{asset}/quote', pathParameters: ASSET_PATH,
    query: [
      'direction string enum=Long|Short', 'collateral string maxLength=39 pattern=^[0-9]+$', 'leverage integer minimum=1 maximum=10', TRADER,
      'marginMode? string enum=isolated|cross',
    ],
    body: [
      'positionId', 'orderId', 'entryPrice', 'size', 'collateral', 'fee', 'keeperReward', 'liquidationPrice', 'pnl', 'payout', 'price', 'priceTimestamp',
      'ledger', 'headroom', 'bindingLimit',
    ],
    errors: [400, 404, 429, 500, 502],
  },
  {
    path: '/v1/markets/{asset}/limits', pathParameters: ASSET_PATH, query: [],
    body: [
      'asset', 'ledger', 'minLeverage', 'maxLeverage', 'minCollateral', 'maxPositionSize', 'initialMarginBps', 'maintenanceMarginBps', 'maxPriceAgeSec',
      'maxPriceDeviationBps', 'slippageToleranceBps', 'trailingPercentBps', 'feeTiers', 'keeperFee', 'openInterest', 'assetSideCap', 'headroom',
      'tradingPaused', 'pauseMode', 'assetHalted', 'adlActive',
    ],
    errors: [404, 429, 500, 502],
  },
  { path: '/v1/keys/beta-status', query: ['address? string minLength=56 maxLength=56'], body: ['gated', 'allowed'], errors: [400, 429, 500] },
  { method: 'post', path: '/v1/keys/challenge', fields: [ADDRESS, 'restrictions?'], query: [], body: ['challengeHex', 'expiresAt'], errors: [400, 429, 500] },
  {
    method: 'post', path: '/v1/keys', status: 201,
    fields: [ADDRESS, 'challenge string', 'signature string', 'label? string maxLength=64'], query: [],
    body: ISSUED_KEY, errors: [400, 401, 403, 429, 500],
  },
  { path: '/v1/keys', key: true, query: [CURSOR, 'limit? integer minimum=1 maximum=1000 default=1000'], body: ['keys'], errors: [401, 429, 500] },
  { method: 'delete', path: '/v1/keys/{keyId}', key: true, pathParameters: ['keyId string'], query: [], body: ['revoked'], errors: [401, 404, 429, 500] },
  ...KEY_ENDPOINTS,
  { path: '/v1/account/me', key: true, query: [], body: ['owner', 'tier', 'keyId'], errors: [401, 429, 500] },
  { path: '/v1/account/me/limits', key: true, query: [], body: ['tier', 'resetSec', 'buckets'], errors: [401, 429, 500] },
  {
    path: '/v1/account/me/events', indexed: true, key: true, query: ['topic? string', BEFORE, AT_LEDGER, limit(50, 500), CURSOR],
    body: ['events'], errors: [400, 401, 429, 500],
  },
  {
    path: '/v1/account/me/positions', indexed: true, key: true, query: [AT_LEDGER, CURSOR], body: ['positions', 'events'], errors: [400, 401, 429, 500],
  },
  {
    path: '/v1/account/me/orders', indexed: true, key: true, query: [BEFORE, AT_LEDGER, limit(500, 500), CURSOR],
    body: ['events'], errors: [400, 401, 429, 500],
  },
  {
    path: '/v1/account/me/fills', indexed: true, key: true, query: [AT_LEDGER, limit(50, 500), CURSOR],
    body: ['fills'], errors: [400, 401, 429, 500],
  },
  { path: '/v1/account/me/orders/open', key: true, query: [], body: ['orders', 'ledger', 'ledgerCloseTs'], errors: [401, 429, 500, 502] },
  {
    path: '/v1/account/me/state', key: true, query: [],
    body: ['owner', 'ledger', 'ledgerCloseTs', 'positions', 'orders', 'balances', 'cross', 'fees', 'limits', 'unknown'], errors: [401, 429, 500, 502],
  },
  {
    path: '/v1/account/me/holdings', key: true, query: ['vaults? string pattern=^[0-9]{1,9}(,[0-9]{1,9}){0,19}$'],
    body: ['owner', 'ledger', 'pool', 'vaults'], errors: [400, 401, 429, 500, 502],
  },
  { path: '/v1/account/volume', indexed: true, query: [ADDRESS, AT_LEDGER], body: ['address', 'volume14d'], errors: [400, 429, 500] },
  {
    method: 'post', path: '/v1/orders/prepare', key: true, operations: OPERATIONS, query: [],
    body: [...PREPARED, 'stored'], example: PREPARED, errors: [400, 401, 409, 429, 451, 500, 502, 503],
  },
  {
    method: 'post', path: '/v1/actions/prepare', key: true, operations: ACTIONS, query: [],
    body: [...PREPARED, 'stored'], example: PREPARED, errors: [400, 401, 409, 429, 451, 500, 502],
  },
  {
    method: 'post', path: '/v1/tx/submit', key: true,
    fields: ['signedXdr string', 'pollTimeoutMs? integer minimum=1000 maximum=60000 default=30000', CLIENT_ID], query: [],
    body: ['hash', 'status', 'ledger', 'contractError', 'hostError', 'txResultCode', 'resultXdr', 'message', 'confirmedBy', 'nodes', 'stored'],
    example: ['hash', 'status', 'ledger', 'confirmedBy', 'nodes'], errors: [400, 401, 409, 429, 451, 500, 502, 503],
  },
  {
    path: '/v1/tx/{hash}', indexed: true, key: true, pathParameters: ['hash string pattern=^[0-9a-fA-F]{64}$'], query: [],
    body: TRANSACTION, errors: [400, 401, 404, 429, 451, 500, 502],
  },
  {
    path: '/v1/tx', indexed: true, key: true, query: ['clientId string pattern=^[A-Za-z0-9_.:-]{1,64}$'], body: TRANSACTION,
    errors: [400, 401, 404, 429, 451, 500],
  },
  {
    path: '/v1/account/me/transactions', indexed: true, key: true, query: [AT_LEDGER, limit(50, 200), CURSOR],
    body: ['transactions'], errors: [400, 401, 429, 500],
  },
]

/** The attributes that a row specifies. The gateway may set attributes that the row does not. */
type Attributes = Readonly<Record<string, string>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Readonly<Record<string, unknown>>
  readonly description?: string
}

interface BodySchema {
  readonly type?: string
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly discriminator?: { readonly propertyName: string }
  readonly oneOf?: readonly { readonly $ref: string }[]
}

interface Media {
  readonly schema?: { readonly $ref?: string; readonly properties?: Readonly<Record<string, unknown>> }
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly security?: unknown
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }>>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly scheme: string }>>
    readonly schemas: Readonly<Record<string, Partial<BodySchema>>>
  }
}

/** Reads the document from a gateway whose dependencies fail on use, since the document needs none of them. */
async function readDocument(): Promise<Document> {
  const unreachable = (): never => assert.fail('the document must not use a dependency')
  const dependency = new Proxy({}, { get: (_target, name) => (name === 'then' ? undefined : unreachable) })
  const gateway = await createGateway({
    store: { engine: 'embedded', read: dependency, write: dependency } as unknown as GatewayParts['store'],
    rpc: dependency as GatewayParts['rpc'],
    deployment: anyDeployment(),
    clock: createVirtualClock(1_783_339_200_000),
    random: createSeededRandom('document'),
    log: silentLog,
    webOrigins: [],
    trustProxy: false,
    klinesUrls: [],
    redis: null,
    regionGuard: null,
  })
  try {
    const response = await gateway.app.inject('/docs/json')
    assert.equal(response.statusCode, 200)
    return response.json<Document>()
  } finally {
    await gateway.close()
  }
}

const document = await readDocument()

function operationOf({ method = 'get', path }: Endpoint): Operation {
  const found = document.paths[path]?.[method]
  assert.ok(found, `no ${method} ${path}`)
  return found
}

function parseRow(row: string): { name: string; required: boolean; attributes: Attributes } {
  const [name = '', type = '', ...attributes] = row.split(' ')
  const pairs = attributes.map((attribute) => attribute.split('=') as [string, string])
  return { name: name.replace('?', ''), required: !name.endsWith('?'), attributes: { type, ...Object.fromEntries(pairs) } }
}

function pickAttributes(schema: Readonly<Record<string, unknown>>, expected: Attributes): Attributes {
  const text = (value: unknown): string => (Array.isArray(value) ? value.join('|') : String(value))
  return Object.fromEntries(Object.keys(expected).map((attribute) => [attribute, text(schema[attribute])]))
}

/** Compares a body's schema with its rows; a row with only a name requires only that the field exists. */
function checkFields(schema: Partial<BodySchema> | undefined, fields: readonly string[]): void {
  const rows = fields.map(parseRow)
  assert.deepEqual(Object.keys(schema?.properties ?? {}).sort(), rows.map(({ name }) => name).sort())
  assert.deepEqual([...(schema?.required ?? [])].sort(), rows.filter(({ required }) => required).map(({ name }) => name).sort())
  assert.equal(schema?.additionalProperties, false)
  for (const { name, attributes: { type, ...attributes } } of rows) {
    const expected = type === '' ? attributes : { type: type ?? '', ...attributes }
    assert.deepEqual(pickAttributes(schema?.properties?.[name] ?? {}, expected), expected, name)
  }
}

/** Checks a union: each member is named after its `op`. */
function checkUnion(schema: BodySchema | undefined, operations: Readonly<Record<string, readonly string[]>>): void {
  assert.equal(schema?.discriminator?.propertyName, 'op')
  const members = (schema.oneOf ?? []).map(({ $ref }) => $ref.replace('#/components/schemas/', ''))
  assert.deepEqual([...members].sort(), Object.keys(operations).sort())
  for (const op of members) checkFields(document.components.schemas[op], [`op string enum=${op}`, ...(operations[op] ?? []), CLIENT_ID])
}

/** "List bodies" of the additions. */
const PAGE_KEYS = ['hasMore', 'nextCursor']

function bodyKeys({ query, body }: Endpoint): readonly string[] {
  return query.includes(CURSOR) ? [...body, ...PAGE_KEYS] : body
}

test('the document lists exactly these endpoints', () => {
  const served = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  assert.deepEqual(served.sort(), ENDPOINTS.map(({ method = 'get', path }) => `${method} ${path}`).sort())
})

test('"Versioning": OpenAPI 3.0.3, the version of the product, with a single relative server as placeholder', () => {
  assert.equal(document.openapi, '3.0.3')
  assert.equal(document.info.version, manifest.version)
  assert.deepEqual(document.servers.map(({ url }) => url), ['/'])
})

test('"Scheme": the document uses bearer authentication', () => {
  const { type, scheme } = document.components.securitySchemes['bearer'] ?? {}
  assert.deepEqual([type, scheme], ['http', 'bearer'])
})

test('every operation has a unique id', () => {
  const ids = ENDPOINTS.map((endpoint) => operationOf(endpoint).operationId)
  assert.equal(new Set(ids).size, ENDPOINTS.length)
  for (const id of ids) assert.match(id ?? '', /^[a-z][A-Za-z]+$/)
})

test('every route with at_ledger declares the error of a ledger that is not indexed', () => {
  const declares = (endpoint: Endpoint): boolean =>
    JSON.stringify(operationOf(endpoint).responses['400'] ?? {}).includes('"#/components/schemas/LedgerNotIndexed"')
  const withParameter = ENDPOINTS.filter(({ query }) => query.includes(AT_LEDGER)).map(({ path }) => path)
  assert.ok(withParameter.length > 20)
  assert.deepEqual(ENDPOINTS.filter(declares).map(({ path }) => path), withParameter)
})

for (const endpoint of ENDPOINTS) {
  const { method = 'get', path, pathParameters: pathRows = [], query, fields, operations, errors } = endpoint
  const body = bodyKeys(endpoint)
  const exampleKeys = endpoint.example ?? body
  const name = `${method.toUpperCase()} ${path}`

  test(`${name} takes the specified parameters, with their bounds and defaults`, () => {
    const parameters = operationOf(endpoint).parameters ?? []
    const headerRows = endpoint.headers ?? (endpoint.indexed === true ? ['x-min-ledger? string format=u32'] : [])
    const rows = [
      ...headerRows.map((row) => ({ location: 'header', ...parseRow(row) })),
      ...pathRows.map((row) => ({ location: 'path', ...parseRow(row) })),
      ...query.map((row) => ({ location: 'query', ...parseRow(row) })),
    ]
    assert.deepEqual(parameters.map((one) => `${one.in} ${one.name}`).sort(), rows.map((row) => `${row.location} ${row.name}`).sort())
    for (const { location, name: parameterName, required, attributes } of rows) {
      const parameter = parameters.find((one) => one.in === location && one.name === parameterName)
      assert.ok(parameter)
      assert.equal(parameter.required ?? false, required, `${parameterName} is ${required ? 'required' : 'optional'}`)
      assert.deepEqual(pickAttributes(parameter.schema, attributes), attributes, parameterName)
      assert.ok(parameter.description, `${parameterName} is not described`)
    }
  })

  test(`${name} takes the specified body and no other fields`, () => {
    const schema = operationOf(endpoint).requestBody?.content['application/json']?.schema
    if (operations !== undefined) return checkUnion(schema, operations)
    if (endpoint.anyBody === true) return assert.deepEqual([schema?.type, schema?.additionalProperties], ['object', true])
    if (fields === undefined) return assert.equal(schema, undefined)
    checkFields(schema, fields)
    assert.deepEqual(Object.keys(schema?.properties ?? {}), fields.map((row) => parseRow(row).name), 'the fields are in this order')
  })

  test(`${name} has its security, a description, an example and its errors`, () => {
    const operation = operationOf(endpoint)
    assert.deepEqual(operation.security, endpoint.key === true ? [{ bearer: [] }] : [])
    assert.ok(operation.summary !== undefined && operation.description !== undefined && operation.description.length > 20)
    const ok = operation.responses[endpoint.status ?? 200]?.content?.[endpoint.binary ?? 'application/json']
    assert.ok(endpoint.binary === undefined || ok !== undefined, 'the body has its content type')
    const example = ok?.example ?? Object.values(ok?.examples ?? {})[0]?.value
    assert.deepEqual(typeof example === 'string' ? [] : Object.keys(Object(example)), exampleKeys, 'the example has the body\'s keys')
    const component = document.components.schemas[ok?.schema?.$ref?.split('/').at(-1) ?? '']
    assert.deepEqual(Object.keys(ok?.schema?.properties ?? component?.properties ?? {}), body, 'the schema has the body\'s keys')
    const statuses = endpoint.indexed === true ? [...errors, 400, 409, 503] : errors
    for (const status of statuses) {
      const response = operation.responses[status]
      assert.ok(response?.description !== undefined && response.description.length > 5, `${status} is not described`)
      assert.ok(response.content?.['application/json']?.schema, `${status} has no body`)
    }
    if (endpoint.exempt !== true) assert.ok(operation.responses['429'], 'a rate-limited endpoint may respond 429')
    else assert.equal(operation.responses['429'], undefined, 'an exempt endpoint never responds 429')
  })
}
