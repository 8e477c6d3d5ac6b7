// NETWORK=testnet while the network is unreachable: the gateway names the unreachable host, serves what it has indexed and recovers without a restart. The
// network is a local one behind a proxy.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTcpProxy } from '../support/tcp-proxy.ts'

/** The settings that name the contracts: `CONTRACT_ORACLE_SHIM` and so on. */
function contractSettings(network: LocalNetwork): Record<string, string> {
  const name = (key: string): string => `CONTRACT_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return Object.fromEntries(CONTRACT_KEYS.map((key) => [name(key), network.contracts[key]]))
}

interface Served {
  readonly trades: unknown[]
  readonly prices: { readonly asset: string }[]
  readonly lastLedger: number | null
  readonly sources: ReadonlySet<string>
}

async function readServed(main: MainProcess): Promise<Served> {
  const { trades } = await main.get<{ trades: unknown[] }>('/v1/trades?limit=200')
  const { prices } = await main.get<{ prices: { asset: string }[] }>('/v1/oracle/prices')
  const { indexer, contracts } = await main.get<{ indexer: { lastLedger: number | null }; contracts: Record<string, { source: string }> }>('/v1/health')
  return { trades, prices, lastLedger: indexer.lastLedger, sources: new Set(Object.values(contracts).map(({ source }) => source)) }
}

test('names an unreachable network, serves what is indexed, and recovers when the network is back', async () => {
  await using network = await startNetworkOn(createSystemClock(), { seed: 'unreachable', port: 0, traders: 4 })
  await using proxy = await createTcpProxy(network.rpcUrl ?? '')
  const { host } = new URL(proxy.url)
  proxy.cut()
  await using folder = await temporaryFolder()
  await using main = startMain({ NETWORK: 'testnet', RPC_URL: proxy.url, DATA_DIR: folder.path, ...contractSettings(network) })

  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}\\. The gateway serves the indexed history`))
  assert.deepEqual(await readServed(main), { trades: [], prices: [], lastLedger: null, sources: new Set(['env']) })

  proxy.restore()
  await main.waitForLine(/^Indexer in sync/)
  const first = await readServed(main)
  assert.ok(first.trades.length > 0)
  for (const asset of ASSET_SYMBOLS) await main.waitForLine(new RegExp(`"${asset}".*price readable again`))

  proxy.cut()
  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}`))
  const duringOutage = await readServed(main)
  assert.ok(duringOutage.trades.length >= first.trades.length, 'serves the indexed trades')
  assert.equal(duringOutage.prices.length, ASSET_SYMBOLS.length, 'serves the last prices')

  proxy.restore()
  await main.waitForLine(/^Indexer in sync/)
  const again = await readServed(main)
  assert.ok((again.lastLedger ?? 0) > (duringOutage.lastLedger ?? 0))
  assert.equal(await main.stop('SIGINT'), 0, main.errors())
})
