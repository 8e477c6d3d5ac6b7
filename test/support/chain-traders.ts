// People who trade when a test says so: accounts of their own, transactions signed and sent through the door like anybody's.

import assert from 'node:assert/strict'
import { createClient } from '../../localnet/actors/client.ts'
import type { Client } from '../../localnet/actors/client.ts'
import { createIdentity } from '../../localnet/actors/identity.ts'
import { createHoldingsReader } from '../../localnet/actors/stored-entries.ts'
import { address, i128, symbol, u32, u64 } from '../../localnet/contracts/host.ts'
import type { Val } from '../../localnet/contracts/host.ts'
import type { GatewayFixture } from './gateway-fixture.ts'

const USDC = 10_000_000n

export interface ChainTrader {
  readonly address: string
  readonly client: Client
}

/** What one person asks a contract for: the market, unless another is named. */
export interface ContractCall {
  readonly person: ChainTrader
  readonly contract?: string
  readonly functionName: string
  readonly args: readonly Val[]
}

/** Funds an account of this name with 50,000 test USDC. */
export async function createChainTrader(fixture: GatewayFixture, name: string): Promise<ChainTrader> {
  const { networkPassphrase, rpc } = fixture.network
  const identity = createIdentity(networkPassphrase, `test ${name}`)
  await fixture.control('local_fund', { address: identity.address, usdc: String(50_000n * USDC) })
  return { address: identity.address, client: createClient({ identity, networkPassphrase, transport: (method, params) => rpc.call(method, params) }) }
}

/** Brings all of these onto one ledger; fails when the network refuses one. A person does one thing at a time. */
export async function applyInOneLedger(fixture: GatewayFixture, deeds: readonly ContractCall[]): Promise<void> {
  const { network } = fixture
  const view = () => {
    const { sequence, closeTimeSec } = network.chain.history.latest()
    return { sequence, closeTimeSec }
  }
  for (const { person, contract = network.contracts.market, functionName, args } of deeds) {
    const answer = await person.client.invoke({ contract, functionName, args }, view())
    assert.deepEqual(answer, { kind: 'sent' }, functionName)
  }
  await fixture.closeLedgers(1)
  for (const { person, functionName } of deeds) {
    const settlement = await person.client.settle(view())
    assert.equal(settlement.kind, 'applied', `${functionName}: ${JSON.stringify(settlement)}`)
  }
}

/** Opens an isolated position; collateral in whole USDC. */
export function openPosition(person: ChainTrader, terms: { asset: string; direction: 0 | 1; collateral: number; leverage: number }): ContractCall {
  const { asset, direction, collateral, leverage } = terms
  return {
    person,
    functionName: 'open_position',
    args: [address(person.address), symbol(asset), i128(BigInt(collateral) * USDC), u32(leverage), u32(direction)],
  }
}

/** Closes a position. */
export function closePosition(person: ChainTrader, positionId: number): ContractCall {
  return { person, functionName: 'close_position', args: [address(person.address), u64(BigInt(positionId))] }
}

/** The ids of a person's open positions, as the ledger has them, newest first. */
export async function readOpenPositionIds(fixture: GatewayFixture, person: ChainTrader): Promise<readonly number[]> {
  const { positions } = await createHoldingsReader(person.client, fixture.network.contracts.market, person.address).read()
  return positions.map(({ id }) => Number(id)).sort((a, b) => b - a)
}

/** Moves an asset's price to this many hundredths of what it is, and holds it there. */
export async function movePrice(fixture: GatewayFixture, asset: string, toPercent: number): Promise<void> {
  const { price } = (await fixture.get<{ price: string }>(`/v1/markets/${asset}/price`)).body
  await fixture.control('local_setPrice', { asset, price: String((BigInt(price) * BigInt(toPercent)) / 100n) })
}
