// The form of a new key's terms: what it may do, until when, from where, and how much.

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ApiKey, KeyRestrictions } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { focusFirstProblem, SelectField, TextField } from '../ui/field.tsx'
import { checkTerms, emptyTerms, LIFETIMES, SCOPES } from './key-terms.ts'
import type { KeyTerms } from './key-terms.ts'

interface KeyTermsFormOptions {
  /** The scopes that can be chosen. */
  readonly scopes: ApiKey['scopes']
  /** The scopes that are chosen at first. */
  readonly chosen: ApiKey['scopes']
  readonly button: string
  readonly onSubmit: (label: string, restrictions: KeyRestrictions) => void
}

const LABEL_MAX_LENGTH = 64
const FIELDS: readonly (readonly [name: 'networks' | 'assets' | 'maxLeverage' | 'maxNotional' | 'maxOrders', label: string, placeholder: string])[] = [
  ['networks', 'Only from these networks', '203.0.113.0/24'], ['assets', 'Only these assets', 'BTC, ETH'], ['maxLeverage', 'Highest leverage', ''],
  ['maxNotional', 'USDC a day', '10000'], ['maxOrders', 'Orders a day', ''],
]
const CAPS_HELP = 'Limits of a day count opens and entry orders by collateral times leverage, as far as they pass this gateway. ' +
  'Who holds the wallet\'s secret key needs no gateway.'

export function KeyTermsForm({ scopes, chosen, button, onSubmit }: KeyTermsFormOptions) {
  const { feed, markets } = useParts()
  const terms = useSignal<KeyTerms>(emptyTerms(chosen))
  const isTried = useSignal(false)
  const id = useId()
  const { problems, restrictions } = checkTerms(terms.value, { nowMs: feed.serverTimeSec() * 1000, markets: [...markets().keys()] })
  const problem = (name: keyof KeyTerms): string | null => (isTried.value ? problems.get(name) ?? null : null)
  const set = (change: Partial<KeyTerms>): void => {
    terms.value = { ...terms.value, ...change }
  }
  const change = (scope: ApiKey['scopes'][number], isChosen: boolean): void =>
    set({ scopes: [...terms.value.scopes.filter((each) => each !== scope), ...(isChosen ? [scope] : [])] })

  return (
    <form class='stack' noValidate onSubmit={(event) => {
      event.preventDefault()
      isTried.value = true
      if (problems.size > 0) focusFirstProblem(event)
      else onSubmit(terms.value.label.trim(), restrictions)
    }}>
      <TextField
        label='Label (optional, visible only to you)' inputMode='text' value={terms.value.label}
        onInput={(label) => set({ label: label.slice(0, LABEL_MAX_LENGTH) })}
      />
      <fieldset class='scopes'>
        <legend>The key may</legend>
        {SCOPES.filter(([scope]) => scopes.includes(scope)).map(([scope, text]) => (
          <div key={scope} class='check'>
            <input
              type='checkbox' id={`${id}-${scope}`} checked={terms.value.scopes.includes(scope)} aria-invalid={problem('scopes') !== null}
              onChange={(event) => change(scope, event.currentTarget.checked)}
            />
            <label for={`${id}-${scope}`}>{text}</label>
          </div>
        ))}
        {problem('scopes') !== null && <p class='problem note'>{problem('scopes')}</p>}
      </fieldset>
      <fieldset>
        <legend>Limits, all optional</legend>
        <div class='fields'>
          <SelectField label='Ends after' value={terms.value.lifetime} options={LIFETIMES} onChange={(lifetime) => set({ lifetime })} />
          {FIELDS.map(([name, label, placeholder]) => (
            <TextField
              key={name} label={label} placeholder={placeholder} inputMode={name === 'networks' || name === 'assets' ? 'text' : 'decimal'}
              value={terms.value[name]} problem={problem(name)} onInput={(text) => set({ [name]: text })}
            />
          ))}
        </div>
        <p class='note'>{CAPS_HELP}</p>
      </fieldset>
      <div class='row'><button type='submit' class='main'>{button}</button></div>
    </form>
  )
}
