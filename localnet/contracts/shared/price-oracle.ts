// The price oracle behind the shim: it stores the latest price of each tag. Publishers on the admin's list write several prices per call;
// their signature on the transaction is the attestation. Anyone may relay one price signed with publishers' keys. Readers, not the oracle,
// check staleness and deviation.

import { SHARED_ERRORS } from '../../../src/exchange/errors/errors.ts'
import type { ContractCode, ContractEnv, EntryPoint, SpecType, Val } from './host.ts'
import { address, bool, bytes, u32, VOID } from './host.ts'
import {
  asAddress, asBool, asBytes, asI128, asU64, asVec, type CodecRecord, entryPoint, fail, fieldOf, storageKey, structCodec,
} from './values.ts'

const NOT_INITIALIZED = 1
const ALREADY_INITIALIZED = 2
export const UNAUTHORIZED = 3
export const INVALID_PARAMETER = 5

/** Length of a price tag, such as `BTCUSD` padded with zeros. */
export const TAG_BYTES = 8

/** Maximum number of prices per `write_prices`. */
const WRITE_MAX_PRICES = 32

const ADMIN = storageKey('Admin')
const publisherKey = (publisher: string): Val => storageKey('Publisher', address(publisher))
const publicKeyKey = (key: Uint8Array): Val => storageKey('PublisherKey', bytes(key))
const priceKey = (tag: Uint8Array): Val => storageKey('Price', bytes(tag))

/** A stored price: 7-decimal fixed point, attestation time in seconds, the publisher's round. */
export const PRICE = structCodec({ price: 'i128', round_id: 'u64', timestamp: 'u64' })

/** Maximum number of keys that sign one price. */
export const ATTESTATION_MAX_KEYS = 8

export type Price = CodecRecord<typeof PRICE>

/**
 * The oracle's code. The admin calls `initialize(admin)`, `set_publisher(publisher, allowed)` and `set_publisher_key(public_key, allowed)`.
 * `write_prices(publisher, prices)`, each price a map of price i128, round_id u64, tag b8 and timestamp u64, fails with 3 for a publisher
 * that is not on the list, with 5 for an empty or too long list. `relay_price(tag, price, timestamp, round_id, pubkeys, sigs)`, callable by
 * anyone, fails with 3 without keys or with a key that is not on the list, with 5 for too many keys or a different number of signatures,
 * with a host error for an invalid signature. `get_price_pers(tag)` returns the map of price, round_id and timestamp, or void.
 */
export function priceOracleContract(): ContractCode {
  return {
    name: 'price oracle',
    structs: PRICE_ORACLE_STRUCTS,
    errors: SHARED_ERRORS,
    entryPoints: { ...administration(), ...prices(storePrice), relay_price: relayPrice(storePrice) },
  }
}

/** Stores the price of a tag. */
export type StorePrice = (env: ContractEnv, tag: Uint8Array, price: Price) => void

export const PRICE_ORACLE_STRUCTS = {
  Price: PRICE.spec,
  PriceUpdate: [['price', 'i128'], ['round_id', 'u64'], ['tag', { bytesN: TAG_BYTES }], ['timestamp', 'u64']],
} as const satisfies ContractCode['structs']

export function storePrice(env: ContractEnv, tag: Uint8Array, price: Price): void {
  env.set('persistent', priceKey(tag), PRICE.toVal(price))
}

/** The latest price of a tag. */
export function readPrice(env: ContractEnv, tag: Uint8Array): Price | undefined {
  const stored = env.get('persistent', priceKey(tag))
  return stored === undefined ? undefined : PRICE.fromVal(stored)
}

/** The tag of an asset's price: ASCII `<SYM>USD`, zero-padded. */
export function priceTag(asset: string): Uint8Array {
  const tag = new Uint8Array(TAG_BYTES)
  tag.set(new TextEncoder().encode(`${asset}USD`))
  return tag
}

/** The message that a publisher's key signs: network, oracle and price as one line of text. */
export function attestationPayload(networkId: Uint8Array, oracle: string, tag: Uint8Array, { price, timestamp, round_id: round }: Price): Uint8Array {
  const name = new TextDecoder().decode(tag).replace(/\0+$/, '')
  return new TextEncoder().encode(`price ${hex(networkId)} ${oracle} ${name} ${price} ${timestamp} ${round}`)
}

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex')

export function administration(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint({ admin: 'address' }, 'void', (env, args) => {
      const admin = asAddress(args[0])
      if (env.get('instance', ADMIN) !== undefined) fail(ALREADY_INITIALIZED)
      env.requireAuth(admin)
      env.set('instance', ADMIN, address(admin))
      return VOID
    }),
    set_publisher: entryPoint({ publisher: 'address', allowed: 'bool' }, 'void', (env, args) => {
      setAllowed(env, publisherKey(asAddress(args[0])), asBool(args[1]))
      return VOID
    }),
    set_publisher_key: entryPoint({ public_key: { bytesN: 32 }, allowed: 'bool' }, 'void', (env, args) => {
      setAllowed(env, publicKeyKey(asBytes(args[0])), asBool(args[1]))
      return VOID
    }),
    is_publisher_key: entryPoint({ public_key: { bytesN: 32 } }, 'bool', (env, args) => bool(isPublisherKey(env, asBytes(args[0])))),
    is_publisher: entryPoint({ publisher: 'address' }, 'bool', (env, args) => bool(isPublisher(env, asAddress(args[0])))),
    get_admin: entryPoint({}, 'address', (env) => address(readAdmin(env))),
  }
}

export function prices(store: StorePrice): Record<string, EntryPoint> {
  return {
    write_prices: entryPoint({ publisher: 'address', prices: { vec: { struct: 'PriceUpdate' } } }, 'u32', (env, args) => {
      const publisher = asAddress(args[0])
      const updates = asVec(args[1])
      readAdmin(env)
      env.requireAuth(publisher)
      if (!isPublisher(env, publisher)) fail(UNAUTHORIZED)
      if (updates.length === 0 || updates.length > WRITE_MAX_PRICES) fail(INVALID_PARAMETER)
      for (const update of updates) {
        store(env, asBytes(fieldOf(update, 'tag')), PRICE.fromVal(update))
      }
      return u32(updates.length)
    }),
    get_price_pers: entryPoint({ tag: { bytesN: TAG_BYTES } }, { option: { struct: 'Price' } }, (env, args) => {
      readAdmin(env)
      return env.get('persistent', priceKey(asBytes(args[0]))) ?? VOID
    }),
  }
}

const RELAY_INPUTS: Readonly<Record<string, SpecType>> = {
  tag: { bytesN: TAG_BYTES }, price: 'i128', timestamp: 'u64', round_id: 'u64', pubkeys: { vec: { bytesN: 32 } }, sigs: { vec: { bytesN: 64 } },
}

/** Relays a signed price; callable by anyone. Ignores a price older than the stored one, so that no old price can be replayed. */
export function relayPrice(store: StorePrice): EntryPoint {
  return entryPoint(RELAY_INPUTS, 'void', (env, args) => {
    const tag = asBytes(args[0])
    const price: Price = { price: asI128(args[1]), timestamp: asU64(args[2]), round_id: asU64(args[3]) }
    const [keys, signatures] = [asVec(args[4]).map(asBytes), asVec(args[5]).map(asBytes)]
    readAdmin(env)
    if (keys.length === 0 || !keys.every((key) => isPublisherKey(env, key))) fail(UNAUTHORIZED)
    if (keys.length > ATTESTATION_MAX_KEYS || keys.length !== signatures.length) fail(INVALID_PARAMETER)
    const payload = attestationPayload(env.ledger.networkId, env.self, tag, price)
    for (const [index, key] of keys.entries()) env.verifySignature(key, payload, signatures[index] ?? fail(INVALID_PARAMETER))
    if ((readPrice(env, tag)?.timestamp ?? 0n) <= price.timestamp) store(env, tag, price)
    return VOID
  })
}

function setAllowed(env: ContractEnv, key: Val, allowed: boolean): void {
  env.requireAuth(readAdmin(env))
  if (allowed) env.set('persistent', key, bool(true))
  else env.remove('persistent', key)
}

export function isPublisherKey(env: ContractEnv, key: Uint8Array): boolean {
  return env.get('persistent', publicKeyKey(key)) !== undefined
}

export function readAdmin(env: ContractEnv): string {
  const admin = env.get('instance', ADMIN)
  return admin === undefined ? fail(NOT_INITIALIZED) : asAddress(admin)
}

function isPublisher(env: ContractEnv, publisher: string): boolean {
  return env.get('persistent', publisherKey(publisher)) !== undefined
}
