// A gateway in a process of its own, on a data folder, for tests of what is left of its keys when it is killed. Its argument is the folder; it says its
// address.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { openStore } from '../../src/store/open.ts'
import { createBareGateway } from './bare-gateway.ts'

const [dataDir = ''] = process.argv.slice(2)
const clock = createSystemClock()
const unlimited = { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 }
const store = await openStore({ databaseUrl: null, dataDir, clock, log: silentLog })
const { gateway } = await createBareGateway({ store, clock, random: createSystemRandom(), rateLimits: unlimited })
process.stdout.write(`${await gateway.listen({ host: '127.0.0.1', port: 0 })}\n`)
