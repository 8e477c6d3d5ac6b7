// Lends a key that can do less than the one in use, and replaces the secret of a key.

import { useState } from 'preact/hooks'
import type { ApiKey, CurrentKey } from '../../client/src/index.ts'
import { dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import { SelectField } from '../ui/field.tsx'
import { Card } from '../ui/layout.tsx'
import { KeyTermsForm } from './key-terms-form.tsx'
import { Secret, useKeyWork } from './key-work.tsx'

const OVERLAPS = [['0', 'at once'], ['3600', 'in an hour'], ['86400', 'in a day']] as const

interface LendSectionOptions {
  readonly current: CurrentKey
  /** The keys that can be rotated beside the one in use. */
  readonly others: readonly ApiKey[]
  readonly onChanged: () => void
}

export function LendSection({ current, others, onChanged }: LendSectionOptions) {
  const { session } = useParts()
  const work = useKeyWork()
  const { keyId, scopes } = current
  const canLend = scopes.includes('lend')

  return (
    <Card title='Lend and rotate'>
      <Secret work={work} />
      {canLend ? (
        <details>
          <summary>Lend a key that can do less</summary>
          <p class='note'>It ends with the key in use, and uses up its limits too. What you leave empty is inherited.</p>
          <KeyTermsForm
            scopes={scopes} chosen={scopes.filter((scope) => scope === 'read' || scope === 'trade')} button='Lend a key'
            onSubmit={(label, restrictions) => void work.run('Lending a key…', 'No key lent', async () => {
              work.show((await session.client().lendKey({ keyId, ...restrictions, ...(label === '' ? {} : { label }) })).body)
              onChanged()
              return { text: 'Key lent. Its secret is shown only once.' }
            })}
          />
        </details>
      ) : <p class='note'>The key in use cannot lend others. Get a key that may lend, and use it here.</p>}
      <RotateForm
        inUse={keyId} others={others}
        onSubmit={(rotated, overlapSec) => void work.run('Rotating…', 'Not rotated', async () => {
          const { body } = await session.client().rotateKey({ keyId: rotated, overlapSec })
          work.show(body)
          // The secret before may be void already.
          if (rotated === keyId) session.setKey({ keyId, secret: body.secret }, body.owner)
          onChanged()
          return { text: `Rotated ${rotated}. The secret before works until ${dateTime(body.previousUntil / 1000)}.` }
        })}
      />
    </Card>
  )
}

function RotateForm({ inUse, others, onSubmit }: {
  readonly inUse: string
  readonly others: readonly ApiKey[]
  readonly onSubmit: (keyId: string, overlapSec: number) => void
}) {
  const [chosen, setChosen] = useState(inUse)
  const [overlap, setOverlap] = useState<string>(OVERLAPS[0][0])
  const keys = others.map(({ keyId, label }): [string, string] => [keyId, label === null ? keyId : `${keyId}, ${label}`])
  // A key that was revoked is no longer in the list.
  const keyId = others.some((other) => other.keyId === chosen) ? chosen : inUse
  return (
    <details>
      <summary>Replace the secret of a key</summary>
      <form class='stack' onSubmit={(event) => {
        event.preventDefault()
        onSubmit(keyId, Number(overlap))
      }}>
        <SelectField label='Key' value={keyId} options={[[inUse, `${inUse} (in use)`], ...keys]} onChange={setChosen} />
        <SelectField label='The present secret ends' value={overlap} options={OVERLAPS} onChange={setOverlap} />
        <div class='row'><button type='submit'>Rotate</button></div>
      </form>
    </details>
  )
}
