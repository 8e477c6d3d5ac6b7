// The day of a network reset: a new chain, new addresses, another generation, and one new manifest in the folder.

import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLog } from '../../src/base/log.ts'
import { FOLLOW_INTERVAL_MS } from '../../src/deployment/follow-manifests.ts'
import { createDeploymentFollower } from '../../src/deployment/follow-deployment.ts'
import { selectDeployments } from '../../src/deployment/manifest-files.ts'
import type { Health } from '../../src/resources/health.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { StreamFrame } from '../support/stream-client.ts'

const NETWORK = { kind: 'testnet', name: 'testnet', passphrase: 'Test SDF Network ; September 2015', contractOverrides: {} }
const CHOICE = { names: [], network: 'testnet', rpcUrls: null, contracts: {} } as const

function writeManifest(folder: string, { network }: GatewayFixture, name: string, since: string): void {
  const { contracts, assets, generation } = network
  const manifest = { network: 'testnet', passphrase: NETWORK.passphrase, rpcUrls: ['http://local/rpc'], since, generation, contracts, assets }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(manifest))
}

const isNewEpoch = ({ type, reason }: StreamFrame): boolean => type === 'gap' && reason === 'epoch'

test('after a network reset one added file brings prices, markets and the index to the new contracts, and keeps the history', async () => {
  await using fixture = await createGatewayFixture({ traders: 6, listen: true })
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-reset-'))
  const { clock, network, deployment } = fixture
  writeManifest(folder.path, fixture, 'testnet', '2026-07-06')
  const choice = { ...CHOICE, folder: folder.path }
  const selection = selectDeployments(choice)
  assert.ok(selection.kind === 'selected')
  const { served } = selection.deployments
  const stop = new AbortController()
  const following = createDeploymentFollower({
    deployments: { choice, selected: selection.deployments }, network: NETWORK, declared: served, deployment, clock, log: silentLog,
    rpc: { replaceNodes: () => assert.fail('the nodes are the same') }, readLocal: () => assert.fail('not followed as a local network'),
  }).run(stop.signal)
  await fixture.publishLedgers(5)
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  const before = (await fixture.get<{ events: { seq: number; eventId: string }[] }>('/v1/events?limit=200')).body.events
  assert.ok(before.length > 0)

  await fixture.control('local_reset', { generation: '2', newAddresses: true })
  await fixture.publishLedgers(6)
  const reset = await client.frame(isNewEpoch)
  const lost = (await fixture.get<Health>('/v1/health')).body
  assert.deepEqual([lost.contracts.market.address, lost.indexer.lastLedger], [served.contracts.market, network.chain.history.latest().sequence])

  writeManifest(folder.path, fixture, 'testnet-2026-12-16', '2026-12-16')
  for (let polls = 0; polls < 3; polls++) {
    clock.advance(FOLLOW_INTERVAL_MS)
    await fixture.idle()
  }
  await fixture.publishLedgers(3)
  const followed = await client.frame((frame) => isNewEpoch(frame) && frame['epoch'] !== reset['epoch'])
  const health = (await fixture.get<Health>('/v1/health')).body
  assert.equal(health.contracts.market.address, network.contracts.market)
  assert.deepEqual(health.deployment, { name: 'testnet-2026-12-16', since: '2026-12-16' })
  assert.notEqual(network.contracts.market, served.contracts.market)
  const { markets } = (await fixture.get<{ markets: { asset: { symbol: string } }[] }>('/v1/markets')).body
  assert.deepEqual(markets.map(({ asset }) => asset.symbol), network.assets.map(({ symbol }) => symbol))
  const { events } = (await fixture.get<{ events: { eventId: string; contractId: string }[] }>('/v1/events?limit=200')).body
  assert.ok(events.some(({ contractId }) => Object.values(network.contracts).includes(contractId)), 'events of the new contracts are indexed')
  const epochs = await fixture.store.read.query<{ epoch: string; reason: string; chain: number }>('select epoch, reason, chain from idx.epochs order by number')
  assert.deepEqual(epochs.map(({ reason, chain }) => [reason, chain]), [['first', 1], ['reset', 2], ['contracts', 2]])
  assert.deepEqual(epochs.slice(1).map(({ epoch }) => epoch), [reset['epoch'], followed['epoch']])
  const [oldest] = before.slice(-1)
  assert.ok(oldest !== undefined && events.some(({ eventId }) => eventId === oldest.eventId), 'the history of the old chain is served')
  stop.abort()
  await following
})
