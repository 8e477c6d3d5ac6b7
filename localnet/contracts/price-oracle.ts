// The signed-price source behind the shim: it keeps the latest price of each tag. Publishers on the admin's list write it, several prices
// in one call; the publisher's signature on the transaction is the attestation. It judges no price: readers do.

import { SHARED_ERRORS } from '../../src/exchange/errors.ts'
import type { ContractCode, ContractEnv, EntryPoint, Val } from './host.ts'
import { address, bool, bytes, u32, VOID } from './host.ts'
import { asAddress, asBool, asBytes, asVec, entryPoint, fail, fieldOf, storageKey, structCodec } from './values.ts'

const NOT_INITIALIZED = 1
const ALREADY_INITIALIZED = 2
const UNAUTHORIZED = 3
const INVALID_PARAMETER = 5

/** How many bytes name a price: `BTCUSD` and the like, padded with zeros. */
export const TAG_BYTES = 8

/** How many prices one call may write. */
const WRITE_MAX_PRICES = 32

const ADMIN = storageKey('Admin')
const publisherKey = (publisher: string): Val => storageKey('Publisher', address(publisher))
const priceKey = (tag: Uint8Array): Val => storageKey('Price', bytes(tag))

/** A stored price: 7-decimal fixed point, the attestation's time in seconds, the publisher's round. */
const PRICE = structCodec({ price: 'i128', round_id: 'u64', timestamp: 'u64' })

/**
 * The oracle's code. `initialize(admin)`, `set_publisher(publisher, allowed)` by the admin, then
 * `write_prices(publisher, prices)` with each price a map of price i128, round_id u64, tag b8, timestamp u64: 3 for a publisher that is
 * not on the list, 5 for an empty or overlong list. `get_price_pers(tag)` answers the map of price, round_id and timestamp, or void.
 */
export function priceOracleContract(): ContractCode {
  return {
    name: 'price oracle',
    structs: {
      Price: PRICE.spec,
      PriceUpdate: [['price', 'i128'], ['round_id', 'u64'], ['tag', { bytesN: TAG_BYTES }], ['timestamp', 'u64']],
    },
    errors: SHARED_ERRORS,
    entryPoints: { ...administration(), ...prices() },
  }
}

/** The tag of an asset's price: ASCII `<SYM>USD`, zero-padded. */
export function priceTag(asset: string): Uint8Array {
  const tag = new Uint8Array(TAG_BYTES)
  tag.set(new TextEncoder().encode(`${asset}USD`))
  return tag
}

function administration(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint({ admin: 'address' }, 'void', (env, args) => {
      const admin = asAddress(args[0])
      if (env.get('instance', ADMIN) !== undefined) fail(ALREADY_INITIALIZED)
      env.requireAuth(admin)
      env.set('instance', ADMIN, address(admin))
      return VOID
    }),
    set_publisher: entryPoint({ publisher: 'address', allowed: 'bool' }, 'void', (env, args) => {
      const key = publisherKey(asAddress(args[0]))
      env.requireAuth(readAdmin(env))
      if (asBool(args[1])) env.set('persistent', key, bool(true))
      else env.remove('persistent', key)
      return VOID
    }),
    is_publisher: entryPoint({ publisher: 'address' }, 'bool', (env, args) => bool(isPublisher(env, asAddress(args[0])))),
    get_admin: entryPoint({}, 'address', (env) => address(readAdmin(env))),
  }
}

function prices(): Record<string, EntryPoint> {
  return {
    write_prices: entryPoint({ publisher: 'address', prices: { vec: { struct: 'PriceUpdate' } } }, 'u32', (env, args) => {
      const publisher = asAddress(args[0])
      const updates = asVec(args[1])
      readAdmin(env)
      env.requireAuth(publisher)
      if (!isPublisher(env, publisher)) fail(UNAUTHORIZED)
      if (updates.length === 0 || updates.length > WRITE_MAX_PRICES) fail(INVALID_PARAMETER)
      for (const update of updates) {
        env.set('persistent', priceKey(asBytes(fieldOf(update, 'tag'))), PRICE.toVal(PRICE.fromVal(update)))
      }
      return u32(updates.length)
    }),
    get_price_pers: entryPoint({ tag: { bytesN: TAG_BYTES } }, { option: { struct: 'Price' } }, (env, args) => {
      readAdmin(env)
      return env.get('persistent', priceKey(asBytes(args[0]))) ?? VOID
    }),
  }
}

function readAdmin(env: ContractEnv): string {
  const admin = env.get('instance', ADMIN)
  return admin === undefined ? fail(NOT_INITIALIZED) : asAddress(admin)
}

function isPublisher(env: ContractEnv, publisher: string): boolean {
  return env.get('persistent', publisherKey(publisher)) !== undefined
}
