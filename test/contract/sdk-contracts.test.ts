// The SDK's contract.Client reads a contract's interface from the ledger and calls it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Asset, contract, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let served: NetworkFixture
before(async () => {
  served = await createNetworkFixture()
})
after(() => served[Symbol.asyncDispose]())

type Call<Arguments, Result> = (args: Arguments) => Promise<contract.AssembledTransaction<Result>>

interface Shim {
  lastprice: Call<{ asset: string }, [bigint, bigint]>
}

interface Vault {
  deposit: Call<{ depositor: string; usdc_amount: bigint }, bigint>
  get_deposited: Call<{ account: string }, bigint>
}

async function clientOf<Interface>(contractId: string, name: 'alice' | 'bob'): Promise<Interface> {
  const keypair = served.keypair(name)
  const { networkPassphrase } = served.network
  return contract.Client.from<Interface>({
    contractId,
    networkPassphrase,
    rpcUrl: served.rpcUrl,
    allowHttp: true,
    publicKey: keypair.publicKey(),
    ...contract.basicNodeSigner(keypair, networkPassphrase),
  })
}

/** Accounts hold LP tokens in a trustline that they create themselves. */
async function trustLpToken(name: 'alice' | 'bob'): Promise<void> {
  const { server, network } = served
  const keypair = served.keypair(name)
  const issuer = defined(network.accounts.find((account) => account.name === 'lp-issuer'), 'the LP issuer').address
  const account = await server.getAccount(keypair.publicKey())
  const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: network.networkPassphrase })
    .addOperation(Operation.changeTrust({ asset: new Asset('LP', issuer) }))
    .setTimeout(300)
    .build()
  transaction.sign(keypair)
  const { hash } = await server.sendTransaction(transaction)
  assert.equal((await server.pollTransaction(hash)).status, 'SUCCESS')
}

test('every contract except tokens publishes an interface with its error codes', async () => {
  const { market, vault, oracleShim, router, vaultFactory, referral } = served.network.contracts
  for (const contractId of [market, vault, oracleShim, router, vaultFactory, referral]) {
    const client = await clientOf<contract.Client>(contractId, 'alice')
    assert.ok(client.spec.funcs().length > 0)
    assert.ok(client.spec.errorCases().length > 0)
  }
})

test('a read is a simulation; a rejection has the error code', async () => {
  const shim = await clientOf<Shim>(served.network.contracts.oracleShim, 'alice')
  const { result } = await shim.lastprice({ asset: 'BTC' })
  assert.ok(result[0] > 0n && result[1] > 0n)
  // The interface has the code, so the client returns an error result.
  const refused = await shim.lastprice({ asset: 'NOPE' })
  assert.ok((refused.result as unknown as contract.Result<never, contract.ErrorMessage>).isErr())
  assert.ok(refused.simulation !== undefined && rpc.Api.isSimulationError(refused.simulation))
  assert.match(refused.simulation.error, /^HostError: Error\(Contract, #31\)\n/)
})

test('a deposit without an LP trustline is rejected with the token\'s code', async () => {
  const alice = served.keypair('alice').publicKey()
  const vault = await clientOf<Vault>(served.network.contracts.vault, 'alice')
  const call = await vault.deposit({ depositor: alice, usdc_amount: 100_0000000n })
  await assert.rejects(call.signAndSend(), /HostError: Error\(Contract, #13\)/)
})

test('a write is signed, sent and final, with the contract\'s return value', async () => {
  const bob = served.keypair('bob').publicKey()
  await trustLpToken('bob')
  const vault = await clientOf<Vault>(served.network.contracts.vault, 'bob')
  const call = await vault.deposit({ depositor: bob, usdc_amount: 100_0000000n })
  const sent = await call.signAndSend()
  assert.equal(sent.getTransactionResponse?.status, 'SUCCESS')
  assert.ok(sent.result > 0n)
  assert.ok((await vault.get_deposited({ account: bob })).result > 0n)
})
