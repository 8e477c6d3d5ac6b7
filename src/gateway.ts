// The composition root: creates each part of the gateway and registers policies and routes.

import manifest from '../package.json' with { type: 'json' }
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Random } from './base/random.ts'
import { createAccounts } from './account/accounts.ts'
import type { AccountRequest, Accounts } from './account/accounts.ts'
import { RpcFailure } from './chain/failure.ts'
import { readShimPrice } from './chain/prices.ts'
import { createLedgerWatermarks } from './chain/ledger-watermarks.ts'
import type { Rpc } from './chain/rpc.ts'
import type { CurrentDeployment } from './exchange/deployment.ts'
import type { ConsoleBuildOptions } from './console/build.ts'
import { createApp } from './http/app.ts'
import { serveAsyncApi } from './http/asyncapi.ts'
import type { App, AppOptions } from './http/app.ts'
import type { TrustProxy } from './http/client-address.ts'
import type { WebOrigins } from './http/cors.ts'
import { createDocuments } from './http/documents.ts'
import type { Documents } from './http/documents.ts'
import { rpcFailure, UNAVAILABLE, validationFailure } from './http/errors.ts'
import type { ErrorRule } from './http/errors.ts'
import { serveGuides } from './http/guides.ts'
import { serveLlmsText } from './http/llms.ts'
import { supportMinLedger } from './http/min-ledger.ts'
import type { HttpObserver } from './http/observe.ts'
import { registerOpenApi, serveOpenApi } from './http/openapi.ts'
import type { SharedCounts } from './http/rate-limit.ts'
import { createRequestLimits } from './http/request-limits.ts'
import type { RateLimits, RequestLimits } from './http/request-limits.ts'
import type { RegionHeaders } from './http/region-guard.ts'
import type { SchemaCompilers } from './http/schema-compilers.ts'
import type { HttpTracer } from './http/trace.ts'
import { OPEN_TO_EVERYONE } from './keys/allowlist.ts'
import type { Allowlist } from './keys/allowlist.ts'
import { ChallengesUnavailable, createMemoryChallengeState } from './keys/challenges.ts'
import { createKeys } from './keys/keys.ts'
import type { Keys } from './keys/keys.ts'
import {
  ADDRESS_CEILING_PER_WINDOW, RATE_LIMIT_PER_WINDOW, RATE_LIMIT_WINDOW_SEC, READY_MAX_LEDGER_AGE_SEC, READY_MAX_PRICE_AGE_SEC, STREAM_LIMITS,
} from './limits.ts'
import type { StreamLimits } from './limits.ts'
import type { GatewayStats } from './metrics/sources.ts'
import { createKlines } from './oracle/klines.ts'
import { createOracle } from './oracle/oracle.ts'
import type { Oracle } from './oracle/oracle.ts'
import type { Prices } from './oracle/prices.ts'
import { fillCandles, readArchiveHead } from './projections/candle-fill.ts'
import { foldTicks } from './projections/candles.ts'
import { createIndexSnapshotReader } from './projections/index-snapshot.ts'
import { createIndexWaiter } from './projections/index-waiter.ts'
import type { IndexWaiter } from './projections/index-waiter.ts'
import { InvalidCursor } from './projections/page.ts'
import { listOpenPositions } from './projections/positions.ts'
import type { Redis } from './redis/redis.ts'
import { createSharedChallengeState } from './redis/shared-challenges.ts'
import { createSharedCounts } from './redis/shared-counts.ts'
import { createRelay } from './relay/relay.ts'
import type { Relay } from './relay/relay.ts'
import { actionsRoutes } from './routes/actions.ts'
import { accountFeedsRoutes } from './routes/account-feeds.ts'
import { accountStateRoutes } from './routes/account-state.ts'
import { accountRoutes } from './routes/account.ts'
import { candlesRoutes } from './routes/candles.ts'
import { consoleRoutes } from './routes/console.ts'
import { eventsRoutes } from './routes/events.ts'
import { fundingRoutes } from './routes/funding.ts'
import { healthRoutes } from './routes/health.ts'
import { keysRoutes } from './routes/keys.ts'
import { leaderboardRoutes } from './routes/leaderboard.ts'
import { marketLimitsRoutes } from './routes/market-limits.ts'
import { marketsRoutes } from './routes/markets.ts'
import { oracleRoutes } from './routes/oracle.ts'
import { ordersRoutes } from './routes/orders.ts'
import { poolRoutes } from './routes/pool.ts'
import { positionsRoutes } from './routes/positions.ts'
import { probesRoutes } from './routes/probes.ts'
import { referralRoutes } from './routes/referral.ts'
import { tradesRoutes } from './routes/trades.ts'
import { txRoutes } from './routes/tx.ts'
import { udfRoutes } from './routes/udf.ts'
import { vaultsRoutes } from './routes/vaults.ts'
import { wsRoutes } from './routes/ws.ts'
import { StatementTimeout, StoreUnavailable } from './store/store.ts'
import type { Queryable, Store } from './store/store.ts'
import { createStream } from './stream/stream.ts'
import type { Stream, StreamOptions } from './stream/stream.ts'
import { createVenue } from './venue/venue.ts'
import type { Venue } from './venue/venue.ts'

/** Time for requests in progress to finish during shutdown. Then their connections are closed. */
const CLOSE_GRACE_MS = 5_000

export interface GatewayParts {
  readonly store: Store
  readonly rpc: Rpc
  /** What is served. It may be replaced while the gateway runs. */
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Host names that requests may name, against DNS rebinding. Null or absent allows any. */
  readonly allowedHosts?: readonly string[] | null
  readonly webOrigins: WebOrigins
  readonly trustProxy: TrustProxy
  /** Base URLs of the external klines API, tried in order. Empty disables external klines. */
  readonly klinesUrls: readonly string[]
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
  readonly documentUnits?: number
  readonly streamLimits?: StreamLimits
  /** Maximum age of the last indexed ledger for readiness. */
  readonly readyMaxLedgerAgeSec?: number
  /** Maximum age of the newest price for readiness. */
  readonly readyMaxPriceAgeSec?: number
  /** Time to keep accepting requests during shutdown. 0 by default. */
  readonly drainMs?: number
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
  const { store, clock, log, deployment } = parts
  const db = store.read
  const oracle = createOracle({
    deployment,
    readPrice: (asset, signal) =>
      readShimPrice(parts.rpc, { shim: deployment.current.contracts.oracleShim, asset, signal }),
    foldTicks: (ticks) => foldTicks(store.write, ticks),
    filling: { readHead: () => readArchiveHead(store.write), fillPage: (range) => fillCandles(store.write, range) },
    clock,
    log,
  })
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

  const chainParts = chainPartsFrom(parts)
  const relay = createRelay(chainParts)
  const accounts = createAccounts(chainParts)

  let draining = false
  const isDraining = (): boolean => draining
  const sharedCounts = parts.redis === null ? null : createSharedCounts(parts.redis, { windowSec: RATE_LIMIT_WINDOW_SEC, random: parts.random })
  const requestLimits = createRequestLimits({
    clock, random: parts.random, shared: sharedCounts,
    limits: parts.rateLimits ?? RATE_LIMIT_PER_WINDOW, addressCeiling: parts.addressCeiling ?? ADDRESS_CEILING_PER_WINDOW,
    ...(parts.documentUnits === undefined ? {} : { documentUnits: parts.documentUnits }),
  })
  const app = createServer(parts, { requestLimits, isDraining, authenticate: keys.authenticate })
  await registerOpenApi(app)
  const indexWaiter = createIndexWaiter({ store, clock })
  supportMinLedger(app, indexWaiter.waitForLedger)
  statusRoutes(app, parts, { sharedCounts, isDraining, prices })
  marketsRoutes(app, { prices, db, clock, deployment })
  oracleRoutes(app, { prices })
  candlesRoutes(app, { db, clock, deployment, readKlines: createKlines({ baseUrls: parts.klinesUrls, deployment, clock, log }) })
  historyRoutes(app, { db, clock })
  udfRoutes(app, { db, prices, clock, deployment })
  venueRoutes(app, { db, deployment, venue: createVenue(chainParts) })
  callerRoutes(app, { keys, accounts, requestLimits })
  tradingRoutes(app, { relay, deployment })
  const stream = createStream({
    store, deployment, clock, log,
    limits: parts.streamLimits ?? STREAM_LIMITS,
    services: streamServices({ keys, db, prices, accounts }),
  })
  wsRoutes(app, { stream, webOrigins: parts.webOrigins })
  await documentRoutes(app, createDocuments(requestLimits), parts.consoleBuild ?? null)
  await app.ready()
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    draining = true
    await Promise.all([stream.drain(), parts.drainMs === undefined ? undefined : clock.sleep(parts.drainMs)])
    relay.submissions.stop()
    await indexWaiter[Symbol.asyncDispose]()
    const forceClose = clock.setTimer(CLOSE_GRACE_MS, () => app.server.closeAllConnections())
    await app.close()
    forceClose.cancel()
    await keys[Symbol.asyncDispose]()
  }

  return {
    app,
    oracle,
    stream,
    stats: () => statsOf({ stream, indexWaiter, relay, sharedCounts, prices, deployment }),
    listen: (where) => app.listen(where),
    close: () => (closing ??= close()),
  }
}

function createServer(parts: GatewayParts, own: Pick<AppOptions, 'requestLimits' | 'isDraining' | 'authenticate'>): App {
  return createApp({
    ...own,
    clock: parts.clock,
    log: parts.log,
    random: parts.random,
    allowedHosts: parts.allowedHosts ?? null,
    webOrigins: parts.webOrigins,
    trustProxy: parts.trustProxy,
    regionGuard: parts.regionGuard,
    observer: parts.observer ?? null,
    tracer: parts.tracer ?? null,
    ...(parts.schemaCompilers === undefined ? {} : { schemaCompilers: parts.schemaCompilers }),
    errorRules: ERROR_RULES,
  })
}

function statusRoutes(
  app: App,
  parts: GatewayParts,
  own: { readonly sharedCounts: SharedCounts | null; readonly isDraining: () => boolean; readonly prices: Prices },
): void {
  const { store, clock, log, deployment } = parts
  const { sharedCounts, isDraining, prices } = own
  const readIndex = createIndexSnapshotReader({ db: store.read, clock, log })
  healthRoutes(app, { readIndex, clock, version: manifest.version, deployment, sharedCounts })
  probesRoutes(app, {
    readIndex, clock, isDraining, prices,
    maxLedgerAgeSec: parts.readyMaxLedgerAgeSec ?? READY_MAX_LEDGER_AGE_SEC,
    maxPriceAgeSec: parts.readyMaxPriceAgeSec ?? READY_MAX_PRICE_AGE_SEC,
  })
}

/** Routes that read only from the index. */
function historyRoutes(app: App, { db, clock }: { readonly db: Queryable; readonly clock: Clock }): void {
  tradesRoutes(app, { db })
  leaderboardRoutes(app, { db, clock })
  eventsRoutes(app, { db })
  positionsRoutes(app, { db })
  vaultsRoutes(app, { db, clock })
  referralRoutes(app, { db })
  accountFeedsRoutes(app, { db, clock })
}

/** Routes for the caller's keys and account, except those that read from the index. */
function callerRoutes(
  app: App, { keys, accounts, requestLimits }: { readonly keys: Keys; readonly accounts: Accounts; readonly requestLimits: RequestLimits },
): void {
  keysRoutes(app, { keys })
  accountRoutes(app, { requestLimits })
  accountStateRoutes(app, { accounts })
}

function tradingRoutes(app: App, { relay, deployment }: { readonly relay: Relay; readonly deployment: CurrentDeployment }): void {
  const preparing = { prepare: relay.prepare, deployment }
  ordersRoutes(app, preparing)
  actionsRoutes(app, preparing)
  txRoutes(app, { relay })
}

/** The documentation and the console. */
async function documentRoutes(app: App, documents: Documents, consoleBuild: ConsoleBuildOptions | null): Promise<void> {
  await serveOpenApi(app, documents)
  serveAsyncApi(app, manifest.version, documents)
  serveGuides(app, documents)
  serveLlmsText(app, documents)
  consoleRoutes(app, { build: consoleBuild, documents })
}

/** Routes that read the state of the exchange from the network. */
function venueRoutes(app: App, parts: { readonly db: Queryable; readonly venue: Venue; readonly deployment: CurrentDeployment }): void {
  marketLimitsRoutes(app, parts)
  poolRoutes(app, parts)
  fundingRoutes(app, parts)
}

function statsOf(parts: {
  readonly stream: Stream
  readonly indexWaiter: IndexWaiter
  readonly relay: Relay
  readonly sharedCounts: SharedCounts | null
  readonly prices: Prices
  readonly deployment: CurrentDeployment
}): GatewayStats {
  return {
    stream: parts.stream.stats(),
    indexWaiters: parts.indexWaiter.waiterCount(),
    submissions: parts.relay.submissions.stats(),
    sharedCounts: parts.sharedCounts?.available ?? null,
    stalePrices: stalePricesOf(parts.prices, parts.deployment.current.assets.symbols.length),
  }
}

/** Number of assets without a fresh price. Null before the first price snapshot. */
function stalePricesOf(prices: Prices, assets: number): number | null {
  const snapshot = prices.cachedSnapshot()
  if (snapshot === undefined) return null
  return assets - [...snapshot.prices.values()].filter(({ stale }) => !stale).length
}

function streamServices(
  parts: { readonly keys: Keys; readonly db: Queryable; readonly prices: Prices; readonly accounts: Accounts },
): StreamOptions['services'] {
  const { keys, db, prices, accounts } = parts
  return {
    async login(keyId, secret, address) {
      const found = await keys.authenticate(`Bearer ${keyId}:${secret}`, null, { bucket: address, wide: address })
      if (typeof found === 'object') return found
      return found === 'unknown' ? 'unknown' : 'invalid_credentials'
    },
    async readAccount(owner, address) {
      const { head, rows } = await listOpenPositions(db, { trader: owner })
      // Read positions first. Orders read before `head` could include one whose execution is already in the log; the client would never see it end.
      return { seq: head.seq, positions: rows, orders: await restingOrders(accounts, { owner, fromLedger: head.ledger ?? 0, requester: address }) }
    },
    async readPrices() {
      const snapshot = prices.cachedSnapshot() ?? (await prices.snapshot())
      return [...snapshot.prices.values()].filter(({ stale }) => !stale).map(({ price }) => price)
    },
    isRevoked: keys.isRevoked,
  }
}

/** Open orders at `fromLedger` or later. Null if the network is unavailable. */
async function restingOrders(accounts: Accounts, { owner, fromLedger, requester }: Required<AccountRequest>): Promise<readonly object[] | null> {
  try {
    return (await accounts.openOrders({ owner, fromLedger, requester })).orders
  } catch (error) {
    if (error instanceof RpcFailure) return null
    throw error
  }
}

/** Dependencies of all parts that read the ledger. They share the ledger marks, so that no part serves an older state of an account than another. */
function chainPartsFrom({ rpc, clock, log, deployment }: GatewayParts) {
  return { rpc, clock, log, deployment, ledgerWatermarks: createLedgerWatermarks(clock) }
}

/** Maps errors of chain, store and projections to responses. */
export const ERROR_RULES: readonly ErrorRule[] = [
  {
    matches: (error) => error instanceof InvalidCursor,
    toResponse: (error) => validationFailure(`querystring/${error.message}`).response,
  },
  {
    matches: (error) => error instanceof RpcFailure,
    toResponse: () => rpcFailure('The Stellar RPC server is unreachable or overloaded. Retry with exponential backoff.').response,
  },
  {
    matches: (error) => error instanceof StatementTimeout || error instanceof StoreUnavailable || error instanceof ChallengesUnavailable,
    toResponse: () => UNAVAILABLE,
  },
]
