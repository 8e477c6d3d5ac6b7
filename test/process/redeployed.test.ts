// The exchange is redeployed while the gateway runs: a manifest is added to the folder, a kill follows, and the manifest is removed again.

import { strict as assert } from 'node:assert'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Manifest {
  readonly contracts: Readonly<Record<string, string>>
  readonly assets: readonly { readonly symbol: string }[]
}

const shipped = (name: string): Manifest => JSON.parse(readFileSync(`${PROJECT_ROOT}deployments/${name}.json`, 'utf8')) as Manifest

interface Served {
  readonly market: string
  readonly symbols: readonly string[]
  readonly eventIds: readonly string[]
}

async function readServed(main: MainProcess): Promise<Served> {
  const { contracts } = await main.get<{ contracts: Record<string, { address: string }> }>('/v1/health')
  const { markets } = await main.get<{ markets: { asset: { symbol: string } }[] }>('/v1/markets')
  const { events } = await main.get<{ events: { eventId: string }[] }>('/v1/events?limit=200')
  return { market: contracts['market']?.address ?? '', symbols: markets.map(({ asset }) => asset.symbol), eventIds: events.map(({ eventId }) => eventId) }
}

const isNewEpoch = ({ type, reason }: StreamFrame): boolean => type === 'gap' && reason === 'epoch'

test('follows a new manifest without a restart, keeps the history, and ignores an invalid one', async () => {
  await using network = await startNetworkOn(createSystemClock(), { seed: 'redeployed', port: 0, traders: 4 })
  await using folder = await temporaryFolder()
  const manifests = `${folder.path}/deployments`
  mkdirSync(manifests)
  const write = (name: string, text: string): void => {
    writeFileSync(`${folder.path}/${name}`, text)
    renameSync(`${folder.path}/${name}`, `${manifests}/${name}`)
  }
  const original = { ...shipped('testnet-2026-07-06'), contracts: network.contracts }
  const market = shipped('testnet').contracts['market'] ?? ''
  const next = { ...original, since: '2026-12-16', contracts: { ...original.contracts, market }, assets: original.assets.slice(0, 3) }
  write('testnet.json', JSON.stringify(original))
  const environment = {
    NETWORK: 'testnet', RPC_URL: network.rpcUrl ?? '', DEPLOYMENTS_DIR: manifests, DATA_DIR: `${folder.path}/data`, POLL_INTERVAL_MS: '200',
  }
  await using main = startMain(environment)
  await main.waitForLine(/^Indexer in sync/)
  const before = await readServed(main)
  assert.equal(before.market, network.contracts.market)
  assert.ok(before.eventIds.length > 0)

  const client = await connectStream(await main.url())
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  write('testnet-2026-12-16.json', JSON.stringify({ ...next, contracts: { ...next.contracts, market: 'C1' } }))
  assert.match(await main.waitForLine(/cannot be used/), /testnet-2026-12-16\.json: contracts\.market: must be a contract address/)
  assert.equal((await readServed(main)).market, before.market)

  write('testnet-2026-12-16.json', JSON.stringify(next))
  const { epoch } = await client.frame(isNewEpoch)
  const after = await readServed(main)
  assert.equal(after.market, market)
  assert.deepEqual(after.symbols, next.assets.map(({ symbol }) => symbol))
  for (const id of before.eventIds.slice(0, 20)) assert.ok(after.eventIds.includes(id), `${id} is still served`)

  // The files change back, and the process is killed before or while the epoch begins.
  rmSync(`${manifests}/testnet-2026-12-16.json`)
  await main.waitForLine(/manifests reloaded/)
  assert.equal(await main.stop('SIGKILL'), 'SIGKILL')
  await using second = startMain(environment)
  await second.waitForLine(/^Indexer in sync/)
  const restarted = await readServed(second)
  assert.equal(restarted.market, before.market)
  assert.equal(new Set(restarted.eventIds).size, restarted.eventIds.length)
  const later = await connectStream(await second.url())
  const hello = await later.frame(({ type }) => type === 'hello')
  assert.notEqual(hello['epoch'], epoch)
  await later.close()
  assert.equal(await second.stop('SIGTERM'), 0, second.errors())
})
