// The composition root: creates each part of the gateway and registers policies and routes.

import manifest from '../../package.json' with { type: 'json' }
import type { Clock } from '../base/clock.ts'
import { createLedgerClock } from '../base/ledger-clock.ts'
import type { LedgerClock } from '../base/ledger-clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { createAccounts } from '../accounts/accounts.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { createAgreement } from '../chain/rpc/agreement.ts'
import { comparedRpc } from '../chain/rpc/compared-reads.ts'
import type { SigningKey } from '../base/proofs/signing.ts'
import { createLedgerWatermarks } from '../chain/rpc/ledger-watermarks.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { ConsoleBuildOptions } from '../http/console/build.ts'
import { createCandleParts } from './candles.ts'
import { documentRoutes } from './document-routes.ts'
import { ERROR_RULES } from './error-rules.ts'
import { createPriceParts } from './prices.ts'
import { conditionsReader } from './read-conditions.ts'
import { createCallerReads } from './reads.ts'
import { reservedUses } from './reserved-uses.ts'
import { statsOf } from './stats.ts'
import { statusRoutes } from './status-routes.ts'
import { streamServices } from './stream-services.ts'
import { createExports } from '../projections/exports/exports.ts'
import type { Exports } from '../projections/exports/exports.ts'
import { createApp } from '../http/app.ts'
import { rejectUnsupportedAtLedger } from '../http/at-ledger.ts'
import type { App, AppOptions } from '../http/app.ts'
import type { TrustProxy } from '../http/client-address.ts'
import type { WebOrigins } from '../http/cors.ts'
import { supportMinLedger } from '../http/min-ledger.ts'
import type { HttpObserver } from '../http/observe.ts'
import { registerOpenApi } from '../http/openapi.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import { createRequestLimits } from '../http/request-limits.ts'
import type { RateLimits, RequestLimits } from '../http/request-limits.ts'
import type { RegionHeaders } from '../http/region-guard.ts'
import type { SchemaCompilers } from '../http/schema-compilers.ts'
import type { HttpTracer } from '../http/trace.ts'
import { OPEN_TO_EVERYONE } from '../keys/allowlist.ts'
import type { Allowlist } from '../keys/allowlist.ts'
import { createMemoryChallengeState } from '../keys/challenges.ts'
import { createKeys } from '../keys/keys.ts'
import type { Keys } from '../keys/keys.ts'
import {
  ADDRESS_CEILING_PER_WINDOW, HTTP_CONNECTIONS_MAX, DEFAULT_LOG_ORIGIN, LISTEN_BACKLOG, RATE_LIMIT_PER_WINDOW, RATE_LIMIT_WINDOW_SEC, STREAM_LIMITS,
} from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import type { GatewayStats } from '../observability/sources.ts'
import { createOracleHealth } from '../markets/oracle-health.ts'
import type { Oracle } from '../markets/oracle.ts'
import type { Prices } from '../markets/prices.ts'
import { createIndexWaiter } from '../projections/state/index-waiter.ts'
import { listOpenOrderIds } from '../projections/orders/orders.ts'
import { listOpenIds } from '../projections/positions/positions.ts'
import type { Redis } from './redis/redis.ts'
import { createSharedChallengeState } from './redis/shared-challenges.ts'
import { createSharedCounts } from './redis/shared-counts.ts'
import { createRelay } from '../trading/relay/relay.ts'
import type { Relay } from '../trading/relay/relay.ts'
import { actionsRoutes } from '../routes/actions.ts'
import { adlRoutes } from '../routes/adl.ts'
import { accountFeedsRoutes } from '../routes/account-feeds.ts'
import { accountHoldingsRoutes } from '../routes/account-holdings.ts'
import { accountStateRoutes } from '../routes/account-state.ts'
import { accountRoutes } from '../routes/account.ts'
import { cashLedgerRoutes } from '../routes/cash-ledger.ts'
import { candlesRoutes } from '../routes/candles.ts'
import { correctionsRoutes } from '../routes/corrections.ts'
import { eventsRoutes } from '../routes/events.ts'
import { exportsRoutes } from '../routes/exports.ts'
import { fundingRoutes } from '../routes/funding.ts'
import { createEntryCaps } from '../routes/entry-caps.ts'
import type { EntryCaps } from '../routes/entry-caps.ts'
import { instrumentsRoutes } from '../routes/instruments.ts'
import { keysRoutes } from '../routes/keys.ts'
import { leaderboardRoutes } from '../routes/leaderboard.ts'
import { marketLimitsRoutes } from '../routes/market-limits.ts'
import { marketsRoutes } from '../routes/markets.ts'
import { createCheckpointSigner, pageLogRoutes } from '../routes/page-log.ts'
import { openOrdersRoutes } from '../routes/open-orders.ts'
import { orderHistoryRoutes } from '../routes/order-history.ts'
import { oracleRoutes } from '../routes/oracle.ts'
import { ordersRoutes } from '../routes/orders.ts'
import { poolRoutes } from '../routes/pool.ts'
import { positionsRoutes } from '../routes/positions.ts'
import { createRefusalReport } from '../routes/prepared-response.ts'
import { quoteRoutes } from '../routes/quote.ts'
import { referralRoutes } from '../routes/referral.ts'
import { streamRoutes } from '../routes/stream.ts'
import { shortfallRoutes } from '../routes/shortfall.ts'
import { traderRoutes } from '../routes/traders.ts'
import { tradesRoutes } from '../routes/trades.ts'
import { txRoutes } from '../routes/tx.ts'
import { udfRoutes } from '../routes/udf.ts'
import { vaultsRoutes } from '../routes/vaults.ts'
import { wsRoutes } from '../routes/ws.ts'
import type { Queryable, Store } from '../store/store.ts'
import type { ReadDatabaseTime } from '../trading/database-clock.ts'
import { createSubmissionService } from '../trading/submission-service.ts'
import type { SubmissionService } from '../trading/submission-service.ts'
import { createStream } from '../stream/stream.ts'
import type { Stream } from '../stream/stream.ts'
import { createAdlQueues } from '../markets/adl.ts'
import type { AdlQueues } from '../markets/adl.ts'
import { createMarketStatus } from '../markets/market-status.ts'
import type { MarketStatus } from '../markets/market-status.ts'
import { createOrderWarnings } from '../markets/order-warnings.ts'
import type { OrderWarnings } from '../markets/order-warnings.ts'
import { createVenue } from '../markets/venue.ts'
import type { Venue } from '../markets/venue.ts'

/** Time for requests in progress to finish during shutdown. Then their connections are closed. */
const CLOSE_GRACE_MS = 5_000

export interface GatewayParts {
  readonly store: Store
  readonly rpc: Rpc
  /** The deployment that is served. It may be replaced while the gateway runs. */
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  /** The ledger's time, which the client of the nodes follows. Without it, that of the gateway's own calls. */
  readonly ledgerClock?: LedgerClock
  /** The database's time for the driver of submissions, in milliseconds. By default it is read from the database. */
  readonly readDatabaseTime?: ReadDatabaseTime
  readonly random: Random
  readonly log: Log
  /** Host names that requests may name, against DNS rebinding. Null or absent allows any. */
  readonly allowedHosts?: readonly string[] | null
  readonly webOrigins: WebOrigins
  readonly trustProxy: TrustProxy
  /** Base URLs of the external klines API, tried in order. Empty disables external klines. */
  readonly klinesUrls: readonly string[]
  /** True: the API has klines of assets without a pair too, as the local network's has. */
  readonly hasKlinesOfEveryAsset?: boolean
  /** State shared by several instances. Null for a single instance. */
  readonly redis: Redis | null
  /** Headers with the client's region. Null disables the region guard. */
  readonly regionGuard: RegionHeaders | null
  /** Addresses that can create keys. Everyone by default. */
  readonly allowlist?: Allowlist
  /** Active keys per owner. */
  readonly maxKeysPerOwner?: number
  /** Rejects requests with a key but without X-Timestamp. */
  readonly requireTimestamp?: boolean
  /** Overrides the limits of the specification. For benchmarks only. */
  readonly rateLimits?: RateLimits
  /** Requests per minute of all keys used from one client address. */
  readonly addressCeiling?: number
  /** Secret of the keeper's heartbeats. Null or absent disables them. */
  readonly heartbeatSecret?: string | null
  readonly documentUnits?: number
  readonly streamLimits?: StreamLimits
  /** Maximum age of the last indexed ledger for readiness. */
  readonly readyMaxLedgerAgeSec?: number
  /** Maximum age of the newest price for readiness. */
  readonly readyMaxPriceAgeSec?: number
  /** Time to keep accepting requests during shutdown. 0 by default. */
  readonly drainMs?: number
  /** The new one first. Without one, nothing is signed. */
  readonly signingKeys?: readonly SigningKey[]
  /** Begins the name of the log of pages. */
  readonly logOrigin?: string
  /** Null or absent disables the web console. */
  readonly consoleBuild?: ConsoleBuildOptions | null
  readonly observer?: HttpObserver | null
  readonly tracer?: HttpTracer | null
  /** Shared by the gateways of one process, so that each schema is compiled once. */
  readonly schemaCompilers?: SchemaCompilers
}

export interface Gateway {
  readonly app: App
  /** The caller must run it. */
  readonly oracle: Oracle
  /** The caller must start it. */
  readonly stream: Stream
  /** The caller must run it, until after the gateway is closed. */
  readonly submissions: Pick<SubmissionService, 'run'>
  stats(): GatewayStats
  /** Returns the URL with the actual port. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>
  /**
   * Announces the shutdown, keeps serving for `drainMs`, stops listening, lets requests in progress finish, and closes all connections. Keep the oracle
   * running until it resolves. Further calls return the same promise.
   */
  close(): Promise<void>
}

export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { clock, log, deployment, ledgerClock = createLedgerClock({ clock, log: parts.log }) } = parts
  const { reading, store, sharedDb } = createCallerReads(parts.store)
  const db = store.read
  const candles = createCandleParts({ ...parts, store })
  const chainParts = chainPartsFrom(parts)
  const { oracle, dayRanges, nowSec, followLedgers } = createPriceParts({ ...chainParts, store, ledgerTime: ledgerClock }, candles)
  const { prices } = oracle
  const keys = createKeys({
    store, clock, log,
    random: parts.random,
    networkPassphrase: deployment.current.passphrase,
    allowlist: parts.allowlist ?? OPEN_TO_EVERYONE,
    ...(parts.maxKeysPerOwner === undefined ? {} : { maxPerOwner: parts.maxKeysPerOwner }),
    requireTimestamp: parts.requireTimestamp ?? false,
    challengeState: parts.redis === null ? createMemoryChallengeState() : createSharedChallengeState(parts.redis),
  })

  const { venue, adl, marketStatus } = createVenueParts(chainParts, { db: sharedDb, prices, nowSec })
  const relay = createRelay({ ...chainParts, ledgerClock, readConditions: conditionsReader(venue, prices) })
  const orderWarnings = createOrderWarnings(venue)
  const accounts = createAccounts({
    ...chainParts, rpc: comparedRpc(chainParts, 'accounts'), listOrderIds: (owner, limit) => listOpenOrderIds(db, owner, limit), warnOrders: orderWarnings.add,
  })

  let draining = false
  const isDraining = (): boolean => draining
  const sharedCounts = parts.redis === null ? null : createSharedCounts(parts.redis, { windowSec: RATE_LIMIT_WINDOW_SEC })
  const requestLimits = limitsOf(parts, sharedCounts)
  const app = createServer(parts, { requestLimits, isDraining, authenticate: keys.authenticate, reading })
  await registerOpenApi(app, manifest.version)
  const indexWaiter = createIndexWaiter({ store: parts.store, clock })
  supportMinLedger(app, indexWaiter.waitForLedger)
  const { agreement } = chainParts
  statusRoutes(app, { ...parts, version: manifest.version, agreement, sharedCounts, isDraining, prices, marketStatus, ledgerTime: ledgerClock })
  marketsRoutes(app, { prices, dayRanges, db, sharedDb, clock, deployment, venue })
  oracleRoutes(app, { prices, oracleHealth: createOracleHealth({ prices, clock, heartbeatSecret: parts.heartbeatSecret ?? null }) })
  candlesRoutes(app, candles)
  const exports = createExports({ store, clock, log })
  historyRoutes(app, { db, orderWarnings, sharedDb, recentDb: store.readsLag ? store.write : db, clock, deployment, adl, exports })
  const checkpoints = pageLogRoutes(app, { db, signer: createCheckpointSigner(parts.signingKeys ?? [], parts.logOrigin ?? DEFAULT_LOG_ORIGIN, deployment) })
  udfRoutes(app, { history: candles.history, prices, clock, deployment })
  venueRoutes(app, { db, deployment, venue, adl, marketStatus })
  callerRoutes(app, { keys, accounts, requestLimits })
  const { random, rpc, readDatabaseTime } = parts
  const uses = reservedUses(store.write, clock)
  const submissions = createSubmissionService({ store, relay, rpc, clock, random, log, uses, ...(readDatabaseTime === undefined ? {} : { readDatabaseTime }) })
  tradingRoutes(app, { relay, submissions, deployment, log, caps: createEntryCaps({ keys, clock }) })
  const stream = createStream({
    store: parts.store, deployment, clock, log,
    limits: parts.streamLimits ?? STREAM_LIMITS,
    services: streamServices({ keys, db, prices, accounts, orderWarnings, checkpoints }),
  })
  candles.onStored(stream.candlesChanged)
  followLedgers(stream.ledgerCloseSec)
  wsRoutes(app, { stream, webOrigins: parts.webOrigins })
  streamRoutes(app, { stream })
  await documentRoutes(app, { version: manifest.version, requestLimits, consoleBuild: parts.consoleBuild ?? null })
  await app.ready()
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    draining = true
    await Promise.all([stream.drain(), parts.drainMs === undefined ? undefined : clock.sleep(parts.drainMs)])
    relay.flights.stop()
    await Promise.all([indexWaiter[Symbol.asyncDispose](), exports[Symbol.asyncDispose]()])
    const forceClose = clock.setTimer(CLOSE_GRACE_MS, () => app.server.closeAllConnections())
    await app.close()
    forceClose.cancel()
    await keys[Symbol.asyncDispose]()
  }

  return {
    app, oracle, stream, submissions,
    stats: () => statsOf({ stream, indexWaiter, relay, submissions, sharedCounts, prices, deployment, agreement: chainParts.agreement }),
    listen: (where) => keys.load().then(() => app.listen({ ...where, backlog: LISTEN_BACKLOG })),
    close: () => (closing ??= close()),
  }
}

function createVenueParts(
  chainParts: ReturnType<typeof chainPartsFrom>, { db, prices, nowSec }: { readonly db: Queryable; readonly prices: Prices; readonly nowSec: () => number },
): { readonly venue: Venue; readonly adl: AdlQueues; readonly marketStatus: MarketStatus } {
  const listIds = (asset: string, limit: number): Promise<readonly number[]> => listOpenIds(db, asset, limit)
  return {
    venue: createVenue({ ...chainParts, nowSec, lastPrice: prices.lastPrice }),
    adl: createAdlQueues({ ...chainParts, listOpenIds: listIds, readPrice: prices.lastPrice }),
    marketStatus: createMarketStatus(chainParts),
  }
}

function limitsOf({ clock, rateLimits, addressCeiling, documentUnits }: GatewayParts, shared: SharedCounts | null): RequestLimits {
  return createRequestLimits({
    clock, shared, limits: rateLimits ?? RATE_LIMIT_PER_WINDOW, addressCeiling: addressCeiling ?? ADDRESS_CEILING_PER_WINDOW,
    ...(documentUnits === undefined ? {} : { documentUnits }),
  })
}

function createServer(parts: GatewayParts, own: Pick<AppOptions, 'requestLimits' | 'isDraining' | 'authenticate' | 'reading'>): App {
  const app = createApp({
    ...own,
    clock: parts.clock,
    log: parts.log,
    random: parts.random,
    allowedHosts: parts.allowedHosts ?? null,
    webOrigins: parts.webOrigins,
    trustProxy: parts.trustProxy,
    maxConnections: HTTP_CONNECTIONS_MAX + (parts.streamLimits ?? STREAM_LIMITS).connections,
    regionGuard: parts.regionGuard,
    observer: parts.observer ?? null,
    tracer: parts.tracer ?? null,
    ...(parts.schemaCompilers === undefined ? {} : { schemaCompilers: parts.schemaCompilers }),
    errorRules: ERROR_RULES,
    signingKeys: parts.signingKeys ?? [],
  })
  rejectUnsupportedAtLedger(app)
  return app
}

/** Routes that list what the index holds. */
function historyRoutes(
  app: App,
  parts: {
    readonly db: Queryable
    readonly sharedDb: Queryable
    /** Reads what was stored a moment ago. */
    readonly recentDb: Queryable
    readonly clock: Clock
    readonly deployment: CurrentDeployment
    readonly adl: AdlQueues
    readonly exports: Exports
    readonly orderWarnings: OrderWarnings
  },
): void {
  const { db, clock } = parts
  tradesRoutes(app, parts)
  traderRoutes(app, { db, clock })
  cashLedgerRoutes(app, { db })
  leaderboardRoutes(app, parts)
  eventsRoutes(app, parts)
  correctionsRoutes(app, parts)
  positionsRoutes(app, parts)
  openOrdersRoutes(app, { db })
  orderHistoryRoutes(app, parts)
  vaultsRoutes(app, parts)
  referralRoutes(app, { db })
  accountFeedsRoutes(app, { db, clock })
  exportsRoutes(app, parts)
}

/** Routes for the caller's keys and account, except those that read from the index. */
function callerRoutes(
  app: App, { keys, accounts, requestLimits }: { readonly keys: Keys; readonly accounts: Accounts; readonly requestLimits: RequestLimits },
): void {
  keysRoutes(app, { keys, requestLimits })
  accountRoutes(app, { requestLimits })
  accountStateRoutes(app, { accounts })
  accountHoldingsRoutes(app, { accounts })
}

function tradingRoutes(
  app: App,
  { relay, submissions, deployment, log, caps }: {
    readonly relay: Relay; readonly submissions: SubmissionService; readonly deployment: CurrentDeployment; readonly log: Log; readonly caps: EntryCaps
  },
): void {
  const { recordPrepared, requireFreeClientId } = submissions
  const preparing = { prepare: relay.prepare, recordPrepared, requireFreeClientId, deployment, caps, reportRefusal: createRefusalReport(log) }
  ordersRoutes(app, preparing)
  actionsRoutes(app, preparing)
  txRoutes(app, { relay, submissions, caps, transactions: submissions.transactions })
}

/** Routes that read the state of the exchange from the network. */
function venueRoutes(
  app: App,
  parts: {
    readonly db: Queryable
    readonly venue: Venue
    readonly deployment: CurrentDeployment
    readonly adl: AdlQueues
    readonly marketStatus: MarketStatus
  },
): void {
  marketLimitsRoutes(app, parts)
  instrumentsRoutes(app, parts)
  quoteRoutes(app, parts)
  poolRoutes(app, parts)
  fundingRoutes(app, parts)
  adlRoutes(app, parts)
  shortfallRoutes(app, parts)
}

/** Dependencies of all parts that read the ledger. They share the ledger marks, so that no part serves an older state of an account than another. */
function chainPartsFrom({ rpc, clock, log, deployment }: GatewayParts) {
  return { rpc, clock, log, deployment, ledgerWatermarks: createLedgerWatermarks(clock), agreement: createAgreement(clock) }
}
