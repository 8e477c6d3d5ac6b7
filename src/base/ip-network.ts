// IP addresses and networks, IPv4 and IPv6. An IPv4 address that is written as an IPv6 address is the IPv4 address.

import { isIP } from 'node:net'

/** A network; of a single address, with all of its bits. */
export interface IpNetwork {
  readonly family: 4 | 6
  readonly value: bigint
  readonly prefix: number
}

const BITS = { 4: 32, 6: 128 } as const
/** An IPv4-mapped IPv6 address begins with these 96 bits. */
const MAPPED = 0xffffn
const MAPPED_BITS = 96

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for anything else. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [address = '', prefixText, ...rest] = text.split('/')
  const family = isIP(address)
  if (rest.length > 0 || (family !== 4 && family !== 6) || address.includes('%')) return undefined
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined
  const prefix = prefixText === undefined ? BITS[family] : Number(prefixText)
  if (prefix > BITS[family]) return undefined
  const network: IpNetwork = { family, value: family === 4 ? ipv4Value(address) : ipv6Value(address), prefix }
  const isMapped = family === 6 && prefix >= MAPPED_BITS && network.value >> 32n === MAPPED
  return isMapped ? { family: 4, value: BigInt.asUintN(32, network.value), prefix: prefix - MAPPED_BITS } : network
}

/** True when every address of `inner` is in `outer`. */
export function includesNetwork(outer: IpNetwork, inner: IpNetwork): boolean {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false
  const hostBits = BigInt(BITS[outer.family] - outer.prefix)
  return outer.value >> hostBits === inner.value >> hostBits
}

/** The eight groups of an IPv6 address in lower-case hex without leading zeros. An IPv4 address at its end is two groups. */
export function expandIpv6(address: string): readonly string[] {
  const [head = '', tail] = withoutDots(address.toLowerCase()).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right].map((group) => group.replace(/^0+(?=.)/, ''))
}

function withoutDots(address: string): string {
  return address.replace(/(\d+\.\d+\.\d+\.\d+)$/, (ipv4) => {
    const value = ipv4Value(ipv4)
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
  })
}

function ipv4Value(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) + BigInt(part), 0n)
}

function ipv6Value(address: string): bigint {
  return expandIpv6(address).reduce((value, group) => (value << 16n) + BigInt(`0x${group}`), 0n)
}
