// A gateway over a log that the test writes itself: for endpoints of what the index knows.

import { issueKey } from '../../src/keys/keys.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { createBareGateway } from './bare-gateway.ts'
import { openTestStore } from './database.ts'
import { call } from './keys.ts'
import type { Reader } from './pagination.ts'
import { createTestLog } from './test-log.ts'
import type { TestLog } from './test-log.ts'

export interface LogGateway extends Reader, AsyncDisposable {
  readonly log: TestLog
  readonly clock: VirtualClock
  keyOf(owner: string): Promise<IssuedKey>
  /** The same gateway, as the key's owner calls it. */
  as(key: IssuedKey): Reader
}

const UNLIMITED = 1_000_000

export async function createLogGateway(): Promise<LogGateway> {
  await using things = new AsyncDisposableStack()
  const store = things.use(await openTestStore())
  const log = await createTestLog(store)
  const bare = things.use(await createBareGateway({ store, rateLimits: { public: UNLIMITED, standard: UNLIMITED, market_maker: UNLIMITED } }))
  const { gateway: { app }, clock } = bare
  const random = createSeededRandom('log gateway')
  const kept = things.move()
  return {
    log,
    clock,
    get: (url, headers = {}) => call(app, url, { headers }),
    as: (key) => ({ get: (url, headers = {}) => call(app, url, { headers, key }) }),
    keyOf: (owner) => issueKey(store.write, { owner, tier: 'standard', label: null, clock, random }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
