// The list of what happened to the account, behind a button in the header that counts what is new.

import { useEffect, useRef } from 'preact/hooks'
import { dateTime, timeOfDay, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import type { Notice } from '../state/activity.ts'
import { ReadNote } from './layout.tsx'
import { ExplorerMark } from './links.tsx'

const DAY_SEC = 86_400
const MS_PER_SEC = 1_000

export function ActivityButton() {
  const { activity } = useParts()
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = activity.isOpen.value
  const unseen = activity.unseen.value
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    else if (!isOpen) dialog.current?.close()
  }, [isOpen])

  function close(): void {
    activity.isOpen.value = false
    activity.markSeen()
  }

  return (
    <>
      <button
        type='button' class='quiet' aria-haspopup='dialog' data-activity onClick={() => {
          activity.isOpen.value = true
        }}
      >
        Activity{unseen > 0 && <span class='badge'>{unseen}<span class='visually-hidden'> new</span></span>}
      </button>
      <dialog ref={dialog} class='drawer' aria-label='Activity' onClose={close}>
        {isOpen && (
          <div class='stack'>
            <div class='row'>
              <h2 class='grow'>Activity</h2>
              <button type='button' onClick={() => dialog.current?.close()}>Close</button>
            </div>
            <ActivityList />
          </div>
        )}
      </dialog>
    </>
  )
}

function ActivityList() {
  const { activity, account } = useParts()
  const notices = activity.notices.value
  if (account.owner.value === null && notices.length === 0) {
    return <p class='empty'>What happens to your account is listed here. Connect a wallet to see it.</p>
  }
  return (
    <>
      {notices.length === 0 && <p class='empty'>Nothing yet. Fills, orders, liquidations and transactions of your account will be listed here.</p>}
      <ol class='activity' aria-label='What happened, newest first'>{notices.map((notice) => <Entry key={notice.id} notice={notice} />)}</ol>
      {account.owner.value !== null && <ReadNote resource={activity.past} />}
    </>
  )
}

function Entry({ notice: { tone, text, txHash, ts } }: { readonly notice: Notice }) {
  const { feed } = useParts()
  const isToday = ts !== null && feed.now.value / MS_PER_SEC - ts < DAY_SEC
  return (
    <li class={`entry ${tone}`}>
      <span class='note'>{ts === null ? UNKNOWN : isToday ? timeOfDay(ts) : dateTime(ts)}</span>
      <p>{text}{txHash !== null && <ExplorerMark page='tx' id={txHash} />}</p>
    </li>
  )
}
