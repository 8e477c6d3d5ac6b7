// The price shim: the exchange reads prices by symbol; the shim reads them from the oracle by tag.

import { findAsset } from '../../assets.ts'
import { SHARED_ERRORS } from '../../../src/exchange/errors/errors.ts'
import type { ContractCode, ContractEnv, Val } from './host.ts'
import { address, bytes, u32, vec, VOID } from './host.ts'
import { priceTag } from './price-oracle.ts'
import { asAddress, asSymbol, entryPoint, fail, fieldOf, storageKey } from './values.ts'

const NOT_INITIALIZED = 1
const ALREADY_INITIALIZED = 2
export const INVALID_PRICE = 31
export const ORACLE_UNAVAILABLE = 32

export const DECIMALS = 7
export const ADMIN = storageKey('Admin')
export const ORACLE = storageKey('Oracle')

/**
 * The shim's code. `lastprice(asset)` returns a tuple of price (i128, 7 decimals) and attestation time (u64, seconds). Fails with 31 for an
 * unknown symbol, with 32 if the oracle has no price, with 1 before `initialize(admin, oracle)`.
 */
export function priceShimContract(): ContractCode {
  return {
    name: 'price shim',
    errors: SHARED_ERRORS,
    entryPoints: {
      initialize: entryPoint({ admin: 'address', oracle: 'address' }, 'void', (env, args) => {
        const [admin, oracle] = [asAddress(args[0]), asAddress(args[1])]
        if (env.get('instance', ADMIN) !== undefined) fail(ALREADY_INITIALIZED)
        env.requireAuth(admin)
        env.set('instance', ADMIN, address(admin))
        env.set('instance', ORACLE, address(oracle))
        return VOID
      }),
      lastprice: entryPoint({ asset: 'symbol' }, { tuple: ['i128', 'u64'] }, (env, args) => {
        const oracle = asAddress(readStored(env, ORACLE))
        const asset = findAsset(asSymbol(args[0])) ?? fail(INVALID_PRICE)
        return readOraclePrice(env, oracle, asset.symbol)
      }),
      decimals: entryPoint({}, 'u32', () => u32(DECIMALS)),
      get_admin: entryPoint({}, 'address', (env) => readStored(env, ADMIN)),
      get_noeracle: entryPoint({}, 'address', (env) => readStored(env, ORACLE)),
      set_noeracle_oracle: entryPoint({ oracle: 'address' }, 'void', (env, args) => setStoredAddress(env, ORACLE, asAddress(args[0]))),
      set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => setStoredAddress(env, ADMIN, asAddress(args[0]))),
    },
  }
}

/** The oracle's price of an asset: a tuple of price and attestation time. Fails with 32 if the oracle has none. */
export function readOraclePrice(env: ContractEnv, oracle: string, asset: string): Val {
  const price = env.call(oracle, 'get_price_pers', [bytes(priceTag(asset))])
  if (price.type === 'void') fail(ORACLE_UNAVAILABLE)
  return vec(fieldOf(price, 'price'), fieldOf(price, 'timestamp'))
}

export function readStored(env: ContractEnv, key: Val): Val {
  return env.get('instance', key) ?? fail(NOT_INITIALIZED)
}

function setStoredAddress(env: ContractEnv, key: Val, value: string): Val {
  env.requireAuth(asAddress(readStored(env, ADMIN)))
  env.set('instance', key, address(value))
  return VOID
}
