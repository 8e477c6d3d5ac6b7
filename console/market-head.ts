// The market that is looked at: its price, how old that is, and what stands open.

import type { MarketStats } from '../client/src/index.ts'
import { nowMs } from './clock.ts'
import { el, facts, refill, write } from './dom.ts'
import type { Feed } from './feed.ts'
import { amount, duration, price, UNKNOWN } from './format.ts'
import { priceAgeSec, priceFreshness } from './freshness.ts'

export interface MarketHead {
  readonly price: HTMLElement
  /** What turns grey with the price. */
  readonly chart: HTMLElement
  readonly figures: HTMLElement
  put(stats: readonly MarketStats[]): void
  /** The market that is looked at from now on. */
  mark(asset: string): void
}

export function createMarketHead(feed: Feed, chart: HTMLElement): MarketHead {
  let asset = ''
  let stats: readonly MarketStats[] = []
  const figure = el('p', { class: 'price', 'data-price': true })
  const age = el('p', { class: 'note' })
  const figures = el('div')
  const box = el('div', {}, chart)

  function showPrice(): void {
    const heard = feed.price(asset)
    const state = priceFreshness(heard, nowMs())
    write(figure, heard === undefined ? UNKNOWN : price(heard.price))
    figure.classList.toggle('stale', state !== 'fresh')
    box.classList.toggle('stale', state === 'stale')
    const old = heard === undefined ? '' : duration(priceAgeSec(heard, nowMs()))
    write(age, heard === undefined ? 'The price is not known yet.' : state === 'stale' ? `Stale: attested ${old} ago.` : `Attested ${old} ago.`)
  }

  function showFigures(): void {
    const row = stats.find((each) => each.asset === asset)
    const usdc = (text: string | undefined): string => (text === undefined ? UNKNOWN : amount(text, 0))
    refill(figures, facts([
      ['Open long', usdc(row?.openInterestLong)], ['Open short', usdc(row?.openInterestShort)],
      ['Volume 24 h', usdc(row?.volume24h)], ['Positions', row === undefined ? UNKNOWN : String(row.openPositions)],
    ], 'facts inline'))
  }

  feed.onPrice((which) => {
    if (which === asset) showPrice()
  })
  feed.onSecond(showPrice)
  return {
    price: el('div', { class: 'row baseline' }, figure, age),
    chart: box,
    figures,
    put(read) {
      stats = read
      showFigures()
    },
    mark(next) {
      asset = next
      showPrice()
      showFigures()
    },
  }
}
