// Gets an API key for the account of the connected wallet, which signs a challenge.

import type { IssuedKey, KeyRestrictions } from '../../client/src/index.ts'
import type { Session } from '../session.ts'
import { isUnlimited } from './key-terms.ts'

/** The page uses the new key unless it already has one, or the key is limited. Throws before the wallet signs if the gateway issues no key to this account. */
export async function issueKey(session: Session, label: string, restrictions?: KeyRestrictions): Promise<IssuedKey> {
  const wallet = session.wallet()
  if (wallet === null) throw new Error('no wallet is connected')
  const client = session.client()
  const { body } = await client.getBetaStatus({ address: wallet.signer.address })
  if (!body.allowed) throw new Error('this gateway issues keys to listed accounts only, and yours is not listed')
  const previous = session.key()
  const issued = await client.login({ ...(label === '' ? {} : { label }), ...(restrictions === undefined ? {} : { restrictions }) })
  const isForPage = previous === null && (restrictions === undefined || isUnlimited(restrictions))
  if (isForPage) session.setKey({ keyId: issued.keyId, secret: issued.secret }, issued.owner)
  else client.useKey(previous)
  return issued
}
