// The newest page of each of the account's lists, for its table, its count, and the marks on the chart.

import type { Client } from '../../client/src/index.ts'
import type { Resource } from '../state/resource.ts'
import { useAccountList } from '../state/use-account-list.ts'

const ROWS = 50

type Body<Name extends 'listAccountFills' | 'listAccountOrderHistory' | 'listAccountLedger'> = Awaited<ReturnType<Client[Name]>>['body']

export interface AccountLists {
  readonly fills: Resource<Body<'listAccountFills'>>
  readonly orders: Resource<Body<'listAccountOrderHistory'>>
  readonly cash: Resource<Body<'listAccountLedger'>>
}

export function useAccountLists(): AccountLists {
  return {
    fills: useAccountList('Fills', (client) => client.listAccountFills({ limit: ROWS })),
    orders: useAccountList('Order history', (client) => client.listAccountOrderHistory({ limit: ROWS })),
    cash: useAccountList('Cash', (client) => client.listAccountLedger({ limit: ROWS })),
  }
}

/** The number of rows, `50+` when there are more pages; null while it is not known. */
export function countText(rows: readonly unknown[] | null | undefined, hasMore = false): string | null {
  return rows === null || rows === undefined ? null : `${rows.length}${hasMore ? '+' : ''}`
}
