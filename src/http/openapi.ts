// The OpenAPI 3.0.3 document, generated from the route schemas, and the interactive documentation at /docs. The pages load nothing from other servers.

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { AccountHoldings, VaultHolding } from '../resources/account-holdings.ts'
import { AccountIdentity } from '../resources/account-identity.ts'
import { AccountLimits, RateLimitBucket } from '../resources/account-limits.ts'
import { AccountState } from '../resources/account-state.ts'
import { AccountVolume } from '../resources/account-volume.ts'
import { AdlQueue, AdlRow } from '../resources/adl-queue.ts'
import { ACTION_REQUESTS } from '../resources/action-request.ts'
import { ApiKey, BetaStatus, IssuedKey, KeyChallenge, RotatedKey } from '../resources/api-key.ts'
import { Candle } from '../resources/candle.ts'
import { CurrentKey } from '../resources/current-key.ts'
import { Correction } from '../resources/correction.ts'
import {
  AddressNotAllowed, AlreadyRotated, BodyTooLarge, CapExceeded, ClientIdInUse, ExportInProgress, ExportNotAvailable, HeadersTooLarge, HeartbeatDisabled,
  InvalidChannels, InvalidSignature, KeeperUnauthorized, KeyLimitReached, KeyNotFound, LedgerNotIndexed, NoCode, NotASubset, NotInBeta, OrderNotFound,
  RateLimited, RegionRestricted, RpcError, ScopeMissing, ServerError, SimulationFailure,
  StreamUnavailable, SubmissionRejected, TryAgainLater, Unauthorized, UnknownAsset, UnknownCode, UnknownTransaction, UnsupportedAsset, UnsupportedField,
  UnsupportedMediaType, UnsupportedOperation, ValidationError, VaultNotFound,
} from '../resources/error.ts'
import { EventRow } from '../resources/event-row.ts'
import { Fill } from '../resources/fill.ts'
import { ExportEntry } from '../resources/export.ts'
import { CurrentFunding, FundingRow } from '../resources/funding.ts'
import { DeployedContract, Health } from '../resources/health.ts'
import { LeaderboardEntry } from '../resources/leaderboard-entry.ts'
import { Leaderboard, LeaderRank, LeaderTotals } from '../resources/leaderboard.ts'
import { Book, Instrument } from '../resources/instrument.ts'
import { MarketLimits } from '../resources/market-limits.ts'
import { MarketCapacity, MarketStats, PoolCapacity, Solvency } from '../resources/market-stats.ts'
import { Market } from '../resources/market.ts'
import { NotYet } from '../resources/not-yet.ts'
import { OpenOrder, OpenOrders } from '../resources/open-order.ts'
import { ListedPosition, OpenPosition } from '../resources/open-position.ts'
import { OracleHealth, OracleUnhealthy } from '../resources/oracle-health.ts'
import { ORDER_REQUESTS } from '../resources/order-request.ts'
import { Order } from '../resources/order.ts'
import { PlacedOrderRow } from '../resources/placed-order.ts'
import { PoolSample, PoolState } from '../resources/pool.ts'
import { PreparedTransaction } from '../resources/prepared-transaction.ts'
import { Alive, NotReady, Ready } from '../resources/probe.ts'
import { ConsistencyProof, InclusionProof, KeyDirectory, LoggedEventBytes, NotInLog, SigningDisabled } from '../resources/page-log.ts'
import { Price } from '../resources/price.ts'
import { RealizedTrade } from '../resources/realized-trade.ts'
import { ReferralBinding, ReferralClaim, ReferralTrade, Referrer } from '../resources/referral.ts'
import { Shortfall } from '../resources/shortfall.ts'
import { SubmitResult } from '../resources/submit-result.ts'
import { TraderVault } from '../resources/trader-vault.ts'
import { TransactionRow } from '../resources/transaction.ts'
import { TradePreview } from '../resources/trade-preview.ts'
import { TradeQuote } from '../resources/trade-quote.ts'
import { UdfConfiguration, UdfFound, UdfHistory, UdfSymbol } from '../resources/udf.ts'
import { CashMovement } from '../resources/cash-movement.ts'
import { PnlPoint, TraderProfile } from '../resources/trader-profile.ts'
import { VaultFlow, VaultSample, VaultTrade } from '../resources/vault-activity.ts'
import { readFileSync } from 'node:fs'
import { CACHE_REVALIDATE, JSON_TYPE } from './response.ts'
import type { App } from './app.ts'
import { docsPage } from './docs-page.ts'
import type { Product } from './docs-page.ts'
import { lazyDocument } from './documents.ts'
import type { Document, Documents } from './documents.ts'
import { INTRODUCTION } from './introduction.ts'
import { KEY_SCHEME } from './operation.ts'

const TITLE = 'Perpetual Exchange Gateway'

const SCHEMAS: readonly TSchema[] = [
  Price, OracleHealth, OracleUnhealthy, Market, MarketCapacity, MarketStats, PoolCapacity, Solvency, OpenPosition, ListedPosition, AdlRow, AdlQueue, Shortfall,
  PlacedOrderRow, Order,
  RealizedTrade, Fill, Candle, LeaderboardEntry, Leaderboard, LeaderRank, LeaderTotals, EventRow, Correction, Health, DeployedContract, Alive, Ready, NotReady,
  NotYet,
  ApiKey, IssuedKey, RotatedKey, CurrentKey, KeyChallenge, BetaStatus, AccountIdentity, AccountLimits, RateLimitBucket, AccountVolume, OpenOrder, OpenOrders,
  AccountHoldings, VaultHolding, AccountState,
  TraderVault, VaultTrade, VaultFlow, VaultSample, TraderProfile, PnlPoint, CashMovement, Referrer, ReferralBinding, ReferralTrade, ReferralClaim,
  PoolState, PoolSample, CurrentFunding, FundingRow, MarketLimits, Instrument, Book, ExportEntry,
  LoggedEventBytes, InclusionProof, ConsistencyProof, KeyDirectory,
  UdfConfiguration, UdfSymbol, UdfFound, UdfHistory,
  ...ORDER_REQUESTS, ...ACTION_REQUESTS, TradePreview, TradeQuote, PreparedTransaction, SubmitResult, TransactionRow,
  ValidationError, UnsupportedAsset, UnsupportedField, UnsupportedOperation, SimulationFailure, SubmissionRejected, Unauthorized, InvalidSignature, NotInBeta,
  UnknownAsset, KeyNotFound, OrderNotFound, VaultNotFound, UnknownCode, NoCode, KeeperUnauthorized, HeartbeatDisabled, KeyLimitReached, LedgerNotIndexed,
  ExportNotAvailable, ExportInProgress, InvalidChannels, StreamUnavailable, NotInLog, SigningDisabled,
  ScopeMissing, AddressNotAllowed, CapExceeded, NotASubset, AlreadyRotated, ClientIdInUse, UnknownTransaction, RateLimited, HeadersTooLarge, RegionRestricted,
  RpcError, ServerError, TryAgainLater, BodyTooLarge, UnsupportedMediaType,
]

const KEY_DESCRIPTION = [
  'Send `Authorization: Bearer <keyId>:<secret>`. With a valid key, requests count against the rate limit of the key, also on public endpoints.',
  'The header `X-Timestamp` (Unix seconds) is optional, unless the operator requires it. It is rejected if it is more than 30 seconds off.',
].join(' ')

/** Public data first, then endpoints that require a key, then operations. */
const TAGS = [
  { name: 'markets', description: 'Markets with prices, open interest, volume and trading limits.' },
  { name: 'oracle', description: 'Current oracle prices of all assets, and their health.' },
  { name: 'candles', description: 'Historical OHLC prices, built from oracle prices, with the volume of this exchange.' },
  { name: 'charts', description: 'TradingView UDF datafeed.' },
  { name: 'trades', description: 'Closed and liquidated positions, and opened ones.' },
  { name: 'events', description: 'Archived contract events, the source of all historical data.' },
  { name: 'corrections', description: 'Differences between the index and the ledger that were corrected.' },
  { name: 'positions', description: 'Open positions of all traders, and the order in which auto-deleveraging closes them.' },
  { name: 'traders', description: 'Public profiles of accounts.' },
  { name: 'leaderboard', description: 'Traders ranked by profit or volume.' },
  { name: 'pool', description: 'The liquidity vault, which is the counterparty of every trade, and its remaining headroom.' },
  { name: 'funding', description: 'Hourly funding payments between longs and shorts.' },
  { name: 'vaults', description: 'Trader vaults, whose leaders trade with the funds of depositors.' },
  { name: 'log', description: 'The signed log of everything that is indexed, and proofs from it.' },
  { name: 'exports', description: 'Daily files for analysis.' },
  { name: 'referral', description: 'Referral codes and rewards.' },
  { name: 'keys', description: 'API keys, created with a wallet signature. Required for the endpoints below.' },
  { name: 'account', description: 'Balances, positions, orders and events of your account.' },
  { name: 'orders', description: 'Prepares unsigned transactions that open and close positions and place and cancel orders.' },
  { name: 'actions', description: 'Prepares unsigned transactions for cross margin, liquidity, trader vaults and referral.' },
  { name: 'tx', description: 'Submits signed transactions and reports what became of them.' },
  { name: 'health', description: 'Health, liveness and readiness of the gateway, and contract addresses.' },
]

/** Content security policy of the pages: this server only. */
const PAGES_POLICY = {
  'default-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
  'img-src': ["'self'", 'data:'],
  'object-src': ["'none'"],
}

/** Call it before the first route is registered. */
export async function registerOpenApi(app: App, version: string): Promise<void> {
  for (const schema of SCHEMAS) app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: {
        title: TITLE,
        version,
        description: INTRODUCTION,
        contact: { name: TITLE, url: '/docs' },
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      // Relative, so that "Try it out" works on any port and behind any host.
      servers: [{ url: '/', description: 'The gateway that serves this document.' }],
      tags: TAGS,
      components: { securitySchemes: { [KEY_SCHEME]: { type: 'http', scheme: 'bearer', bearerFormat: 'keyId:secret', description: KEY_DESCRIPTION } } },
    },
    convertConstToEnum: true,
    transform: ({ schema, url }) => (url.endsWith('/*') ? { schema: nameWildcard(schema), url: url.replace('*', `:${WILDCARD_NAME}`) } : { schema, url }),
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => (typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`) },
  })
}

/** Parameters of a path cannot contain slashes in OpenAPI, and have names. The document names the end of a path that is matched whole. */
const WILDCARD_NAME = 'path'

function nameWildcard(schema: FastifySchema): FastifySchema {
  const { properties } = (schema.params ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> }
  if (properties?.['*'] === undefined) return schema
  const { '*': wildcard, ...others } = properties
  return { ...schema, params: { type: 'object', properties: { ...others, [WILDCARD_NAME]: wildcard }, required: [...Object.keys(others), WILDCARD_NAME] } }
}

/** The files of the pages that are larger than a few kilobytes, with their types. The package would read them from disk and send them uncompressed. */
const LARGE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const
const PAGE_FILES = new URL('static/', import.meta.resolve('@fastify/swagger-ui'))

/** The pages and the document are exempt from the API's rate limit, but count by size (src/http/documents.ts). */
export async function serveOpenApi(app: App, documents: Documents, product: Product): Promise<void> {
  const headers = { 'cache-control': CACHE_REVALIDATE }
  const generated: Readonly<Record<string, () => Promise<Document>>> = {
    '/docs/json': lazyDocument(() => JSON.stringify(app.swagger()), JSON_TYPE),
    '/docs/yaml': lazyDocument(() => app.swagger({ yaml: true }), 'application/x-yaml'),
  }
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, rateLimited: false }
    })
    docs.addHook('onRequest', documents.count)
    docs.addHook('preHandler', async (request, reply) => {
      const document = generated[request.routeOptions.url ?? '']
      return document === undefined ? undefined : documents.send(request, reply, await document(), headers)
    })
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGES_POLICY,
      ...docsPage(TITLE, product),
    })
    for (const [name, type] of Object.entries(LARGE_FILES)) {
      const file = lazyDocument(() => readFileSync(new URL(name, PAGE_FILES)), type)
      docs.get(`/docs/static/${name}`, { schema: { hide: true } }, async (request, reply) => documents.send(request, reply, await file(), headers))
    }
    docs.get('/docs/*', { schema: { hide: true } }, (_request, reply) => reply.callNotFound())
  })
}
