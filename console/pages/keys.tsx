// The API keys of the account, for programs.

import type { Answer, ApiKey, Client } from '../../client/src/index.ts'
import { amount, dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { Name } from '../ui/text.tsx'
import { KeySection } from '../wallet/key-section.tsx'
import { Secret, useKeyWork } from '../wallet/key-work.tsx'
import { LendSection } from '../wallet/lend-section.tsx'

export function KeysPage() {
  const { session, feed } = useParts()
  const key = session.key()
  const current = useResource('Key in use', (client) => client.getCurrentKey(), [key?.keyId], { isEnabled: key !== null })
  const inUse = current.answer.value?.body ?? null
  const canList = inUse?.scopes.includes('keys') === true
  const keys = useResource('API keys', readAllKeys, [key?.keyId], { isManual: true, isEnabled: key !== null && canList })
  const work = useKeyWork()
  const rows = keys.answer.value?.body ?? []
  const others = rows.filter((row) => row.keyId !== key?.keyId && endOf(row, feed.serverTimeSec() * 1000) === null)

  async function read(): Promise<void> {
    if (session.key() !== null) await Promise.all([current.read(), ...(canList ? [keys.read()] : [])])
  }

  const revoke = (keyId: string): Promise<void> => work.run('Revoking…', 'Not revoked', async () => {
    await session.client().revokeKey({ keyId })
    if (session.key()?.keyId === keyId) session.setKey(null, null)
    else await read()
    return { text: `Revoked ${keyId}.` }
  })
  const revokeOthers = (): Promise<void> => work.run('Revoking…', 'Not revoked', async () => {
    await session.client().revokeOtherKeys()
    await read()
    return { text: 'Revoked all keys but the one in use.' }
  })

  return (
    <div class='stack'>
      <PageHeading>API keys</PageHeading>
      <p class='note'>For programs. Trading and reading your account on this site needs none.</p>
      <div class='pair'>
        <KeySection current={current} onIssued={() => void read()} />
        {key !== null && inUse?.keyId === key.keyId && <LendSection key={key.keyId} current={inUse} others={others} onChanged={() => void read()} />}
      </div>
      {(key !== null || work.status.text !== '') && (
        <Card title='API keys of this account'>
          {inUse !== null && !canList && <p class='note'>The key in use may not list the keys of its account.</p>}
          {key !== null && canList && <KeyTable keys={rows} resource={keys} inUse={key.keyId} onRevoke={(keyId) => void revoke(keyId)} />}
          {others.length > 0 && <div class='row'><button type='button' onClick={() => void revokeOthers()}>Revoke all keys but the one in use</button></div>}
          <Secret work={work} />
        </Card>
      )}
    </div>
  )
}

function KeyTable({ keys, resource, inUse, onRevoke }: {
  readonly keys: readonly ApiKey[]
  readonly resource: ReturnType<typeof useResource>
  readonly inUse: string
  readonly onRevoke: (keyId: string) => void
}) {
  const { feed } = useParts()
  return (
    <Fresh resource={resource}>
      <Table
        caption='API keys of this account, newest first' empty='No keys.' isLoading={resource.answer.value === null} rows={keys} keyOf={({ keyId }) => keyId}
        columns={[
          { title: 'Key', cell: ({ keyId }) => <span class='address'>{keyId}</span> },
          { title: 'Label', cell: ({ label }) => <Name text={label ?? ''} /> },
          { title: 'State', cell: (row) => endOf(row, feed.serverTimeSec() * 1000) ?? (
            <button
              type='button' class='small' aria-label={`Revoke ${row.keyId}${row.keyId === inUse ? ', the key in use' : ''}`} onClick={() => onRevoke(row.keyId)}
            >
              {row.keyId === inUse ? 'Revoke (in use)' : 'Revoke'}
            </button>
          ) },
          { title: 'Tier', isMinor: true, cell: ({ tier }) => tier },
          { title: 'Limited to', isMinor: true, cell: (row) => <span class='wrap'>{limitsOf(row)}</span> },
          { title: 'Created', isMinor: true, cell: ({ createdAt }) => dateTime(createdAt / 1000) },
          { title: 'Last used', isMinor: true, cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : dateTime(lastUsedAt / 1000)) },
        ]}
      />
      <ReadNote resource={resource} />
    </Fresh>
  )
}

/** The end of a key in words; null while it works. */
function endOf({ revokedAt, expiresAt }: ApiKey, nowMs: number): string | null {
  if (revokedAt !== null) return `revoked ${dateTime(revokedAt / 1000)}`
  return expiresAt !== null && expiresAt <= nowMs ? `expired ${dateTime(expiresAt / 1000)}` : null
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
