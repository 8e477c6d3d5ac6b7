// A little more than an hour with twelve traders covers everything that can happen to positions and orders.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, TransactionBuilder } from '@stellar/stellar-sdk'
import { findFailureCause } from '../src/chain/rpc/outcome.ts'
import { OPERATION_NAMES } from '../src/exchange/operations.ts'
import { createOverviewReader, readOraclePrices } from './actors/exchange-state.ts'
import { createOrderReader, createPositionReader, CROSS_MARGIN, LONG } from './actors/stored-entries.ts'
import type { StoredOrder, StoredPosition } from './actors/stored-entries.ts'
import { createDeployment } from './genesis.ts'
import { createIdentities } from './identities.ts'
import { fromScVal } from './scval.ts'
import { plain, startTestNetwork } from './test-network.ts'
import type { TestNetwork } from './test-network.ts'

const TRADERS = 12
const LEDGER_SEC = 10
const LEDGERS = 380

/** Closes this many ledgers, ten seconds apart. */
async function closeLedgers(network: TestNetwork, ledgers: number): Promise<void> {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    network.clock.advance(LEDGER_SEC * 1_000)
    await network.step()
  }
}

interface Call {
  readonly name: string
  readonly args: readonly unknown[]
}

/** The successful calls of the market, in order. */
function marketCalls(network: TestNetwork): readonly Call[] {
  const { market } = network.contracts
  return network.chain.history.transactionsAfter(0, 0, 100_000).flatMap(({ status, envelopeXdr }) => {
    if (status !== 'SUCCESS') return []
    const transaction = TransactionBuilder.fromXdr(envelopeXdr, network.networkPassphrase)
    const [operation] = transaction.operations
    if (operation?.type !== 'invokeHostFunction' || operation.func.type !== 'hostFunctionTypeInvokeContract') return []
    const { contractAddress, functionName, args } = operation.func.invokeContract
    if (Address.fromScAddress(contractAddress).toString() !== market) return []
    return [{ name: functionName.toString(), args: args.map((arg) => plain(fromScVal(arg) ?? assert.fail('an argument of unknown type'))) }]
  })
}

/** The failures for a reason of the host, such as an entry outside of the footprint. */
function hostFailures(network: TestNetwork): readonly string[] {
  return network.chain.history.transactionsAfter(0, 0, 100_000).flatMap(({ status, diagnosticEventsXdr }) => {
    const { hostError } = status === 'SUCCESS' ? { hostError: null } : findFailureCause(diagnosticEventsXdr)
    return hostError === null ? [] : [`${hostError.type} ${hostError.code}`]
  })
}

async function readMarket(network: TestNetwork): Promise<{ positions: readonly StoredPosition[]; orders: readonly StoredOrder[] }> {
  const reader = network.userClient('alice')
  const deployment = createDeployment(network.networkPassphrase, createIdentities(network.networkPassphrase, 0))
  const { positionIds, orderIds } = await createOverviewReader(deployment)(reader)
  return {
    positions: await createPositionReader(reader, deployment.market).byIds(positionIds),
    orders: await createOrderReader(reader, deployment.market).byIds(orderIds),
  }
}

/** Moves the prices of these positions by 15% against them. */
async function squeeze(network: TestNetwork, isSqueezed: (position: StoredPosition) => boolean): Promise<void> {
  const { oracle } = await network.call<{ oracle: string }>('local_info')
  const prices = await readOraclePrices(network.userClient('alice'), oracle)
  const { positions } = await readMarket(network)
  for (const { asset, direction } of positions.filter(isSqueezed)) {
    const percent = direction === LONG ? 85n : 115n
    await network.call('local_setPrice', { asset, price: String(((prices.get(asset)?.price ?? 0n) * percent) / 100n) })
  }
  await closeLedgers(network, 10)
  await network.call('local_releasePrice')
}

/** Moves all prices by 0.8%: too little to liquidate, but enough for the keeper to update the market. */
async function nudge(network: TestNetwork): Promise<void> {
  const { oracle } = await network.call<{ oracle: string }>('local_info')
  for (const [asset, { price }] of await readOraclePrices(network.userClient('alice'), oracle)) {
    await network.call('local_setPrice', { asset, price: String((price * 1_008n) / 1_000n) })
  }
  await closeLedgers(network, 30)
  await network.call('local_releasePrice')
}

test('a little more than an hour covers all ten operations and every event of positions and orders', async () => {
  await using network = await startTestNetwork({ traders: TRADERS, seed: 'an hour' })
  await closeLedgers(network, LEDGERS)
  await squeeze(network, (position) => position.marginMode === CROSS_MARGIN)
  await squeeze(network, (position) => position.marginMode !== CROSS_MARGIN)
  await nudge(network)

  assert.deepEqual(hostFailures(network), [])
  const calls = marketCalls(network)
  const names = new Set(calls.map(({ name }) => name))
  assert.deepEqual(OPERATION_NAMES.filter((name) => !names.has(name)), [], 'unused operations')
  for (const name of ['deposit_cross_margin', 'withdraw_cross_margin', 'execute_order', 'update_trailing_peak', 'sync_asset_pnl', 'apply_funding']) {
    assert(names.has(name), `no call of ${name}`)
  }
  const timesInForce = new Set(calls.filter(({ name }) => name === 'place_limit_order').map(({ args }) => args.at(-1)))
  assert.deepEqual(timesInForce, new Set([0, 1, 2, 0x100]))

  const topics = new Set(network.exchangeEvents().map(({ topic }) => topic))
  for (const topic of [
    'position_opened', 'position_closed', 'position_liquidated', 'cross_liq', 'order_placed', 'order_executed', 'order_cancelled', 'funding_applied',
  ]) assert(topics.has(topic), `no ${topic} event`)
  const reasons = new Set(network.exchangeEvents('order_cancelled').map(({ fields }) => String(fields[1])))
  for (const reason of ['user', 'pos_closed', 'ioc_not_filled', 'slippage']) assert(reasons.has(reason), `no order was cancelled for ${reason}`)

  const { vaultFactory, referral } = network.contracts
  const vaultTopics = network.exchangeEvents().filter(({ contractId }) => contractId === vaultFactory || contractId === referral).map(({ topic }) => topic)
  for (const topic of [
    'vault_created', 'deposit', 'withdraw', 'leader_open', 'leader_close', 'leader_limit', 'code_created', 'referrer_set',
  ]) assert(vaultTopics.includes(topic), `no ${topic} event of vaults or referral`)

  const { positions, orders } = await readMarket(network)
  assert(positions.length > 0 && positions.length < TRADERS * 12, `${positions.length} positions are open`)
  assert(orders.length > 0 && orders.length < TRADERS * 12, `${orders.length} orders are pending`)
})

test('generation 2: traders close positions in part, move collateral and bound their prices, and the admin halts an asset now and then', async () => {
  await using network = await startTestNetwork({ traders: TRADERS, generation: '2', ledgerMs: LEDGER_SEC * 1_000 })
  for (let minute = 0; minute < 12; minute++) {
    await network.closeLedgers(30)
    if (network.exchangeEvents('asset_halt_set').length > 1) break
    await network.call('local_advance', { seconds: 600 })
  }
  for (const topic of ['position_reduced', 'collateral_added', 'collateral_removed', 'asset_halt_set']) {
    assert(network.exchangeEvents(topic).length > 0, topic)
  }
  const records = network.chain.history.transactionsAfter(0, 0, 10_000)
  const failed = records.filter(({ status }) => status !== 'SUCCESS').length
  assert(records.length > 30 && failed < records.length / 20, `${failed} of ${records.length} transactions failed`)
})
