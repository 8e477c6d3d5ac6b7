// Admits requests to what real nodes do not offer: the local_ methods and friendbot. Every web page can send requests to this machine.

import type { IncomingMessage } from 'node:http'
import { isOwnOrigin } from '../../src/base/hosts.ts'

/** The pages that may use them: those of the gateway at this port. */
export interface TrustedGateway {
  /** Null without a gateway. */
  port: number | null
  readonly hosts: readonly string[]
}

/** Fetch metadata of requests that no other site caused. */
const OWN_SITES: readonly string[] = ['same-origin', 'none']

/**
 * True if the request comes from a program or from a page of the gateway. A page's request has an Origin header, except for images, links and the like; those
 * have Sec-Fetch-Site.
 */
export function mayControl({ headers }: Pick<IncomingMessage, 'headers'>, { port, hosts }: TrustedGateway): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return port !== null && isOwnOrigin(origin, port, hosts)
  return site === undefined || (typeof site === 'string' && OWN_SITES.includes(site))
}
