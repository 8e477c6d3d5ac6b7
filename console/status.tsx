// The status line: freshness of the stream, the index and the prices.

import { useEffect, useRef } from 'preact/hooks'
import type { Feed } from './feed.ts'
import { duration, UNKNOWN } from './format.ts'
import { indexAgeSec, indexFreshness, priceFreshness } from './freshness.ts'
import type { Connection, Freshness, ReceivedHead } from './freshness.ts'
import { announce } from './page-elements.ts'
import { useParts } from './parts.ts'
import { DISCONNECTED } from './trade/availability.ts'

interface Status {
  readonly state: Freshness
  readonly text: string
}

const TITLES = { stream: 'Stream', index: 'Index', prices: 'Prices' } as const
type Name = keyof typeof TITLES
const NAMES = Object.keys(TITLES) as Name[]

export function StatusLine() {
  const { feed } = useParts()
  const connection = feed.connection.value
  const status = statusOf(feed, connection, feed.now.value)
  const announced = useRef('')
  // Screen readers get changes of state only, not the values of each second.
  const stale = NAMES.filter((name) => status[name].state === 'stale').map((name) => TITLES[name])
  const announcement = connection === 'lost' ? DISCONNECTED
    : stale.length === 0 ? (announced.current === '' ? '' : 'Everything is live again.') : `Stale: ${stale.join(', ')}.`
  useEffect(() => {
    if (announcement === '' || announcement === announced.current) return
    announced.current = announcement
    announce(announcement)
  }, [announcement])
  return (
    <section class='status' aria-label='Data freshness'>
      <dl>
        {NAMES.map((name) => (
          <div key={name} data-status={name} data-state={status[name].state}>
            <dt>{TITLES[name]}</dt>
            <dd>{status[name].text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function statusOf(feed: Feed, connection: Connection, now: number): Readonly<Record<Name, Status>> {
  return { stream: STREAM_STATUS[connection], index: indexStatus(feed.head(), connection, now), prices: pricesStatus(feed, now) }
}

const STREAM_STATUS: Readonly<Record<Connection, Status>> = {
  connecting: { state: 'unknown', text: 'connecting' }, live: { state: 'fresh', text: 'live' }, lost: { state: 'stale', text: 'Disconnected, reconnecting' },
}

function indexStatus(head: ReceivedHead | null, connection: Connection, now: number): Status {
  const state = connection === 'lost' ? 'stale' : indexFreshness(head, now)
  const ageSec = indexAgeSec(head, now)
  if (head === null) return { state, text: UNKNOWN }
  return { state, text: ageSec === null ? 'nothing indexed yet' : `${state === 'stale' ? 'stale: ' : ''}ledger ${head.ledger}, ${duration(ageSec)} old` }
}

function pricesStatus(feed: Feed, now: number): Status {
  const assets = feed.assets()
  const states = assets.map((asset) => priceFreshness(feed.price(asset), now))
  const count = (state: Freshness): number => states.filter((each) => each === state).length
  if (assets.length === 0 || count('unknown') === assets.length) return { state: 'unknown', text: UNKNOWN }
  if (count('fresh') === assets.length) return { state: 'fresh', text: `all ${assets.length} live` }
  return { state: 'stale', text: `${assets.length - count('fresh')} of ${assets.length} stale` }
}
