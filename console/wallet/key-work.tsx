// What a section of keys is doing, and the secret that it has received, which is shown once.

import { useSignal } from '@preact/signals'
import { reasonOf } from '../problems.ts'
import { CopyButton } from '../ui/copy-button.tsx'

export interface Status {
  readonly text: string
  readonly isProblem?: boolean
}

interface NewSecret {
  readonly keyId: string
  readonly secret: string
}

export interface KeyWork {
  readonly status: Status
  /** The key that was just issued or rotated. Its secret is shown until the user hides it. */
  readonly issued: NewSecret | null
  show(issued: NewSecret | null): void
  /** Reports `text`, then the result of the work; `failure` and the reason if it fails. */
  run(text: string, failure: string, work: () => Promise<Status>): Promise<void>
  report(text: string): void
}

export function useKeyWork(): KeyWork {
  const status = useSignal<Status>({ text: '' })
  const issued = useSignal<NewSecret | null>(null)
  return {
    status: status.value,
    issued: issued.value,
    show(next) {
      issued.value = next
    },
    report(text) {
      status.value = { text }
    },
    async run(text, failure, work) {
      status.value = { text }
      try {
        status.value = await work()
      } catch (error) {
        status.value = { text: `${failure}: ${reasonOf(error)}.`, isProblem: true }
      }
    },
  }
}

/** The new secret, and what the section reports. */
export function Secret({ work: { issued, status, show, report } }: { readonly work: KeyWork }) {
  return (
    <>
      {issued !== null && (
        <ShownSecret
          credentials={`${issued.keyId}:${issued.secret}`} onHide={() => {
            show(null)
            report('The secret is hidden.')
          }}
        />
      )}
      <p class={status.isProblem === true ? 'note problem' : 'note'} role='status'>{status.text}</p>
    </>
  )
}

function ShownSecret({ credentials, onHide }: { readonly credentials: string; readonly onHide: () => void }) {
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
