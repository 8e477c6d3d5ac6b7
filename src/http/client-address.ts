// Who is asking, as far as the network tells: the socket's peer, or what trusted proxies say of it in X-Forwarded-For.

import { BlockList, isIP } from 'node:net'

/**
 * Which proxies may tell the client's address: none (false), every one (true: the left-most address counts), the nearest n hops, or those inside
 * address ranges (`10.0.0.0/8`, `::1`).
 */
export type TrustProxy = boolean | number | readonly string[]

/** The client's address, given the socket's peer and the X-Forwarded-For header. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/** Builds the resolver for a TRUST_PROXY setting whose ranges have been validated. */
export function createClientAddress(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === false || trustProxy === 0) return (peer) => plain(peer ?? '')
  const trusts = createTrust(trustProxy)
  return (peer, forwardedFor) => {
    let address = plain(peer ?? '')
    if (forwardedFor === undefined) return address
    const hops = forwardedFor.split(',')
    for (let hop = 0; hop < hops.length && trusts(address, hop); hop++) {
      const next = plain((hops[hops.length - 1 - hop] ?? '').trim())
      // A proxy that writes nonsense is believed no further.
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}

/**
 * The unit in which callers are counted: an IPv4 address, or an IPv6 network of 64 bits, because that is what one subscriber is given: counting single
 * addresses there would hand every client 2^64 allowances.
 */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address
  const groups = expandIpv6(address)
  return `${groups.slice(0, 4).join(':')}::/64`
}

function createTrust(trustProxy: Exclude<TrustProxy, false>): (address: string, hop: number) => boolean {
  if (trustProxy === true) return () => true
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  const ranges = new BlockList()
  for (const range of trustProxy) {
    const [address = '', prefix] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) ranges.addAddress(address, family)
    else ranges.addSubnet(address, Number(prefix), family)
  }
  return (address) => isIP(address) !== 0 && ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Drops what decorates an address: brackets, a port, a zone, the IPv6 coat of an IPv4 address. */
function plain(text: string): string {
  let address = text
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(address)
  if (bracketed !== null) address = bracketed[1] ?? ''
  else if (address.includes('.') && !address.startsWith('::')) address = address.replace(/:\d+$/, '')
  const zone = address.indexOf('%')
  if (zone !== -1) address = address.slice(0, zone)
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
}

function expandIpv6(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}
