// Issues an API key with the wallet's signature, or uses an existing one. The secret of a new key is shown once.

import type { IssuedKey } from '../client/src/index.ts'
import { card, el, facts, setChildren } from './dom.ts'
import { reasonOf } from './problems.ts'
import type { Session } from './session.ts'

const PROOF = 'To prove that you own the account, your wallet signs a transaction with sequence number 0. No ledger accepts it, and it is never submitted.'

export function createKeySection(session: Session): HTMLElement {
  const content = el('div', { class: 'stack' })
  const status = el('p', { class: 'note', role: 'status' })
  /** The key that was just issued. Its secret is shown until the user hides it. */
  let issued: IssuedKey | null = null

  function setStatus(text: string, isProblem = false): void {
    status.textContent = text
    status.classList.toggle('problem', isProblem)
  }

  async function issueKey(label: string): Promise<void> {
    const wallet = session.wallet()
    if (wallet === null) return
    setStatus('Waiting for your wallet to sign the challenge…')
    try {
      const { body } = await session.client().getBetaStatus({ address: wallet.signer.address })
      if (!body.allowed) {
        setStatus('This gateway issues keys to listed accounts only, and yours is not listed.', true)
        return
      }
      issued = await session.client().login(label === '' ? {} : { label })
      session.setKey({ keyId: issued.keyId, secret: issued.secret }, issued.owner)
      setStatus('Key issued. Its secret is shown only once.')
    } catch (error) {
      setStatus(`No key issued: ${reasonOf(error)}.`, true)
    }
  }

  async function useExistingKey(keyId: string, secret: string): Promise<void> {
    setStatus('Checking the key…')
    const previous = session.key()
    session.client().useKey({ keyId, secret })
    try {
      const { owner } = (await session.client().getAccountIdentity()).body
      const wallet = session.wallet()
      if (wallet !== null && wallet.signer.address !== owner) {
        session.client().useKey(previous)
        setStatus(`This key belongs to ${owner}, not to your wallet. Disconnect the wallet first.`, true)
        return
      }
      session.setKey({ keyId, secret }, owner)
      setStatus('The key is in use.')
    } catch (error) {
      session.client().useKey(previous)
      setStatus(`Key not used: ${reasonOf(error)}.`, true)
    }
  }

  function update(): void {
    const key = session.key()
    if (key !== null) {
      setChildren(content, facts([['Key in use', el('span', { class: 'mono' }, key.keyId)]]), issued?.keyId === key.keyId ? secretBox(issued) : null,
        el('div', { class: 'row' }, el('button', { type: 'button', click: () => session.setKey(null, null) }, 'Stop using this key')))
      return
    }
    issued = null
    setChildren(content, session.wallet() === null ? el('p', {}, 'Connect a wallet to get a key, or use an existing key.') : issueForm(issueKey),
      existingKeyForm(useExistingKey))
  }

  function secretBox({ keyId, secret }: IssuedKey): HTMLElement {
    const credentials = `${keyId}:${secret}`
    const box = el('div', { class: 'secret stack' },
      el('p', {}, 'Save this now: the secret cannot be shown again. Send it in the header ', el('code', {}, 'Authorization: Bearer'), '.'),
      el('p', { class: 'mono', id: 'secret' }, credentials),
      el('div', { class: 'row' },
        el('button', { type: 'button', click: () => void copy(credentials) }, 'Copy'),
        el('button', { type: 'button', click: () => {
          issued = null
          box.remove()
          setStatus('The secret is hidden.')
        } }, 'I saved it: hide')))
    return box
  }

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setStatus('Copied.')
    } catch {
      setStatus('The browser blocked access to the clipboard. Select the text and copy it yourself.', true)
    }
  }

  session.onChange(update)
  update()
  return card('issue-heading', 'API key', content, status)
}

function issueForm(submit: (label: string) => Promise<void>): HTMLElement {
  const label = el('input', { id: 'label', type: 'text', maxlength: 64, autocomplete: 'off' })
  return el('form', { submit: (event) => {
    event.preventDefault()
    void submit(label.value.trim())
  } },
    el('p', { class: 'note' }, PROOF),
    el('div', { class: 'field' }, el('label', { for: 'label' }, 'Label (optional, visible only to you)'), label),
    el('div', { class: 'row' }, el('button', { type: 'submit', class: 'main' }, 'Get an API key')))
}

function existingKeyForm(submit: (keyId: string, secret: string) => Promise<void>): HTMLElement {
  const keyId = el('input', { id: 'key-id', type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'nk_…' })
  const secret = el('input', { id: 'key-secret', type: 'password', autocomplete: 'off' })
  return el('details', {}, el('summary', {}, 'Use an existing key'), el('form', { submit: (event) => {
    event.preventDefault()
    void submit(keyId.value.trim(), secret.value.trim())
  } },
    el('div', { class: 'field' }, el('label', { for: 'key-id' }, 'Key ID'), keyId),
    el('div', { class: 'field' }, el('label', { for: 'key-secret' }, 'Secret'), secret),
    el('div', { class: 'row' }, el('button', { type: 'submit' }, 'Use this key'))))
}
