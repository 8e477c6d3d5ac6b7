// A trader vault as the factory's own view tells it, read with the plain SDK.

import { Account, Contract, nativeToScVal, scValToNative, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { NULL_ACCOUNT } from '../../src/chain/views.ts'
import type { GatewayFixture } from './gateway-fixture.ts'

export async function viewVault(fixture: GatewayFixture, id: number): Promise<Record<string, unknown>> {
  const { contracts: { vaultFactory }, networkPassphrase, rpc } = fixture.network
  const transaction = new TransactionBuilder(new Account(NULL_ACCOUNT, '0'), { fee: '100', networkPassphrase })
    .addOperation(new Contract(vaultFactory).call('view_vault', nativeToScVal(id, { type: 'u32' })))
    .setTimeout(0)
    .build()
  const { results } = await rpc.call('simulateTransaction', { transaction: transaction.toXdr() }) as { results: readonly [{ xdr: string }] }
  return scValToNative(xdr.ScVal.fromXdr(results[0].xdr, 'base64')) as Record<string, unknown>
}
