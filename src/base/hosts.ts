// Recognises this program's own Host headers and origins. DNS rebinding lets a web page reach a server on this machine under the page's own host name; the
// Host header then has that name. An IP address cannot be rebound.

import { isIP } from 'node:net'

/** The host name of a Host header or of an origin's host part, without port, brackets and trailing dot; undefined when it is malformed. */
function hostnameOf(host: string): string | undefined {
  const url = /^[^\s/\\?#@]+$/.test(host) ? URL.parse(`http://${host}`) : null
  return url?.hostname.replaceAll(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** True if a name or address always means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '::1' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
}

/** True if a request with this Host header is meant for this server: an address, a loopback name, or a name in `allowed`. Browsers always send the header. */
export function isOwnHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined) return true
  const hostname = hostnameOf(host)
  return hostname !== undefined && (isIP(hostname) !== 0 || isLoopback(hostname) || allowed.includes(hostname))
}

/**
 * True if an Origin header is that of a page served on this port of this machine or of a host in `allowed`, or by a proxy in front of such a host. This program
 * has no TLS, so only such a proxy can serve a page by https, and it has a host in `allowed`.
 */
export function isOwnOrigin(origin: string, port: number, allowed: readonly string[]): boolean {
  const url = URL.parse(origin)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  const hostname = hostnameOf(url.host) ?? ''
  if (allowed.includes(hostname) && url.port === '') return true
  return url.protocol === 'http:' && Number(url.port || 80) === port && (isLoopback(hostname) || allowed.includes(hostname))
}
