// The pages: a row of links in the header, or on a phone the main ones at the bottom of the screen and the others behind "More".

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { NavigationIcon } from './icons.tsx'

export interface NavigationEntry {
  /** The first segment of the URL's fragment. */
  readonly name: string
  readonly title: string
  /** Shown at the bottom of a phone's screen, which has room for four. */
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

  return (
    <nav aria-label='Pages' onKeyDown={onKey}>
      <ul id={id} data-open={isOpen}>
        {entries.map(({ name, title, isMain = false }) => (
          <li key={name} class={isMain ? '' : 'other'}>
            <a href={`#/${name}`} aria-current={name === current ? 'page' : undefined} onClick={() => setIsOpen(false)}>
              <NavigationIcon name={name} />{title}
            </a>
          </li>
        ))}
        <li class='more-item'>
          <button type='button' class='more' ref={more} aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
            <NavigationIcon name='more' />More
          </button>
        </li>
      </ul>
    </nav>
  )
}
