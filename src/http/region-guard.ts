// Blocks trading from restricted regions (specification, "Regional restriction"). Guarded routes declare it in their config.

import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorResponse } from './errors.ts'

/** Names of the headers that the proxy sets to the client's region, in lower case. */
export interface RegionHeaders {
  /** Two-letter country code. */
  readonly country: string
  /** Subdivision code, with or without the country: `ON`, `CA-ON`. */
  readonly region: string
}

/** United States, Cuba, Iran, North Korea, Syria, Russia, Belarus. */
const RESTRICTED_COUNTRIES: ReadonlySet<string> = new Set(['US', 'CU', 'IR', 'KP', 'SY', 'RU', 'BY'])
const CANADA = 'CA'
const ONTARIO: ReadonlySet<string> = new Set(['ON', 'CA-ON'])

const RESTRICTED: ErrorResponse = {
  status: 451,
  body: { error: 'region_restricted', message: 'Trading is not available in your region. Market data, history and keys remain available.' },
}

/** Returns the error response for a client in a restricted region. Clients of unknown region are allowed. */
export type RegionGuard = (headers: IncomingHttpHeaders) => ErrorResponse | undefined

/** Null disables the guard. */
export function createRegionGuard(names: RegionHeaders | null): RegionGuard {
  if (names === null) return () => undefined
  return (headers) => {
    const countries = codes(headers[names.country])
    if (countries.some((country) => RESTRICTED_COUNTRIES.has(country))) return RESTRICTED
    const inOntario = countries.includes(CANADA) && codes(headers[names.region]).some((region) => ONTARIO.has(region))
    return inOntario ? RESTRICTED : undefined
  }
}

/** Node joins repeated headers with commas. Every value counts, so that a client cannot hide its region by adding a header. */
function codes(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return []
  return String(value).split(',').map((code) => code.trim().toUpperCase())
}
