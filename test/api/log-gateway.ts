// A gateway on a log of events that the test writes.

import { issueKey } from '../../src/keys/keys.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call } from '../support/keys.ts'
import type { Reader } from '../support/pagination.ts'
import { createTestLog } from '../../src/projections/log/test-log.ts'
import type { TestLog } from '../../src/projections/log/test-log.ts'

export interface LogGateway extends Reader, AsyncDisposable {
  readonly log: TestLog
  readonly clock: VirtualClock
  issueKey(owner: string): Promise<IssuedKey>
  /** Reads with this key. */
  withKey(key: IssuedKey): Reader
}

export async function createLogGateway(): Promise<LogGateway> {
  await using building = new AsyncDisposableStack()
  const store = building.use(await openTestStore())
  const log = await createTestLog(store)
  const { gateway: { app }, clock } = building.use(await createBareGateway({ store, rateLimits: UNLIMITED_RATES }))
  const random = createSeededRandom('log gateway')
  const owned = building.move()
  return {
    log, clock,
    get: (url, headers = {}) => call(app, url, { headers }),
    withKey: (key) => ({ get: (url, headers = {}) => call(app, url, { headers, key }) }),
    issueKey: (owner) => issueKey(store.write, { owner, tier: 'standard', label: null, clock, random }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
