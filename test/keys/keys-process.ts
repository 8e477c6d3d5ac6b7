// A gateway on a data folder (its argument), for tests that kill it. Prints its address.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { openStore } from '../../src/store/open.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'

const [dataDir = ''] = process.argv.slice(2)
const clock = createSystemClock()
const store = await openStore({ databaseUrl: null, dataDir, clock, log: silentLog })
const { gateway } = await createBareGateway({ store, clock, random: createSystemRandom(), rateLimits: UNLIMITED_RATES })
process.stdout.write(`${await gateway.listen({ host: '127.0.0.1', port: 0 })}\n`)
