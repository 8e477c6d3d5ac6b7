// The endpoints of keys, orders and submissions without the rest of the gateway. Building the routes takes most of the time of a start, so one server serves
// one process run after the other.

import type { TSchema } from 'typebox'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { Random } from '../../src/base/random.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../../src/exchange/deployment.ts'
import { ERROR_RULES } from '../../src/gateway/error-rules.ts'
import { createApp } from '../../src/http/app.ts'
import type { App } from '../../src/http/app.ts'
import { createRequestLimits } from '../../src/http/request-limits.ts'
import { OPEN_TO_EVERYONE } from '../../src/keys/allowlist.ts'
import type { Allowlist } from '../../src/keys/allowlist.ts'
import { reservedUses } from '../../src/gateway/reserved-uses.ts'
import { createKeys } from '../../src/keys/keys.ts'
import type { Keys } from '../../src/keys/keys.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { createRelay } from '../../src/trading/relay/relay.ts'
import type { Relay } from '../../src/trading/relay/relay.ts'
import { AccountLimits, RateLimitBucket } from '../../src/resources/account-limits.ts'
import { AccountIdentity } from '../../src/resources/account-identity.ts'
import { ApiKey, BetaStatus, IssuedKey, KeyChallenge, RotatedKey } from '../../src/resources/api-key.ts'
import { CurrentKey } from '../../src/resources/current-key.ts'
import * as errors from '../../src/resources/error.ts'
import { ORDER_REQUESTS } from '../../src/resources/order-request.ts'
import { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { EventRow } from '../../src/resources/event-row.ts'
import { NotYet } from '../../src/resources/not-yet.ts'
import { TradePreview } from '../../src/resources/trade-preview.ts'
import { TransactionRow } from '../../src/resources/transaction.ts'
import { SubmitResult } from '../../src/resources/submit-result.ts'
import { accountRoutes } from '../../src/routes/account.ts'
import { createEntryCaps } from '../../src/routes/entry-caps.ts'
import { keysRoutes } from '../../src/routes/keys.ts'
import { ordersRoutes } from '../../src/routes/orders.ts'
import { txRoutes } from '../../src/routes/tx.ts'
import { createSubmissionService } from '../../src/trading/submission-service.ts'
import type { SubmissionService } from '../../src/trading/submission-service.ts'
import type { Store } from '../../src/store/store.ts'
import { GATEWAY_DEFAULTS, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'

/** A running set of services. Its memory is its own. */
export interface Trading {
  readonly relay: Relay
  /** The caller may run its driver. */
  readonly submissions: SubmissionService
  /** Responds to open requests and resolves when none is left. */
  close(): Promise<void>
}

export interface TradingServer {
  readonly app: App
  /** Routes new requests to new services. Open requests stay with the old ones. */
  serve(parts: TradingParts): Trading
}

export interface TradingParts {
  readonly store: Store
  readonly rpc: Rpc
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly deployment: CurrentDeployment
  readonly networkPassphrase: string
  /** By default from the store. */
  readonly readDatabaseTime?: () => Promise<number>
  /** By default every account may have keys. */
  readonly allowlist?: Allowlist
  /** Active keys per owner; the default of the gateway if absent. */
  readonly maxPerOwner?: number
}

interface Services {
  readonly parts: TradingParts
  readonly keys: Keys
  readonly relay: Relay
  readonly submissions: SubmissionService
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '$id' in value
}

const SCHEMAS: readonly TSchema[] = [
  AccountIdentity, AccountLimits, RateLimitBucket, ApiKey, BetaStatus, CurrentKey, IssuedKey, KeyChallenge, RotatedKey,
  PreparedTransaction, TradePreview, SubmitResult, EventRow, TransactionRow, NotYet, ...ORDER_REQUESTS, ...Object.values(errors).filter(isSchema),
]

export async function createTradingServer(): Promise<TradingServer> {
  let services: Services | undefined
  const current = (): Services => defined(services, 'a call of serve() before the first request')
  /** An object whose members are those of the current services. */
  const forward = <T extends object>(part: () => T): T => new Proxy({} as T, { get: (_target, name) => Reflect.get(part(), name) as unknown })
  const clock = forward(() => services?.parts.clock ?? createVirtualClock(0))
  const random = createSeededRandom('names of requests')
  const requestLimits = createRequestLimits({ clock, limits: UNLIMITED_RATES, addressCeiling: UNLIMITED_RATES.standard })
  const app = createApp({
    ...GATEWAY_DEFAULTS,
    clock,
    random,
    requestLimits,
    log: forward(() => current().parts.log),
    authenticate: (authorization, timestamp, client) => current().keys.authenticate(authorization, timestamp, client),
    errorRules: ERROR_RULES,
  })
  for (const schema of SCHEMAS) app.addSchema(schema)
  const currentKeys = forward(() => current().keys)
  const caps = createEntryCaps({ keys: currentKeys, clock })
  keysRoutes(app, { keys: currentKeys, requestLimits })
  accountRoutes(app, { requestLimits })
  ordersRoutes(app, {
    prepare: (request, options) => current().relay.prepare(request, options),
    recordPrepared: (prepared) => current().submissions.recordPrepared(prepared),
    requireFreeClientId: (owner, clientId) => current().submissions.requireFreeClientId(owner, clientId),
    deployment: forward(() => current().parts.deployment),
    reportRefusal() {},
    caps,
  })
  txRoutes(app, {
    caps, relay: forward(() => current().relay), submissions: forward(() => current().submissions),
    transactions: forward(() => current().submissions.transactions),
  })
  return {
    app,
    serve(parts) {
      const keys = createKeys({ allowlist: OPEN_TO_EVERYONE, ...parts })
      const relay = createRelay({ ...parts, ledgerWatermarks: createLedgerWatermarks(parts.clock), ...NO_WARNINGS })
      const submissions = createSubmissionService({ ...parts, relay, uses: reservedUses(parts.store.write, parts.clock) })
      services = { parts, keys, relay, submissions }
      return {
        relay,
        submissions,
        async close() {
          relay.flights.stop()
          await keys[Symbol.asyncDispose]()
        },
      }
    },
  }
}
