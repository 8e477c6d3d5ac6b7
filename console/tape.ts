// The trades of one market as they print, newest first.

import type { TradeData } from '../client/src/index.ts'
import { address, createTable, el, gain } from './dom.ts'
import type { Feed } from './feed.ts'
import { price, short, signed, timeOfDay } from './format.ts'

export interface Tape {
  readonly element: HTMLElement
  /** Shows the prints of this market from a little before the place on; without a place, those that come. Again for the same market, it goes on. */
  begin(asset: string, seq: number | null): void
}

const ROWS = 40
/** So many places of the log before now are looked through for prints to begin with. */
const LOOK_BACK = 400
const NAMES: Readonly<Record<TradeData['kind'], string>> = { open: 'Open', close: 'Close', liquidation: 'Liquidation' }

export function createTape(feed: Feed): Tape {
  let asset: string | null = null
  let hasPast = false
  let stop = (): void => {}
  let prints: TradeData[] = []
  const table = createTable<TradeData>({
    caption: 'Trades as they print', empty: 'None yet. They appear here as they are indexed.',
    columns: [
      { title: 'Time', cell: ({ ts }) => timeOfDay(ts / 1000) },
      { title: 'What', cell: ({ kind }) => NAMES[kind] ?? kind },
      { title: 'Price', isFigure: true, cell: (print) => price(print.price) },
      { title: 'PnL', isFigure: true, cell: ({ pnl }) => (pnl === undefined ? '' : gain(signed(pnl))) },
      { title: 'Trader', isMinor: true, cell: ({ trader }) => address(trader, short(trader)) },
    ],
  })
  table.element.classList.add('tape')

  return {
    element: el('div', {}, table.element),
    begin(wanted, seq) {
      if (wanted === asset && (hasPast || seq === null)) return
      stop()
      asset = wanted
      hasPast = seq !== null
      prints = []
      table.put(prints)
      const since = seq === null ? {} : { since: Math.max(0, seq - LOOK_BACK) }
      stop = feed.stream.on(`trades.${wanted}`, ({ data }) => {
        prints = [data, ...prints].slice(0, ROWS)
        table.put(prints)
        table.element.dataset['prints'] = String(Number(table.element.dataset['prints'] ?? 0) + 1)
      }, since)
    },
  }
}
