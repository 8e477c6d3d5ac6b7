// Notices of what happened to the account, in a bar of constant height that is part of the layout: they cover nothing and move nothing. It shows one at a time,
// losses first. The activity list has all of them.

import { useRef } from 'preact/hooks'
import { useParts } from '../parts.ts'
import type { Notice } from '../state/activity.ts'
import { ExplorerMark } from './links.tsx'

/** Notices that screen readers get at once. */
const ANNOUNCED_MAX = 3

export function Notices() {
  const { activity } = useParts()
  const box = useRef<HTMLElement>(null)
  const current = activity.current.value
  const [lead] = current
  const announced = current.slice(0, ANNOUNCED_MAX)
  const more = current.length - 1

  /** A notice that is being read or used does not disappear. */
  function holdWhileUsed(): void {
    activity.hold(box.current?.matches(':hover, :focus-within') === true)
  }

  const texts = (isUrgent: boolean) => announced.filter(({ tone }) => (tone === 'urgent') === isUrgent)
    .map((notice) => <NoticeText key={notice.id} notice={notice} isShown={notice === lead} />)
  return (
    <section
      class='notices' aria-label='Notices' ref={box} onMouseEnter={holdWhileUsed} onMouseLeave={holdWhileUsed} onFocusIn={holdWhileUsed}
      onFocusOut={() => requestAnimationFrame(holdWhileUsed)}
    >
      <div role='alert'>{texts(true)}</div>
      <div role='status'>{texts(false)}</div>
      {lead !== undefined && <button type='button' class='quiet small' aria-label='Dismiss this notice' onClick={() => activity.dismiss([lead])}>✕</button>}
      {more > 0 && (
        <>
          <button
            type='button' class='quiet small' aria-haspopup='dialog' onClick={() => {
              activity.isOpen.value = true
            }}
          >
            {`${more} more`}
          </button>
          <button type='button' class='quiet small' onClick={() => activity.dismiss(current)}>Dismiss all</button>
        </>
      )}
    </section>
  )
}

function NoticeText({ notice: { tone, text, txHash }, isShown }: { readonly notice: Notice; readonly isShown: boolean }) {
  if (!isShown) return <p class='visually-hidden'>{text}</p>
  return <p class={`notice ${tone}`} title={text}>{text}{txHash !== null && <ExplorerMark page='tx' id={txHash} />}</p>
}
