// A burner wallet for the local network: its key is generated in the page, and its funds are worthless. Without a local network the page does not offer it.

import { secretSigner } from '../../client/src/index.ts'
import { encodeStrKey } from '../../client/src/strkey.ts'
import { BURNER_NAME } from '../session.ts'
import type { Wallet } from '../session.ts'

const SEED_BYTES = 32
/** 10,000 USDC. */
const FUNDS = '100000000000'

export async function createBurnerWallet(): Promise<Wallet> {
  const secret = encodeStrKey('secret', crypto.getRandomValues(new Uint8Array(SEED_BYTES)))
  return { name: BURNER_NAME, signer: await secretSigner(secret), secret }
}

/** Funds the account with XLM and USDC. Resolves when a ledger contains them. */
export async function fundAccount(localRpcUrl: string, address: string): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: 'local_fund', params: { address, usdc: FUNDS } }
  const response = await fetch(localRpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) })
    .catch(() => {
      throw new Error(`this browser cannot reach the local network at ${localRpcUrl}`)
    })
  const { error } = (await response.json()) as { readonly error?: { readonly message?: string } }
  if (error !== undefined) throw new Error(error.message ?? 'the local network did not fund the account')
}
