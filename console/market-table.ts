// All markets with price, open interest and volume. Price cells are updated in place, so that focus and scroll position stay.

import type { MarketStats } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { createTable, el, setText } from './dom.ts'
import type { Feed } from './feed.ts'
import { amount, duration, price, UNKNOWN } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'

export interface MarketTable {
  readonly element: HTMLElement
  setStats(stats: readonly MarketStats[]): void
  select(asset: string): void
}

interface LiveCells {
  readonly price: HTMLElement
  readonly age: HTMLElement
  readonly link: HTMLElement
}

export function createMarketTable(feed: Feed): MarketTable {
  const liveCells = new Map<string, LiveCells>()
  let selected = ''

  function cellsOf(asset: string): LiveCells {
    const existing = liveCells.get(asset)
    if (existing !== undefined) return existing
    const cells = {
      price: el('span', { 'data-asset': asset }), age: el('span'),
      link: el('a', { href: `#/markets/${asset}`, 'data-key': asset }, asset),
    }
    liveCells.set(asset, cells)
    return cells
  }

  function update(asset: string): void {
    const cells = cellsOf(asset)
    const received = feed.price(asset)
    const state = priceFreshness(received, nowMs())
    setText(cells.price, received === undefined ? UNKNOWN : price(received.price))
    const age = received === undefined ? UNKNOWN : duration(priceAgeSec(received, nowMs()))
    setText(cells.age, state === 'stale' ? `stale, ${age}` : age)
    for (const cell of [cells.price, cells.age]) cell.classList.toggle('stale', state !== 'fresh')
    if (asset === selected) cells.link.setAttribute('aria-current', 'true')
    else cells.link.removeAttribute('aria-current')
  }

  const table = createTable<MarketStats>({
    caption: 'Markets: price, open interest and volume in USDC', empty: 'Not loaded yet.',
    columns: [
      { title: 'Market', cell: ({ asset }) => cellsOf(asset).link },
      { title: 'Price', isNumeric: true, cell: ({ asset }) => cellsOf(asset).price },
      { title: 'Price age', isNumeric: true, cell: ({ asset }) => cellsOf(asset).age },
      { title: 'Long OI', isNumeric: true, cell: (row) => amount(row.openInterestLong, 0) },
      { title: 'Short OI', isNumeric: true, cell: (row) => amount(row.openInterestShort, 0) },
      { title: 'Net OI', isNumeric: true, isMinor: true, cell: (row) => amount(row.openInterestNet, 0) },
      { title: 'Positions', isNumeric: true, isMinor: true, cell: (row) => String(row.openPositions) },
      { title: '24 h volume', isNumeric: true, cell: (row) => amount(row.volume24h, 0) },
    ],
  })
  feed.onPrice(update)
  feed.onSecond(() => {
    for (const asset of liveCells.keys()) update(asset)
  })

  return {
    element: table.element,
    setStats(stats) {
      table.setRows(stats)
      for (const { asset } of stats) update(asset)
    },
    select(asset) {
      const previous = selected
      selected = asset
      for (const each of [previous, selected]) if (liveCells.has(each)) update(each)
    },
  }
}
