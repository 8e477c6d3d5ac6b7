// Every market in a row: its price as it moves, what stands open, what was traded. Cells are written in place, so that nothing jumps.

import type { MarketStats } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { createTable, el, write } from './dom.ts'
import type { Feed } from './feed.ts'
import { amount, duration, price, UNKNOWN } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'

export interface MarketTable {
  readonly element: HTMLElement
  put(stats: readonly MarketStats[]): void
  /** The market that is being looked at. */
  mark(asset: string): void
}

interface LiveCells {
  readonly price: HTMLElement
  readonly age: HTMLElement
  readonly link: HTMLElement
}

export function createMarketTable(feed: Feed): MarketTable {
  const live = new Map<string, LiveCells>()
  let marked = ''

  function cellsOf(asset: string): LiveCells {
    const known = live.get(asset)
    if (known !== undefined) return known
    const cells = {
      price: el('span', { 'data-asset': asset }), age: el('span'),
      link: el('a', { href: `#/markets/${asset}`, 'data-key': asset }, asset),
    }
    live.set(asset, cells)
    return cells
  }

  function show(asset: string): void {
    const cells = cellsOf(asset)
    const heard = feed.price(asset)
    const state = priceFreshness(heard, nowMs())
    write(cells.price, heard === undefined ? UNKNOWN : price(heard.price))
    const age = heard === undefined ? UNKNOWN : duration(priceAgeSec(heard, nowMs()))
    write(cells.age, state === 'stale' ? `stale, ${age}` : age)
    for (const cell of [cells.price, cells.age]) cell.classList.toggle('stale', state !== 'fresh')
    if (asset === marked) cells.link.setAttribute('aria-current', 'true')
    else cells.link.removeAttribute('aria-current')
  }

  const table = createTable<MarketStats>({
    caption: 'Markets: price, open interest and volume in USDC', empty: 'Not read yet.',
    columns: [
      { title: 'Market', cell: ({ asset }) => cellsOf(asset).link },
      { title: 'Price', isFigure: true, cell: ({ asset }) => cellsOf(asset).price },
      { title: 'Age', isFigure: true, cell: ({ asset }) => cellsOf(asset).age },
      { title: 'Open long', isFigure: true, cell: (row) => amount(row.openInterestLong, 0) },
      { title: 'Open short', isFigure: true, cell: (row) => amount(row.openInterestShort, 0) },
      { title: 'Net', isFigure: true, isMinor: true, cell: (row) => amount(row.openInterestNet, 0) },
      { title: 'Positions', isFigure: true, isMinor: true, cell: (row) => String(row.openPositions) },
      { title: 'Volume 24 h', isFigure: true, cell: (row) => amount(row.volume24h, 0) },
    ],
  })
  feed.onPrice((asset) => show(asset))
  feed.onSecond(() => {
    for (const asset of live.keys()) show(asset)
  })

  return {
    element: table.element,
    put(stats) {
      table.put(stats)
      for (const { asset } of stats) show(asset)
    },
    mark(asset) {
      const before = marked
      marked = asset
      if (live.has(before)) show(before)
      if (live.has(asset)) show(asset)
    },
  }
}
