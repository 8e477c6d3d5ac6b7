// The status line: freshness of the stream, the index and the prices, and the API calls left this minute.

import { useEffect, useRef } from 'preact/hooks'
import type { Feed } from './feed.ts'
import { duration, UNKNOWN } from './format.ts'
import { indexAgeSec, indexFreshness, priceFreshness, streamFreshness } from './freshness.ts'
import type { Freshness, ReceivedHead } from './freshness.ts'
import { announce } from './page-elements.ts'
import { useParts } from './parts.ts'
import type { Session } from './session.ts'

interface Status {
  readonly state: Freshness
  readonly text: string
}

const TITLES = { stream: 'Stream', index: 'Index', prices: 'Prices', calls: 'API calls left' } as const
type Name = keyof typeof TITLES
const NAMES = Object.keys(TITLES) as Name[]

export function StatusLine() {
  const { feed, session } = useParts()
  const status = statusOf(feed, session, feed.now.value)
  const announced = useRef('')
  // Screen readers get changes of state only, not the values of each second.
  const stale = NAMES.filter((name) => name !== 'calls' && status[name].state === 'stale').map((name) => TITLES[name])
  const announcement = stale.length === 0 ? (announced.current === '' ? '' : 'Everything is live again.') : `Stale: ${stale.join(', ')}.`
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

function statusOf(feed: Feed, session: Session, now: number): Readonly<Record<Name, Status>> {
  const head = feed.head()
  return { stream: streamStatus(head, now), index: indexStatus(head, now), prices: pricesStatus(feed, now), calls: callsStatus(session) }
}

function streamStatus(head: ReceivedHead | null, now: number): Status {
  const state = streamFreshness(head, now)
  if (head === null) return { state, text: 'connecting' }
  return { state, text: state === 'fresh' ? 'live' : `stale: no message for ${duration((now - head.receivedMs) / 1000)}` }
}

function indexStatus(head: ReceivedHead | null, now: number): Status {
  const state = streamFreshness(head, now) === 'stale' ? 'stale' : indexFreshness(head, now)
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

function callsStatus(session: Session): Status {
  const allowance = session.client().allowance()
  if (allowance === null) return { state: 'unknown', text: UNKNOWN }
  return { state: allowance.remaining === 0 ? 'stale' : 'fresh', text: `${allowance.remaining} this minute${session.key() === null ? '' : ', with your key'}` }
}
