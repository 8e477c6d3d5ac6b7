// The router's second price sources, Stork and Pyth: prices that anyone relays, and the check of opens and executions against them
// (generation 2, "Router"). Without a configuration, and with a disabled one, the router works with the exchange's own prices only.

import type { ContractEnv, EntryPoint, SpecType, Val } from '../shared/host.ts'
import { bytes, HostFailure, u32, vec, VOID } from '../shared/host.ts'
import { emit } from '../shared/emit.ts'
import { priceTag, TAG_BYTES } from '../shared/price-oracle.ts'
import {
  abs, asBool, asBytes, asSymbol, asU32, asU64, asVec, BPS_DENOMINATOR, entryPoint, fail, fieldOf, storageKey, structCodec,
} from '../shared/values.ts'

const NOT_INITIALIZED = 1
const UNAUTHORIZED = 3
const INVALID_PARAMETER = 5
const PRICE_STALE = 30
const PRICE_DEVIATION_TOO_HIGH = 81

/** Signature, recovery byte, taxonomy (u16) and time in nanoseconds (u64), followed by an id (u16) and a value (i128) for each asset; all big-endian. */
const SIGNATURE_BYTES = 64
const HEADER_BYTES = 75
const ENTRY_BYTES = 18

/** Values have 18 decimals, prices 7. */
const VALUE_UNITS_PER_PRICE_UNIT = 10n ** 11n
const NS_PER_SEC = 1_000_000_000n

const PRICE = structCodec({ price: 'i128', timestamp_ns: 'u64' })

/** Structs of the published interface. The signer is an Ed25519 key; Stork's is the address of a secp256k1 key. */
export const SECOND_PRICE_STRUCTS: Readonly<Record<string, readonly (readonly [string, SpecType])[]>> = {
  SecondPrice: PRICE.spec,
  SecondPriceConfig: [
    ['enabled', 'bool'], ['max_age_secs', 'u64'], ['max_dev_bps', 'u32'], ['require_fresh', 'bool'], ['signer', { bytesN: 32 }], ['taxonomy', 'u32'],
  ],
}

const NAMES = ['stork', 'pyth'] as const
type SourceName = (typeof NAMES)[number]

const KEY_NAMES: Readonly<Record<SourceName, string>> = { stork: 'Stork', pyth: 'Pyth' }
const configKey = (name: SourceName): Val => storageKey(KEY_NAMES[name])
const assetsKey = (name: SourceName): Val => storageKey(`${KEY_NAMES[name]}Assets`)
const strictAssetsKey = (name: SourceName): Val => storageKey(`${KEY_NAMES[name]}StrictAssets`)
const priceKey = (name: SourceName, tag: Uint8Array): Val => storageKey(`${KEY_NAMES[name]}Price`, bytes(tag))

/** `relay_…`, the admin's settings and the views of both sources. */
export function secondPriceEntryPoints(requireAdmin: (env: ContractEnv) => void): Record<string, EntryPoint> {
  return Object.assign({}, ...NAMES.map((name) => ({ ...relayOf(name), ...settingsOf(name, requireAdmin) }))) as Record<string, EntryPoint>
}

/** Checks the publishers' price of an asset against each source: 81 for a fresh price that differs too much, 30 if a required one is missing or old. */
export function checkSecondPrices(env: ContractEnv, asset: string, price: bigint): void {
  for (const name of NAMES) checkSecondPrice(env, name, asset, price)
}

function checkSecondPrice(env: ContractEnv, name: SourceName, asset: string, price: bigint): void {
  const config = env.get('instance', configKey(name))
  if (config === undefined || !asBool(fieldOf(config, 'enabled'))) return
  const stored = env.get('temporary', priceKey(name, priceTag(asset)))
  const second = stored === undefined ? undefined : PRICE.fromVal(stored)
  if (second === undefined || isOld(env, config, second.timestamp_ns)) {
    const strictAssets = asVec(env.get('instance', strictAssetsKey(name)) ?? vec())
    if (asBool(fieldOf(config, 'require_fresh')) || strictAssets.some((strict) => asSymbol(strict) === asset)) fail(PRICE_STALE)
    return
  }
  const deviationBps = (abs(price - second.price) * BPS_DENOMINATOR) / second.price
  if (deviationBps > BigInt(asU32(fieldOf(config, 'max_dev_bps')))) fail(PRICE_DEVIATION_TOO_HIGH)
}

/** True if a time is more than the configured age ago. A time in the future is not. */
function isOld(env: ContractEnv, config: Val, timeNs: bigint): boolean {
  return env.ledger.timestampSec - timeNs / NS_PER_SEC > asU64(fieldOf(config, 'max_age_secs'))
}

/** Stores the prices of a signed payload; callable by anyone. Returns the number of stored prices. */
function relayOf(name: SourceName): Record<string, EntryPoint> {
  return {
    [`relay_${name}`]: entryPoint({ payload: 'bytes' }, 'u32', (env, args) => {
      const payload = asBytes(args[0])
      const config = env.get('instance', configKey(name)) ?? fail(NOT_INITIALIZED)
      if (!asBool(fieldOf(config, 'enabled'))) fail(UNAUTHORIZED)
      const entriesBytes = payload.length - HEADER_BYTES
      if (entriesBytes < ENTRY_BYTES || entriesBytes % ENTRY_BYTES !== 0) fail(INVALID_PARAMETER)
      requireSignature(env, payload, asBytes(fieldOf(config, 'signer')))
      const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
      if (view.getUint16(SIGNATURE_BYTES + 1) !== asU32(fieldOf(config, 'taxonomy'))) fail(INVALID_PARAMETER)
      const timeNs = view.getBigUint64(SIGNATURE_BYTES + 3)
      if (isOld(env, config, timeNs)) fail(PRICE_STALE)
      let stored = 0
      for (let at = HEADER_BYTES; at < payload.length; at += ENTRY_BYTES) {
        const value = (view.getBigInt64(at + 2) << 64n) | view.getBigUint64(at + 10)
        if (storePrice(env, name, view.getUint16(at), { price: value / VALUE_UNITS_PER_PRICE_UNIT, timestamp_ns: timeNs })) stored += 1
      }
      if (name === 'pyth') emit(env, 'pyth_relayed', u32(stored))
      return u32(stored)
    }),
  }
}

/** Fails with 5 for a recovery byte other than 0 and 1, and with 3 unless the source's key signed what follows it. */
function requireSignature(env: ContractEnv, payload: Uint8Array, signer: Uint8Array): void {
  if ((payload[SIGNATURE_BYTES] ?? 2) > 1) fail(INVALID_PARAMETER)
  try {
    env.verifySignature(signer, payload.slice(SIGNATURE_BYTES + 1), payload.slice(0, SIGNATURE_BYTES))
  } catch (error) {
    if (error instanceof HostFailure) fail(UNAUTHORIZED)
    throw error
  }
}

/** Stores a price of the source's asset `id`. Skips an unmapped id, a price that is not positive, and one that is not newer than the stored one. */
function storePrice(env: ContractEnv, name: SourceName, id: number, price: { readonly price: bigint; readonly timestamp_ns: bigint }): boolean {
  const tag = asVec(env.get('instance', assetsKey(name)) ?? vec()).map(asVec).find(([mapped]) => asU32(mapped) === id)?.[1]
  if (tag === undefined || price.price <= 0n) return false
  const key = priceKey(name, asBytes(tag))
  const previous = env.get('temporary', key)
  if (previous !== undefined && price.timestamp_ns <= PRICE.fromVal(previous).timestamp_ns) return false
  env.set('temporary', key, PRICE.toVal(price))
  return true
}

function settingsOf(name: SourceName, requireAdmin: (env: ContractEnv) => void): Record<string, EntryPoint> {
  const setting = (inputs: Readonly<Record<string, SpecType>>, key: Val, topic: string, read: (args: readonly Val[]) => Val): EntryPoint =>
    entryPoint(inputs, 'void', (env, args) => {
      requireAdmin(env)
      const value = read(args)
      env.set('instance', key, value)
      emit(env, `${name}_${topic}`, value)
      return VOID
    })
  const view = (key: Val, output: SpecType): EntryPoint => entryPoint({}, { option: output }, (env) => env.get('instance', key) ?? VOID)
  return {
    [`set_${name}_config`]: setting({ config: { struct: 'SecondPriceConfig' } }, configKey(name), 'cfg_set', ([config = VOID]) => {
      const isUnlimited = asU64(fieldOf(config, 'max_age_secs')) === 0n || asU32(fieldOf(config, 'max_dev_bps')) === 0
      if (asBool(fieldOf(config, 'enabled')) && isUnlimited) fail(INVALID_PARAMETER)
      return config
    }),
    [`set_${name}_assets`]: setting({ ids: { vec: 'u32' }, tags: { vec: { bytesN: TAG_BYTES } } }, assetsKey(name), 'assets_set', (args) => {
      const [ids, tags] = [asVec(args[0]), asVec(args[1])]
      if (ids.length !== tags.length) fail(INVALID_PARAMETER)
      return vec(...ids.map((id, index) => vec(id, tags[index] ?? VOID)))
    }),
    [`set_${name}_strict_assets`]: setting({ assets: { vec: 'symbol' } }, strictAssetsKey(name), 'strict_set', ([assets = VOID]) => assets),
    [`get_${name}_config`]: view(configKey(name), { struct: 'SecondPriceConfig' }),
    [`get_${name}_strict_assets`]: view(strictAssetsKey(name), { vec: 'symbol' }),
    [`get_${name}_price`]: entryPoint({ asset: 'symbol' }, { option: { struct: 'SecondPrice' } }, (env, args) =>
      env.get('temporary', priceKey(name, priceTag(asSymbol(args[0])))) ?? VOID),
  }
}
