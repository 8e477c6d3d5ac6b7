// The latest trades of one market, newest first.

import type { TradeData } from '../client/src/index.ts'
import { address, createTable, el, profit } from './dom.ts'
import type { Feed } from './feed.ts'
import { price, short, signed, timeOfDay } from './format.ts'

export interface Tape {
  readonly element: HTMLElement
  /**
   * Shows a market's trades: with `headSeq` those of the last 400 positions in the log and new ones, without it new ones only. A repeated call for the same
   * market has no effect, unless it adds the past.
   */
  show(asset: string, headSeq: number | null): void
}

const ROWS_MAX = 40
const LOOK_BACK = 400
const KINDS: Readonly<Record<TradeData['kind'], string>> = {
  open: 'Open', close: 'Close', reduce: 'Reduce', liquidation: 'Liquidation', partial_liquidation: 'Part. liquidation', adl: 'ADL',
}

export function createTape(feed: Feed): Tape {
  let shownAsset: string | null = null
  let hasPast = false
  let unsubscribe = (): void => {}
  let trades: TradeData[] = []
  const table = createTable<TradeData>({
    caption: 'Latest trades', empty: 'No trades yet. They appear here as they are indexed.',
    columns: [
      { title: 'Time', cell: ({ ts }) => timeOfDay(ts / 1000) },
      { title: 'Type', cell: ({ kind }) => KINDS[kind] ?? kind },
      { title: 'Price', isNumeric: true, cell: (trade) => price(trade.price) },
      { title: 'PnL', isNumeric: true, cell: ({ pnl }) => (pnl === undefined ? '' : profit(signed(pnl))) },
      { title: 'Trader', isMinor: true, cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
  table.element.classList.add('tape')

  return {
    element: el('div', {}, table.element),
    show(asset, headSeq) {
      if (asset === shownAsset && (hasPast || headSeq === null)) return
      unsubscribe()
      shownAsset = asset
      hasPast = headSeq !== null
      trades = []
      table.setRows(trades)
      const since = headSeq === null ? {} : { since: Math.max(0, headSeq - LOOK_BACK) }
      unsubscribe = feed.stream.on(`trades.${asset}`, ({ data }) => {
        trades = [data, ...trades].slice(0, ROWS_MAX)
        table.setRows(trades)
      }, since)
    },
  }
}
