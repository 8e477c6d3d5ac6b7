// The endpoints of keys by themselves, on the server that every request meets: for tests that build it often.

import type { TSchema } from 'typebox'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Random } from '../../src/base/random.ts'
import { createApp } from '../../src/http/app.ts'
import type { App } from '../../src/http/app.ts'
import type { Allowlist } from '../../src/keys/allowlist.ts'
import { createKeys } from '../../src/keys/keys.ts'
import { AccountIdentity } from '../../src/resources/account-identity.ts'
import { ApiKey, BetaStatus, IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { InvalidSignature, KeyNotFound, NotInBeta, RateLimited, ServerError, Unauthorized, ValidationError } from '../../src/resources/error.ts'
import { accountRoutes } from '../../src/routes/account.ts'
import { keysRoutes } from '../../src/routes/keys.ts'
import type { Store } from '../../src/store/store.ts'
import { TEST_PASSPHRASE } from './keys.ts'

const SCHEMAS: readonly TSchema[] = [
  AccountIdentity, ApiKey, BetaStatus, IssuedKey, KeyChallenge,
  InvalidSignature, KeyNotFound, NotInBeta, RateLimited, ServerError, Unauthorized, ValidationError,
]

export interface KeysServer extends AsyncDisposable {
  readonly app: App
}

export async function createKeysServer(parts: { store: Store; clock: Clock; random: Random; allowlist: Allowlist }): Promise<KeysServer> {
  const keys = createKeys({ ...parts, log: silentLog, networkPassphrase: TEST_PASSPHRASE })
  const app = createApp({
    clock: parts.clock,
    random: parts.random,
    log: silentLog,
    webOrigin: null,
    trustProxy: false,
    rateLimits: { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 },
    authenticate: keys.authenticate,
    errorRules: [],
  })
  for (const schema of SCHEMAS) app.addSchema(schema)
  keysRoutes(app, { keys })
  accountRoutes(app)
  await app.ready()
  return {
    app,
    async [Symbol.asyncDispose]() {
      await app.close()
      await keys[Symbol.asyncDispose]()
    },
  }
}
