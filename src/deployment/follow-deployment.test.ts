import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createCurrentDeployment, createDeployment } from '../exchange/deployment.ts'
import { declarationOf } from './declaration.ts'
import type { Declared } from './declaration.ts'
import { createDeploymentFollower } from './follow-deployment.ts'
import { selectDeployments } from './manifest-files.ts'

const SHIPPED = JSON.parse(readFileSync(new URL('../../deployments/testnet.json', import.meta.url), 'utf8')) as Declared
const OTHER = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const NETWORK = { kind: 'testnet', name: 'testnet', passphrase: 'Test SDF Network ; September 2015', contractOverrides: { router: OTHER } }

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function served(declared: Declared) {
  const deployment = createCurrentDeployment(createDeployment(declarationOf(declared, NETWORK)))
  const nodes: (readonly string[])[] = []
  const clock = createVirtualClock(0)
  /** Moves the clock second by second. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await settle()
      clock.advance(1_000)
    }
    await settle()
  }
  const parts = { network: NETWORK, declared, deployment, rpc: { replaceNodes: (urls: readonly string[]) => nodes.push(urls) }, clock, log: silentLog }
  return { parts, deployment, nodes, pass }
}

test('a changed manifest replaces the deployment, keeps overrides, and replaces nodes only when their URLs change', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-follow-'))
  const write = (change: object): void => writeFileSync(join(folder.path, 'testnet.json'), JSON.stringify({ ...SHIPPED, ...change }))
  write({})
  const choice = { folder: folder.path, names: [], network: 'testnet', rpcUrls: null, contracts: {} } as const
  const selection = selectDeployments(choice)
  assert.ok(selection.kind === 'selected')
  const { parts, deployment, nodes, pass } = served(selection.deployments.served)
  const stop = new AbortController()
  const deployments = { choice, selected: selection.deployments }
  const following = createDeploymentFollower({ ...parts, deployments, readLocal: () => assert.fail('not a local network') }).run(stop.signal)
  const first = deployment.current
  await pass(3)
  assert.equal(deployment.current, first, 'nothing has changed')

  write({ since: '2026-12-16', contracts: { ...SHIPPED.contracts, market: OTHER }, assets: SHIPPED.assets.slice(0, 2) })
  await pass(3)
  const { contracts, sources, assets, since } = deployment.current
  assert.deepEqual([contracts.market, sources.market.source, sources.router, since], [OTHER, 'manifest', { address: OTHER, source: 'env' }, '2026-12-16'])
  assert.deepEqual([assets.symbols, nodes], [['BTC', 'ETH'], []])
  assert.deepEqual(deployment.current.others, [])
  write({ rpcUrls: ['http://a', 'http://b'] })
  await pass(3)
  assert.deepEqual(nodes, [['http://a', 'http://b']])
  stop.abort()
  await following
  assert.equal(parts.clock.pendingTimers(), 0)
})

test('the deployments that are indexed besides the served one are followed too', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-follow-'))
  const write = (name: string, change: object): void => writeFileSync(join(folder.path, `${name}.json`), JSON.stringify({ ...SHIPPED, ...change }))
  write('a', {})
  write('b', { since: '2026-07-06', contracts: { ...SHIPPED.contracts, market: SHIPPED.contracts.vault, vault: OTHER } })
  const choice = { folder: folder.path, names: ['a', 'b'], network: null, rpcUrls: null, contracts: {} } as const
  const selection = selectDeployments(choice)
  assert.ok(selection.kind === 'selected')
  const { parts, deployment, pass } = served(selection.deployments.served)
  const stop = new AbortController()
  const deployments = { choice, selected: selection.deployments }
  const following = createDeploymentFollower({ ...parts, deployments, readLocal: () => assert.fail('not a local network') }).run(stop.signal)
  write('b', { since: '2026-07-06', contracts: { ...SHIPPED.contracts, market: OTHER } })
  await pass(3)
  assert.deepEqual(deployment.current.others.map(({ name, since, contracts }) => [name, since, contracts.market]), [['b', '2026-07-06', OTHER]])
  stop.abort()
  await following
})

test('new contracts of the local network replace the deployment; while it cannot be reached, nothing changes', async () => {
  let reported: Declared | null = SHIPPED
  const { parts, deployment, pass } = served(SHIPPED)
  const stop = new AbortController()
  const readLocal = (): Promise<Declared> => (reported === null ? Promise.reject(new Error('unreachable')) : Promise.resolve(reported))
  const following = createDeploymentFollower({ ...parts, deployments: null, readLocal }).run(stop.signal)
  const first = deployment.current
  await pass(4)
  reported = null
  await pass(4)
  assert.equal(deployment.current, first)
  reported = { ...SHIPPED, contracts: { ...SHIPPED.contracts, market: OTHER }, generation: '2.0' }
  await pass(4)
  assert.deepEqual([deployment.current.contracts.market, deployment.current.generation], [OTHER, '2.0'])
  stop.abort()
  await following
  assert.equal(parts.clock.pendingTimers(), 0)
})
