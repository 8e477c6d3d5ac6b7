// The exchange after a week: trading continues, no trader is ruined, positions neither accumulate nor vanish, and the total of USDC is unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address } from './contracts/shared/host.ts'
import { asI128, asU64, asVec, fieldOf, storageKey } from './contracts/shared/values.ts'
import type { Client } from './actors/client.ts'
import { contractDataKey, contractDataValue, readTrustlineBalance } from './actors/exchange-state.ts'
import { createIdentities } from './identities.ts'
import { startTestNetwork } from './test-network.ts'
import type { TestNetwork } from './test-network.ts'

const TRADERS = 12
const DAYS = 7
const DAY_SEC = 86_400
/** Ledgers between two jumps of the clock. */
const LEDGERS_PER_DAY = 20

async function contractValue(reader: Client, contract: string, key: ReturnType<typeof storageKey>) {
  const keyXdr = contractDataKey(contract, key)
  const entry = (await reader.readEntries([keyXdr])).get(keyXdr)
  return entry === undefined ? undefined : contractDataValue(entry)
}

/** All USDC: the accounts' trustlines and the contracts' balances. */
async function usdcTotals(network: TestNetwork, usdcAsset: string): Promise<{ total: bigint; poorestTrader: bigint; vault: bigint }> {
  const reader = network.userClient('alice')
  const { traders, liquidityProviders, users, keeper, vaultLeaders, vaultDepositors } = createIdentities(network.networkPassphrase, TRADERS)
  const accountBalance = async (account: string): Promise<bigint> => (await readTrustlineBalance(reader, account, usdcAsset)) ?? 0n
  const contractBalance = async (contract: string): Promise<bigint> => {
    const value = await contractValue(reader, network.contracts.usdcToken, storageKey('Balance', address(contract)))
    return value === undefined ? 0n : asI128(fieldOf(value, 'amount'))
  }
  const traderBalances = await Promise.all(traders.map((trader) => accountBalance(trader.address)))
  const others = [...liquidityProviders, ...users, ...vaultLeaders, ...vaultDepositors, keeper]
  const otherBalances = await Promise.all(others.map((owner) => accountBalance(owner.address)))
  const { contracts } = network
  const vault = await contractBalance(contracts.vault)
  const market = await contractBalance(contracts.market)
  const factory = await contractBalance(contracts.vaultFactory)
  return {
    total: [...traderBalances, ...otherBalances, vault, market, factory].reduce((sum, amount) => sum + amount, 0n),
    poorestTrader: traderBalances.reduce((min, amount) => (amount < min ? amount : min)),
    vault,
  }
}

/** The traders of positions without a closing event: open positions, and those of cross accounts that were liquidated as a whole. */
function positionsWithoutClose(network: TestNetwork): ReadonlyMap<unknown, unknown> {
  const traders = new Map(network.exchangeEvents('position_opened').map(({ fields }) => [fields[0], fields[1]]))
  for (const topic of ['position_closed', 'position_liquidated']) for (const { fields } of network.exchangeEvents(topic)) traders.delete(fields[0])
  return traders
}

test('after a week trading continues, no trader is ruined, positions open and close, and the total of USDC is unchanged', async () => {
  await using network = await startTestNetwork({ traders: TRADERS, seed: 'a week' })
  const { usdcAsset } = await network.call<{ usdcAsset: string }>('local_info')
  const initial = await usdcTotals(network, usdcAsset)
  for (let day = 0; day < DAYS; day++) {
    await network.closeLedgers(LEDGERS_PER_DAY)
    await network.call('local_advance', { seconds: DAY_SEC })
  }
  const lastJump = network.chain.history.latest().sequence
  await network.closeLedgers(3 * LEDGERS_PER_DAY)

  const lately = (topic: string): number => network.exchangeEvents(topic).filter(({ ledger }) => ledger > lastJump).length
  assert(lately('position_opened') > 5 && lately('position_closed') > 5, 'trading has stopped')
  assert(lately('funding_applied') > 0, 'no funding was applied')

  const ids = await contractValue(network.userClient('alice'), network.contracts.market, storageKey('AllPositions'))
  const open = new Set(ids === undefined ? [] : asVec(ids).map(asU64))
  const withoutClose = positionsWithoutClose(network)
  assert.deepEqual([...open].filter((id) => !withoutClose.has(id)), [], 'an open position has no opening event or a closing event')
  for (const [id, trader] of withoutClose) {
    const isCrossLiquidated = network.exchangeEvents('cross_liq').some(({ fields }) => fields[0] === trader)
    assert(open.has(id as bigint) || isCrossLiquidated, `position ${String(id)} has vanished`)
  }
  assert(open.size > 0 && open.size < TRADERS * 12, `${open.size} positions are open`)

  const final = await usdcTotals(network, usdcAsset)
  assert.equal(final.total, initial.total, 'the total of USDC has changed')
  assert(final.poorestTrader > initial.poorestTrader / 2n, 'a trader lost more than half')
  assert(final.vault > 30_000_000n * 10_000_000n, 'the vault has lost its liquidity')
})
