// What the console's pages have in common.

import type { Feed } from './feed.ts'
import type { Session } from './session.ts'
import type { Settings } from './settings.ts'

/** A page, made when it is first opened and kept from then on. */
export interface Page {
  readonly title: string
  readonly element: HTMLElement
  /** `rest`: what stands in the address behind the page's own name. */
  show(rest: readonly string[]): void
  hide(): void
}

/** What a page is made of. */
export interface PageParts {
  readonly feed: Feed
  readonly session: Session
  readonly settings: Settings
  /** The markets there are, by symbol; empty until they are known. */
  readonly markets: () => ReadonlyMap<string, string>
}
