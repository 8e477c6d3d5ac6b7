// A small button that says why it cannot be used now. It is not `disabled`, because that would take the focus away when a market is paused.

import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

export interface GatedButtonOptions {
  /** Accessible name. */
  readonly label: string
  /** Null if it can be used. */
  readonly reason: string | null
  readonly onClick: () => void
  readonly children: ComponentChildren
}

export function GatedButton({ label, reason, onClick, children }: GatedButtonOptions) {
  const id = useId()
  return (
    <>
      <button
        type='button' class='small' aria-label={label} aria-disabled={reason !== null} title={reason ?? undefined}
        aria-describedby={reason === null ? undefined : id} onClick={() => {
          if (reason === null) onClick()
        }}
      >
        {children}
      </button>
      {reason !== null && <span class='visually-hidden' id={id}>{reason}</span>}
    </>
  )
}
