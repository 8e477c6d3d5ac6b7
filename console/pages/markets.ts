// One market with price, chart and latest trades, above a table of all markets.

import type { CandleInterval } from '../../client/src/index.ts'
import { createCandleView } from '../candles.ts'
import { card, el, setChildren, setText } from '../dom.ts'
import type { Feed } from '../feed.ts'
import { createMarketHead } from '../market-head.ts'
import { createMarketTable } from '../market-table.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { createTape } from '../tape.ts'

const INTERVALS: readonly CandleInterval[] = ['1m', '5m', '15m', '1h', '4h', '1d', '1w']
const DEFAULT_ASSET = 'BTC'

export function createMarketsPage({ feed, session, markets }: PageParts): Page {
  let asset = DEFAULT_ASSET
  let interval: CandleInterval = '1m'
  let isShown = false

  const heading = el('h1', { tabindex: -1, id: 'market-heading' })
  const marketSelect = el('select', { id: 'market', change: () => void (location.hash = `#/markets/${marketSelect.value}`) })
  const intervalButtons = el('div', { class: 'choice', role: 'group', 'aria-label': 'Candle interval' })
  const candles = createCandleView({ feed, session })
  const head = createMarketHead(feed, candles.chart)
  const tape = createTape(feed)
  const table = createMarketTable(feed)
  const statsPanel = createPanel({
    feed, session, content: table.element, title: 'Open interest and volume',
    read: (client) => client.listMarketStats(),
    render({ stats }, { seq }) {
      table.setStats(stats)
      head.setStats(stats)
      tape.show(asset, seq)
    },
  })

  function select(newAsset: string, newInterval: CandleInterval): void {
    asset = newAsset
    interval = newInterval
    updateControls()
    head.select(asset)
    table.select(asset)
    tape.show(asset, feed.head()?.seq ?? null)
    candles.select(asset, interval)
  }

  function updateControls(): void {
    setChildren(intervalButtons, ...INTERVALS.map((each) =>
      el('button', { type: 'button', 'aria-pressed': String(each === interval), 'data-key': each, click: () => select(asset, each) }, each)))
    setChildren(marketSelect, ...[...markets().keys()].map((symbol) => el('option', { value: symbol, selected: symbol === asset }, symbol)))
    setText(heading, `${asset} ${markets().get(asset) ?? ''}`.trim())
  }

  onReconnect(feed, () => {
    if (isShown) candles.reload()
  })

  const element = el('div', { class: 'markets' },
    el('section', { class: 'card', 'aria-labelledby': 'market-heading' },
      el('div', { class: 'row' },
        el('div', { class: 'grow' }, heading, head.price),
        el('div', { class: 'field' }, el('label', { for: 'market' }, 'Market'), marketSelect)),
      head.stats, intervalButtons, head.chart, ...candles.details),
    card('tape-heading', 'Trades', tape.element),
    el('div', { class: 'wide' }, card('list-heading', 'All markets', table.element, statsPanel.note)))

  return {
    title: 'Markets',
    element,
    show([path = asset]) {
      isShown = true
      const symbol = path.toUpperCase()
      const wanted = markets().has(symbol) || markets().size === 0 ? symbol : DEFAULT_ASSET
      statsPanel.show()
      if (wanted !== asset || candles.isEmpty()) select(wanted, interval)
      else updateControls()
    },
    hide() {
      isShown = false
      statsPanel.hide()
    },
  }
}

/** Calls `listener` with the first heartbeat after a disconnect. */
function onReconnect(feed: Feed, listener: () => void): void {
  let wasDisconnected = false
  feed.stream.onProblem(({ kind }) => {
    if (kind === 'disconnected') wasDisconnected = true
  })
  feed.stream.on('heartbeat', () => {
    if (!wasDisconnected) return
    wasDisconnected = false
    listener()
  })
}
