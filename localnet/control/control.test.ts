import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOraclePrices, readTrustlineBalance } from '../actors/exchange-state.ts'
import type { TimedPrice } from '../actors/exchange-state.ts'
import { accountKeyXdr } from '../actors/client.ts'
import type { Client } from '../actors/client.ts'
import { createIdentity } from '../actors/identity.ts'
import { address, i128, symbol, u32, u64 } from '../contracts/shared/host.ts'
import { applyInvocation, latestView } from '../controls.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { startTestNetwork } from '../test-network.ts'
import type { TestNetwork } from '../test-network.ts'

const P = 10_000_000n
const NEWCOMER = createIdentity('somewhere', 'newcomer').address

interface Info {
  readonly oracle: string
  readonly usdcAsset: string
  readonly actorsAtWork: Record<string, boolean>
  readonly heldPrices: unknown[]
  readonly admin: string
  readonly contracts: Record<string, string>
  readonly builds: Record<string, { readonly build: string; readonly wasmHash: string }>
}

const info = (network: TestNetwork): Promise<Info> => network.call<Info>('local_info')

/** A network with liquidity and without traders. */
async function quietNetwork(): Promise<TestNetwork> {
  const network = await startTestNetwork({ traders: 0 })
  await network.closeLedgers(3)
  return network
}

async function oraclePrice(network: TestNetwork, asset: string): Promise<TimedPrice> {
  const price = (await readOraclePrices(network.userClient('alice'), (await info(network)).oracle)).get(asset)
  assert(price !== undefined)
  return price
}

async function refused(network: TestNetwork, method: string, params: Readonly<Record<string, unknown>>, code: number, text: RegExp): Promise<void> {
  await assert.rejects(network.call(method, params), (error) => {
    assert(error instanceof RpcError)
    assert.equal(error.code, code, error.message)
    assert.match(error.message, text)
    return true
  })
}

function opening(network: TestNetwork, trader: Client, asset: string, leverage: number, direction: number) {
  const args = [address(trader.address), symbol(asset), i128(100n * P), u32(leverage), u32(direction)]
  return () => ({ contract: network.contracts.market, functionName: 'open_position', args })
}

test('local_fund creates an account with a trustline, and mints to it each time', async () => {
  await using network = await quietNetwork()
  const { usdcAsset } = await info(network)
  const before = network.chain.history.latest().sequence
  const answer = await network.call('local_fund', { address: NEWCOMER, usdc: '12500000' })
  assert.equal(answer['ledger'], network.chain.history.latest().sequence)
  assert(network.chain.history.latest().sequence > before)
  await network.call('local_fund', { address: NEWCOMER, usdc: '7500000', xlm: '0' })
  assert.equal(await readTrustlineBalance(network.userClient('alice'), NEWCOMER, usdcAsset), 2n * P)
  const { entries } = await network.call<{ entries: unknown[] }>('getLedgerEntries', { keys: [accountKeyXdr(NEWCOMER)] })
  assert.equal(entries.length, 1)
  await network.call('local_fund', { address: network.contracts.vault, usdc: '5' })
  await network.call('local_fund', { address: NEWCOMER, usdc: '0', xlm: '1' })
  assert.equal(await readTrustlineBalance(network.userClient('alice'), NEWCOMER, usdcAsset), 2n * P)
})

test('local_fund names invalid parameters', async () => {
  await using network = await quietNetwork()
  await refused(network, 'local_fund', { address: 'GABC', usdc: '1' }, -32602, /address must be/)
  await refused(network, 'local_fund', { address: NEWCOMER }, -32602, /missing parameter usdc/)
  await refused(network, 'local_fund', { address: NEWCOMER, usdc: 1 }, -32602, /usdc must be/)
  await refused(network, 'local_fund', { address: NEWCOMER, usdc: '1', amount: '1' }, -32602, /unknown parameter amount/)
  await refused(network, 'local_fund', { address: network.contracts.vault, usdc: '1', xlm: '1' }, -32602, /xlm/)
  await refused(network, 'local_fund', { address: NEWCOMER, usdc: String(2n ** 63n) }, -32602, /usdc exceeds/)
})

test('local_setPrice writes and holds a price, and local_releasePrice releases it', async () => {
  await using network = await quietNetwork()
  const answer = await network.call('local_setPrice', { asset: 'BTC', price: '1234500000000' })
  assert.equal(answer['ledger'], network.chain.history.latest().sequence)
  assert.equal((await oraclePrice(network, 'BTC')).price, 1_234_500_000_000n)
  await network.closeLedgers(10)
  const held = await oraclePrice(network, 'BTC')
  assert.equal(held.price, 1_234_500_000_000n)
  assert(held.timestampSec >= network.chain.history.latest().closeTimeSec - 5, 'a held price is kept fresh')
  assert.deepEqual((await info(network)).heldPrices, [{ asset: 'BTC', price: '1234500000000', ageSeconds: 0 }])
  await network.call('local_releasePrice', { asset: 'BTC' })
  await network.closeLedgers(10)
  const released = await oraclePrice(network, 'BTC')
  assert.notEqual(released.price, 1_234_500_000_000n)
  assert(Math.abs(Number(released.price) / 1_234_500_000_000 - 1) < 0.01, 'the walk continues from the held price')
})

test('local_setPrice with an age makes a stale price, at which the market refuses to open', async () => {
  await using network = await quietNetwork()
  const { ledger } = await network.call<{ ledger: number }>('local_setPrice', { asset: 'ETH', price: '31200000000', ageSeconds: 61 })
  const closed = network.chain.history.ledger(ledger)?.closeTimeSec ?? 0
  assert.equal((await oraclePrice(network, 'ETH')).timestampSec, closed - 61)
  const alice = network.userClient('alice')
  await assert.rejects(applyInvocation(network.chain, alice, opening(network, alice, 'ETH', 2, 0)), /Error\(Contract, #30\)/)
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 2, 0))
  await network.call('local_setPrice', { asset: 'ETH', price: '31200000000' })
  await applyInvocation(network.chain, alice, opening(network, alice, 'ETH', 2, 0))
})

test('local_setPrice writes while the publisher is disabled, and changes no other asset', async () => {
  await using network = await quietNetwork()
  await network.call('local_actors', { publisher: false })
  const other = await oraclePrice(network, 'SOL')
  await network.closeLedgers(20)
  await network.call('local_setPrice', { asset: 'DOGE', price: '2000000' })
  await network.call('local_setPrice', { asset: 'DOGE', price: '0' })
  assert.equal((await oraclePrice(network, 'DOGE')).price, 0n)
  assert.deepEqual(await oraclePrice(network, 'SOL'), other)
  await refused(network, 'local_setPrice', { asset: 'PEPE', price: '1' }, -32602, /asset must be one of BTC/)
  await refused(network, 'local_setPrice', { asset: 'BTC', price: '1.5' }, -32602, /price must be/)
  await refused(network, 'local_setPrice', { asset: 'BTC', price: '1', ageSeconds: -1 }, -32602, /ageSeconds must be/)
  await refused(network, 'local_releasePrice', { asset: 'x' }, -32602, /asset must be/)
})

test('the keeper liquidates a position after a price is set', async () => {
  await using network = await quietNetwork()
  const alice = network.userClient('alice')
  const start = (await oraclePrice(network, 'BTC')).price
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 10, 0))
  await network.call('local_setPrice', { asset: 'BTC', price: String((start * 92n) / 100n) })
  await network.closeLedgers(8)
  assert.equal(network.exchangeEvents('position_liquidated').length, 0, 'eight percent are not enough')
  await network.call('local_setPrice', { asset: 'BTC', price: String((start * 908n) / 1000n) })
  await network.closeLedgers(8)
  const [liquidated] = network.exchangeEvents('position_liquidated')
  assert.equal(liquidated?.fields[1], alice.address)
  const keeper = network.accounts.find((account) => account.name === 'keeper')?.address ?? ''
  const reward = await readTrustlineBalance(alice, keeper, (await info(network)).usdcAsset)
  assert.equal(reward, liquidated?.fields[5])
  assert(reward !== undefined && reward > 0n)
})

test('a disabled keeper does not liquidate', async () => {
  await using network = await quietNetwork()
  const alice = network.userClient('alice')
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 10, 0))
  await network.call('local_actors', { keeper: false })
  await network.call('local_setPrice', { asset: 'BTC', price: '500000000000' })
  await network.closeLedgers(12)
  assert.equal(network.exchangeEvents('position_liquidated').length, 0)
  await network.call('local_actors', { keeper: true })
  await network.closeLedgers(6)
  assert.equal(network.exchangeEvents('position_liquidated').length, 1)
})

test('local_closeLedger and local_advance advance the ledger and its clock, and funding is applied after an hour', async () => {
  await using network = await quietNetwork()
  const alice = network.userClient('alice')
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 5, 0))
  const { sequence, closeTimeSec } = latestView(network.chain)
  assert.deepEqual(await network.call('local_closeLedger', { count: 3 }), { ledger: sequence + 3 })
  assert.deepEqual(await network.call('local_closeLedger'), { ledger: sequence + 4 })
  assert.deepEqual(await network.call('local_advance', { seconds: 3_600 }), { ledger: sequence + 5 })
  assert(network.chain.history.latest().closeTimeSec >= closeTimeSec + 3_600)
  await network.closeLedgers(8)
  const [funding] = network.exchangeEvents('funding_applied')
  assert.equal(funding?.fields[1], 1n)
  await refused(network, 'local_closeLedger', { count: 0 }, -32602, /count must be/)
  await refused(network, 'local_advance', {}, -32602, /missing parameter seconds/)
  await refused(network, 'local_advance', { seconds: 1.5 }, -32602, /seconds must be/)
})

test('actors continue after the clock was advanced', async () => {
  await using network = await startTestNetwork({ traders: 4 })
  await network.closeLedgers(10)
  await network.call('local_advance', { seconds: 86_400 })
  const before = network.exchangeEvents('position_opened').length
  await network.closeLedgers(40)
  assert(network.exchangeEvents('position_opened').length > before)
})

test('local_autoClose starts and stops the timer that closes ledgers', async () => {
  await using network = await quietNetwork()
  const { sequence } = latestView(network.chain)
  assert.deepEqual(await network.call('local_autoClose', { enabled: true }), { ledger: sequence, enabled: true })
  network.clock.advance(2_000)
  assert.equal(latestView(network.chain).sequence, sequence + 2)
  // The actors wait for the clock between two of them. They must finish before the next control method runs.
  for (let turn = 0; turn < 200; turn++) {
    network.clock.advance(0)
    await Promise.resolve()
  }
  assert.deepEqual(await network.call('local_autoClose', { enabled: false }), { ledger: sequence + 2, enabled: false })
  network.clock.advance(5_000)
  assert.equal(latestView(network.chain).sequence, sequence + 2)
  await refused(network, 'local_autoClose', { enabled: 'no' }, -32602, /enabled must be/)
})

test('local_actors disables actors without pending transactions', async () => {
  await using network = await startTestNetwork({ traders: 6 })
  await network.closeLedgers(6)
  const answer = await network.call('local_actors', { publisher: false, keeper: false, traders: false })
  assert.deepEqual({ ...answer, ledger: 0 }, { ledger: 0, publisher: false, keeper: false, traders: false })
  assert.equal(network.chain.pending(), 0)
  const count = () => network.chain.history.transactionsAfter(0, 0, 10_000).length
  const before = count()
  await network.closeLedgers(20)
  assert.equal(count(), before)
  const switched = await network.call('local_actors', { traders: true })
  assert.deepEqual(switched, { ledger: latestView(network.chain).sequence, publisher: false, keeper: false, traders: true })
  await refused(network, 'local_actors', { trader: false }, -32602, /unknown parameter trader/)
  await refused(network, 'local_actors', { traders: 0 }, -32602, /traders must be/)
})

test('local_admin sends a transaction of the admin', async () => {
  await using network = await quietNetwork()
  const alice = network.userClient('alice')
  const { ledger } = await network.call<{ ledger: number }>('local_admin', { contract: 'market', function: 'pause', args: [] })
  const [paused] = network.exchangeEvents('paused')
  assert.equal(paused?.ledger, ledger)
  await assert.rejects(applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 5, 0)), /Error\(Contract, #4\)/)
  await network.call('local_admin', { contract: network.contracts.market, function: 'unpause', args: [] })
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 5, 0))
  await network.call('local_admin', { contract: 'vault', function: 'set_deposit_fee', args: [{ type: 'u32', value: 45 }] })
  assert.deepEqual(network.exchangeEvents('deposit_fee_updated').map((event) => event.fields), [[45]])
})

test('local_admin returns the reason of a refusal', async () => {
  await using network = await quietNetwork()
  const valid = { contract: 'vault', function: 'set_deposit_fee', args: [{ type: 'u32', value: 45 }] }
  const call = (params: Readonly<Record<string, unknown>>) => ({ ...valid, ...params })
  await assert.rejects(network.call('local_admin', call({ args: [{ type: 'u32', value: 5_000 }] })), (error) => {
    assert(error instanceof RpcError)
    assert.equal(error.code, -32000)
    assert.deepEqual(error.data, { reason: 'HostError: Error(Contract, #5)', contractCode: 5 })
    return true
  })
  await refused(network, 'local_admin', call({ contract: 'bank' }), -32602, /contract must be one of market/)
  await refused(network, 'local_admin', call({ args: [{ type: 'u32', value: '45' }] }), -32602, /args\[0\]/)
  await refused(network, 'local_admin', { contract: 'vault', args: [] }, -32602, /missing parameter function/)
  await refused(network, 'local_admin', { contract: 'vault', function: 'pause' }, -32602, /missing parameter args/)
})

test('faults affect RPC clients, never the actors', async () => {
  await using network = await startTestNetwork({ traders: 4 })
  const { faults } = await network.call<{ faults: { name: string }[] }>('local_faults')
  assert(faults.some((fault) => fault.name === 'torn_json'))
  await network.call('local_fault', { name: 'rpc_error', code: -32_001, count: null })
  const ask = async () => JSON.parse((await network.rpc.handle('{"jsonrpc":"2.0","id":1,"method":"getHealth"}')).body ?? '') as { error?: { code: number } }
  assert.equal((await ask()).error?.code, -32_001)
  await network.closeLedgers(12)
  assert(network.exchangeEvents('position_opened').length > 0)
  const { armed } = await network.call<{ armed: { name: string; hits: number }[] }>('local_faults')
  assert.deepEqual(armed.map(({ name, hits }) => ({ name, hits })), [{ name: 'rpc_error', hits: 1 }])
  assert.equal((await network.call('local_clearFaults'))['cleared'], 1)
  assert.equal((await ask()).error, undefined)
  await refused(network, 'local_fault', { name: 'nothing' }, -32602, /nothing/)
  await refused(network, 'local_fault', {}, -32602, /name must be one of/)
  await refused(network, 'local_fault', { name: 'torn_json', keepPercent: 500 }, -32602, /keepPercent/)
  await refused(network, 'local_clearFaults', { all: true }, -32602, /unknown parameter all/)
})

test('a restored snapshot has the same chain and held prices, and the actors continue', async () => {
  await using network = await startTestNetwork({ traders: 6 })
  await network.closeLedgers(12)
  await network.call('local_setPrice', { asset: 'LTC', price: '900000000' })
  const { id } = await network.call<{ id: string }>('local_snapshot')
  const kept = network.chain.history.latest()
  const open = network.exchangeEvents().length
  await network.call('local_releasePrice')
  await network.call('local_actors', { keeper: false })
  await network.closeLedgers(15)
  const { ledger } = await network.call<{ ledger: number }>('local_restore', { id })
  assert.equal(ledger, kept.sequence)
  assert.equal(network.chain.history.latest().hash, kept.hash)
  assert.equal(network.exchangeEvents().length, open)
  assert.deepEqual((await info(network)).heldPrices, [{ asset: 'LTC', price: '900000000', ageSeconds: 0 }])
  assert.equal((await info(network)).actorsAtWork['keeper'], true)
  await network.closeLedgers(60)
  assert.equal((await oraclePrice(network, 'LTC')).price, 900_000_000n)
  const records = network.chain.history.transactionsAfter(kept.sequence, 10_000, 10_000)
  assert(records.filter((record) => record.status === 'SUCCESS').length > 25)
  assert(records.filter((record) => record.status === 'FAILED').length <= 1)
  await refused(network, 'local_restore', { id: 'nowhere' }, -32602, /nowhere/)
  await refused(network, 'local_restore', {}, -32602, /missing parameter id/)
})

test('a reset restarts the chain with the same addresses, and the actors start again', async () => {
  await using network = await startTestNetwork({ traders: 6 })
  await network.closeLedgers(15)
  await network.call('local_setPrice', { asset: 'LTC', price: '900000000' })
  const { contracts, admin } = await info(network)
  const lastCloseSec = network.chain.history.latest().closeTimeSec
  const { ledger } = await network.call<{ ledger: number }>('local_reset')
  assert.equal(ledger, 1)
  assert.deepEqual(network.exchangeEvents().filter((event) => event.topic.startsWith('position')), [])
  await network.closeLedgers(20)
  assert(network.chain.history.latest().closeTimeSec > lastCloseSec)
  assert.equal(network.exchangeEvents('deposit').filter(({ contractId }) => contractId === network.contracts.vault).length, 3)
  const opened = network.exchangeEvents('position_opened')
  assert.equal(opened[0]?.fields[0], 1n)
  assert(network.exchangeEvents('position_closed').length > 0)
  const after = await info(network)
  assert.deepEqual([after.contracts, after.admin, after.heldPrices], [contracts, admin, []])
  await refused(network, 'local_reset', { ledger: 1 }, -32602, /unknown parameter ledger/)
})

test('a position id from before the reset is unknown after it', async () => {
  await using network = await quietNetwork()
  const alice = network.userClient('alice')
  await applyInvocation(network.chain, alice, opening(network, alice, 'BTC', 5, 0))
  await network.call('local_reset')
  await network.closeLedgers(3)
  const close = { contract: network.contracts.market, functionName: 'close_position', args: [address(alice.address), u64(1n)] }
  alice.forget()
  await assert.rejects(applyInvocation(network.chain, alice, () => close), /Error\(Contract, #20\)/)
})

test('local_upgrade sends the upgrade transaction of the admin, and local_info reports builds', async () => {
  await using network = await quietNetwork()
  const { market } = network.contracts
  const before = await info(network)
  assert.equal(before.builds['market']?.build, '1')
  const answer = await network.call<{ ledger: number; wasmHash: string }>('local_upgrade', { contract: 'market', build: '1' })
  assert.equal(answer.wasmHash, before.builds['market']?.wasmHash)
  const range = { afterId: null, fromLedger: answer.ledger, untilLedger: answer.ledger + 1, contractIds: [market] }
  const [upgrade] = network.chain.history.events(range)
  assert.equal(upgrade?.type, 'system')
  assert.equal(upgrade.successful, true)
  await network.call('local_upgrade', { contract: market, build: '1' })
  await refused(network, 'local_upgrade', { contract: 'market', build: '9' }, -32602, /build must be one of 1, 2\.0/)
  await refused(network, 'local_upgrade', { contract: 'oracle', build: '2.3' }, -32602, /oracle has no build 2\.3; it has 1/)
  await refused(network, 'local_upgrade', { contract: 'router', build: '1' }, -32602, /build 1 of router has no upgrade function/)
  await refused(network, 'local_upgrade', { contract: 'usdcToken', build: '1' }, -32602, /usdcToken is an asset contract/)
})

test('a reset with new addresses deploys the contracts again, and everything follows', async () => {
  await using network = await startTestNetwork({ traders: 4 })
  await network.closeLedgers(6)
  const { id } = await network.call<{ id: string }>('local_snapshot')
  const before = network.contracts
  await network.call('local_actors', { keeper: false })
  await network.call('local_reset', { newAddresses: true })
  const after = network.contracts
  assert.notEqual(after.market, before.market)
  assert.notEqual(after.referral, before.referral)
  assert.equal(after.usdcToken, before.usdcToken)
  assert.deepEqual((await info(network)).contracts, after)
  assert.equal((await info(network)).actorsAtWork['keeper'], false)
  await network.closeLedgers(12)
  assert(network.exchangeEvents('position_opened').length > 0)
  await network.call('local_admin', { contract: 'market', function: 'pause', args: [] })
  await network.call('local_restore', { id })
  assert.deepEqual(network.contracts, before)
  await network.closeLedgers(6)
  assert(network.exchangeEvents('position_opened').length > 0)
  await network.call('local_reset')
  assert.deepEqual(network.contracts, before, 'a plain reset keeps the addresses')
  await refused(network, 'local_reset', { generation: '3' }, -32602, /generation must be one of 1, 2/)
})
