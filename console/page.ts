// The interface that the console's pages share.

import type { Feed } from './feed.ts'
import type { Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { Account } from './state/account.ts'
import type { Activity } from './state/activity.ts'
import type { Wallets } from './wallet/wallets.ts'

/** A page. It is created when it is first opened and reused afterwards. */
export interface Page {
  readonly title: string
  readonly element: HTMLElement
  /** `path`: the segments of the URL fragment after the page's name. */
  show(path: readonly string[]): void
  hide(): void
}

/** What a page depends on. */
export interface PageParts {
  readonly feed: Feed
  readonly session: Session
  readonly settings: Settings
  readonly wallets: Wallets
  readonly account: Account
  readonly activity: Activity
  /** Descriptions of the markets by symbol; empty until they are loaded. */
  readonly markets: () => ReadonlyMap<string, string>
}
