import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import type { Val } from './contracts/shared/host.ts'
import { address, bool, i128, symbol, text, u32, u64, vec } from './contracts/shared/host.ts'
import { contractDataKey } from './ledger/keys.ts'
import { startTestNetwork, WARM_UP_LEDGERS } from './test-network.ts'
import type { DecodedEvent, TestNetwork } from './test-network.ts'
import type { ContractKey } from '../src/exchange/contracts/contracts.ts'

interface Account {
  readonly address: string
  /** Sends a call whose first argument is the account, and returns its events. */
  call(contract: ContractKey, functionName: string, ...args: readonly Val[]): Promise<readonly DecodedEvent[]>
}

/** A network of generation 2 with liquidity and without traders. */
async function startExchange(): Promise<TestNetwork> {
  const network = await startTestNetwork({ traders: 0, generation: '2' })
  await network.closeLedgers(WARM_UP_LEDGERS + 1)
  return network
}

async function fund(network: TestNetwork, name: string): Promise<Account> {
  const client = network.userClient(name)
  await network.call('local_fund', { address: client.address, usdc: String(10_000n * ONE_E7) })
  return {
    address: client.address,
    async call(contract, functionName, ...args) {
      const count = network.exchangeEvents().length
      const { sequence, closeTimeSec } = network.chain.history.latest()
      const invocation = { contract: network.contracts[contract], functionName, args: [address(client.address), ...args] }
      const response = await client.invoke(invocation, { sequence, closeTimeSec })
      assert.equal(response.kind, 'sent', `${functionName}: ${JSON.stringify(response)}`)
      await network.closeLedgers(1)
      const settlement = await client.settle(network.chain.history.latest())
      assert.equal(settlement.kind, 'applied', `${functionName}: ${JSON.stringify(settlement)}`)
      return network.exchangeEvents().slice(count)
    },
  }
}

const usdc = (whole: bigint): Val => i128(whole * ONE_E7)
const LONG = u32(0)
const NO_BOUND = i128(0n)
const fieldsOf = (events: readonly DecodedEvent[], topic: string): readonly unknown[] | undefined => events.find((event) => event.topic === topic)?.fields

test('the market reports trades of referred traders, and trades also when the referral contract rejects the report', async () => {
  await using network = await startExchange()
  const [referrer, referee] = [await fund(network, 'alice'), await fund(network, 'bob')]
  await referrer.call('referral', 'create_code', text('alice'))
  await referee.call('referral', 'set_referrer', text('alice'))
  const open = (): Promise<readonly DecodedEvent[]> =>
    referee.call('market', 'open_position', symbol('BTC'), usdc(200n), u32(5), LONG, NO_BOUND)
  assert.deepEqual(fieldsOf(await open(), 'trade_recorded'), [referee.address, referrer.address, 5_000_000n, 200_000n, 500_000n, 1_000n * ONE_E7])
  assert.deepEqual(fieldsOf(await referrer.call('referral', 'claim'), 'claimed'), [referrer.address, 500_000n])

  await network.call('local_admin', { contract: 'referral', function: 'set_market', args: [{ type: 'address', value: referrer.address }] })
  const unreported = await open()
  assert.equal(fieldsOf(unreported, 'trade_recorded'), undefined)
  assert.ok(unreported.some(({ topic }) => topic === 'position_opened'))
})

test('positions and orders live 150 days after every write, the proceeds of a close two days', async () => {
  await using network = await startExchange()
  const trader = await fund(network, 'alice')
  const liveUntil = async (name: string, id: bigint, durability: 'persistent' | 'temporary' = 'persistent'): Promise<number> => {
    const keys = [contractDataKey(network.contracts.market, durability, vec(symbol(name), u64(id)))]
    const { entries } = await network.call<{ readonly entries: readonly { readonly liveUntilLedgerSeq: number }[] }>('getLedgerEntries', { keys })
    return (entries[0]?.liveUntilLedgerSeq ?? Number.NaN) - network.chain.history.latest().sequence + 1
  }
  const opened = await trader.call('market', 'open_position', symbol('BTC'), usdc(200n), u32(5), LONG, NO_BOUND)
  const position = BigInt(String(fieldsOf(opened, 'position_opened')?.[0]))
  assert.equal(await liveUntil('Position', position), 2_592_000)
  const placed = await trader.call('market', 'set_stop_loss', u64(position), i128(ONE_E7), u32(50))
  assert.equal(await liveUntil('Order', BigInt(String(fieldsOf(placed, 'order_placed')?.[0]))), 2_592_000)
  assert.equal(await liveUntil('Position', position), 2_592_000 - 1, 'written a ledger ago')
  await trader.call('market', 'add_collateral', u64(position), usdc(10n))
  assert.equal(await liveUntil('Position', position), 2_592_000)
  await trader.call('market', 'close_position', u64(position), NO_BOUND)
  assert.equal(await liveUntil('ClosedProceeds', position, 'temporary'), 34_560)
})

test('a leader\'s vault is valued and reconciled on the ledger', async () => {
  await using network = await startExchange()
  const [leader, keeper] = [await fund(network, 'alice'), await fund(network, 'bob')]
  await leader.call('vaultFactory', 'create_vault', text('swift'))
  const id = newestVault(network)
  const deposited = await leader.call('vaultFactory', 'deposit', u32(id), usdc(1_000n), NO_BOUND)
  assert.deepEqual(fieldsOf(deposited, 'deposit'), [leader.address, 1_000n * ONE_E7, 1_000n * ONE_E7])
  const price = String(60_000n * ONE_E7)
  await network.call('local_setPrice', { asset: 'BTC', price })
  const trigger = i128(61_000n * ONE_E7)
  const placed = await leader.call(
    'vaultFactory', 'leader_place_limit_order', u32(id), symbol('BTC'), usdc(100n), u32(2), LONG, trigger, bool(false), u32(500), u32(0),
  )
  const orderId = fieldsOf(placed, 'leader_limit')?.[1] as bigint
  const executed = await keeper.call('market', 'execute_order', u64(orderId))
  const positionId = fieldsOf(executed, 'position_opened')?.[0] as bigint
  await assert.rejects(leader.call('vaultFactory', 'leader_close_position', u32(id), u64(positionId)), /16/, 'not bound yet')
  const reconciliation = { contract: network.contracts.vaultFactory, functionName: 'reconcile_order', args: [u32(id), u64(orderId)] }
  await network.userClient('bob').invoke(reconciliation, network.chain.history.latest())
  await network.closeLedgers(1)
  assert.deepEqual(network.exchangeEvents('order_reconciled').at(-1)?.fields, [orderId, positionId, 0n])
  const closed = await leader.call('vaultFactory', 'leader_close_position', u32(id), u64(positionId))
  assert.deepEqual(fieldsOf(closed, 'leader_close'), [leader.address, positionId])
})

/** The id of the newest vault. Ids are dense from 0. */
const newestVault = (network: TestNetwork): number => network.exchangeEvents('vault_created').length - 1
