// The API keys of the account, for programs.

import { useSignal } from '@preact/signals'
import type { Answer, ApiKey, Client } from '../../client/src/index.ts'
import { amount, dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import { reasonOf } from '../problems.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { Name } from '../ui/text.tsx'
import { KeySection } from '../wallet/key-section.tsx'

export function KeysPage() {
  const { session } = useParts()
  const key = session.key()
  const keys = useResource('API keys', readAllKeys, [key?.keyId], { isManual: true, isEnabled: key !== null })
  const status = useSignal('')

  async function revoke(keyId: string): Promise<void> {
    try {
      await session.client().revokeKey({ keyId })
      status.value = `Revoked ${keyId}.`
      if (session.key()?.keyId === keyId) session.setKey(null, null)
      else await keys.read()
    } catch (error) {
      status.value = `Not revoked: ${reasonOf(error)}.`
    }
  }

  return (
    <div class='stack'>
      <PageHeading>API keys</PageHeading>
      <p class='note'>For programs. Trading and reading your account on this site needs none.</p>
      <div class='halves'>
        <KeySection onIssued={() => void keys.read()} />
        {(key !== null || status.value !== '') && (
          <Card title='API keys of this account'>
            {key !== null && <KeyTable keys={keys.answer.value?.body ?? []} resource={keys} inUse={key.keyId} onRevoke={(keyId) => void revoke(keyId)} />}
            <p class='note' role='status'>{status}</p>
          </Card>
        )}
      </div>
    </div>
  )
}

function KeyTable({ keys, resource, inUse, onRevoke }: {
  readonly keys: readonly ApiKey[]
  readonly resource: ReturnType<typeof useResource>
  readonly inUse: string
  readonly onRevoke: (keyId: string) => void
}) {
  return (
    <Fresh resource={resource}>
      <Table
        caption='API keys of this account, newest first' empty='No keys.' isLoading={resource.answer.value === null} rows={keys} keyOf={({ keyId }) => keyId}
        columns={[
          { title: 'Key', cell: ({ keyId }) => <span class='address'>{keyId}</span> },
          { title: 'Label', cell: ({ label }) => <Name text={label ?? ''} /> },
          { title: 'Tier', isMinor: true, cell: ({ tier }) => tier },
          { title: 'Limited to', isMinor: true, cell: limitsOf },
          { title: 'Created', isMinor: true, cell: ({ createdAt }) => dateTime(createdAt / 1000) },
          { title: 'Last used', isMinor: true, cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : dateTime(lastUsedAt / 1000)) },
          { title: 'State', cell: ({ keyId, revokedAt }) => revokedAt !== null ? `revoked ${dateTime(revokedAt / 1000)}` : (
            <button
              type='button' class='small' aria-label={`Revoke ${keyId}${keyId === inUse ? ', the key in use' : ''}`} onClick={() => onRevoke(keyId)}
            >
              {keyId === inUse ? 'Revoke (in use)' : 'Revoke'}
            </button>
          ) },
        ]}
      />
      <ReadNote resource={resource} />
    </Fresh>
  )
}

/** The limits of a key in words. */
function limitsOf({ scopes, expiresAt, cidrs, caps, parent }: ApiKey): string {
  return [
    scopes.join(', '),
    ...(caps?.assets ? [`only ${caps.assets.join(', ')}`] : []),
    ...(caps?.maxLeverage ? [`leverage up to ${caps.maxLeverage}`] : []),
    ...(caps?.maxNotionalPerDay ? [`${amount(caps.maxNotionalPerDay)} USDC a day`] : []),
    ...(typeof caps?.maxOrdersPerDay === 'number' ? [`${caps.maxOrdersPerDay} orders a day`] : []),
    ...(cidrs ? [`from ${cidrs.join(', ')}`] : []),
    ...(expiresAt === null ? [] : [`until ${dateTime(expiresAt / 1000)}`]),
    ...(parent === null ? [] : [`lent by ${parent}`]),
  ].join(' · ')
}

/** All pages of the list: a key that is not shown cannot be revoked here. */
async function readAllKeys(client: Client): Promise<Answer<readonly ApiKey[]>> {
  const keys: ApiKey[] = []
  let last: Answer<unknown> | undefined
  for await (const page of client.pages('listKeys')) {
    keys.push(...page.body.keys)
    last = page
  }
  if (last === undefined) throw new Error('the list has no page')
  return { ...last, body: keys }
}
