// The router: relays a signed price to the oracle and calls the market in the same transaction (contracts, "Router").

import { SHARED_ERRORS } from '../../../src/exchange/errors/errors.ts'
import type { ContractCode, ContractEnv, EntryPoint, SpecType, Val } from './host.ts'
import { address, bytes, VOID } from './host.ts'
import { readInstanceAddress } from './instance-storage.ts'
import { OPEN_INPUTS } from './market/open.ts'
import { POSITION } from './market/types.ts'
import { PRICE_BANDS } from './price-bands.ts'
import { priceTag } from './price-oracle.ts'
import { asAddress, asBool, asI128, asSymbol, asVec, entryPoint, fail, fieldOf, storageKey } from './values.ts'

const NOT_INITIALIZED = 1
const ALREADY_INITIALIZED = 2
const UNAUTHORIZED = 3
const INVALID_PRICE = 31

export const ADMIN = storageKey('Admin')
export const MARKET = storageKey('Market')
export const ORACLE = storageKey('Oracle')

type Inputs = Readonly<Record<string, SpecType>>

/** The signed price that every call for one asset carries. */
const ATTESTATION: Inputs = {
  price: 'i128', timestamp: 'u64', round_id: 'u64', pubkeys: { vec: { bytesN: 32 } }, sigs: { vec: { bytesN: 64 } },
}

const CLOSE: Inputs = { trader: 'address', position_id: 'u64', asset: 'symbol' }
const LIQUIDATE: Inputs = { keeper: 'address', position_id: 'u64', asset: 'symbol' }
const EXECUTE: Inputs = { keeper: 'address', order_id: 'u64', asset: 'symbol' }

/**
 * The router's code. Call `initialize(admin, market, oracle)` first. Every call checks in this order: 1 before initialization; the caller's
 * authorization; 3 without publisher keys or with one that is not on the oracle's list; 31 for a symbol without a band or a price outside
 * it. Then follow the errors of the oracle and the market.
 */
export function routerContract(): ContractCode {
  return {
    name: 'router',
    structs: {
      Attestation: [
        ['asset', 'symbol'], ['price', 'i128'], ['pubkeys', { vec: { bytesN: 32 } }], ['round_id', 'u64'],
        ['sigs', { vec: { bytesN: 64 } }],
        ['timestamp', 'u64'],
      ],
      Position: POSITION.spec,
    },
    errors: SHARED_ERRORS,
    entryPoints: {
      initialize: initializeEntryPoint(),
      open_with_price: routedEntryPoint(OPEN_INPUTS, { struct: 'Position' }, 'open_position', 5),
      close_with_price: routedEntryPoint(CLOSE, 'i128', 'close_position', 2),
      liquidate_with_price: routedEntryPoint(LIQUIDATE, 'i128', 'liquidate', 2),
      execute_with_price: routedEntryPoint(EXECUTE, 'i128', 'execute_order', 2),
      liquidate_cross_with_prices: entryPoint(
        { keeper: 'address', trader: 'address', attestations: { vec: { struct: 'Attestation' } } }, 'i128',
        (env, args) => {
          const market = requireCallerAuth(env, asAddress(args[0]))
          for (const attestation of asVec(args[2])) {
            relayPrice(env, asSymbol(fieldOf(attestation, 'asset')), Object.keys(ATTESTATION).map((name) => fieldOf(attestation, name)))
          }
          return env.call(market, 'liquidate_cross_account', args.slice(0, 2))
        },
      ),
    },
  }
}

export function initializeEntryPoint(): EntryPoint {
  return entryPoint({ admin: 'address', market: 'address', oracle: 'address' }, 'void', (env, args) => {
    const [admin, market, oracle] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2])]
    if (env.get('instance', MARKET) !== undefined) fail(ALREADY_INITIALIZED)
    env.requireAuth(admin)
    env.set('instance', ADMIN, address(admin))
    env.set('instance', MARKET, address(market))
    env.set('instance', ORACLE, address(oracle))
    return VOID
  })
}

/** A call for one asset: the market's arguments, then the attestation. Forwards the first `forwardedCount` arguments to the market. */
function routedEntryPoint(inputs: Inputs, output: SpecType, marketFunction: string, forwardedCount: number): EntryPoint {
  const names = Object.keys(inputs)
  return entryPoint({ ...inputs, ...ATTESTATION }, output, (env, args) => {
    const market = requireCallerAuth(env, asAddress(args[0]))
    relayPrice(env, asSymbol(args[names.indexOf('asset')]), args.slice(names.length))
    return env.call(market, marketFunction, args.slice(0, forwardedCount))
  })
}

/** Requires the caller's authorization, under which the market's own authorizations nest, and returns the market's address. */
export function requireCallerAuth(env: ContractEnv, caller: string): string {
  const market = readInstanceAddress(env, MARKET, NOT_INITIALIZED)
  env.requireAuth(caller)
  return market
}

/** Fails with 3 unless there are keys and all are on the oracle's list. */
export function requirePublisherKeys(env: ContractEnv, oracle: string, keys: readonly Val[]): void {
  if (keys.length === 0 || !keys.every((key) => asBool(env.call(oracle, 'is_publisher_key', [key])))) fail(UNAUTHORIZED)
}

/** Relays a price to the oracle, which verifies the signatures. */
function relayPrice(env: ContractEnv, asset: string, attestation: readonly Val[]): void {
  const oracle = readInstanceAddress(env, ORACLE, NOT_INITIALIZED)
  requirePublisherKeys(env, oracle, asVec(attestation[3]))
  const price = asI128(attestation[0])
  const band = PRICE_BANDS.get(asset) ?? fail(INVALID_PRICE)
  if (price < band.lowest || price > band.highest) fail(INVALID_PRICE)
  env.call(oracle, 'relay_price', [bytes(priceTag(asset)), ...attestation])
}
