// Connects a wallet: Freighter, or a burner wallet on the local network.

import { createBurnerWallet, fundAccount } from './burner-wallet.ts'
import { card, el, facts, setChildren } from './dom.ts'
import type { PageParts } from './page.ts'
import { reasonOf } from './problems.ts'
import type { Session, Wallet } from './session.ts'
import type { Settings } from './settings.ts'

const INSECURE = 'This page was loaded over plain HTTP from another machine, so the browser does not allow signing. Open it over https.'

export function createWalletSection({ session, settings }: Pick<PageParts, 'session' | 'settings'>): HTMLElement {
  const { localRpcUrl } = settings
  const content = el('div', { class: 'stack' })
  const status = el('p', { class: 'note', role: 'status' })

  async function connect(create: () => Promise<Wallet>, progress: string): Promise<void> {
    status.classList.remove('problem')
    status.textContent = progress
    try {
      session.setWallet(await create())
      status.textContent = 'Connected.'
    } catch (error) {
      status.classList.add('problem')
      status.textContent = `Not connected: ${reasonOf(error)}.`
    }
  }

  async function createFundedBurner(rpcUrl: string): Promise<Wallet> {
    const wallet = await createBurnerWallet()
    await fundAccount(rpcUrl, wallet.signer.address)
    return wallet
  }

  function update(): void {
    const wallet = session.wallet()
    setChildren(content, ...(wallet === null ? connectElements() : connectedElements(wallet, session)))
  }

  function connectElements(): readonly (HTMLElement | null)[] {
    return [
      window.isSecureContext ? null : el('p', { class: 'note problem' }, INSECURE),
      el('p', {}, 'The wallet keeps your secret key and signs transactions that you have reviewed. The gateway never receives the key.'),
      el('div', { class: 'row' },
        el('button', {
          type: 'button', class: 'main', click: () => void connect(() => connectFreighter(settings), 'Waiting for Freighter…'),
        }, 'Connect Freighter'),
        localRpcUrl === null ? null : el('button', {
          type: 'button', click: () => void connect(() => createFundedBurner(localRpcUrl), 'Funding the wallet…'),
        }, 'Create a burner wallet')),
      localRpcUrl === null ? null : el('p', { class: 'note' },
        'A burner wallet works on this local network only. Its key is generated in this page, and the local network funds it with 10,000 test USDC.'),
    ]
  }

  const storeCheckbox = el('input', { type: 'checkbox', id: 'store', change: () => session.setStored(storeCheckbox.checked) })
  storeCheckbox.checked = session.isStored()
  session.onChange(update)
  update()
  return card('wallet-heading', 'Wallet', content, status,
    el('div', { class: 'check' }, storeCheckbox, el('label', { for: 'store' },
      'Remember my API key and burner wallet in this tab (sessionStorage). Otherwise, reloading the page forgets them.')))
}

function connectedElements(wallet: Wallet, session: Session): readonly (HTMLElement | null)[] {
  return [
    facts([['Wallet', wallet.kind === 'freighter' ? 'Freighter' : 'Burner wallet'], ['Account', el('span', { class: 'mono' }, wallet.signer.address)]]),
    wallet.kind === 'burner' ? el('p', { class: 'note' }, session.isStored()
      ? 'Its secret key is stored in this tab until you close the tab.'
      : 'Its secret key is only in this page\'s memory. Reloading the page deletes it.') : null,
    el('div', { class: 'row' }, el('button', { type: 'button', click: () => session.setWallet(null) }, 'Disconnect')),
  ]
}

/** Loads Freighter's API, which the bundle keeps in a separate file. */
async function connectFreighter({ networkPassphrase }: Settings): Promise<Wallet> {
  const freighter = await import('./freighter.ts').catch(() => {
    throw new Error('the Freighter script did not load; reload this page')
  })
  return freighter.connectFreighter(networkPassphrase)
}
