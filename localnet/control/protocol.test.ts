import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { readOraclePrices } from '../actors/exchange-state.ts'
import { readHeader } from '../ledger/test-header-reader.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { startTestNetwork } from '../test-network.ts'
import type { TestNetwork } from '../test-network.ts'

interface Info {
  readonly protocol: number
  readonly oracle: string
  readonly contracts: Readonly<Record<string, string>>
}

const quietNetwork = (protocol: number): Promise<TestNetwork> => startTestNetwork({ traders: 0, protocol })
const latestForm = ({ chain }: TestNetwork): number[] => {
  const { protocol, arm } = readHeader(chain.history.latest().headerXdr)
  return [protocol, arm]
}

async function refuses(network: TestNetwork, method: string, params: Readonly<Record<string, unknown>>, message: RegExp): Promise<void> {
  await assert.rejects(network.call(method, params), (error) => {
    assert(error instanceof RpcError)
    assert.deepEqual([error.code, message.test(error.message)], [-32_602, true], error.message)
    return true
  })
}

test('local_upgradeProtocol upgrades the network in a ledger of its own, and every method reports the protocol', async () => {
  await using network = await quietNetwork(29)
  await network.closeLedgers(2)
  const { sequence } = network.chain.history.latest()
  assert.deepEqual(await network.call('local_upgradeProtocol', { protocol: 30 }), { ledger: sequence + 1, protocol: 30 })
  assert.deepEqual(latestForm(network), [30, 1])
  await network.closeLedgers(1)
  assert.deepEqual(latestForm(network), [30, 3])
  const reported = await Promise.all(['getNetwork', 'getVersionInfo', 'getLatestLedger'].map((method) => network.call<{ protocolVersion: number }>(method)))
  assert.deepEqual(reported.map(({ protocolVersion }) => protocolVersion), [30, 30, 30])
  assert.equal((await network.call<Info>('local_info')).protocol, 30)
  assert.equal((await network.call<{ version: string }>('getVersionInfo')).version, '30.0.0-localnet')
})

test('local_upgradeProtocol refuses what is not an upgrade, and what does not exist, with the reason', async () => {
  await using network = await quietNetwork(29)
  const { sequence } = network.chain.history.latest()
  await refuses(network, 'local_upgradeProtocol', {}, /missing parameter protocol/)
  await refuses(network, 'local_upgradeProtocol', { protocol: '30' }, /protocol must be an integer/)
  await refuses(network, 'local_upgradeProtocol', { protocol: 29 }, /runs protocol 29 already/)
  await refuses(network, 'local_upgradeProtocol', { protocol: 28 }, /cannot go to 28/)
  await refuses(network, 'local_upgradeProtocol', { protocol: 31 }, /protocol 31 is unknown/)
  await refuses(network, 'local_upgradeProtocol', { protocol: 32, unreleased: true }, /protocol 32 is unknown/)
  assert.equal(network.chain.history.latest().sequence, sequence)
  await network.call('local_upgradeProtocol', { protocol: 31, unreleased: true })
  assert.deepEqual(latestForm(network), [31, 1])
})

test('local_reset starts a chain of another protocol with new addresses, and restoring a snapshot leads back', async () => {
  await using network = await quietNetwork(29)
  const before = await network.call<Info>('local_info')
  const { id } = await network.call<{ id: string }>('local_snapshot')
  await network.call('local_reset', { protocol: 30, newAddresses: true })
  const after = await network.call<Info>('local_info')
  assert.deepEqual([after.protocol, network.chain.history.latest().sequence, latestForm(network)], [30, 1, [30, 3]])
  assert.notEqual(after.contracts['market'], before.contracts['market'])
  await network.closeLedgers(3)
  assert.deepEqual(latestForm(network), [30, 3])
  await network.call('local_restore', { id })
  await network.closeLedgers(1)
  assert.deepEqual([(await network.call<Info>('local_info')).contracts['market'], latestForm(network)], [before.contracts['market'], [29, 1]])
  await refuses(network, 'local_reset', { protocol: 31 }, /protocol must be an integer from 27 to 30/)
})

test('local_reset without a protocol returns to the configured one', async () => {
  await using network = await quietNetwork(28)
  await network.call('local_upgradeProtocol', { protocol: 30 })
  await network.call('local_reset')
  assert.deepEqual([network.chain.protocol, latestForm(network)], [28, [28, 1]])
})

test('a start with another configured protocol continues the stored chain, and logs which it runs', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'protocol-'))
  try {
    const logged: object[] = []
    const log: Log = { ...silentLog, info: (fields, message) => void logged.push({ ...fields, message }) }
    await (await startTestNetwork({ traders: 0, protocol: 28, directory, log }))[Symbol.asyncDispose]()
    assert.deepEqual(logged, [])
    await using network = await startTestNetwork({ traders: 0, protocol: 30, directory, log })
    assert.equal(network.chain.protocol, 28)
    assert.deepEqual(logged, [{ protocol: 28, configured: 30, message: 'the stored chain keeps its protocol; the configured one applies after a reset' }])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('local_fault refuses a fault of ledgers that the protocol does not have', async () => {
  await using network = await quietNetwork(27)
  await refuses(network, 'local_fault', { name: 'dropped_transactions' }, /needs protocol 28, and the network runs 27. Upgrade it with local_upgradeProtocol/)
  await network.call('local_upgradeProtocol', { protocol: 28 })
  await network.call('local_fault', { name: 'dropped_transactions' })
  await refuses(network, 'local_fault', { name: 'equal_seconds' }, /needs protocol 30/)
  await network.closeLedgers(1)
  assert.deepEqual(latestForm(network), [28, 2])
})

test('getEvents reports whether a call succeeded before protocol 30, and not any more since', async () => {
  await using network = await quietNetwork(29)
  await network.closeLedgers(2)
  const read = async (): Promise<boolean[]> => {
    const { events } = await network.call<{ events: object[] }>('getEvents', { startLedger: 1, filters: [], pagination: { limit: 3 } })
    return events.map((event) => Object.hasOwn(event, 'inSuccessfulContractCall'))
  }
  assert.deepEqual(await read(), [true, true, true])
  await network.call('local_upgradeProtocol', { protocol: 30 })
  assert.deepEqual(await read(), [false, false, false])
})

test('prices are written, and the exchange continues, while every ledger closes in the same second', async () => {
  await using network = await startTestNetwork({ traders: 4, protocol: 30 })
  await network.closeLedgers(4)
  await network.call('local_fault', { name: 'equal_seconds', count: null })
  const { closeTimeSec } = network.chain.history.latest()
  await network.call('local_setPrice', { asset: 'BTC', price: '600000000000' })
  await network.closeLedgers(10)
  assert.equal(network.chain.history.latest().closeTimeSec, closeTimeSec)
  const { oracle } = await network.call<Info>('local_info')
  const prices = await readOraclePrices(network.userClient('alice'), oracle)
  assert.deepEqual(prices.get('BTC'), { price: 600_000_000_000n, timestampSec: closeTimeSec })
  await network.call('local_clearFaults')
  await network.closeLedgers(1)
  assert(network.chain.history.latest().closeTimeSec > closeTimeSec)
})
