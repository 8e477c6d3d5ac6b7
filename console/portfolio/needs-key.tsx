// The first step on a page about the user's own account.

import { useParts } from '../parts.ts'
import { Card } from '../ui/layout.tsx'
import { KeyButton, WalletNote } from '../wallet/wallet-section.tsx'

/** `purpose` completes the sentence "… to …". */
export function NeedsKey({ purpose }: { readonly purpose: string }) {
  const { session } = useParts()
  const address = session.wallet()?.signer.address ?? null
  return (
    <Card title='Connect your account'>
      <p>
        {address === null ? 'Connect a wallet and get an API key' : 'Get an API key with your wallet'}{` to ${purpose}. `}
        {address === null && <a href='#/keys'>Connect a wallet</a>}
      </p>
      {address !== null && <div class='row'><KeyButton /><span class='note'>Your wallet signs a challenge, which is never submitted.</span></div>}
      <WalletNote />
      {address !== null && <p><a href={`#/trader/${address}`}>Your public page</a> needs no key.</p>}
    </Card>
  )
}
