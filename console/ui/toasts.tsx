// Notices over the page: what happened to the account. Losses are alerts, everything else is a status.

import { useRef } from 'preact/hooks'
import type { Activity, Notice } from '../state/activity.ts'
import { ExplorerMark } from './links.tsx'

export function Toasts({ activity }: { readonly activity: Activity }) {
  const box = useRef<HTMLDivElement>(null)
  const toasts = activity.toasts.value
  const urgent = toasts.filter(({ tone }) => tone === 'urgent')
  const others = toasts.filter(({ tone }) => tone !== 'urgent')

  /** A toast that is being read or used does not disappear. */
  function holdWhileUsed(): void {
    activity.hold(box.current?.matches(':hover, :focus-within') === true)
  }

  const toast = (notice: Notice) => <Toast key={notice.id} notice={notice} onDismiss={activity.dismiss} />
  return (
    <div
      class='toasts' ref={box} onMouseEnter={holdWhileUsed} onMouseLeave={holdWhileUsed} onFocusIn={holdWhileUsed}
      onFocusOut={() => requestAnimationFrame(holdWhileUsed)}
    >
      <div role='alert'>{urgent.map(toast)}</div>
      <div role='status'>{others.map(toast)}</div>
    </div>
  )
}

function Toast({ notice, onDismiss }: { readonly notice: Notice; readonly onDismiss: (id: string) => void }) {
  return (
    <div class={`toast ${notice.tone}`}>
      <p>{notice.text}{notice.txHash !== null && <ExplorerMark page='tx' id={notice.txHash} />}</p>
      <button type='button' class='quiet small' aria-label='Dismiss this notice' onClick={() => onDismiss(notice.id)}>✕</button>
    </div>
  )
}
