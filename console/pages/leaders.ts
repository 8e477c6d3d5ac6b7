// Who did well.

import type { LeaderboardEntry } from '../../client/src/index.ts'
import { address, card, createTable, el, gain, refill } from '../dom.ts'
import { amount, short, signed } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const SORTS = { pnl: 'Profit', volume: 'Volume' } as const
type Sort = keyof typeof SORTS
const ROWS = 100

export function createLeadersPage({ feed, session }: PageParts): Page {
  let sort: Sort = 'pnl'
  let ranks = new Map<LeaderboardEntry, number>()
  const choice = el('div', { class: 'choice', role: 'group', 'aria-label': 'Order by' })
  const table = createTable<LeaderboardEntry>({
    caption: 'Traders by their lifetime figures, in USDC', empty: 'Nobody has traded yet.',
    columns: [
      { title: 'Rank', cell: (row) => String(ranks.get(row) ?? '') },
      { title: 'Trader', cell: ({ trader }) => address(trader, short(trader, 8)) },
      { title: 'Realised PnL', isFigure: true, cell: ({ pnl }) => gain(signed(pnl)) },
      { title: 'Volume', isFigure: true, cell: ({ volume }) => amount(volume, 0) },
    ],
  })
  const panel = createPanel({
    feed, session, content: table.element, what: 'The leaderboard',
    read: (client) => client.listLeaders({ sort, limit: ROWS }),
    render({ leaders }) {
      ranks = new Map(leaders.map((row, index) => [row, index + 1]))
      table.put(leaders)
    },
    clear: () => table.put([]),
  })

  function showChoice(): void {
    refill(choice, ...(Object.keys(SORTS) as Sort[]).map((each) => el('button', {
      type: 'button', 'aria-pressed': String(each === sort), 'data-key': each,
      click() {
        sort = each
        showChoice()
        panel.read(true)
      },
    }, SORTS[each])))
  }

  showChoice()
  return {
    title: 'Leaders',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Leaderboard'), card('leaders-heading', 'Traders', choice, table.element, panel.note)),
    show: panel.show,
    hide: panel.hide,
  }
}
