// The endpoints through which something is kept or sent (keys, orders, submissions), on the server that every request meets, without the rest of the gateway.
// One server, whose routes take most of the time that building takes, serves one life of a process after the other.

import type { TSchema } from 'typebox'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { Random } from '../../src/base/random.ts'
import type { Rpc } from '../../src/chain/rpc.ts'
import type { ContractAddresses } from '../../src/exchange/contracts.ts'
import { ERROR_RULES } from '../../src/gateway.ts'
import { createApp } from '../../src/http/app.ts'
import type { App } from '../../src/http/app.ts'
import { OPEN_TO_EVERYONE } from '../../src/keys/allowlist.ts'
import { createKeys } from '../../src/keys/keys.ts'
import type { Keys } from '../../src/keys/keys.ts'
import { createLedgerWatermarks } from '../../src/chain/ledger-watermarks.ts'
import { createRelay } from '../../src/relay/relay.ts'
import type { Relay } from '../../src/relay/relay.ts'
import { AccountIdentity } from '../../src/resources/account-identity.ts'
import { ApiKey, BetaStatus, IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import * as errors from '../../src/resources/error.ts'
import { ORDER_REQUESTS } from '../../src/resources/order-request.ts'
import { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { SubmitResult } from '../../src/resources/submit-result.ts'
import { accountRoutes } from '../../src/routes/account.ts'
import { keysRoutes } from '../../src/routes/keys.ts'
import { ordersRoutes } from '../../src/routes/orders.ts'
import { txRoutes } from '../../src/routes/tx.ts'
import type { Store } from '../../src/store/store.ts'

const UNLIMITED = 1_000_000

/** One life: what it knows is in its own memory. */
export interface Trading {
  readonly relay: Relay
  /** Answers who waits, and resolves when nothing is under way. */
  close(): Promise<void>
}

export interface TradingServer {
  readonly app: App
  /** From now on this life answers. What an earlier one has under way is its own. */
  serve(parts: TradingParts): Trading
}

export interface TradingParts {
  readonly store: Store
  readonly rpc: Rpc
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly contracts: ContractAddresses
  readonly networkPassphrase: string
}

interface Life {
  readonly parts: TradingParts
  readonly keys: Keys
  readonly relay: Relay
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '$id' in value
}

const SCHEMAS: readonly TSchema[] = [
  AccountIdentity, ApiKey, BetaStatus, IssuedKey, KeyChallenge, PreparedTransaction, SubmitResult, ...ORDER_REQUESTS, ...Object.values(errors).filter(isSchema),
]

export async function createTradingServer(): Promise<TradingServer> {
  let life: Life | undefined
  const now = (): Life => defined(life, 'a life that serves')
  // What a part is asked for is asked of the life that serves now.
  const standIn = <T extends object>(part: () => T): T => new Proxy({} as T, { get: (_target, name) => Reflect.get(part(), name) as unknown })
  const app = createApp({
    clock: standIn(() => life?.parts.clock ?? createVirtualClock(0)),
    random: createSeededRandom('names of requests'),
    log: standIn(() => now().parts.log),
    webOrigin: null,
    trustProxy: false,
    rateLimits: { public: UNLIMITED, standard: UNLIMITED, market_maker: UNLIMITED },
    authenticate: (authorization, timestamp) => now().keys.authenticate(authorization, timestamp),
    errorRules: ERROR_RULES,
  })
  for (const schema of SCHEMAS) app.addSchema(schema)
  keysRoutes(app, { keys: standIn(() => now().keys) })
  accountRoutes(app)
  ordersRoutes(app, { prepare: (request, signal) => now().relay.prepare(request, signal) })
  txRoutes(app, { relay: standIn(() => now().relay) })
  return {
    app,
    serve(parts) {
      const keys = createKeys({ ...parts, allowlist: OPEN_TO_EVERYONE })
      const relay = createRelay({ ...parts, ledgerWatermarks: createLedgerWatermarks(parts.clock) })
      life = { parts, keys, relay }
      return {
        relay,
        async close() {
          relay.submissions.stop()
          await keys[Symbol.asyncDispose]()
        },
      }
    },
  }
}
