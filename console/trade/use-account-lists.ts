// The account's lists in pages, for their tables, their counts, and the marks on the chart.

import { useEffect } from 'preact/hooks'
import type { CashMovement, Fill, Order } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { usePages } from '../state/use-pages.ts'
import type { Pages, PagesOptions } from '../state/use-pages.ts'

const ROWS = 50

export interface AccountLists {
  readonly fills: Pages<Fill>
  readonly orders: Pages<Order>
  readonly cash: Pages<CashMovement>
}

type PageBody<Name extends string, Row> = { readonly [name in Name]: readonly Row[] } & { readonly hasMore: boolean; readonly nextCursor: string | null }

export function useAccountLists(): AccountLists {
  return {
    fills: useOwnPages<Fill, PageBody<'fills', Fill>>({
      title: 'Fills', read: (client, cursor) => client.listAccountFills({ limit: ROWS, ...cursor }), rowsOf: ({ fills }) => fills, idOf: idOfFill,
    }),
    orders: useOwnPages<Order, PageBody<'orders', Order>>({
      title: 'Order history', read: (client, cursor) => client.listAccountOrderHistory({ limit: ROWS, ...cursor }), rowsOf: ({ orders }) => orders,
      idOf: ({ orderId }) => orderId,
    }),
    cash: useOwnPages<CashMovement, PageBody<'ledger', CashMovement>>({
      title: 'Cash', read: (client, cursor) => client.listAccountLedger({ limit: ROWS, ...cursor }), rowsOf: ({ ledger }) => ledger, idOf: idOfMovement,
    }),
  }
}

/** Read while there is an API key, and again after each change of the account. */
function useOwnPages<Row, Body extends { readonly hasMore: boolean; readonly nextCursor: string | null }>(
  options: Omit<PagesOptions<Row, Body>, 'dependencies' | 'isEnabled'>,
): Pages<Row> {
  const { account } = useParts()
  const owner = account.owner.value
  const version = account.version.value
  const pages = usePages({ ...options, dependencies: [owner], isEnabled: owner !== null })
  useEffect(() => {
    if (pages.newest.answer.peek() !== null) void pages.newest.read()
  }, [version])
  return pages
}

export function idOfFill({ seq, positionId, kind }: Fill): string {
  return `${seq} ${positionId} ${kind}`
}

/** An event that moves cash between the wallet and the cross margin has several rows. */
export function idOfMovement({ seq, balanceOf, kind }: CashMovement): string {
  return `${seq} ${balanceOf} ${kind}`
}

/** The number of rows, `50+` when there are more pages; null while it is not known. */
export function countText(rows: readonly unknown[] | null | undefined, hasMore = false): string | null {
  return rows === null || rows === undefined ? null : `${rows.length}${hasMore ? '+' : ''}`
}

export function countOfPages({ newest, rows, hasMore }: Pages<unknown>): string | null {
  return newest.answer.value === null ? null : countText(rows.value, hasMore.value)
}
