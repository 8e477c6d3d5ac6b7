// The parts that every component may use, given once at the root of the page.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Feed } from './feed.ts'
import type { Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { Account } from './state/account.ts'
import type { Activity } from './state/activity.ts'
import type { Wallets } from './wallet/wallets.ts'

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

export const PartsContext = createContext<PageParts | null>(null)

export function useParts(): PageParts {
  const parts = useContext(PartsContext)
  if (parts === null) throw new Error('the component is outside of the page')
  return parts
}
