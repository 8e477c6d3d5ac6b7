// What is open on the exchange, and what was closed last.

import type { OpenPosition, RealizedTrade } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { address, card, createTable, el, gain, side } from '../dom.ts'
import { amount, moment, price, profitByPrice, short, sideOf, signed, timeOfDay, UNKNOWN } from '../format.ts'
import { priceFreshness } from '../freshness.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const CLOSED = 50

export function createPositionsPage({ feed, session }: PageParts): Page {
  let isShown = false
  /** Cells that go with the price, written in place. */
  let live: (() => void)[] = []

  /** By the price as it is now; grey when that is stale, and unknown without one. */
  function byPrice(position: OpenPosition, tell: (price: string | undefined) => HTMLElement): HTMLElement {
    const cell = el('span')
    const show = (): void => {
      const heard = feed.price(position.asset)
      const told = tell(heard?.price)
      if (cell.textContent !== told.textContent) cell.replaceChildren(told)
      cell.classList.toggle('stale', priceFreshness(heard, nowMs()) !== 'fresh')
    }
    show()
    live.push(show)
    return cell
  }

  function profit(position: OpenPosition, now: string | undefined): HTMLElement {
    const value = profitByPrice(position, now)
    return gain(value === null ? UNKNOWN : signed(value))
  }

  const open = createTable<OpenPosition>({
    caption: 'Open positions, newest first. PnL by price alone, without funding and fees.', empty: 'Nothing is open.',
    columns: [
      { title: 'Position', cell: ({ positionId }) => String(positionId) },
      { title: 'Market', cell: ({ asset }) => el('a', { href: `#/markets/${encodeURIComponent(asset)}`, 'data-key': asset }, asset) },
      { title: 'Side', cell: ({ direction }) => side(sideOf(direction)) },
      { title: 'Size', isFigure: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isFigure: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'Price', isFigure: true, isMinor: true, cell: (row) => byPrice(row, (now) => el('span', {}, price(now ?? null))) },
      { title: 'PnL', isFigure: true, cell: (row) => byPrice(row, (now) => profit(row, now)) },
      { title: 'Opened', isMinor: true, cell: ({ openedAt }) => moment(openedAt) },
      { title: 'Trader', cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
  const closed = createTable<RealizedTrade>({
    caption: 'Closed and liquidated positions, newest first', empty: 'Nothing was closed yet.',
    columns: [
      { title: 'Time', cell: ({ ts }) => timeOfDay(ts) },
      { title: 'How', cell: ({ kind }) => (kind === 'close' ? 'Closed' : 'Liquidated') },
      { title: 'Market', cell: ({ asset }) => asset ?? UNKNOWN },
      { title: 'Side', cell: ({ direction }) => side(sideOf(direction)) },
      { title: 'Size', isFigure: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isFigure: true, isMinor: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'Exit', isFigure: true, cell: ({ closePrice }) => price(closePrice) },
      // What a liquidation cost is not told by the exchange.
      { title: 'PnL', isFigure: true, cell: ({ pnl }) => (pnl === null ? 'not told' : gain(signed(pnl))) },
      { title: 'Trader', isMinor: true, cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
  const openPanel = createPanel({
    feed, session, content: open.element, what: 'Open positions',
    read: (client) => client.listOpenPositions(),
    render(body) {
      live = []
      open.put(body.positions)
    },
  })
  const closedPanel = createPanel({
    feed, session, content: closed.element, what: 'Closed positions',
    read: (client) => client.listTrades({ limit: CLOSED }),
    render: (body) => closed.put(body.trades),
  })
  feed.onSecond(() => {
    if (isShown && !document.hidden) for (const show of live) show()
  })

  return {
    title: 'Positions',
    element: el('div', { class: 'stack' },
      el('h1', { tabindex: -1 }, 'Positions'),
      card('open-heading', 'Open', open.element, openPanel.note),
      card('closed-heading', 'Closed', closed.element, closedPanel.note)),
    show() {
      isShown = true
      openPanel.show()
      closedPanel.show()
    },
    hide() {
      isShown = false
      openPanel.hide()
      closedPanel.hide()
    },
  }
}
