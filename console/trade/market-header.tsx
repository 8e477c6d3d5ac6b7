// The selected market: its price and the price's age, the day's change, open interest, volume and funding.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CurrentFunding, MarketStats } from '../../client/src/index.ts'
import { amount, duration, price, UNKNOWN } from '../format.ts'
import { priceAgeSec, priceFreshness } from '../freshness.ts'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { Facts } from '../ui/layout.tsx'
import { Change } from '../ui/text.tsx'
import { MarketSwitcher } from './market-switcher.tsx'

/** Until the figures were read. */
const LOADING = '–'
const MS_PER_SEC = 1_000
const RATE_PERCENT = 100_000

export function MarketHeader({ asset }: { readonly asset: string }) {
  const stats = useResource('Market', (client) => client.listMarketStats())
  const funding = useResource('Funding', (client) => client.getFunding({ limit: 1 }))
  const row = stats.answer.value?.body.stats.find((each) => each.asset === asset)
  const rate = funding.answer.value?.body.current?.assets.find((each) => each.asset === asset)
  return (
    <section class='card market-header' aria-label='Market'>
      <MarketSwitcher asset={asset} />
      <LivePrice asset={asset} />
      <Facts inline rows={[...statsFacts(row), ['Funding, 1 h', <Funding rate={rate} />]]} />
    </section>
  )
}

/** The price, with the direction of its last change, and its age. The tab's title shows both. */
function LivePrice({ asset }: { readonly asset: string }) {
  const { feed } = useParts()
  const now = feed.now.value
  const received = feed.price(asset)
  const state = priceFreshness(received, now)
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

function statsFacts(row: MarketStats | undefined): readonly (readonly [string, ComponentChildren])[] {
  const known = (show: (stats: MarketStats) => ComponentChildren): ComponentChildren => (row === undefined ? LOADING : show(row))
  const usdc = (text: string | undefined): string => (text === undefined ? LOADING : amount(text, 0))
  return [
    ['24 h change', known(({ change24h }) => <Change percent={change24h} />)], ['24 h high', known(({ high24h }) => price(high24h))],
    ['24 h low', known(({ low24h }) => price(low24h))],
    ['24 h volume', usdc(row?.volume24h)], ['Long open interest', usdc(row?.openInterestLong)], ['Short open interest', usdc(row?.openInterestShort)],
    ['Open positions', known(({ openPositions }) => String(openPositions))],
  ]
}

/** The rate that is expected next, and the time until it is applied. */
function Funding({ rate }: { readonly rate: CurrentFunding['assets'][number] | undefined }) {
  const { feed } = useParts()
  const value = rate?.predictedRate ?? rate?.rate ?? null
  if (rate === undefined) return <>{LOADING}</>
  if (value === null) return <>{UNKNOWN}</>
  const seconds = rate.nextTs === null ? null : rate.nextTs - feed.now.value / MS_PER_SEC
  const when = seconds === null ? '' : seconds > 0 ? ` in ${clockText(seconds)}` : ' due'
  return <>{`${(Number(value) / RATE_PERCENT).toFixed(4)}%${when}`}</>
}

function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(whole / 3_600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}
