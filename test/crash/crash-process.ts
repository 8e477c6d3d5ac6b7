// The process that crash tests kill: the indexer and the endpoints of keys, orders and submissions. Arguments: the network's RPC address, its contracts as
// JSON, the database (`server <url>` or `folder <path>`), and the contracts' generation. Prints its address.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { openStore } from '../../src/store/open.ts'
import { assetsOf } from '../../localnet/assets.ts'
import { FIRST_BUILDS, GENERATIONS } from '../../localnet/setup.ts'
import { TEST_NETWORK_PASSPHRASE } from '../../localnet/start.ts'
import { createTradingServer } from '../sim/trading-server.ts'
import { currentDeploymentOf } from '../support/deployments.ts'

const [rpcUrl = '', contractsJson = '{}', kind = 'folder', location = '', setup = '1'] = process.argv.slice(2)
const [clock, random, log] = [createSystemClock(), createSystemRandom(), silentLog]
const contracts = JSON.parse(contractsJson) as ContractAddresses
const networkPassphrase = TEST_NETWORK_PASSPHRASE
const generation = GENERATIONS.find((each) => each === setup) ?? '1'
const deployment = currentDeploymentOf(contracts, { generation: FIRST_BUILDS[generation], assets: assetsOf(generation) })
const [store, server] = await Promise.all([
  openStore({ databaseUrl: kind === 'server' ? location : null, dataDir: kind === 'server' ? null : location, clock, log }),
  createTradingServer(),
])
const rpc = createRpc({ urls: [rpcUrl], clock, random, log })
const { submissions } = server.serve({ store, rpc, clock, random, log, deployment, networkPassphrase })
void submissions.run(new AbortController().signal)
const indexer = createIndexer({ store, rpc, deployment, clock, random, log, pollIntervalMs: 100, startLedger: null })
server.app.get('/index', () => ({ lastLedger: indexer.status().lastLedger }))
process.stdout.write(`${await server.app.listen({ host: '127.0.0.1', port: 0 })}\n`)
await indexer.run(new AbortController().signal)
