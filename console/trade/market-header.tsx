// The selected market: its price and the price's age, the day's change, open interest, volume and funding.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CurrentFunding } from '../../client/src/index.ts'
import { amount, duration, price, rate, UNKNOWN } from '../format.ts'
import { priceAgeSec } from '../freshness.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { Facts } from '../ui/layout.tsx'
import { Change } from '../ui/text.tsx'
import { withPrice, withTrades } from './market-figures.ts'
import { MarketSwitcher } from './market-switcher.tsx'
import type { Trades } from './use-trades.ts'

/** Until the figures were read. */
const LOADING = '–'
const MS_PER_SEC = 1_000

export function MarketHeader({ asset, trades }: { readonly asset: string; readonly trades: Trades }) {
  const funding = useResource('Funding', (client) => client.getFunding({ limit: 1 }))
  const next = funding.answer.value?.body.current?.assets.find((each) => each.asset === asset)
  return (
    <section class='card market-header' aria-label='Market'>
      <MarketSwitcher asset={asset} />
      <LivePrice asset={asset} />
      <Facts inline rows={[...useDayFacts(asset), ...useCountedFacts(asset, trades), ['Funding, 1 h', <Funding next={next} />]]} />
    </section>
  )
}

type Fact = readonly [name: string, value: ComponentChildren]

/** The day so far, at the price that is shown beside it. */
function useDayFacts(asset: string): readonly Fact[] {
  const market = useResource('Market', (client) => client.getMarket({ asset }), [asset], { isIncomplete: ({ change24h }) => change24h === null })
  const { received, state } = usePrice(asset)
  const body = market.answer.value?.body
  const day = body === undefined ? null : withPrice(body, state === 'fresh' ? received : undefined)
  return [
    ['24 h change', day === null ? LOADING : <Change percent={day.change24h} />], ['24 h high', day === null ? LOADING : price(day.high24h)],
    ['24 h low', day === null ? LOADING : price(day.low24h)],
  ]
}

/** What trades change, with those since it was read. */
function useCountedFacts(asset: string, { rows }: Trades): readonly Fact[] {
  const stats = useResource('Market figures', (client) => client.listMarketStats())
  const answer = stats.answer.value
  const row = answer?.body.stats.find((each) => each.asset === asset)
  const counted = row === undefined ? null : withTrades(row, rows.value.filter(({ seq }) => seq > (answer?.seq ?? 0)))
  const usdc = (text: string | undefined): string => (text === undefined ? LOADING : amount(text, 0))
  return [
    ['24 h volume', usdc(counted?.volume24h)], ['Long open interest', usdc(counted?.openInterestLong)],
    ['Short open interest', usdc(counted?.openInterestShort)],
    ['Open positions', counted === null ? LOADING : String(counted.openPositions)],
  ]
}

/** The price, with the direction of its last change, and its age. The tab's title shows both. */
function LivePrice({ asset }: { readonly asset: string }) {
  const { received, state, now } = usePrice(asset)
  const previous = useRef<number | null>(null)
  const text = received === undefined ? UNKNOWN : price(received.price)
  const change = received === undefined || previous.current === null ? 0 : received.priceFloat - previous.current
  useEffect(() => {
    previous.current = received?.priceFloat ?? null
    document.title = received === undefined ? `${asset} · Perpetual exchange` : `${text} ${asset} · Perpetual exchange`
  }, [asset, received?.priceFloat])
  const age = received === undefined ? '' : duration(priceAgeSec(received, now))
  const tone = state === 'fresh' ? (change > 0 ? 'up' : change < 0 ? 'down' : '') : 'stale'
  return (
    <div class='live-price'>
      <p class={`price ${tone}`} data-price>{text}</p>
      <p class='note'>{received === undefined ? 'No price yet' : state === 'stale' ? `Stale: attested ${age} ago` : `Attested ${age} ago`}</p>
    </div>
  )
}

/** The rate that is expected next, and the time until it is applied. */
function Funding({ next }: { readonly next: CurrentFunding['assets'][number] | undefined }) {
  const { feed } = useParts()
  const value = next?.predictedRate ?? next?.rate ?? null
  if (next === undefined) return <>{LOADING}</>
  if (value === null) return <>{UNKNOWN}</>
  const seconds = next.nextTs === null ? null : next.nextTs - feed.now.value / MS_PER_SEC
  const when = seconds === null ? '' : seconds > 0 ? ` in ${clockText(seconds)}` : ' due'
  return <>{`${rate(value)}${when}`}</>
}

function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(whole / 3_600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
