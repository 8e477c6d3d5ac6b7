// A wallet, and API keys: got by the wallet's signature, shown once, revoked here.

import type { ApiKey, IssuedKey } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { announce, card, createTable, el, facts, refill } from '../dom.ts'
import { moment } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { reasonOf } from '../problems.ts'
import type { Session, Wallet } from '../session.ts'
import type { Settings } from '../settings.ts'
import { createThrowAway, fund } from '../throw-away.ts'

const INSECURE = 'This page was not loaded over https or from this machine: the browser signs nothing here.'
const PROOF = 'Your wallet signs a transaction that only proves the account: its sequence number is 0, no ledger takes it, and it is not sent to the network.'

export function createKeysPage(parts: PageParts): Page {
  const { session, feed } = parts
  const wallet = createWalletSection(parts)
  const issue = createIssueSection(session)
  const table = createTable<ApiKey>({
    caption: 'Keys of this account, newest first', empty: 'None.',
    columns: [
      { title: 'Key', cell: ({ keyId }) => el('span', { class: 'address' }, keyId) },
      { title: 'Label', cell: ({ label }) => label ?? '' },
      { title: 'Tier', isMinor: true, cell: ({ tier }) => tier },
      { title: 'Issued', isMinor: true, cell: ({ createdAt }) => moment(createdAt / 1000) },
      { title: 'Used last', isMinor: true, cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : moment(lastUsedAt / 1000)) },
      { title: 'State', cell: stateOf },
    ],
  })
  const told = el('p', { class: 'note', role: 'status' })
  const panel = createPanel({
    feed, session, content: table.element, what: 'Keys', isManual: true,
    read: (client) => client.listKeys(), render: ({ keys }) => table.put(keys), clear: () => table.put([]),
  })
  const list = card('keys-heading', 'Keys of this account', table.element, panel.note, told)

  function stateOf({ keyId, revokedAt }: ApiKey): HTMLElement | string {
    if (revokedAt !== null) return `revoked ${moment(revokedAt / 1000)}`
    const isMine = session.key()?.keyId === keyId
    return el('button', {
      type: 'button', class: 'small', 'data-key': keyId, 'aria-label': `Revoke ${keyId}${isMine ? ', the one in use' : ''}`, click: () => void revoke(keyId),
    }, isMine ? 'Revoke (in use)' : 'Revoke')
  }

  async function revoke(keyId: string): Promise<void> {
    try {
      await session.client().revokeKey({ keyId })
      told.textContent = `${keyId} is revoked.`
      if (session.key()?.keyId === keyId) session.useKey(null, null)
      else panel.read()
    } catch (error) {
      told.textContent = `Not revoked: ${reasonOf(error)}.`
    }
  }

  function look(isShown: boolean): void {
    list.hidden = session.key() === null && told.textContent === ''
    if (session.key() === null) {
      panel.hide()
      table.put([])
    } else if (isShown) panel.read()
  }

  let isShown = false
  session.onChange(() => look(isShown))
  return {
    title: 'Wallet and keys',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Wallet and keys'),
      el('div', { class: 'halves' }, wallet, el('div', { class: 'stack' }, issue, list))),
    show() {
      isShown = true
      told.textContent = ''
      look(true)
    },
    hide() {
      isShown = false
      panel.hide()
    },
  }
}

function createWalletSection({ session, settings }: PageParts): HTMLElement {
  const { localRpcUrl } = settings
  const content = el('div', { class: 'stack' })
  const told = el('p', { class: 'note', role: 'status' })

  async function connect(make: () => Promise<Wallet>, doing: string): Promise<void> {
    told.classList.remove('problem')
    told.textContent = doing
    try {
      session.useWallet(await make())
      told.textContent = 'Connected.'
    } catch (error) {
      told.classList.add('problem')
      told.textContent = `No wallet: ${reasonOf(error)}.`
    }
  }

  async function throwAway(rpcUrl: string): Promise<Wallet> {
    const made = await createThrowAway()
    await fund(rpcUrl, made.signer.address)
    return made
  }

  function look(): void {
    const wallet = session.wallet()
    if (wallet !== null) {
      refill(content,
        facts([['Wallet', wallet.kind === 'freighter' ? 'Freighter' : 'Throw-away'], ['Account', el('span', { class: 'mono' }, wallet.signer.address)]]),
        wallet.kind === 'throw-away' ? el('p', { class: 'note' }, lifeOf(session)) : null,
        el('div', { class: 'row' }, el('button', { type: 'button', click: () => session.useWallet(null) }, 'Disconnect')))
      return
    }
    refill(content,
      window.isSecureContext ? null : el('p', { class: 'note problem' }, INSECURE),
      el('p', {}, 'The wallet keeps your secret and signs what you have seen. The gateway never gets it.'),
      el('div', { class: 'row' },
        el('button', {
          type: 'button', class: 'main', click: () => void connect(() => connectFreighter(settings), 'Waiting for Freighter…'),
        }, 'Connect Freighter'),
        localRpcUrl === null ? null : el('button', {
          type: 'button', click: () => void connect(() => throwAway(localRpcUrl), 'The local network funds it…'),
        }, 'Make a throw-away wallet')),
      localRpcUrl === null ? null : el('p', { class: 'note' },
        'A throw-away wallet is for this local network alone: it is made in this page and given 10,000 USDC that are worth nothing.'))
  }

  const kept = el('input', { type: 'checkbox', id: 'keep', change: () => session.keep(kept.checked) })
  kept.checked = session.isKept()
  session.onChange(look)
  look()
  return card('wallet-heading', 'Wallet', content, told,
    el('div', { class: 'check' }, kept, el('label', { for: 'keep' },
      'Keep my key, and a throw-away wallet, in this tab until it is closed (its sessionStorage). Otherwise both are gone when the page is loaded again.')))
}

/** Loads Freighter's API, which is a file of its own, only when it is needed. */
async function connectFreighter({ networkPassphrase }: Settings): Promise<Wallet> {
  const freighter = await import('../freighter.ts').catch(() => {
    throw new Error('the script that talks to Freighter did not load: reload this page')
  })
  return freighter.connectFreighter(networkPassphrase)
}

function lifeOf(session: Session): string {
  return session.isKept()
    ? 'Its secret is kept in this tab until that is closed.'
    : 'Its secret is in this page\'s memory alone, and gone when the page is loaded again.'
}

function createIssueSection(session: Session): HTMLElement {
  const content = el('div', { class: 'stack' })
  const told = el('p', { class: 'note', role: 'status' })
  /** The key that was just issued; its secret is shown until somebody hides it. */
  let issued: IssuedKey | null = null

  function tell(text: string, isProblem = false): void {
    told.textContent = text
    told.classList.toggle('problem', isProblem)
  }

  async function issue(label: string): Promise<void> {
    const wallet = session.wallet()
    if (wallet === null) return
    tell('Your wallet signs the challenge…')
    try {
      const { body } = await session.client().getBetaStatus({ address: wallet.signer.address })
      if (!body.allowed) {
        tell('Keys are issued to listed accounts only here, and yours is not on the list.', true)
        return
      }
      issued = await session.client().login(label === '' ? {} : { label })
      session.useKey({ keyId: issued.keyId, secret: issued.secret }, issued.owner)
      tell('You have a key. Its secret is shown this once.')
    } catch (error) {
      tell(`No key: ${reasonOf(error)}.`, true)
    }
  }

  async function use(keyId: string, secret: string): Promise<void> {
    tell('Asking the gateway about the key…')
    const before = session.key()
    session.client().useKey({ keyId, secret })
    try {
      const { owner } = (await session.client().getAccountIdentity()).body
      const wallet = session.wallet()
      if (wallet !== null && wallet.signer.address !== owner) {
        session.client().useKey(before)
        tell(`This key is of ${owner}, and not of your wallet: disconnect the wallet first.`, true)
        return
      }
      session.useKey({ keyId, secret }, owner)
      tell('The key is in use.')
    } catch (error) {
      session.client().useKey(before)
      tell(`Not used: ${reasonOf(error)}.`, true)
    }
  }

  function look(): void {
    const key = session.key()
    if (key !== null) {
      refill(content, facts([['Key in use', el('span', { class: 'mono' }, key.keyId)]]), issued?.keyId === key.keyId ? secretOf(issued) : null,
        el('div', { class: 'row' }, el('button', { type: 'button', click: () => session.useKey(null, null) }, 'Stop using it')))
      return
    }
    issued = null
    refill(content, session.wallet() === null ? el('p', {}, 'Connect a wallet to get a key, or use one that you have.') : issueForm(), useForm())
  }

  function issueForm(): HTMLElement {
    const label = el('input', { id: 'label', type: 'text', maxlength: 64, autocomplete: 'off' })
    return el('form', { submit: (event) => {
      event.preventDefault()
      void issue(label.value.trim())
    } },
      el('p', { class: 'note' }, PROOF),
      el('div', { class: 'field' }, el('label', { for: 'label' }, 'Label, for your own eyes'), label),
      el('div', { class: 'row' }, el('button', { type: 'submit', class: 'main' }, 'Get an API key')))
  }

  function useForm(): HTMLElement {
    const keyId = el('input', { id: 'key-id', type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'nk_…' })
    const secret = el('input', { id: 'key-secret', type: 'password', autocomplete: 'off' })
    return el('details', {}, el('summary', {}, 'I have a key'), el('form', { submit: (event) => {
      event.preventDefault()
      void use(keyId.value.trim(), secret.value.trim())
    } },
      el('div', { class: 'field' }, el('label', { for: 'key-id' }, 'Key'), keyId),
      el('div', { class: 'field' }, el('label', { for: 'key-secret' }, 'Secret'), secret),
      el('div', { class: 'row' }, el('button', { type: 'submit' }, 'Use it'))))
  }

  function secretOf({ keyId, secret }: IssuedKey): HTMLElement {
    const pair = `${keyId}:${secret}`
    const box = el('div', { class: 'secret stack' },
      el('p', {}, 'Keep this now: nobody can tell the secret again. It stands in the header ', el('code', {}, 'Authorization: Bearer'), ' of your calls.'),
      el('p', { class: 'mono', id: 'secret' }, pair),
      el('div', { class: 'row' },
        el('button', { type: 'button', click: () => void copy(pair) }, 'Copy'),
        el('button', { type: 'button', click: () => {
          issued = null
          box.remove()
          tell('The secret is hidden.')
        } }, 'I have kept it: hide')))
    return box
  }

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      announce(`Copied at ${moment(nowMs() / 1000)}.`)
      tell('Copied.')
    } catch {
      tell('The browser did not let this page copy: mark the text, and copy it yourself.', true)
    }
  }

  session.onChange(look)
  look()
  return card('issue-heading', 'API key', content, told)
}
