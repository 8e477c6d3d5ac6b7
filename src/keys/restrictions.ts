// What a key may be less than: its owner, or the key that lent it (additions to the specification, "Keys that can be lent").

import { includesNetwork, parseIpNetwork } from '../base/ip-network.ts'
import type { IpNetwork } from '../base/ip-network.ts'
import { KEY_SCOPES } from '../limits.ts'
import type { CapName, KeyCaps, KeyRestrictions, KeyScope, RestrictionsRequest } from '../resources/key-restrictions.ts'

/** The scopes of a key that names none. */
const DEFAULT_SCOPES: readonly KeyScope[] = KEY_SCOPES.filter((scope) => scope !== 'lend')

export const UNRESTRICTED: KeyRestrictions = { scopes: null, expiresAt: null, cidrs: null, caps: null }

const NO_CAPS: KeyCaps = { assets: null, maxLeverage: null, maxNotionalPerDay: null, maxOrdersPerDay: null }

/** The scopes that a key has. */
export function scopesOf({ scopes }: Pick<KeyRestrictions, 'scopes'>): readonly KeyScope[] {
  return scopes ?? DEFAULT_SCOPES
}

/** Restrictions as they are stored, from those of a request. */
export function readRestrictions({ scopes = null, expiresAt = null, cidrs = null, caps = null }: RestrictionsRequest): KeyRestrictions {
  return { scopes, expiresAt, cidrs, caps: normaliseCaps(caps === null ? NO_CAPS : { ...NO_CAPS, ...caps }) }
}

/** Null without any cap. */
function normaliseCaps(caps: KeyCaps): KeyCaps | null {
  const { maxNotionalPerDay: notional } = caps
  if (Object.values(caps).every((cap) => cap === null)) return null
  return { ...caps, maxNotionalPerDay: notional === null ? null : BigInt(notional).toString() }
}

/** Restrictions as they are returned. */
export function showRestrictions(
  { expiresAt, cidrs, caps, ...key }: KeyRestrictions,
): Omit<KeyRestrictions, 'scopes'> & { readonly scopes: readonly KeyScope[] } {
  return { scopes: scopesOf(key), expiresAt, cidrs, caps }
}

/** The same text for the same restrictions, for a challenge. Empty: no restrictions. */
export function textOfRestrictions({ scopes, expiresAt, cidrs, caps }: KeyRestrictions): string {
  return [scopes, expiresAt, cidrs, caps].every((member) => member === null) ? '' : JSON.stringify({ scopes, expiresAt, cidrs, caps })
}

/** Networks that addresses are checked against. */
export type AllowedNetworks = readonly IpNetwork[]

/** Null: any address. An unreadable network allows none. */
export function networksOf({ cidrs }: Pick<KeyRestrictions, 'cidrs'>): AllowedNetworks | null {
  return cidrs?.map(parseIpNetwork).filter((network) => network !== undefined) ?? null
}

/** True when the address is in one of the networks. */
export function allowsAddress(networks: AllowedNetworks | null, address: string): boolean {
  if (networks === null) return true
  const client = parseIpNetwork(address)
  return client !== undefined && networks.some((network) => includesNetwork(network, client))
}

/** A member in which a child would be more than its parent. */
export type ExceedingMember = Exclude<keyof KeyRestrictions, 'caps'> | `caps.${CapName}`

/** The restrictions of a child: what is null is its parent's. Returns the first member in which it is not a subset. */
export function restrictChild(parent: KeyRestrictions, asked: RestrictionsRequest): KeyRestrictions | ExceedingMember {
  const { scopes, expiresAt, cidrs, caps: ownCaps } = readRestrictions(asked)
  const allowed = new Set(scopesOf(parent))
  if (scopes !== null && scopes.some((scope) => !allowed.has(scope))) return 'scopes'
  if (exceeds(expiresAt, parent.expiresAt)) return 'expiresAt'
  const outer = networksOf(parent)
  if (cidrs !== null && outer !== null && !networksOf({ cidrs })?.every((inner) => outer.some((network) => includesNetwork(network, inner)))) return 'cidrs'
  const caps = { ...NO_CAPS, ...ownCaps }
  const bounds = { ...NO_CAPS, ...parent.caps }
  const cap = exceedingCap(caps, bounds)
  if (cap !== undefined) return `caps.${cap}`
  return {
    scopes: scopes ?? parent.scopes, expiresAt: expiresAt ?? parent.expiresAt, cidrs: cidrs ?? parent.cidrs,
    caps: normaliseCaps({
      assets: caps.assets ?? bounds.assets, maxLeverage: caps.maxLeverage ?? bounds.maxLeverage,
      maxNotionalPerDay: caps.maxNotionalPerDay ?? bounds.maxNotionalPerDay, maxOrdersPerDay: caps.maxOrdersPerDay ?? bounds.maxOrdersPerDay,
    }),
  }
}

function exceedingCap(caps: KeyCaps, bounds: KeyCaps): CapName | undefined {
  const { assets } = bounds
  if (caps.assets !== null && assets !== null && caps.assets.some((asset) => !assets.includes(asset))) return 'assets'
  if (exceeds(caps.maxLeverage, bounds.maxLeverage)) return 'maxLeverage'
  if (exceeds(toBigInt(caps.maxNotionalPerDay), toBigInt(bounds.maxNotionalPerDay))) return 'maxNotionalPerDay'
  return exceeds(caps.maxOrdersPerDay, bounds.maxOrdersPerDay) ? 'maxOrdersPerDay' : undefined
}

function exceeds<Value extends number | bigint>(value: Value | null, bound: Value | null): boolean {
  return value !== null && bound !== null && value > bound
}

function toBigInt(digits: string | null): bigint | null {
  return digits === null ? null : BigInt(digits)
}

/** True for a key that submits only what it could have had prepared. A key that names neither scopes nor caps submits any transaction of anyone. */
export function bindsTransactions({ scopes, caps }: KeyRestrictions): boolean {
  return scopes !== null || caps !== null
}
