// What becomes of the exchange in time: after a week trading goes on, nobody is ruined, positions neither pile up nor vanish, and no token was made or lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address } from './contracts/host.ts'
import { asI128, asU64, asVec, fieldOf, storageKey } from './contracts/values.ts'
import type { Client } from './actors/client.ts'
import { contractDataKey, contractDataValue, readTrustlineBalance } from './actors/exchange-state.ts'
import { createIdentities } from './genesis.ts'
import { startTestNetwork } from './test-network.ts'
import type { TestNetwork } from './test-network.ts'

const TRADERS = 12
const DAYS = 7
const DAY_SEC = 86_400
/** Ledgers of ordinary trading between two jumps of the clock. */
const LEDGERS_A_DAY = 20

async function contractValue(reader: Client, contract: string, key: ReturnType<typeof storageKey>) {
  const keyXdr = contractDataKey(contract, key)
  const entry = (await reader.readEntries([keyXdr])).get(keyXdr)
  return entry === undefined ? undefined : contractDataValue(entry)
}

/** All USDC of those who trade or are traded with: people's trustlines, and the contracts' balances. */
async function usdcOf(network: TestNetwork, usdcAsset: string): Promise<{ total: bigint; poorestTrader: bigint; vault: bigint }> {
  const reader = network.userClient('alice')
  const { traders, liquidityProviders, users: visitors, keeper, vaultLeaders, vaultDepositors } = createIdentities(network.networkPassphrase, TRADERS)
  const line = async (account: string): Promise<bigint> => (await readTrustlineBalance(reader, account, usdcAsset)) ?? 0n
  const held = async (contract: string): Promise<bigint> => {
    const value = await contractValue(reader, network.contracts.usdcToken, storageKey('Balance', address(contract)))
    return value === undefined ? 0n : asI128(fieldOf(value, 'amount'))
  }
  const ofTraders = await Promise.all(traders.map((trader) => line(trader.address)))
  const ofOthers = await Promise.all([...liquidityProviders, ...visitors, ...vaultLeaders, ...vaultDepositors, keeper].map((person) => line(person.address)))
  const { contracts } = network
  const [vault, market, factory] = [await held(contracts.vault), await held(contracts.market), await held(contracts.vaultFactory)]
  return {
    total: [...ofTraders, ...ofOthers, vault, market, factory].reduce((sum, amount) => sum + amount, 0n),
    poorestTrader: ofTraders.reduce((least, amount) => (amount < least ? amount : least)),
    vault,
  }
}

/** The positions of whose end no event tells, with their traders: those that are open, and those of cross accounts that were liquidated whole. */
function unendedPositions(network: TestNetwork): ReadonlyMap<unknown, unknown> {
  const traders = new Map(network.exchangeEvents('position_opened').map(({ fields }) => [fields[0], fields[1]]))
  for (const topic of ['position_closed', 'position_liquidated']) for (const { fields } of network.exchangeEvents(topic)) traders.delete(fields[0])
  return traders
}

test('after a week trading goes on: nobody is ruined, positions come and go, and every token is where it should be', async () => {
  await using network = await startTestNetwork({ traders: TRADERS, seed: 'a week' })
  const { usdcAsset } = await network.call<{ usdcAsset: string }>('local_info')
  const before = await usdcOf(network, usdcAsset)
  for (let day = 0; day < DAYS; day++) {
    await network.closeLedgers(LEDGERS_A_DAY)
    await network.call('local_advance', { seconds: DAY_SEC })
  }
  const lastJump = network.chain.history.latest().sequence
  await network.closeLedgers(3 * LEDGERS_A_DAY)

  const lately = (topic: string): number => network.exchangeEvents(topic).filter(({ ledger }) => ledger > lastJump).length
  assert(lately('position_opened') > 5 && lately('position_closed') > 5, 'trading has come to a halt')
  assert(lately('funding_applied') > 0, 'nobody applies funding')

  const ids = await contractValue(network.userClient('alice'), network.contracts.market, storageKey('AllPositions'))
  const open = new Set(ids === undefined ? [] : asVec(ids).map(asU64))
  const unended = unendedPositions(network)
  assert.deepEqual([...open].filter((id) => !unended.has(id)), [], 'a position is open that never was opened, or was ended')
  for (const [id, trader] of unended) {
    const isCrossLiquidated = network.exchangeEvents('cross_liq').some(({ fields }) => fields[0] === trader)
    assert(open.has(id as bigint) || isCrossLiquidated, `position ${String(id)} has vanished`)
  }
  assert(open.size > 0 && open.size < TRADERS * 12, `${open.size} positions are open`)

  const after = await usdcOf(network, usdcAsset)
  assert.equal(after.total, before.total, 'USDC was made or lost')
  assert(after.poorestTrader > before.poorestTrader / 2n, 'a trader is on the way to ruin')
  assert(after.vault > 30_000_000n * 10_000_000n, 'the vault runs dry')
})
