// The regional restriction of trading (specification, "Regional restriction"). Routes declare that they are guarded; no URL is looked at.

import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorResponse } from './errors.ts'

/** The headers in which the proxy before the gateway tells where a client is. Names in lower case. */
export interface RegionHeaders {
  /** Holds the country's two letters. */
  readonly country: string
  /** Holds the country's subdivision, with the country before it or without: `ON`, `CA-ON`. */
  readonly region: string
}

/** United States, Cuba, Iran, North Korea, Syria, Russia, Belarus. */
const RESTRICTED_COUNTRIES: ReadonlySet<string> = new Set(['US', 'CU', 'IR', 'KP', 'SY', 'RU', 'BY'])
const CANADA = 'CA'
const ONTARIO: ReadonlySet<string> = new Set(['ON', 'CA-ON'])

const REFUSAL: ErrorResponse = {
  status: 451,
  body: { error: 'region_restricted', message: 'Trading is not offered in your region. Market data, history and keys stay available.' },
}

/** The answer that refuses a client in a restricted region. Where nothing is told about the region nobody is refused. */
export type RegionGuard = (headers: IncomingHttpHeaders) => ErrorResponse | undefined

/** Builds the guard; without headers to look at it refuses nobody. */
export function createRegionGuard(names: RegionHeaders | null): RegionGuard {
  if (names === null) return () => undefined
  return (headers) => {
    const countries = codes(headers[names.country])
    if (countries.some((country) => RESTRICTED_COUNTRIES.has(country))) return REFUSAL
    const inOntario = countries.includes(CANADA) && codes(headers[names.region]).some((region) => ONTARIO.has(region))
    return inOntario ? REFUSAL : undefined
  }
}

/** A header that was sent twice arrives joined by commas: each of its values counts, so that adding one hides nothing. */
function codes(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return String(value).split(',').map((code) => code.trim().toUpperCase())
}
