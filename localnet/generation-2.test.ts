import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import { address, i128, symbol, u32 } from './contracts/shared/host.ts'
import { applyInvocation } from './controls.ts'
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

test('a restart continues the generation, the addresses and the builds of the stored chain', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'generation-2-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  const deployed = await (async () => {
    await using network = await startTestNetwork({ traders: 0, directory })
    await network.call('local_reset', { generation: '2', newAddresses: true })
    await network.closeLedgers(2)
    await network.call('local_upgrade', { contract: 'market', build: '2.2' })
    return network.contracts
  })()
  await using network = await startTestNetwork({ traders: 0, directory, generation: '1' })
  assert.deepEqual(network.contracts, deployed)
  assert.deepEqual([(await info(network)).generation, await marketBuild(network)], ['2', '2.2'])
  const sequence = network.chain.history.latest().sequence
  await network.closeLedgers(2)
  assert.equal(network.chain.history.latest().sequence, sequence + 2)
})

/** Asserts that most transactions of the actors succeeded. */
function assertHealthy(network: TestNetwork): void {
  const records = network.chain.history.transactionsAfter(0, 0, 10_000)
  const failed = records.filter(({ status }) => status !== 'SUCCESS').length
  assert(records.length > 30 && failed < records.length / 20, `${failed} of ${records.length} transactions failed`)
}

test('the actors trade, deposit and lead vaults in generation 2, also after a reset to new addresses', async () => {
  await using network = await startTestNetwork({ traders: 6 })
  await network.closeLedgers(5)
  await network.call('local_reset', { generation: '2', newAddresses: true })
  await network.closeLedgers(45)
  for (const topic of ['deposit', 'position_opened', 'position_closed', 'protocol_fee_routed', 'order_placed', 'vault_created', 'code_created']) {
    assert(network.exchangeEvents(topic).length > 0, topic)
  }
  assertHealthy(network)
})

/** A network with liquidity, and a position of alice. */
async function networkWithPosition(collateralUsdc: bigint): Promise<TestNetwork> {
  const network = await startTestNetwork({ traders: 0, generation: '2' })
  await network.closeLedgers(3)
  await network.call('local_setPrice', { asset: 'BTC', price: String(100_000n * ONE_E7) })
  const alice = network.userClient('alice')
  const args = [address(alice.address), symbol('BTC'), i128(collateralUsdc * ONE_E7), u32(10), u32(0), i128(0n)]
  await applyInvocation(network.chain, alice, () => ({ contract: network.contracts.market, functionName: 'open_position', args }))
  return network
}

test('the keeper liquidates a large position in stages', async () => {
  await using network = await networkWithPosition(1_000n)
  await network.call('local_setPrice', { asset: 'BTC', price: String(91_900n * ONE_E7) })
  await network.closeLedgers(20)
  assert.equal(network.exchangeEvents('position_partial_liq').length, 1)
  await network.call('local_setPrice', { asset: 'BTC', price: String(89_000n * ONE_E7) })
  await network.call('local_advance', { seconds: 31 })
  await network.closeLedgers(20)
  assert(network.exchangeEvents('position_partial_liq').length + network.exchangeEvents('position_liquidated').length > 1)
})

test('the keeper applies funding of every asset once an hour', async () => {
  await using network = await networkWithPosition(1_000n)
  await network.closeLedgers(8)
  assert.equal(network.exchangeEvents('funding_applied').length, 0, 'the first call only stores the time')
  await network.call('local_advance', { seconds: 3_600 })
  await network.closeLedgers(8)
  assert.equal(network.exchangeEvents('funding_applied').length, 16)
})
