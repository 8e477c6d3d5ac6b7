// The SDK's unmodified contract.Client reads a contract's interface from the ledger and calls the contract.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Asset, contract, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createNetworkFixture } from './network-fixture.ts'
import type { NetworkFixture } from './network-fixture.ts'

let fixture: NetworkFixture
before(async () => {
  fixture = await createNetworkFixture()
})
after(() => fixture[Symbol.asyncDispose]())

type Call<Arguments, Result> = (args: Arguments) => Promise<contract.AssembledTransaction<Result>>

interface Shim {
  lastprice: Call<{ asset: string }, [bigint, bigint]>
}

interface Vault {
  deposit: Call<{ depositor: string; usdc_amount: bigint }, bigint>
  get_deposited: Call<{ account: string }, bigint>
}

async function clientOf<Interface>(contractId: string, name: 'alice' | 'bob'): Promise<Interface> {
  const keypair = fixture.keypair(name)
  const { networkPassphrase } = fixture.network
  return contract.Client.from<Interface>({
    contractId,
    networkPassphrase,
    rpcUrl: fixture.rpcUrl,
    allowHttp: true,
    publicKey: keypair.publicKey(),
    ...contract.basicNodeSigner(keypair, networkPassphrase),
  })
}

/** An account needs a trustline before it can hold LP tokens. */
async function trustLpToken(name: 'alice' | 'bob'): Promise<void> {
  const { server, network } = fixture
  const keypair = fixture.keypair(name)
  const issuer = defined(network.accounts.find((account) => account.name === 'lp-issuer'), 'the issuer').address
  const account = await server.getAccount(keypair.publicKey())
  const transaction = new TransactionBuilder(account, { fee: '100', networkPassphrase: network.networkPassphrase })
    .addOperation(Operation.changeTrust({ asset: new Asset('LP', issuer) }))
    .setTimeout(300)
    .build()
  transaction.sign(keypair)
  const { hash } = await server.sendTransaction(transaction)
  assert.equal((await server.pollTransaction(hash)).status, 'SUCCESS')
}

test('every contract except the tokens publishes its interface and error codes', async () => {
  const { market, vault, oracleShim, router, vaultFactory, referral } = fixture.network.contracts
  for (const contractId of [market, vault, oracleShim, router, vaultFactory, referral]) {
    const client = await clientOf<contract.Client>(contractId, 'alice')
    assert.ok(client.spec.funcs().length > 0)
    assert.ok(client.spec.errorCases().length > 0)
  }
})

test('a read runs as a simulation, and a failed read returns the contract error code', async () => {
  const shim = await clientOf<Shim>(fixture.network.contracts.oracleShim, 'alice')
  const { result } = await shim.lastprice({ asset: 'BTC' })
  assert.ok(result[0] > 0n && result[1] > 0n)
  // The interface defines this error code, so the client returns an Err result instead of throwing.
  const failed = await shim.lastprice({ asset: 'NOPE' })
  assert.ok((failed.result as unknown as contract.Result<never, contract.ErrorMessage>).isErr())
  assert.ok(failed.simulation !== undefined && rpc.Api.isSimulationError(failed.simulation))
  assert.match(failed.simulation.error, /^HostError: Error\(Contract, #31\)\n/)
})

test('a deposit without an LP trustline fails with the token\'s error code', async () => {
  const alice = fixture.keypair('alice').publicKey()
  const vault = await clientOf<Vault>(fixture.network.contracts.vault, 'alice')
  const call = await vault.deposit({ depositor: alice, usdc_amount: 100_0000000n })
  await assert.rejects(call.signAndSend(), /HostError: Error\(Contract, #13\)/)
})

test('a write is signed, sent and applied, and returns the contract\'s result', async () => {
  const bob = fixture.keypair('bob').publicKey()
  await trustLpToken('bob')
  const vault = await clientOf<Vault>(fixture.network.contracts.vault, 'bob')
  const call = await vault.deposit({ depositor: bob, usdc_amount: 100_0000000n })
  const sent = await call.signAndSend()
  assert.equal(sent.getTransactionResponse?.status, 'SUCCESS')
  assert.ok(sent.result > 0n)
  assert.ok((await vault.get_deposited({ account: bob })).result > 0n)
})
