// What to do first on a page about the user's own account.

import { useParts } from '../parts.ts'
import { Card } from '../ui/layout.tsx'
import { ConnectButton, SignInButton, WalletNote } from '../wallet/wallet-section.tsx'

/** `purpose` completes the sentence "… to …". */
export function NeedsAccount({ purpose }: { readonly purpose: string }) {
  const { session } = useParts()
  const address = session.wallet()?.signer.address ?? null
  return (
    <Card title='Connect your account'>
      <p>{`${address === null ? 'Connect a wallet' : 'Sign in with your wallet'} to ${purpose}.`}</p>
      <div class='row'>
        {address === null ? <ConnectButton /> : <><SignInButton /><span class='note'>Your wallet signs a message that is never submitted.</span></>}
      </div>
      <WalletNote />
      {address !== null && <p><a href={`#/trader/${address}`}>Your public page</a> shows what everybody can see.</p>}
    </Card>
  )
}
