// Prices, a chart, the trades as they print, and what stands open in each market.

import type { Candle, CandleInterval } from '../../client/src/index.ts'
import { createCandleChart } from '../chart.ts'
import { card, createTable, el, refill, write } from '../dom.ts'
import { priceDecimals, timeOfDay } from '../format.ts'
import { createMarketHead } from '../market-head.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { createTape } from '../tape.ts'
import { createMarketTable } from '../market-table.ts'

const INTERVALS: readonly CandleInterval[] = ['1m', '5m', '15m', '1h', '4h', '1d', '1w']
const CANDLES = 500
const SOURCES = {
  noeracle: 'Prices of the exchange\'s oracle. The axis is in UTC.',
  binance: 'Prices of an outside exchange: the oracle has none of this width yet. The axis is in UTC.',
} as const
const OHLC = [['Open', 'open'], ['High', 'high'], ['Low', 'low'], ['Close', 'close']] as const
/** As many of the newest candles are told in the table. */
const TOLD = 20

export function createMarketsPage(parts: PageParts): Page {
  const { feed, session, markets } = parts
  let asset = 'BTC'
  let interval: CandleInterval = '1m'
  let candles: Candle[] = []
  let stopCandles = (): void => {}
  let isShown = false

  const heading = el('h1', { tabindex: -1 })
  const chosen = el('select', { id: 'market', change: () => void (location.hash = `#/markets/${chosen.value}`) })
  const chart = createCandleChart()
  const chartBox = el('div', {}, chart.element)
  const head = createMarketHead(feed, chartBox)
  const intervals = el('div', { class: 'choice', role: 'group', 'aria-label': 'Width of a candle' })
  const told = createTable<Candle>({
    caption: 'The newest candles', empty: 'No candles yet.',
    columns: [
      { title: 'Begins', cell: ({ time }) => timeOfDay(time) },
      ...OHLC.map(([title, name]) => ({ title, isFigure: true, cell: (candle: Candle) => candle[name].toFixed(priceDecimals(candle.close)) })),
    ],
  })
  const details = el('details', { toggle: tell }, el('summary', {}, 'The newest candles as a table'), told.element)
  const tape = createTape(feed)
  const table = createMarketTable(feed)

  const candlePanel = createPanel({
    feed, session, content: chartBox, what: 'Candles', isManual: true,
    read: (client) => client.listCandles({ asset, interval, limit: CANDLES }),
    render({ candles: read, source }) {
      candles = [...read]
      chart.put(candles, priceDecimals(candles.at(-1)?.close ?? 1))
      sourceNote.textContent = SOURCES[source]
      name()
      tell()
    },
    clear() {
      candles = []
      chart.put([], 2)
    },
  })
  const sourceNote = el('p', { class: 'note' })
  const statsPanel = createPanel({
    feed, session, content: table.element, what: 'Open interest and volume',
    read: (client) => client.listMarketStats(),
    render(body, { seq }) {
      table.put(body.stats)
      head.put(body.stats)
      tape.begin(asset, seq)
    },
  })

  function listen(): void {
    stopCandles()
    stopCandles = feed.stream.on(`candles.${asset}.${interval}`, ({ data }) => {
      const { time, open, high, low, close } = data
      const candle = { time, open, high, low, close }
      const last = candles.at(-1)
      if (last === undefined || time < last.time) return
      if (time === last.time) candles[candles.length - 1] = candle
      else candles.push(candle)
      chart.update(candle)
      if (data.final) tell()
    })
  }

  function name(): void {
    const last = candles.at(-1)
    const range = last === undefined ? 'no data yet' : `${candles.length} candles of ${interval}, the last at ${last.close}`
    chart.name(`Candlestick chart of ${asset}: ${range}. The newest stand in the table below.`)
  }

  function tell(): void {
    if (details.open) told.put(candles.slice(-TOLD).reverse())
    name()
  }

  function showChoices(): void {
    refill(intervals, ...INTERVALS.map((each) =>
      el('button', { type: 'button', 'aria-pressed': String(each === interval), 'data-key': each, click: () => choose(asset, each) }, each)))
    refill(chosen, ...[...markets().keys()].map((symbol) => el('option', { value: symbol, selected: symbol === asset }, symbol)))
    write(heading, `${asset} ${markets().get(asset) ?? ''}`.trim())
  }

  function choose(nextAsset: string, nextInterval: CandleInterval): void {
    asset = nextAsset
    interval = nextInterval
    showChoices()
    head.mark(asset)
    table.mark(asset)
    tape.begin(asset, feed.head()?.seq ?? null)
    listen()
    candlePanel.read(true)
  }

  // What the chart missed while nothing came is read once it comes again.
  feed.stream.onProblem(({ kind }) => {
    if (kind === 'disconnected') missed = true
  })
  let missed = false
  feed.stream.on('heartbeat', () => {
    if (!missed) return
    missed = false
    if (isShown) candlePanel.read()
  })

  const element = el('div', { class: 'markets' },
    el('section', { class: 'card', 'aria-labelledby': 'market-heading' },
      el('div', { class: 'row' },
        el('div', { class: 'grow' }, heading, head.price),
        el('div', { class: 'field' }, el('label', { for: 'market' }, 'Market'), chosen)),
      head.figures, intervals, head.chart, candlePanel.note, sourceNote, details),
    card('tape-heading', 'Trades', tape.element),
    el('div', { class: 'wide' }, card('list-heading', 'All markets', table.element, statsPanel.note)))
  heading.id = 'market-heading'

  return {
    title: 'Markets',
    element,
    show([wanted = asset]) {
      isShown = true
      const next = markets().has(wanted.toUpperCase()) || markets().size === 0 ? wanted.toUpperCase() : 'BTC'
      statsPanel.show()
      if (next !== asset || candles.length === 0) choose(next, interval)
      else showChoices()
    },
    hide() {
      isShown = false
      statsPanel.hide()
    },
  }
}
