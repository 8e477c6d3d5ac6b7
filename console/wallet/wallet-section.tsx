// Connects a wallet: Freighter or another extension, or a burner wallet on the local network.

import { useEffect, useId, useState } from 'preact/hooks'
import { after } from '../clock.ts'
import { useParts } from '../parts.ts'
import { Card, Facts } from '../ui/layout.tsx'
import type { Wallet } from '../session.ts'

const INSECURE = 'This page was loaded over plain HTTP from another machine, so the browser does not allow signing. Open it over https.'

const INJECTED_WITHIN_MS = 1_000

export function WalletSection() {
  const { session } = useParts()
  const wallet = session.wallet()
  return (
    <Card title='Wallet'>
      {wallet === null ? <ConnectWallet /> : <ConnectedWallet wallet={wallet} />}
      <WalletNote />
      <StoreChoice />
    </Card>
  )
}

/** Shows what the wallet is doing, or why it is not connected. */
export function WalletNote() {
  const { wallets } = useParts()
  const status = wallets.status.value
  return <p class={status?.isProblem === true ? 'note problem' : 'note'} role='status'>{status?.text}</p>
}

function ConnectWallet() {
  const { wallets } = useParts()
  const { burner } = wallets
  return (
    <>
      {!window.isSecureContext && <p class='note problem'>{INSECURE}</p>}
      <p>The wallet keeps your secret key and signs transactions that you have reviewed. The gateway never receives the key.</p>
      <WalletButtons />
      {burner !== null && (
        <p class='note'>
          A burner wallet works on this local network only. Its key is generated in this page, the local network funds it with 10,000 test USDC, and the
          page gets an API key with it.
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

function ConnectedWallet({ wallet }: { readonly wallet: Wallet }) {
  const { session, wallets } = useParts()
  const { burner } = wallets
  return (
    <>
      <Facts rows={[['Wallet', wallet.name], ['Account', <span class='mono'>{wallet.signer.address}</span>]]} />
      {wallet.secret !== undefined && (
        <p class='note'>
          {session.isStored() ? 'Its secret key is stored in this browser.' : 'Its secret key is only in this page\'s memory. Reloading the page deletes it.'}
        </p>
      )}
      <div class='row'>
        {wallet.secret !== undefined && burner !== null && <button type='button' onClick={() => void burner.addFunds()}>Add 10,000 test USDC</button>}
        <button type='button' onClick={wallets.disconnect}>Disconnect</button>
      </div>
    </>
  )
}

function StoreChoice() {
  const { session, settings } = useParts()
  const id = useId()
  const place = settings.localRpcUrl === null
    ? 'Remember my API key in this tab (sessionStorage). Otherwise, reloading the page forgets it.'
    : 'Keep my burner wallet and API key in this browser (localStorage). Otherwise, reloading the page forgets them.'
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
      <p class='note warn'>
        {`${purpose} needs ${hasWallet ? 'an API key' : 'a wallet that signs'}: `}<a href='#/keys'>wallet and keys</a>.
      </p>
      {hasWallet ? <div class='row'><KeyButton /></div> : <WalletButtons />}
      <WalletNote />
    </div>
  )
}

/** Gets an API key where it is needed. The wallet signs a challenge; nothing is sent to the network. */
export function KeyButton() {
  const { wallets } = useParts()
  return <button type='button' aria-disabled={wallets.status.value?.isBusy === true} onClick={() => void wallets.getKey()}>Get an API key</button>
}

/** Shows what to do to see `what`, which belongs to the user's account; nothing when the page can read it. */
export function AccountPrompt({ what }: { readonly what: string }) {
  const { session, account } = useParts()
  if (account.owner.value !== null) return null
  if (session.wallet() === null) return <p class='note'><a href='#/keys'>Connect a wallet</a>{` to see ${what}.`}</p>
  return <div class='row'><KeyButton /><span class='note'>{`to see ${what}`}</span></div>
}
