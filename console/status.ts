// How fresh everything on the page is, in one line: the stream, the index, the prices, and what is left of the minute's calls.

import { nowMs } from './clock.ts'
import { announce, el, find, write } from './dom.ts'
import type { Feed } from './feed.ts'
import { duration, UNKNOWN } from './format.ts'
import { indexAgeSec, indexFreshness, priceFreshness, streamFreshness } from './freshness.ts'
import type { Freshness } from './freshness.ts'
import type { Session } from './session.ts'

interface Light {
  readonly state: Freshness
  readonly text: string
}

type Name = 'stream' | 'index' | 'prices' | 'calls'
const TITLES: Readonly<Record<Name, string>> = { stream: 'Stream', index: 'Index', prices: 'Prices', calls: 'Calls left' }

export function createStatus({ feed, session }: { readonly feed: Feed; readonly session: Session }): void {
  const cells = (Object.keys(TITLES) as Name[]).map((name) => {
    const value = el('dd')
    const item = el('div', { 'data-status': name }, el('dt', {}, TITLES[name]), value)
    return { name, value, item }
  })
  find('status').append(el('dl', {}, ...cells.map(({ item }) => item)))
  let said = ''

  function look(): void {
    const lights = read()
    for (const { name, value, item } of cells) {
      write(value, lights[name].text)
      if (item.dataset['state'] !== lights[name].state) item.dataset['state'] = lights[name].state
    }
    // Only what changes is said aloud, never each second's figures.
    const stale = (['stream', 'index', 'prices'] as const).filter((name) => lights[name].state === 'stale').map((name) => TITLES[name])
    const sentence = stale.length === 0 ? (said === '' ? '' : 'Everything is fresh again.') : `Stale now: ${stale.join(', ')}.`
    if (sentence !== '' && sentence !== said) {
      said = sentence
      announce(sentence)
    }
  }

  function read(): Readonly<Record<Name, Light>> {
    const now = nowMs()
    const head = feed.head()
    const stream = streamFreshness(head, now)
    const index = indexFreshness(head, now)
    const behind = indexAgeSec(head, now)
    return {
      stream: {
        state: stream,
        text: stream === 'unknown' ? 'connecting' : stream === 'fresh' ? 'live' : `stale: silent for ${duration((now - (head?.heardMs ?? now)) / 1000)}`,
      },
      index: {
        state: stream === 'stale' ? 'stale' : index,
        text: head === null ? UNKNOWN : indexText(head.ledger, behind, index === 'stale' || stream === 'stale'),
      },
      prices: pricesLight(feed, now),
      calls: callsLight(session),
    }
  }

  look()
  feed.onSecond(look)
}

function indexText(ledger: number, behindSec: number | null, isStale: boolean): string {
  return behindSec === null ? 'nothing indexed yet' : `${isStale ? 'stale: ' : ''}ledger ${ledger}, ${duration(behindSec)} old`
}

function pricesLight(feed: Feed, now: number): Light {
  const assets = feed.assets()
  const states = assets.map((asset) => priceFreshness(feed.price(asset), now))
  const count = (state: Freshness): number => states.filter((each) => each === state).length
  if (assets.length === 0 || count('unknown') === assets.length) return { state: 'unknown', text: UNKNOWN }
  if (count('fresh') === assets.length) return { state: 'fresh', text: `all ${assets.length} fresh` }
  return { state: 'stale', text: `${assets.length - count('fresh')} of ${assets.length} stale` }
}

function callsLight(session: Session): Light {
  const allowance = session.client().allowance()
  if (allowance === null) return { state: 'unknown', text: UNKNOWN }
  return { state: allowance.remaining === 0 ? 'stale' : 'fresh', text: `${allowance.remaining} this minute${session.key() === null ? '' : ', with your key'}` }
}
