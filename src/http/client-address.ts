// Determines the client address: the socket peer, or the X-Forwarded-For entry added by trusted proxies.

import { BlockList, isIP } from 'node:net'
import { expandIpv6 } from '../base/ip-network.ts'

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

/** The networks of a client that rate limits count. */
export interface ClientNetwork {
  /** The address itself; IPv4 where it is IPv4-mapped. */
  readonly address: string
  /** The IPv4 address, or the IPv6 /64 network: subscribers get a /64, so counting single IPv6 addresses would give each client 2^64 buckets. */
  readonly bucket: string
  /** The network around it: the IPv6 /48, or the IPv4 /24. */
  readonly wide: string
  /** True if `wide` is commonly assigned to one subscriber, and thus always counted. */
  readonly isWideOneSubscriber: boolean
}

export function networkOf(address: string): ClientNetwork {
  if (!address.includes(':')) return ipv4Network(address)
  const groups = expandIpv6(address)
  const mapped = mappedIpv4(groups)
  if (mapped !== undefined) return ipv4Network(mapped)
  return { address, bucket: `${groups.slice(0, 4).join(':')}::/64`, wide: `${groups.slice(0, 3).join(':')}::/48`, isWideOneSubscriber: true }
}

function ipv4Network(address: string): ClientNetwork {
  return { address, bucket: address, wide: `${address.slice(0, address.lastIndexOf('.') + 1)}0/24`, isWideOneSubscriber: false }
}

/** The IPv4 address in an IPv4-mapped address, whose last groups are written in hexadecimal. */
function mappedIpv4(groups: readonly string[]): string | undefined {
  if (groups[5] !== 'ffff' || groups.slice(0, 5).some((group) => group !== '0')) return undefined
  return groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]).join('.')
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
