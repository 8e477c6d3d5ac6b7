// The SDK's unmodified contract.Client against the contracts of generation 2, before and after an upgrade in place.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contract } from '@stellar/stellar-sdk'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let fixture: NetworkFixture
before(async () => {
  fixture = await createNetworkFixture({ generation: '2' })
})
after(() => fixture[Symbol.asyncDispose]())

type Read<Arguments, Result> = (args: Arguments) => Promise<contract.AssembledTransaction<Result>>

interface AssetRisk {
  readonly im_bps: number
  readonly max_position_size: bigint
}

interface Position {
  readonly id: bigint
  readonly entry_price: bigint
}

interface Market {
  get_pause_state: () => Promise<contract.AssembledTransaction<[number, bigint]>>
  get_asset_risk: Read<{ asset: string }, AssetRisk | null>
  open_position: Read<
    { trader: string; asset: string; collateral: bigint; leverage: number; direction: number; acceptable_price: bigint },
    contract.Result<Position, contract.ErrorMessage>
  >
}

interface Vault {
  get_asset_caps: Read<{ asset: string }, [number, bigint, number, bigint]>
}

async function clientOf<Interface>(contractId: string): Promise<Interface & contract.Client> {
  const keypair = fixture.keypair('alice')
  const { networkPassphrase } = fixture.network
  const signer = contract.basicNodeSigner(keypair, networkPassphrase)
  const options = { contractId, networkPassphrase, rpcUrl: fixture.rpcUrl, allowHttp: true, publicKey: keypair.publicKey(), ...signer }
  return contract.Client.from<Interface>(options)
}

const functionsOf = ({ spec }: contract.Client): readonly string[] => spec.funcs().map(({ name }) => name.toString())

test('a client of every contract has its functions, structs and error codes', async () => {
  for (const key of CONTRACT_KEYS) {
    const client = await clientOf<object>(fixture.network.contracts[key])
    assert(functionsOf(client).length > 0, key)
    if (!key.endsWith('Token')) assert(client.spec.errorCases().length > 0, key)
    for (const name of functionsOf(client)) assert(client.spec.jsonSchema(name) !== undefined, `${key}.${name}`)
  }
})

test('tuples, structs and absent values are decoded by their declared types', async () => {
  const { contracts } = fixture.network
  const market = await clientOf<Market>(contracts.market)
  const [mode, since] = (await market.get_pause_state()).result
  assert.deepEqual([mode, typeof since], [0, 'bigint'])
  const risk = (await market.get_asset_risk({ asset: 'PUMP' })).result
  assert.deepEqual([risk?.im_bps, risk?.max_position_size], [2_000, 250_000_000_000n])
  assert.equal((await market.get_asset_risk({ asset: 'PAXG' })).result, null)
  const vault = await clientOf<Vault>(contracts.vault)
  assert.equal((await vault.get_asset_caps({ asset: 'BTC' })).result.length, 4)
})

test('a failed call returns the error that the contract declares', async () => {
  const market = await clientOf<Market>(fixture.network.contracts.market)
  const trader = fixture.keypair('alice').publicKey()
  const call = await market.open_position({ trader, asset: 'PAXG', collateral: 100_0000000n, leverage: 2, direction: 0, acceptable_price: 0n })
  assert(call.result.isErr())
  assert.match(call.simulation !== undefined && 'error' in call.simulation ? call.simulation.error : '', /Error\(Contract, #88\)/)
})

test('a new client has the interface of the build after an upgrade in place', async () => {
  const { market } = fixture.network.contracts
  const upgrade = (build: string): Promise<unknown> => fixture.network.rpc.call('local_upgrade', { contract: 'market', build })
  assert(!functionsOf(await clientOf<Market>(market)).includes('get_all_position_ids'))
  await upgrade('2.2')
  assert(functionsOf(await clientOf<Market>(market)).includes('get_all_position_ids'))
  await upgrade('2.3')
  assert(!functionsOf(await clientOf<Market>(market)).includes('get_all_position_ids'))
})
