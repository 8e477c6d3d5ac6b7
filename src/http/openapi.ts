// The OpenAPI 3.0.3 document, gathered from the routes' own schemas, and the pages under /docs that show it. Everything the pages need is served from
// here, so that a reader's browser talks to nobody else.

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { TSchema } from 'typebox'
import { AccountIdentity } from '../resources/account-identity.ts'
import { AccountState } from '../resources/account-state.ts'
import { AccountVolume } from '../resources/account-volume.ts'
import { ACTION_REQUESTS } from '../resources/action-request.ts'
import { ApiKey, BetaStatus, IssuedKey, KeyChallenge } from '../resources/api-key.ts'
import { Candle } from '../resources/candle.ts'
import {
  InvalidSignature, KeyNotFound, NoCode, NotInBeta, RateLimited, RegionRestricted, RpcError, ServerError, SimulationFailure, SubmissionRejected,
  TryAgainLater, Unauthorized, UnknownAsset, UnknownCode, UnsupportedAsset, ValidationError, VaultNotFound,
} from '../resources/error.ts'
import { EventRow } from '../resources/event-row.ts'
import { CurrentFunding, FundingRow } from '../resources/funding.ts'
import { Health } from '../resources/health.ts'
import { LeaderboardEntry } from '../resources/leaderboard-entry.ts'
import { MarketLimits } from '../resources/market-limits.ts'
import { MarketStats } from '../resources/market-stats.ts'
import { Market } from '../resources/market.ts'
import { NotYet } from '../resources/not-yet.ts'
import { OpenOrder, OpenOrders } from '../resources/open-order.ts'
import { OpenPosition } from '../resources/open-position.ts'
import { ORDER_REQUESTS } from '../resources/order-request.ts'
import { PoolSample, PoolState } from '../resources/pool.ts'
import { PreparedTransaction } from '../resources/prepared-transaction.ts'
import { Alive, NotReady, Ready } from '../resources/probe.ts'
import { Price } from '../resources/price.ts'
import { RealizedTrade } from '../resources/realized-trade.ts'
import { ReferralBinding, ReferralClaim, ReferralTrade, Referrer } from '../resources/referral.ts'
import { SubmitResult } from '../resources/submit-result.ts'
import { TraderVault } from '../resources/trader-vault.ts'
import { UdfConfiguration, UdfFound, UdfHistory, UdfSymbol } from '../resources/udf.ts'
import { VaultFlow, VaultTrade } from '../resources/vault-activity.ts'
import { CACHE_REVALIDATE, prepareResponse, sendResponse } from './response.ts'
import type { PreparedResponse } from './response.ts'
import type { App } from './app.ts'
import { INTRODUCTION } from './introduction.ts'
import { KEY_SCHEME } from './operation.ts'

/** The version that the document declares of itself (specification, "Versioning"). */
const DOCUMENT_VERSION = '0.1.0'

const SCHEMAS: readonly TSchema[] = [
  Price, Market, MarketStats, OpenPosition, RealizedTrade, Candle, LeaderboardEntry, EventRow, Health, Alive, Ready, NotReady, NotYet,
  ApiKey, IssuedKey, KeyChallenge, BetaStatus, AccountIdentity, AccountVolume, OpenOrder, OpenOrders, AccountState,
  TraderVault, VaultTrade, VaultFlow, Referrer, ReferralBinding, ReferralTrade, ReferralClaim,
  PoolState, PoolSample, CurrentFunding, FundingRow, MarketLimits,
  UdfConfiguration, UdfSymbol, UdfFound, UdfHistory,
  ...ORDER_REQUESTS, ...ACTION_REQUESTS, PreparedTransaction, SubmitResult,
  ValidationError, UnsupportedAsset, SimulationFailure, SubmissionRejected, Unauthorized, InvalidSignature, NotInBeta, UnknownAsset, KeyNotFound, VaultNotFound,
  UnknownCode, NoCode, RateLimited, RegionRestricted, RpcError, ServerError, TryAgainLater,
]

const KEY_DESCRIPTION = [
  '`Authorization: Bearer <keyId>:<secret>`. A valid key counts a call against the key\'s own allowance, on public endpoints too.',
  'An optional `X-Timestamp` (unix seconds) is refused when it is more than 30 s off.',
].join(' ')

/** In the order in which they are needed: what anybody may read, then what needs a key, then what operators ask. */
const TAGS = [
  { name: 'markets', description: 'What can be traded, at which price, how much of it is, and what each market takes' },
  { name: 'oracle', description: 'All prices at once, as the chain holds them' },
  { name: 'candles', description: 'Prices over time, of ticks of the oracle: there is no volume' },
  { name: 'charts', description: 'The same as TradingView\'s charts ask for them' },
  { name: 'trades', description: 'Positions that ended, by a close or a liquidation' },
  { name: 'events', description: 'What the contracts said: the log that everything else is made of' },
  { name: 'positions', description: 'Positions that are open' },
  { name: 'leaderboard', description: 'Who has earned or traded most' },
  { name: 'pool', description: 'The liquidity vault, the other side of every trade, and what can still be opened against it' },
  { name: 'funding', description: 'What longs and shorts pay each other by the hour' },
  { name: 'vaults', description: 'Vaults whose leaders trade with their depositors\' funds' },
  { name: 'referral', description: 'Referral codes, and what came of them' },
  { name: 'keys', description: 'API keys, issued against a wallet\'s signature: the first step to everything below' },
  { name: 'account', description: 'The account that a key belongs to: what it has, what happened to it' },
  { name: 'orders', description: 'Trading, first half: a transaction to sign for each of ten operations' },
  { name: 'actions', description: 'The same for cross margin, liquidity, trader vaults and referral' },
  { name: 'tx', description: 'Trading, second half: a signed transaction, and what becomes of it' },
  { name: 'health', description: 'How the gateway is, for people, balancers and orchestrators; also the addresses of the contracts' },
]

/** Where the pages may load from: this server and nowhere else. */
const PAGES_POLICY = {
  'default-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
}

/** Starts gathering; to be called before the first route. */
export async function registerOpenApi(app: App): Promise<void> {
  for (const schema of SCHEMAS) app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: { title: 'Perpetual Exchange Gateway', version: DOCUMENT_VERSION, description: INTRODUCTION },
      // A placeholder, as the specification says: clients use the address that they were given.
      servers: [{ url: '{base_url}', variables: { base_url: { default: 'http://127.0.0.1:8080', description: 'The address of the gateway' } } }],
      tags: TAGS,
      components: { securitySchemes: { [KEY_SCHEME]: { type: 'http', scheme: 'bearer', bearerFormat: 'keyId:secret', description: KEY_DESCRIPTION } } },
    },
    convertConstToEnum: true,
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => (typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`) },
  })
}

/** Serves the pages and the document, exempt from the rate limit. */
export async function serveOpenApi(app: App): Promise<void> {
  let prepared: PreparedResponse | undefined
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, rateLimited: false }
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGES_POLICY,
      uiConfig: { deepLinking: true },
      uiHooks: {
        // The document is the same all along: serialised once, with an etag.
        preHandler: (request, reply, done) => {
          if (request.routeOptions.url !== '/docs/json') return done()
          prepared ??= prepareResponse(JSON.stringify(app.swagger()), { 'cache-control': CACHE_REVALIDATE })
          sendResponse(request, reply, prepared)
        },
      },
    })
    docs.get('/docs/*', { schema: { hide: true } }, (_request, reply) => reply.callNotFound())
  })
}
