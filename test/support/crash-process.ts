// The parts that write and send, in a process of their own that is meant to be killed: the indexer, and the endpoints of keys and orders. Its arguments: the
// address of the network's JSON-RPC, its contracts as JSON, and where the database is: `server <url>` or `folder <path>`. It says its address.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import type { ContractAddresses } from '../../src/exchange/contracts.ts'
import { createIndexer } from '../../src/indexer/indexer.ts'
import { openStore } from '../../src/store/open.ts'
import { TEST_NETWORK_PASSPHRASE } from '../../localnet/start.ts'
import { createTradingServer } from './trading-server.ts'

const POLL_INTERVAL_MS = 100

const [rpcUrl = '', contractsJson = '{}', kind = 'folder', where = ''] = process.argv.slice(2)
const clock = createSystemClock()
const random = createSystemRandom()
const contracts = JSON.parse(contractsJson) as ContractAddresses
const networkPassphrase = TEST_NETWORK_PASSPHRASE
const [store, server] = await Promise.all([
  openStore({ databaseUrl: kind === 'server' ? where : null, dataDir: kind === 'server' ? null : where, clock, log: silentLog }),
  createTradingServer(),
])
const rpc = createRpc({ urls: [rpcUrl], clock, random, log: silentLog })
server.serve({ store, rpc, clock, random, log: silentLog, contracts, networkPassphrase })
const indexer = createIndexer({
  store, rpc, contracts, networkPassphrase, clock, random, log: silentLog, pollIntervalMs: POLL_INTERVAL_MS, startLedger: null,
})
// How far the index is: for whoever waits for its end.
server.app.get('/place', () => ({ lastLedger: indexer.status().lastLedger }))
process.stdout.write(`${await server.app.listen({ host: '127.0.0.1', port: 0 })}\n`)
await indexer.run(new AbortController().signal)
