// The selected market: its price, the price's age, and its open interest.

import type { MarketStats } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { el, facts, setChildren, setText } from './dom.ts'
import type { Feed } from './feed.ts'
import { amount, duration, price, UNKNOWN } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'

export interface MarketHead {
  readonly price: HTMLElement
  /** Contains the chart, which turns grey when the price is stale. */
  readonly chart: HTMLElement
  readonly stats: HTMLElement
  setStats(stats: readonly MarketStats[]): void
  select(asset: string): void
}

export function createMarketHead(feed: Feed, chart: HTMLElement): MarketHead {
  let selected = ''
  let stats: readonly MarketStats[] = []
  const priceText = el('p', { class: 'price', 'data-price': true })
  const age = el('p', { class: 'note' })
  const statsBox = el('div')
  const chartBox = el('div', {}, chart)

  function showPrice(): void {
    const received = feed.price(selected)
    const state = priceFreshness(received, nowMs())
    setText(priceText, received === undefined ? UNKNOWN : price(received.price))
    priceText.classList.toggle('stale', state !== 'fresh')
    chartBox.classList.toggle('stale', state === 'stale')
    const ageText = received === undefined ? '' : duration(priceAgeSec(received, nowMs()))
    setText(age, received === undefined ? 'No price received yet.' : state === 'stale' ? `Stale: attested ${ageText} ago.` : `Attested ${ageText} ago.`)
  }

  function showStats(): void {
    const row = stats.find(({ asset }) => asset === selected)
    const usdc = (text: string | undefined): string => (text === undefined ? UNKNOWN : amount(text, 0))
    setChildren(statsBox, facts([
      ['Long open interest', usdc(row?.openInterestLong)], ['Short open interest', usdc(row?.openInterestShort)],
      ['24 h volume', usdc(row?.volume24h)], ['Open positions', row === undefined ? UNKNOWN : String(row.openPositions)],
    ], 'facts inline'))
  }

  feed.onPrice((asset) => {
    if (asset === selected) showPrice()
  })
  feed.onSecond(showPrice)
  return {
    price: el('div', { class: 'row baseline' }, priceText, age),
    chart: chartBox,
    stats: statsBox,
    setStats(newStats) {
      stats = newStats
      showStats()
    },
    select(asset) {
      selected = asset
      showPrice()
      showStats()
    },
  }
}
