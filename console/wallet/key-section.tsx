// Issues an API key with the wallet's signature, or uses an existing one. The secret of a new key is shown once.

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { IssuedKey } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { reasonOf } from '../problems.ts'
import type { Session } from '../session.ts'
import { Card, Facts } from '../ui/layout.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { issueKey } from './issue-key.ts'
import { ConnectButton } from './wallet-section.tsx'

const PROOF = 'To prove that you own the account, your wallet signs a transaction with sequence number 0. No ledger accepts it, and it is never submitted.'

interface Status {
  readonly text: string
  readonly isProblem?: boolean
}

export function KeySection({ onIssued }: { readonly onIssued: () => void }) {
  const { session } = useParts()
  const status = useSignal<Status>({ text: '' })
  /** The key that was just issued. Its secret is shown until the user hides it. */
  const issued = useSignal<IssuedKey | null>(null)
  const key = session.key()

  async function run(text: string, failure: string, work: () => Promise<Status>): Promise<void> {
    status.value = { text }
    try {
      status.value = await work()
    } catch (error) {
      status.value = { text: `${failure}: ${reasonOf(error)}.`, isProblem: true }
    }
  }

  const issue = (label: string): Promise<void> => run('Waiting for your wallet to sign the challenge…', 'No key issued', async () => {
    issued.value = await issueKey(session, label)
    onIssued()
    return { text: 'Key issued. Its secret is shown only once.' }
  })
  const form = <IssueForm onSubmit={(label) => void issue(label)} />
  return (
    <Card title='API key'>
      {key !== null && <Facts rows={[['Key in use', <span class='mono'>{key.keyId}</span>]]} />}
      {issued.value !== null && (
        <Secret
          issued={issued.value} onHide={() => {
            issued.value = null
            status.value = { text: 'The secret is hidden.' }
          }}
        />
      )}
      {key !== null && <div class='row'><button type='button' onClick={() => session.setKey(null, null)}>Stop using this key</button></div>}
      {session.wallet() === null && key === null && <div class='row'><ConnectButton /><span class='note'>to get a key, or use an existing key</span></div>}
      {session.wallet() !== null && (key === null ? form : <details><summary>Get a key for another program</summary>{form}</details>)}
      {key === null && (
        <ExistingKeyForm
          onSubmit={(keyId, secret) => void run('Checking the key…', 'Key not used', () => tryKey(session, keyId, secret))}
        />
      )}
      <p class={status.value.isProblem === true ? 'note problem' : 'note'} role='status'>{status.value.text}</p>
    </Card>
  )
}

async function tryKey(session: Session, keyId: string, secret: string): Promise<Status> {
  const client = session.client()
  const previous = session.key()
  client.useKey({ keyId, secret })
  try {
    const { owner } = (await client.getAccountIdentity()).body
    const wallet = session.wallet()
    if (wallet !== null && wallet.signer.address !== owner) {
      client.useKey(previous)
      return { text: `This key belongs to ${owner}, not to your wallet. Disconnect the wallet first.`, isProblem: true }
    }
    session.setKey({ keyId, secret }, owner)
    return { text: 'The key is in use.' }
  } catch (error) {
    client.useKey(previous)
    throw error
  }
}

function Secret({ issued: { keyId, secret }, onHide }: { readonly issued: IssuedKey; readonly onHide: () => void }) {
  const credentials = `${keyId}:${secret}`
  return (
    <div class='secret stack'>
      <p>Save this now: the secret cannot be shown again. Send it in the header <code>Authorization: Bearer</code>.</p>
      <p class='mono' id='secret'>{credentials}</p>
      <div class='row'>
        <CopyButton text={credentials}>Copy</CopyButton>
        <button type='button' onClick={onHide}>I saved it: hide</button>
      </div>
    </div>
  )
}

function IssueForm({ onSubmit }: { readonly onSubmit: (label: string) => void }) {
  const label = useSignal('')
  const id = useId()
  return (
    <form onSubmit={(event) => {
      event.preventDefault()
      onSubmit(label.value.trim())
    }}>
      <p class='note'>{PROOF}</p>
      <div class='field'>
        <label for={id}>Label (optional, visible only to you)</label>
        <input
          id={id} type='text' maxLength={64} autocomplete='off' value={label} onInput={(event) => {
            label.value = event.currentTarget.value
          }}
        />
      </div>
      <div class='row'><button type='submit' class='main'>Get an API key</button></div>
    </form>
  )
}

function ExistingKeyForm({ onSubmit }: { readonly onSubmit: (keyId: string, secret: string) => void }) {
  const keyId = useSignal('')
  const secret = useSignal('')
  const id = useId()
  return (
    <details>
      <summary>Use an existing key</summary>
      <form onSubmit={(event) => {
        event.preventDefault()
        onSubmit(keyId.value.trim(), secret.value.trim())
      }}>
        <div class='field'>
          <label for={`${id}-key`}>Key ID</label>
          <input
            id={`${id}-key`} type='text' autocomplete='off' spellcheck={false} placeholder='nk_…' value={keyId} onInput={(event) => {
              keyId.value = event.currentTarget.value
            }}
          />
        </div>
        <div class='field'>
          <label for={`${id}-secret`}>Secret</label>
          <input
            id={`${id}-secret`} type='password' autocomplete='off' value={secret} onInput={(event) => {
              secret.value = event.currentTarget.value
            }}
          />
        </div>
        <div class='row'><button type='submit'>Use this key</button></div>
      </form>
    </details>
  )
}
