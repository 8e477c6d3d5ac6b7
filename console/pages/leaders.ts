// The leaderboard.

import type { LeaderboardEntry } from '../../client/src/index.ts'
import { address, card, createTable, el, profit, setChildren } from '../dom.ts'
import { amount, short, signed } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const SORTS = { pnl: 'PnL', volume: 'Volume' } as const
type Sort = keyof typeof SORTS
const ROWS = 100

export function createLeadersPage({ feed, session }: PageParts): Page {
  let sort: Sort = 'pnl'
  let ranks = new Map<LeaderboardEntry, number>()
  const sortButtons = el('div', { class: 'choice', role: 'group', 'aria-label': 'Sort by' })
  const table = createTable<LeaderboardEntry>({
    caption: 'Traders by lifetime PnL or volume, in USDC', empty: 'No trades yet.',
    columns: [
      { title: 'Rank', cell: (row) => String(ranks.get(row) ?? '') },
      { title: 'Trader', cell: ({ trader }) => address(trader, short(trader, 8)) },
      { title: 'Realised PnL', isNumeric: true, cell: ({ pnl }) => profit(signed(pnl)) },
      { title: 'Volume', isNumeric: true, cell: ({ volume }) => amount(volume, 0) },
    ],
  })
  const panel = createPanel({
    feed, session, content: table.element, title: 'Leaderboard',
    read: (client) => client.listLeaders({ sort, limit: ROWS }),
    render({ leaders }) {
      ranks = new Map(leaders.map((row, index) => [row, index + 1]))
      table.setRows(leaders)
    },
    clear: () => table.setRows([]),
  })

  function updateButtons(): void {
    setChildren(sortButtons, ...(Object.keys(SORTS) as Sort[]).map((each) => el('button', {
      type: 'button', 'aria-pressed': String(each === sort), 'data-key': each,
      click() {
        sort = each
        updateButtons()
        panel.read(true)
      },
    }, SORTS[each])))
  }

  updateButtons()
  return {
    title: 'Leaders',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Leaderboard'),
      card('leaders-heading', 'Traders', sortButtons, table.element, panel.note)),
    show: panel.show,
    hide: panel.hide,
  }
}
