// Notices over the page: what happened to the account. Losses are alerts, everything else is a status.

import type { Activity, Notice } from '../state/activity.ts'
import { ExplorerMark } from './links.tsx'

export function Toasts({ activity }: { readonly activity: Activity }) {
  const toasts = activity.toasts.value
  const urgent = toasts.filter(({ tone }) => tone === 'urgent')
  const others = toasts.filter(({ tone }) => tone !== 'urgent')
  return (
    <div class='toasts'>
      <div role='alert'>{urgent.map((notice) => <Toast key={notice.id} notice={notice} onDismiss={activity.dismiss} />)}</div>
      <div role='status'>{others.map((notice) => <Toast key={notice.id} notice={notice} onDismiss={activity.dismiss} />)}</div>
    </div>
  )
}

function Toast({ notice, onDismiss }: { readonly notice: Notice; readonly onDismiss: (id: number) => void }) {
  return (
    <div class={`toast ${notice.tone}`}>
      <p>{notice.text}{notice.txHash !== null && <ExplorerMark page='tx' id={notice.txHash} />}</p>
      <button type='button' class='quiet small' aria-label='Dismiss this notice' onClick={() => onDismiss(notice.id)}>✕</button>
    </div>
  )
}
