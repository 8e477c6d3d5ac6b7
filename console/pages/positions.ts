// Open positions, and the latest closed ones.

import type { OpenPosition, RealizedTrade } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { address, card, createTable, el, profit, sideLabel } from '../dom.ts'
import type { Table } from '../dom.ts'
import type { Feed } from '../feed.ts'
import { amount, dateTime, price, profitByPrice, short, sideOf, signed, timeOfDay, UNKNOWN } from '../format.ts'
import { priceFreshness } from '../freshness.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const CLOSED_ROWS = 50

export function createPositionsPage({ feed, session }: PageParts): Page {
  let isShown = false
  const open = createOpenPositionsTable(feed)
  const closed = createClosedPositionsTable()
  const openPanel = createPanel({
    feed, session, content: open.element, title: 'Open positions',
    read: (client) => client.listOpenPositions(),
    render: (body) => open.setRows(body.positions),
  })
  const closedPanel = createPanel({
    feed, session, content: closed.element, title: 'Closed positions',
    read: (client) => client.listTrades({ limit: CLOSED_ROWS }),
    render: (body) => closed.setRows(body.trades),
  })
  feed.onSecond(() => {
    if (isShown && !document.hidden) open.updatePrices()
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

interface OpenPositionsTable extends Table<OpenPosition> {
  /** Updates price and profit in place. */
  updatePrices(): void
}

function createOpenPositionsTable(feed: Feed): OpenPositionsTable {
  let cellUpdates: (() => void)[] = []

  /** A cell that depends on the current price: grey when that is stale. */
  function priceCell({ asset }: OpenPosition, render: (price: string | undefined) => HTMLElement): HTMLElement {
    const cell = el('span')
    const update = (): void => {
      const received = feed.price(asset)
      const content = render(received?.price)
      if (cell.textContent !== content.textContent) cell.replaceChildren(content)
      cell.classList.toggle('stale', priceFreshness(received, nowMs()) !== 'fresh')
    }
    update()
    cellUpdates.push(update)
    return cell
  }

  function profitElement(position: OpenPosition, currentPrice: string | undefined): HTMLElement {
    const value = profitByPrice(position, currentPrice)
    return profit(value === null ? UNKNOWN : signed(value))
  }

  const table = createTable<OpenPosition>({
    caption: 'Open positions, newest first. PnL from the price alone, without funding and fees.', empty: 'No open positions.',
    columns: [
      { title: 'Position', cell: ({ positionId }) => String(positionId) },
      { title: 'Market', cell: ({ asset }) => el('a', { href: `#/markets/${encodeURIComponent(asset)}`, 'data-key': asset }, asset) },
      { title: 'Side', cell: ({ direction }) => sideLabel(sideOf(direction)) },
      { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'Price', isNumeric: true, isMinor: true, cell: (row) => priceCell(row, (current) => el('span', {}, price(current ?? null))) },
      { title: 'PnL', isNumeric: true, cell: (row) => priceCell(row, (current) => profitElement(row, current)) },
      { title: 'Opened', isMinor: true, cell: ({ openedAt }) => dateTime(openedAt) },
      { title: 'Trader', cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
  return {
    element: table.element,
    setRows(rows) {
      cellUpdates = []
      table.setRows(rows)
    },
    updatePrices() {
      for (const update of cellUpdates) update()
    },
  }
}

function createClosedPositionsTable(): Table<RealizedTrade> {
  return createTable<RealizedTrade>({
    caption: 'Closed and liquidated positions, newest first', empty: 'No closed positions yet.',
    columns: [
      { title: 'Time', cell: ({ ts }) => timeOfDay(ts) },
      { title: 'Type', cell: ({ kind }) => (kind === 'close' ? 'Close' : 'Liquidation') },
      { title: 'Market', cell: ({ asset }) => asset ?? UNKNOWN },
      { title: 'Side', cell: ({ direction }) => sideLabel(sideOf(direction)) },
      { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isNumeric: true, isMinor: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'Exit', isNumeric: true, cell: ({ closePrice }) => price(closePrice) },
      // The exchange does not publish the loss of a liquidation.
      { title: 'PnL', isNumeric: true, cell: ({ pnl }) => (pnl === null ? UNKNOWN : profit(signed(pnl))) },
      { title: 'Trader', isMinor: true, cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
}
