// Connecting a wallet, here and where something needs it: Freighter or another extension, or a burner wallet on the local network.

import { useEffect, useId, useState } from 'preact/hooks'
import { after } from '../clock.ts'
import { useParts } from '../parts.ts'

const INSECURE = 'This page was loaded over plain HTTP from another machine, so the browser does not allow signing. Open it over https.'

const INJECTED_WITHIN_MS = 1_000

/** Shows what the wallet is doing, or why it is not connected: while the account's menu is open, only there. */
export function WalletNote({ isInMenu = false }: { readonly isInMenu?: boolean }) {
  const { wallets } = useParts()
  const status = wallets.isMenuOpen.value === isInMenu ? wallets.status.value : null
  return <p class={status?.isProblem === true ? 'note problem' : 'note'} role='status'>{status?.text}</p>
}

export function ConnectWallet() {
  const { wallets } = useParts()
  const { burner } = wallets
  return (
    <>
      {!window.isSecureContext && <p class='note problem'>{INSECURE}</p>}
      <p>The wallet keeps your secret key and signs transactions that you have reviewed. The gateway never receives the key.</p>
      <WalletButtons />
      {burner !== null && (
        <p class='note'>
          A burner wallet works on this local network only. Its key is generated in this page, and the local network funds it with 10,000 test USDC.
        </p>
      )}
    </>
  )
}

function WalletButtons() {
  const { wallets } = useParts()
  const [, setChecked] = useState(false)
  // Some extensions add their object only after the page has loaded.
  useEffect(() => after(INJECTED_WITHIN_MS, () => setChecked(true)), [])
  const { burner } = wallets
  const isBusy = wallets.status.value?.isBusy === true
  return (
    <div class='row'>
      {burner !== null && <button type='button' class='main' aria-disabled={isBusy} onClick={() => void burner.connect()}>Burner wallet</button>}
      <button type='button' class={burner === null ? 'main' : ''} aria-disabled={isBusy} onClick={() => void wallets.connectFreighter()}>
        Connect Freighter
      </button>
      {wallets.others().map(({ name, connect }) => (
        <button key={name} type='button' aria-disabled={isBusy} onClick={() => void connect()}>{`Connect ${name}`}</button>
      ))}
    </div>
  )
}

export function StoreChoice() {
  const { session, settings } = useParts()
  const id = useId()
  const place = settings.localRpcUrl === null
    ? 'Keep me signed in in this tab (sessionStorage). Otherwise, reloading the page signs me out.'
    : 'Keep my burner wallet in this browser (localStorage). Otherwise, reloading the page forgets it.'
  return (
    <div class='check'>
      <input type='checkbox' id={id} checked={session.isStored()} onChange={(event) => session.setStored(event.currentTarget.checked)} />
      <label for={id}>{place}</label>
    </div>
  )
}

/** Shows what is missing for `purpose` to be signed, with the way to get it; nothing when the page can sign. */
export function WalletPrompt({ purpose }: { readonly purpose: string }) {
  const { session, account } = useParts()
  const hasWallet = session.wallet() !== null
  if (hasWallet && account.owner.value !== null) return null
  return (
    <div class='stack'>
      <p class='note warn'>{hasWallet ? `Sign in first: ${purpose.toLowerCase()} needs your balances.` : `${purpose} needs a wallet that signs.`}</p>
      {hasWallet ? <div class='row'><SignInButton /></div> : <WalletButtons />}
      <WalletNote />
    </div>
  )
}

/** Signs in where it is needed: the wallet signs a challenge, and nothing is sent to the network. */
export function SignInButton() {
  const { wallets } = useParts()
  return <button type='button' aria-disabled={wallets.status.value?.isBusy === true} onClick={() => void wallets.signIn()}>Sign in</button>
}

/** Shows what to do to see `what`, which belongs to the user's account; nothing when the page can read it. */
export function AccountPrompt({ what }: { readonly what: string }) {
  const { session, account } = useParts()
  if (account.owner.value !== null) return null
  return <div class='row'>{session.wallet() === null ? <ConnectButton /> : <SignInButton />}<span class='note'>{`to see ${what}`}</span></div>
}

/** Opens the account's menu, which connects wallets. */
export function ConnectButton() {
  const { wallets } = useParts()
  return (
    <button
      type='button' aria-haspopup='dialog' onClick={() => {
        wallets.isMenuOpen.value = true
      }}
    >
      Connect a wallet
    </button>
  )
}
