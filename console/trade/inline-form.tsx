// A form with one input in a row of a table: its button leads to the review.

import { useEffect, useRef, useState } from 'preact/hooks'
import { TextField } from '../ui/field.tsx'
import type { Move } from './replace-order.ts'
import type { Sender } from './send.ts'

export interface InlineFormOptions {
  readonly label: string
  /** The first text of the input. */
  readonly initial?: string
  readonly help?: string | undefined
  readonly sender: Sender
  readonly check: (text: string) => Move
  /** The reason why nothing can be sent now; null if it can. */
  readonly blocked: string | null
  /** Called before the review and after Cancel: the form is to be closed, and the focus to return to what opened it. */
  readonly onDone: () => void
  /** Buttons that fill in the input. */
  readonly suggestions?: readonly (readonly [text: string, value: string])[]
}

export function InlineForm({ label, initial = '', help, sender, check, blocked, onDone, suggestions = [] }: InlineFormOptions) {
  const [text, setText] = useState(initial)
  const [isTried, setIsTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { problem, warning, effect = null, steps } = check(text)
  useEffect(() => {
    const input = form.current?.querySelector('input')
    input?.focus()
    input?.select()
  }, [label])

  function change(next: string): void {
    setText(next)
    setIsTried(false)
    // An old message belongs to the old input.
    sender.clear()
  }

  function submit(event: Event): void {
    event.preventDefault()
    setIsTried(true)
    if (problem !== null || blocked !== null || sender.isBusy()) return
    onDone()
    void sender.send(steps)
  }

  return (
    <form
      class='inline-form stack' noValidate ref={form} onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
      }}
    >
      <TextField
        label={label} value={text} problem={isTried ? problem : null} onInput={change} {...(help === undefined ? {} : { help })}
        suffix={suggestions.map(([name, value]) => <button key={name} type='button' class='quiet small' onClick={() => change(value)}>{name}</button>)}
      />
      <p class='note' role='status' hidden={effect === null}>{effect}</p>
      {warning !== null && <p class='note warn'>{warning}</p>}
      {steps.length > 1 && <p class='note'>Sends 2 transactions: the order is cancelled, then placed again.</p>}
      {blocked !== null && <p class='note problem'>{blocked}</p>}
      <div class='row tight'>
        <button type='submit' class='small' aria-disabled={blocked !== null}>Review</button>
        <button type='button' class='small quiet' onClick={onDone}>Cancel</button>
      </div>
    </form>
  )
}
