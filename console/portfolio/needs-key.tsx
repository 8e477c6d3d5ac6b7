// What to do first on a page about the user's own account.

import { useParts } from '../parts.ts'
import { Card } from '../ui/layout.tsx'

/** `purpose` completes the sentence "… to …". */
export function NeedsKey({ purpose }: { readonly purpose: string }) {
  const { session } = useParts()
  const address = session.wallet()?.signer.address ?? null
  return (
    <Card title='Connect your account'>
      <p>
        {address === null ? 'Connect a wallet and get an API key' : 'Get an API key with your wallet'}{` to ${purpose}. `}
        <a href='#/keys'>{address === null ? 'Connect a wallet' : 'Get an API key'}</a>
      </p>
      {address !== null && <p><a href={`#/trader/${address}`}>Your public page</a> needs no key.</p>}
    </Card>
  )
}
