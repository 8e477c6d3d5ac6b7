// Calls of the contracts' administrator on the local network, with typed arguments.

import type { GatewayFixture } from './gateway-fixture.ts'

export const u32 = (value: number): object => ({ type: 'u32', value })
export const i128 = (value: bigint): object => ({ type: 'i128', value: String(value) })
export const symbol = (value: string): object => ({ type: 'symbol', value })

/** A struct: numbers are u32, the bigint fields named in `seconds` u64, and other bigint fields i128. */
export function struct(fields: Readonly<Record<string, bigint | number>>, seconds: readonly string[] = []): object {
  const typed = (name: string, value: bigint | number): object =>
    typeof value === 'number' ? u32(value) : seconds.includes(name) ? { type: 'u64', value: String(value) } : i128(value)
  return { type: 'map', value: Object.entries(fields).map(([name, value]) => [symbol(name), typed(name, value)]) }
}

/** The fields of a market's configuration of generation 2 that are u64. */
export const CONFIG_SECONDS = ['max_price_staleness', 'partial_liq_cooldown_secs', 'twap_max_age_secs'] as const

export function adminOf(fixture: GatewayFixture, contract: string): (name: string, ...args: readonly object[]) => Promise<unknown> {
  return (name, ...args) => fixture.control('local_admin', { contract, function: name, args })
}
