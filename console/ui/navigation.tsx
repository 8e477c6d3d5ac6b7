// The pages: a row of links in the header. Where it has no room for all of them, and at the bottom of a phone's screen, those that are not main are a menu that
// "More" opens.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { NavigationIcon } from './icons.tsx'

export interface NavigationEntry {
  /** The first segment of the URL's fragment. */
  readonly name: string
  readonly title: string
  /** Shown on every screen; a phone has room for four. */
  readonly isMain?: boolean
}

export function Navigation({ entries, current }: { readonly entries: readonly NavigationEntry[]; readonly current: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const more = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => setIsOpen(false), [current])

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !isOpen) return
    setIsOpen(false)
    more.current?.focus()
  }

  /** A click beside the menu closes it. */
  function onFocusOut({ relatedTarget, currentTarget }: FocusEvent): void {
    if (currentTarget instanceof Node && !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOpen(false)
  }

  const links = (isMainList: boolean) => entries.filter(({ isMain = false }) => isMain === isMainList).map(({ name, title }) => (
    <li key={name}>
      <a href={`#/${name}`} aria-current={name === current ? 'page' : undefined} onClick={() => setIsOpen(false)}><NavigationIcon name={name} />{title}</a>
    </li>
  ))
  return (
    <nav aria-label='Pages' onKeyDown={onKey} onFocusOut={onFocusOut}>
      <ul>
        {links(true)}
        <li class='more-item'>
          <button type='button' class='more' ref={more} aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
            <NavigationIcon name='more' />More
          </button>
        </li>
      </ul>
      <ul id={id} class='other' data-open={isOpen}>{links(false)}</ul>
    </nav>
  )
}
