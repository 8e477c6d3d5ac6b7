// Form fields: a label, the input, help, and the reason why the input is not accepted.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface TextFieldOptions {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly help?: string
  /** A sentence; null when the input is accepted. */
  readonly problem?: string | null
  readonly suffix?: ComponentChildren
  /** At the end of the label's line. */
  readonly aside?: ComponentChildren
  readonly placeholder?: string
  readonly disabled?: boolean
  /** The keyboard of a phone; for numbers by default. */
  readonly inputMode?: 'decimal' | 'text'
}

/** Moves the focus to the first input of a submitted form that is not accepted, after its problem is shown. */
export function focusFirstProblem({ currentTarget }: Event): void {
  const form = currentTarget as HTMLFormElement
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
}

export function TextField(
  { label, value, onInput, help, problem = null, suffix, aside, placeholder, disabled = false, inputMode = 'decimal' }: TextFieldOptions,
) {
  const id = useId()
  return (
    <div class='field'>
      {aside === undefined ? <label for={id}>{label}</label> : <div class='label'><label for={id}>{label}</label><span class='note'>{aside}</span></div>}
      <div class='input'>
        <input
          id={id} type='text' inputMode={inputMode} autocomplete='off' value={value} placeholder={placeholder} disabled={disabled}
          aria-invalid={problem !== null} aria-describedby={`${id}-help ${id}-problem`} onInput={(event) => onInput(event.currentTarget.value)}
        />
        {suffix}
      </div>
      {help !== undefined && <p class='note' id={`${id}-help`}>{help}</p>}
      <p class='problem' id={`${id}-problem`}>{problem}</p>
    </div>
  )
}

export function SelectField({ label, value, options, onChange, problem = null }: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
  readonly problem?: string | null
}) {
  const id = useId()
  return (
    <div class='field'>
      <label for={id}>{label}</label>
      <select
        id={id} value={value} aria-invalid={problem !== null} aria-describedby={`${id}-problem`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([each, text]) => <option key={each} value={each}>{text}</option>)}
      </select>
      <p class='problem' id={`${id}-problem`}>{problem}</p>
    </div>
  )
}
