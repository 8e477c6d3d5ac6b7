// NETWORK=testnet without a network: what cannot be reached is named, what is known is served, and everything goes on by itself afterwards. The test
// network is a local one, behind a wire that is cut and mended.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTcpProxy } from '../support/tcp-proxy.ts'

function startNetwork(): Promise<LocalNetwork> {
  const clock = createSystemClock()
  return startLocalNetwork({
    clock, random: createSystemRandom(), log: silentLog, seed: 'unreachable', ledgerMs: 1_000, host: '127.0.0.1', port: 0, traders: 4, directory: null,
  })
}

/** The settings that name the contracts: `CONTRACT_ORACLE_SHIM` and so on. */
function contractSettings(network: LocalNetwork): Record<string, string> {
  const name = (key: string): string => `CONTRACT_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return Object.fromEntries(CONTRACT_KEYS.map((key) => [name(key), network.contracts[key]]))
}

interface Known {
  readonly trades: unknown[]
  readonly prices: { readonly asset: string }[]
  readonly lastLedger: number | null
  readonly sources: ReadonlySet<string>
}

async function readKnown(main: MainProcess): Promise<Known> {
  const { trades } = await main.get<{ trades: unknown[] }>('/v1/trades?limit=200')
  const { prices } = await main.get<{ prices: { asset: string }[] }>('/v1/oracle/prices')
  const { indexer, contracts } = await main.get<{ indexer: { lastLedger: number | null }; contracts: Record<string, { source: string }> }>('/v1/health')
  return { trades, prices, lastLedger: indexer.lastLedger, sources: new Set(Object.values(contracts).map(({ source }) => source)) }
}

test('a network that cannot be reached is named, what is known is served, and all goes on by itself when it is back', async () => {
  await using network = await startNetwork()
  await using wire = await createTcpProxy(network.rpcUrl ?? '')
  const { host } = new URL(wire.url)
  wire.cut()
  await using folder = await temporaryFolder()
  await using main = startMain({ NETWORK: 'testnet', RPC_URL: wire.url, DATA_DIR: folder.path, ...contractSettings(network) })

  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}\\. The gateway serves the indexed history`))
  assert.deepEqual(await readKnown(main), { trades: [], prices: [], lastLedger: null, sources: new Set(['env']) })

  wire.restore()
  await main.waitForLine(/^Indexer in sync/)
  const first = await readKnown(main)
  assert.ok(first.trades.length > 0)
  for (const asset of ASSET_SYMBOLS) await main.waitForLine(new RegExp(`"${asset}".*price readable again`))

  wire.cut()
  await main.waitForLine(new RegExp(`^Indexer cannot reach ${host}`))
  const meanwhile = await readKnown(main)
  assert.ok(meanwhile.trades.length >= first.trades.length, 'what is known is served')
  assert.equal(meanwhile.prices.length, ASSET_SYMBOLS.length, 'with the last known prices')

  wire.restore()
  await main.waitForLine(/^Indexer in sync/)
  const again = await readKnown(main)
  assert.ok((again.lastLedger ?? 0) > (meanwhile.lastLedger ?? 0))
  assert.equal(await main.stop('SIGINT'), 0, main.errors())
})
