// The account, in the header of every page: "Connect", or a menu with the address, the burner wallet's secret key, and what can be done with the account.

import { useEffect, useRef, useState } from 'preact/hooks'
import { short } from '../format.ts'
import { useParts } from '../parts.ts'
import type { Wallet } from '../session.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Facts } from '../ui/layout.tsx'
import { SendForm } from './send-form.tsx'
import { ConnectWallet, SignInButton, StoreChoice, WalletNote } from './wallet-section.tsx'

export function AccountMenu() {
  const { session, wallets } = useParts()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = wallets.isMenuOpen.value
  const owner = session.owner()
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    else if (!isOpen) dialog.current?.close()
  }, [isOpen])

  function setOpen(next: boolean): void {
    wallets.isMenuOpen.value = next
  }

  return (
    <>
      <button
        type='button' class={owner === null ? 'main account-button' : 'account-button'} aria-haspopup='dialog'
        aria-label={owner === null ? undefined : `Account ${short(owner, 4)}`} title={owner ?? undefined} onClick={() => setOpen(true)}
      >
        {owner === null ? 'Connect' : short(owner, 4)}
      </button>
      <dialog ref={dialog} aria-label={owner === null ? 'Connect a wallet' : 'Account'} onClose={() => setOpen(false)}>
        {isOpen && (
          <div class='stack'>
            <div class='row'>
              <h2 class='grow'>{owner === null ? 'Connect a wallet' : 'Account'}</h2>
              <button type='button' onClick={() => dialog.current?.close()}>Close</button>
            </div>
            {owner === null ? <ConnectWallet /> : <ConnectedAccount owner={owner} onLeave={() => dialog.current?.close()} />}
            <WalletNote isInMenu />
            <StoreChoice />
          </div>
        )}
      </dialog>
    </>
  )
}

function ConnectedAccount({ owner, onLeave }: { readonly owner: string; readonly onLeave: () => void }) {
  const { session, account, wallets } = useParts()
  const wallet = session.wallet()
  return (
    <>
      <Facts rows={[['Wallet', wallet?.name ?? 'none: this page can read the account, not sign for it'], ['Account', <span class='mono'>{owner}</span>]]} />
      <div class='row'><CopyButton text={owner}>Copy the address</CopyButton></div>
      {wallet === null && <ConnectWallet />}
      {account.owner.value === null && <div class='row'><SignInButton /><span class='note'>Your wallet signs a message that is never submitted.</span></div>}
      {wallet !== null && account.owner.value !== null && <SendForm owner={owner} />}
      <p class='row' onClick={onLeave}>
        <a href='#/trade'>Withdraw from the cross margin</a><a href={`#/trader/${owner}`}>Your public page</a><a href='#/keys'>Keys for programs</a>
      </p>
      {wallet?.secret !== undefined && <BurnerSecret secret={wallet.secret} />}
      <div class='row'><button type='button' onClick={wallets.disconnect}>Disconnect</button></div>
    </>
  )
}

/** Shown on request only: the key gives everything in the account away. */
function BurnerSecret({ secret }: Required<Pick<Wallet, 'secret'>>) {
  const { session, wallets } = useParts()
  const [isShown, setShown] = useState(false)
  return (
    <div class='stack'>
      <p class='note'>
        {session.isStored() ? 'Its secret key is stored in this browser.' : 'Its secret key is only in this page\'s memory. Reloading the page deletes it.'}
      </p>
      {isShown && (
        <div class='secret stack'>
          <p class='mono' data-secret>{secret}</p>
          <div class='row'><CopyButton text={secret}>Copy the secret key</CopyButton></div>
        </div>
      )}
      <div class='row'>
        <button type='button' aria-expanded={isShown} onClick={() => setShown(!isShown)}>{isShown ? 'Hide the secret key' : 'Show the secret key'}</button>
        {wallets.burner !== null && <button type='button' onClick={() => void wallets.burner?.addFunds()}>Add 10,000 test USDC</button>}
      </div>
    </div>
  )
}
