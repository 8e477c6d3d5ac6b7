// A form for a referral code. What the contract would reject for its length is reported before anything is sent.

import { useRef, useState } from 'preact/hooks'
import { bytesOfName } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import type { Sender } from '../trade/send.ts'
import { useDisconnected } from '../trade/use-market.ts'
import { TextField } from '../ui/field.tsx'

const MIN_BYTES = 3
const MAX_BYTES = 16

export function CodeForm({ label, initial = '', sender, onSubmit }: {
  readonly label: string
  readonly initial?: string
  readonly sender: Sender
  readonly onSubmit: (code: string) => void
}) {
  const { session } = useParts()
  const [text, setText] = useState(initial)
  const [problem, setProblem] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const blocked = useDisconnected()

  function submit(event: Event): void {
    event.preventDefault()
    const code = text.trim()
    const { length } = bytesOfName(code)
    if (length < MIN_BYTES || length > MAX_BYTES) {
      setProblem(`Enter ${MIN_BYTES} to ${MAX_BYTES} characters.`)
      form.current?.querySelector('input')?.focus()
      return
    }
    setProblem(null)
    if (blocked === null) onSubmit(code)
  }

  function change(next: string): void {
    setText(next)
    setProblem(null)
    sender.clear()
  }

  return (
    <form class='row' noValidate ref={form} onSubmit={submit}>
      <TextField label={label} value={text} problem={problem} inputMode='text' help='Upper and lower case differ.' onInput={change} />
      <button type='submit' disabled={sender.isBusy() || session.wallet() === null} aria-disabled={blocked !== null}>Review</button>
      {blocked !== null && <p class='note problem'>{blocked}</p>}
    </form>
  )
}
