// A deployment that is replaced while gateway and indexer run.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health } from '../../src/resources/health.ts'
import { createAssetList } from '../../src/exchange/assets.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'

test('every part uses the new deployment from its next request on, and the index begins an epoch', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  await fixture.publishLedgers(2)
  const { deployment } = fixture
  const before = deployment.current
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['events', 'ticker.DOGE'] })
  await client.frame((message) => message.type === 'subscribed')

  const referral = before.contracts.router
  deployment.replace({
    ...before,
    name: 'another',
    contracts: { ...before.contracts, referral },
    sources: { ...before.sources, referral: { address: referral, source: 'manifest' } },
    assets: createAssetList(before.assets.all.filter(({ symbol }) => symbol !== 'DOGE')),
  })
  await fixture.publishLedgers(1)

  const health = (await fixture.get<Health>('/v1/health')).body
  assert.equal(health.contracts.referral.address, referral)
  const { markets } = (await fixture.get<{ markets: { asset: { symbol: string } }[] }>('/v1/markets')).body
  assert.deepEqual(markets.map(({ asset }) => asset.symbol), before.assets.symbols.filter((symbol) => symbol !== 'DOGE'))
  assert.equal((await fixture.get('/v1/markets/doge')).status, 404)
  const epochs = await fixture.store.read.query<{ reason: string }>('select reason from idx.epochs order by number')
  assert.deepEqual(epochs.map(({ reason }) => reason), ['first', 'contracts'])
  const gap = await client.frame((message) => message.type === 'gap')
  assert.equal(gap['reason'], 'epoch')
  client.send({ op: 'subscribe', channels: ['ticker.DOGE'] })
  assert.deepEqual((await client.frame((message) => message.type === 'rejected'))['channels'], ['ticker.DOGE'])
})
