// The page that the URL's fragment names: `#/trade/BTC` is the page `trade` with the path `['BTC']`.

import { signal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'

export interface Route {
  readonly page: string
  /** The segments after the page's name. */
  readonly path: readonly string[]
}

export function createRouter(): ReadonlySignal<Route> {
  const route = signal(readRoute())
  addEventListener('hashchange', () => {
    route.value = readRoute()
  })
  return route
}

function readRoute(): Route {
  const [page = '', ...path] = location.hash.replace(/^#\/?/, '').split('/').map(decodeSegment)
  return { page, path }
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
