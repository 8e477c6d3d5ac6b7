// A wallet for the local network: made here, funded by a method that no real network has, worth nothing. Where there is no local network, nothing calls this.

import { secretSigner } from '../client/src/index.ts'
import { encodeStrKey } from '../client/src/strkey.ts'
import type { Wallet } from './session.ts'

const SEED_BYTES = 32
/** 10,000 USDC. */
const FUNDS = '100000000000'

export async function createThrowAway(): Promise<Wallet> {
  const secret = encodeStrKey('secret', crypto.getRandomValues(new Uint8Array(SEED_BYTES)))
  return { kind: 'throw-away', signer: await secretSigner(secret), secret }
}

/** Gives the account XLM and USDC; returns when the ledger has it. */
export async function fund(localRpcUrl: string, address: string): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: 'local_fund', params: { address, usdc: FUNDS } }
  const answer = await fetch(localRpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) })
    .catch(() => {
      throw new Error(`the local network at ${localRpcUrl} cannot be reached from this browser`)
    })
  const { error } = (await answer.json()) as { readonly error?: { readonly message?: string } }
  if (error !== undefined) throw new Error(error.message ?? 'the local network did not fund the account')
}
