// Determines the client address: the socket peer, or the X-Forwarded-For entry added by trusted proxies.

import { BlockList, isIP } from 'node:net'

/**
 * Trusted proxies: none (false), all (true, so the left-most address counts), the nearest n hops, or those in address ranges (`10.0.0.0/8`, `::1`).
 */
export type TrustProxy = boolean | number | readonly string[]

export type ClientAddress = (peer: string | undefined, forwardedFor: string | undefined) => string

/** `trustProxy` must be validated: invalid ranges throw. */
export function createClientAddress(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === false || trustProxy === 0) return (peer) => normalise(peer ?? '')
  const trusts = createTrust(trustProxy)
  return (peer, forwardedFor) => {
    let address = normalise(peer ?? '')
    if (forwardedFor === undefined) return address
    const hops = forwardedFor.split(',')
    for (let hop = 0; hop < hops.length && trusts(address, hop); hop++) {
      const next = normalise((hops[hops.length - 1 - hop] ?? '').trim())
      // Stop at an invalid entry: everything before it is untrusted.
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}

/**
 * The rate limit bucket of an address: the IPv4 address, or the IPv6 /64 network. Subscribers get a /64, so counting single IPv6 addresses would give each
 * client 2^64 buckets.
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

/** Removes brackets, port, zone id and the IPv4-mapped prefix. */
function normalise(text: string): string {
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
