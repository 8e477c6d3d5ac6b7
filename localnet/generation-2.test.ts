import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestNetwork } from './test-network.ts'
import type { TestNetwork } from './test-network.ts'

interface Info {
  readonly generation: string
  readonly builds: Record<string, { readonly build: string; readonly wasmHash: string; readonly available: readonly string[] }>
}

const info = (network: TestNetwork): Promise<Info> => network.call<Info>('local_info')

async function marketBuild(network: TestNetwork): Promise<string> {
  return (await info(network)).builds['market']?.build ?? ''
}

test('a network of generation 2 starts with the newest builds', async () => {
  await using network = await startTestNetwork({ traders: 0, generation: '2' })
  const { generation, builds } = await info(network)
  assert.equal(generation, '2')
  assert.deepEqual([builds['market']?.build, builds['vault']?.build], ['2.3', '2.3'])
  for (const [kind, { build, available }] of Object.entries(builds)) {
    assert(build.startsWith('2.'), kind)
    assert.equal(build, available.at(-1))
  }
})

test('every contract of generation 2 except the oracle can be upgraded in place', async () => {
  await using network = await startTestNetwork({ traders: 0, generation: '2' })
  await network.closeLedgers(2)
  for (const contract of ['market', 'vault', 'oracleShim', 'router', 'vaultFactory', 'referral'] as const) {
    const { ledger, wasmHash } = await network.call<{ ledger: number; wasmHash: string }>('local_upgrade', { contract, build: '2.0' })
    const { build, wasmHash: running } = (await info(network)).builds[contract] ?? { build: '', wasmHash: '' }
    assert.deepEqual([build, running], ['2.0', wasmHash])
    const range = { afterId: null, fromLedger: ledger, untilLedger: ledger + 1, contractIds: [network.contracts[contract]] }
    assert([...network.chain.history.events(range)].some(({ type }) => type === 'system'), contract)
  }
})

test('a reset deploys another generation, and a snapshot returns to the one before', async () => {
  await using network = await startTestNetwork({ traders: 0 })
  await network.closeLedgers(2)
  const { id } = await network.call<{ id: string }>('local_snapshot')
  await network.call('local_reset', { generation: '2', newAddresses: true })
  assert.deepEqual([(await info(network)).generation, await marketBuild(network)], ['2', '2.3'])
  await network.call('local_reset')
  assert.equal(await marketBuild(network), '2.3', 'a plain reset keeps the generation')
  await network.call('local_restore', { id })
  assert.deepEqual([(await info(network)).generation, await marketBuild(network)], ['1', '1'])
})
