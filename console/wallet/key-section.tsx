// Issues an API key with the wallet's signature, or uses an existing one, which it shows with its limits.

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { CurrentKey } from '../../client/src/index.ts'
import { amount, dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import type { Session } from '../session.ts'
import type { Resource } from '../state/resource.ts'
import { Card, Facts, Fresh, ReadNote } from '../ui/layout.tsx'
import { issueKey } from './issue-key.ts'
import { SCOPES } from './key-terms.ts'
import { KeyTermsForm } from './key-terms-form.tsx'
import { Secret, useKeyWork } from './key-work.tsx'
import type { Status } from './key-work.tsx'
import { ConnectButton } from './wallet-section.tsx'

const PROOF = 'To prove that you own the account, your wallet signs a transaction with sequence number 0. No ledger accepts it, and it is never submitted.'
const ALL_SCOPES = SCOPES.map(([scope]) => scope)
const NEW_KEY_SCOPES = ALL_SCOPES.filter((scope) => scope !== 'lend')

export function KeySection({ current, onIssued }: { readonly current: Resource<CurrentKey>; readonly onIssued: () => void }) {
  const { session } = useParts()
  const work = useKeyWork()
  const key = session.key()
  const form = (
    <>
      <p class='note'>{PROOF}</p>
      <KeyTermsForm
        scopes={ALL_SCOPES} chosen={NEW_KEY_SCOPES} button='Get an API key'
        onSubmit={(label, restrictions) => void work.run('Waiting for your wallet to sign the challenge…', 'No key issued', async () => {
          work.show(await issueKey(session, label, restrictions))
          onIssued()
          return { text: 'Key issued. Its secret is shown only once.' }
        })}
      />
    </>
  )
  return (
    <Card title='API key'>
      {key !== null && <KeyFacts keyId={key.keyId} resource={current} />}
      <Secret work={work} />
      {key !== null && <div class='row'><button type='button' onClick={() => session.setKey(null, null)}>Stop using this key</button></div>}
      {session.wallet() === null && key === null && <div class='row'><ConnectButton /><span class='note'>to get a key, or use an existing key</span></div>}
      {session.wallet() !== null && (key === null ? form : <details><summary>Get a key for another program</summary>{form}</details>)}
      {key === null && (
        <ExistingKeyForm
          onSubmit={(keyId, secret) => void work.run('Checking the key…', 'Key not used', () => tryKey(session, keyId, secret))}
        />
      )}
    </Card>
  )
}

/** The key that the page uses, as the gateway reads it: what it may do, and what it has used today. */
function KeyFacts({ keyId, resource }: { readonly keyId: string; readonly resource: Resource<CurrentKey> }) {
  const body = resource.answer.value?.body ?? null
  const rows = body?.keyId === keyId ? factsOf(body) : []
  return (
    <Fresh resource={resource}>
      <Facts rows={[['Key in use', <span class='mono'>{keyId}</span>], ...rows]} />
      <ReadNote resource={resource} />
    </Fresh>
  )
}

function factsOf({ scopes, expiresAt, cidrs, caps, used, parent, limits: { buckets } }: CurrentKey): readonly (readonly [string, string])[] {
  const trading = buckets.find(({ name }) => name === 'trading')
  const notional = caps?.maxNotionalPerDay ?? null
  return [
    ['Lent by', parent ?? 'your account'],
    ['May', scopes.join(', ')],
    ['Ends', expiresAt === null ? 'never' : dateTime(expiresAt / 1000)],
    ['Networks', cidrs?.join(', ') ?? 'any'],
    ['Assets', caps?.assets?.join(', ') ?? 'all'],
    ['Leverage', typeof caps?.maxLeverage === 'number' ? `up to ${caps.maxLeverage}×` : 'as the market allows'],
    ['Used today', `${amount(used.notional)} ${notional === null ? 'USDC' : `of ${amount(notional)} USDC`}`],
    ['Orders today', typeof caps?.maxOrdersPerDay === 'number' ? `${used.orders} of ${caps.maxOrdersPerDay}` : String(used.orders)],
    ...(trading === undefined ? [] : [['Requests left', `${trading.remaining} of ${trading.limit} for trading in this minute`] as const]),
  ]
}

async function tryKey(session: Session, keyId: string, secret: string): Promise<Status> {
  const client = session.client()
  const previous = session.key()
  client.useKey({ keyId, secret })
  try {
    // Needs no scope: a key that reads nothing can still be rotated and lend others.
    const { owner } = (await client.getCurrentKey()).body
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
