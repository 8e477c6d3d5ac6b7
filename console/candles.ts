// A market's candles as a chart and a table: loaded over REST, then kept up to date by the stream.

import type { Candle, CandleInterval } from '../client/src/index.ts'
import { createCandleChart } from './chart.ts'
import { createTable, el } from './dom.ts'
import { priceDecimals, timeOfDay } from './format.ts'
import type { PageParts } from './page.ts'
import { createPanel } from './panel.ts'

export interface CandleView {
  readonly chart: HTMLElement
  /** When the candles were read, their source, and the newest ones as a table. */
  readonly details: readonly HTMLElement[]
  isEmpty(): boolean
  select(asset: string, interval: CandleInterval): void
  /** Reads the candles again, for those missed while the stream was disconnected. */
  reload(): void
}

const CANDLES_MAX = 500
const TABLE_ROWS = 20
const SOURCES = {
  noeracle: 'Prices from the exchange\'s oracle. Times are UTC.',
  binance: 'Prices from an external exchange: the oracle has no candles of this interval yet. Times are UTC.',
} as const
const OHLC = [['Open', 'open'], ['High', 'high'], ['Low', 'low'], ['Close', 'close']] as const

export function createCandleView({ feed, session }: Pick<PageParts, 'feed' | 'session'>): CandleView {
  let asset = ''
  let interval: CandleInterval = '1m'
  let candles: Candle[] = []
  let unsubscribe = (): void => {}
  const chart = createCandleChart()
  const chartBox = el('div', {}, chart.element)
  const sourceNote = el('p', { class: 'note' })
  const table = createTable<Candle>({
    caption: 'Newest candles', empty: 'No candles yet.',
    columns: [
      { title: 'Start', cell: ({ time }) => timeOfDay(time) },
      ...OHLC.map(([title, name]) => ({ title, isNumeric: true, cell: (candle: Candle) => candle[name].toFixed(priceDecimals(candle.close)) })),
    ],
  })
  const tableDetails = el('details', { toggle: describe }, el('summary', {}, 'Newest candles as a table'), table.element)

  const panel = createPanel({
    feed, session, content: chartBox, title: 'Candles', isManual: true,
    read: (client) => client.listCandles({ asset, interval, limit: CANDLES_MAX }),
    render(body) {
      candles = [...body.candles]
      chart.setCandles(candles, priceDecimals(candles.at(-1)?.close ?? 1))
      sourceNote.textContent = SOURCES[body.source]
      describe()
    },
    clear() {
      candles = []
      chart.setCandles([], 2)
    },
  })

  /** Fills the table if it is open, and labels the chart. */
  function describe(): void {
    if (tableDetails.open) table.setRows(candles.slice(-TABLE_ROWS).reverse())
    const last = candles.at(-1)
    const content = last === undefined ? 'no data yet' : `${candles.length} candles of ${interval}, the last at ${last.close}`
    chart.setLabel(`Candlestick chart of ${asset}: ${content}. The table below lists the newest.`)
  }

  /** The chart can only update its last candle. */
  function correct(candle: Candle): void {
    const index = candles.findIndex(({ time }) => time === candle.time)
    if (index === -1) return
    candles[index] = candle
    chart.setCandles(candles, priceDecimals(candle.close))
  }

  function onCandle(candle: Candle): void {
    const last = candles.at(-1)
    if (last === undefined || candle.time < last.time) {
      correct(candle)
      return
    }
    if (candle.time === last.time) candles[candles.length - 1] = candle
    else candles.push(candle)
    chart.update(candle)
  }

  return {
    chart: chartBox,
    details: [panel.note, sourceNote, tableDetails],
    isEmpty: () => candles.length === 0,
    select(newAsset, newInterval) {
      asset = newAsset
      interval = newInterval
      unsubscribe()
      unsubscribe = feed.stream.on(`candles.${asset}.${interval}`, ({ data }) => {
        onCandle(data)
        if (data.final) describe()
      })
      panel.read(true)
    },
    reload: () => panel.read(),
  }
}
