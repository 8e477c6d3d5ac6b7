// State of the contracts, read from the ledger without the index, and the same state as the API serves it.

import { Account, Contract, nativeToScVal, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { StoredPosition } from '../../src/chain/views/market-entries.ts'
import type { MarketState } from '../../src/chain/views/market-state.ts'
import { readMarketState } from '../../src/chain/views/market-state.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { NULL_ACCOUNT } from '../../src/chain/views/contract-views.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { createControlledTransport } from '../support/controlled-transport.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'

/** Id, trader, asset, direction, size, entry price and time of opening. */
export type PositionRow = readonly string[]

const RECONCILE_STEPS_MAX = 20
const IDS_PER_READ = 100

export async function readPositionsFromChain({ network, clock }: GatewayFixture): Promise<readonly PositionRow[]> {
  const { transport } = createControlledTransport(network)
  const rpc = createRpc({ urls: ['http://local/rpc'], clock, random: createSeededRandom('ledger'), log: silentLog, transport })
  const exchange = { ...network.contracts, assets: ASSET_SYMBOLS }
  const read = (positionIds: readonly number[]): Promise<MarketState> => readMarketState(rpc, exchange, { positionIds }, {})
  // Only open positions have an entry, whether or not the market lists their ids.
  const { lastPositionId } = await read([])
  const positions: (StoredPosition | null)[] = []
  for (let first = 1; first <= (lastPositionId ?? 0); first += IDS_PER_READ) {
    const ids = Array.from({ length: IDS_PER_READ }, (_, index) => first + index)
    positions.push(...(await read(ids)).positions.values())
  }
  return positions.map((position) => rowOf(
    position?.id, position?.trader, position?.asset, position?.direction, position?.size, position?.entry_price, position?.timestamp,
  )).toSorted(byText)
}

export async function readPositionsFromApi(fixture: GatewayFixture): Promise<readonly PositionRow[]> {
  const { body } = await fixture.get<{ positions: readonly OpenPosition[] }>('/v1/positions/open')
  return body.positions.map(({ positionId, trader, asset, direction, size, entryPrice, openedAt }) =>
    rowOf(positionId, trader, asset, direction, size, entryPrice, openedAt)).toSorted(byText)
}

const rowOf = (...fields: readonly unknown[]): PositionRow => fields.map(String)
const byText = (a: PositionRow, b: PositionRow): number => (a.join() < b.join() ? -1 : 1)

/** Compares the whole index with the chain and returns the number of corrections. */
export async function reconcileAll({ indexer }: GatewayFixture): Promise<number> {
  let corrections = 0
  for (let steps = 0; steps < RECONCILE_STEPS_MAX; steps++) {
    const made = await indexer.compare()
    if (made === null) return corrections
    corrections += made
  }
  throw new Error(`the comparison did not end within ${RECONCILE_STEPS_MAX} steps`)
}

/** A trader vault as the factory's own view returns it. */
export async function viewVault(fixture: GatewayFixture, id: number): Promise<Record<string, unknown>> {
  const { contracts: { vaultFactory } } = fixture.network
  return await callView(fixture, vaultFactory, 'view_vault', nativeToScVal(id, { type: 'u32' })) as Record<string, unknown>
}

/** Returns the result of a contract's view, by simulation. */
export async function callView({ network }: GatewayFixture, contract: string, functionName: string, ...args: readonly xdr.ScVal[]): Promise<unknown> {
  const { networkPassphrase, rpc } = network
  const transaction = new TransactionBuilder(new Account(NULL_ACCOUNT, '0'), { fee: '100', networkPassphrase })
    .addOperation(new Contract(contract).call(functionName, ...args))
    .setTimeout(0)
    .build()
  const { results } = await rpc.call('simulateTransaction', { transaction: transaction.toXdr() }) as { results: readonly [{ xdr: string }] }
  return scValToNative(xdr.ScVal.fromXdr(results[0].xdr, 'base64'))
}
