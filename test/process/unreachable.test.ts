// NETWORK=testnet during an RPC outage: the log names the unreachable host, the gateway serves indexed data and recovers without a restart. The test uses a
// local network behind a TCP proxy.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTcpProxy } from '../support/tcp-proxy.ts'

/** The contract address settings: `CONTRACT_ORACLE_SHIM` and so on. */
function contractSettings(network: LocalNetwork): Record<string, string> {
  const name = (key: string): string => `CONTRACT_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return Object.fromEntries(CONTRACT_KEYS.map((key) => [name(key), network.contracts[key]]))
}

interface ServedData {
  readonly trades: unknown[]
  readonly prices: { readonly asset: string }[]
  readonly lastLedger: number | null
  readonly sources: ReadonlySet<string>
}

async function readServedData(main: MainProcess): Promise<ServedData> {
  const { trades } = await main.get<{ trades: unknown[] }>('/v1/trades?limit=200')
  const { prices } = await main.get<{ prices: { asset: string }[] }>('/v1/oracle/prices')
  const { indexer, contracts } = await main.get<{ indexer: { lastLedger: number | null }; contracts: Record<string, { source: string }> }>('/v1/health')
  return { trades, prices, lastLedger: indexer.lastLedger, sources: new Set(Object.values(contracts).map(({ source }) => source)) }
}

test('names the unreachable RPC host, serves indexed data during the outage, and resumes once the host is back', async () => {
  await using network = await startNetworkOn(createSystemClock(), { seed: 'unreachable', port: 0, traders: 4 })
  await using proxy = await createTcpProxy(network.rpcUrl ?? '')
  const { host } = new URL(proxy.url)
  proxy.cut()
  await using folder = await temporaryFolder()
  await using main = startMain({ NETWORK: 'testnet', RPC_URL: proxy.url, DATA_DIR: folder.path, ...contractSettings(network) })

  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}\\. The gateway serves the indexed history`))
  assert.deepEqual(await readServedData(main), { trades: [], prices: [], lastLedger: null, sources: new Set(['env']) })

  proxy.restore()
  await main.waitForLine(/^Indexer in sync/)
  const beforeOutage = await readServedData(main)
  assert.ok(beforeOutage.trades.length > 0)
  for (const asset of ASSET_SYMBOLS) await main.waitForLine(new RegExp(`"${asset}".*price readable again`))

  proxy.cut()
  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}`))
  const duringOutage = await readServedData(main)
  assert.ok(duringOutage.trades.length >= beforeOutage.trades.length, 'serves the indexed trades')
  assert.equal(duringOutage.prices.length, ASSET_SYMBOLS.length, 'serves the last prices')

  proxy.restore()
  await main.waitForLine(/^Indexer in sync/)
  const afterOutage = await readServedData(main)
  assert.ok((afterOutage.lastLedger ?? 0) > (duringOutage.lastLedger ?? 0))
  assert.equal(await main.stop('SIGINT'), 0, main.errors())
})
