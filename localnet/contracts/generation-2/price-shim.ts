// The price shim of generation 2: last prices and averages, from the exchange's own oracle or from a standard SEP-40 feed.

import { requireBothAuth } from '../shared/authorization.ts'
import { emit } from '../shared/emit.ts'
import type { ContractCode, ContractEnv, EntryPoint, Val } from '../shared/host.ts'
import { address, bytes, i128, symbol, u32, vec, VOID } from '../shared/host.ts'
import { ALL_PRICE_BANDS } from '../shared/price-bands.ts'
import { priceTag } from '../shared/price-oracle.ts'
import {
  ADMIN, DECIMALS, INVALID_PRICE, ORACLE, ORACLE_UNAVAILABLE, priceShimContract as basicPriceShimContract, readOraclePrice, readStored,
} from '../shared/price-shim.ts'
import { tryCall } from '../shared/try-call.ts'
import { upgradeEntryPoint } from '../shared/upgrade.ts'
import { asAddress, asI128, asSymbol, asU32, asU64, asVec, entryPoint, fail, fieldOf, mulDiv, storageKey } from '../shared/values.ts'
import { SHARED_ERRORS } from './errors.ts'

const INVALID_PARAMETER = 5

/** Backend modes: the exchange's own oracle, or a SEP-40 feed with any number of decimals. */
const NOERACLE = 0
const SEP_40 = 1

const MAX_DECIMALS = 18
const MIN_TWAP_RECORDS = 2

const BACKEND = storageKey('Backend')

interface Backend {
  readonly mode: number
  readonly oracle: string
  readonly decimals: number
}

/**
 * The shim's code. `lastprice(asset)` fails as in generation 1. `twap(asset, records)` returns a tuple of the mean of the latest prices and
 * the newest time, or void: without two prices, for an unknown symbol, or if the oracle cannot be read.
 */
export function priceShimContract(): ContractCode {
  const { initialize, decimals, get_admin, get_noeracle } = basicPriceShimContract().entryPoints as Record<string, EntryPoint>
  const kept = { initialize, decimals, get_admin, get_noeracle } as Record<string, EntryPoint>
  return { name: 'price shim', errors: SHARED_ERRORS, entryPoints: { ...kept, ...priceEntryPoints(), ...administrationEntryPoints() } }
}

function priceEntryPoints(): Record<string, EntryPoint> {
  return {
    lastprice: entryPoint({ asset: 'symbol' }, { tuple: ['i128', 'u64'] }, (env, args) => {
      const backend = readBackend(env)
      const asset = asSymbol(args[0])
      if (!ALL_PRICE_BANDS.has(asset)) fail(INVALID_PRICE)
      return backend.mode === NOERACLE ? readOraclePrice(env, backend.oracle, asset) : readFeedPrice(env, backend, asset)
    }),
    twap: entryPoint({ asset: 'symbol', records: 'u32' }, { option: { tuple: ['i128', 'u64'] } }, (env, args) => {
      const backend = readBackend(env)
      const [asset, records] = [asSymbol(args[0]), asU32(args[1])]
      const prices = ALL_PRICE_BANDS.has(asset) ? readRecords(env, backend, asset, records) : []
      if (prices.length < MIN_TWAP_RECORDS) return VOID
      const sum = prices.reduce((total, price) => total + asI128(fieldOf(price, 'price')), 0n)
      const times = prices.map((price) => asU64(fieldOf(price, 'timestamp')))
      const newest = times.reduce((latest, time) => (time > latest ? time : latest), 0n)
      return tupleOf(rescale(sum / BigInt(prices.length), backend), newest)
    }),
    get_backend: entryPoint({}, { tuple: ['u32', 'address', 'u32'] }, (env) => {
      const { mode, oracle, decimals } = readBackend(env)
      return vec(u32(mode), address(oracle), u32(decimals))
    }),
  }
}

function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    set_backend: entryPoint({ mode: 'u32', oracle: 'address', decimals: 'u32' }, 'void', (env, args) => {
      const backend: Backend = { mode: asU32(args[0]), oracle: asAddress(args[1]), decimals: asU32(args[2]) }
      requireAdmin(env)
      if (backend.mode > SEP_40 || backend.decimals > MAX_DECIMALS) fail(INVALID_PARAMETER)
      if (backend.mode === NOERACLE && backend.decimals !== DECIMALS) fail(INVALID_PARAMETER)
      writeBackend(env, backend)
      emit(env, 'backend_set', ...args)
      return VOID
    }),
    set_noeracle_oracle: entryPoint({ oracle: 'address' }, 'void', (env, args) => {
      requireAdmin(env)
      const [backend, oracle] = [readBackend(env), asAddress(args[0])]
      writeBackend(env, { ...backend, oracle })
      emit(env, 'oracle_rotated', address(backend.oracle), address(oracle))
      return VOID
    }),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const [oldAdmin, newAdmin] = [asAddress(readStored(env, ADMIN)), asAddress(args[0])]
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', ADMIN, address(newAdmin))
      emit(env, 'admin_rotated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
    upgrade: upgradeEntryPoint(requireAdmin),
  }
}

function requireAdmin(env: ContractEnv): void {
  env.requireAuth(asAddress(readStored(env, ADMIN)))
}

/** The backend; the oracle of `initialize` while the admin has not set one. */
function readBackend(env: ContractEnv): Backend {
  const oracle = asAddress(readStored(env, ORACLE))
  const [mode, decimals] = asVec(env.get('instance', BACKEND) ?? vec(u32(NOERACLE), u32(DECIMALS)))
  return { mode: asU32(mode), oracle, decimals: asU32(decimals) }
}

function writeBackend(env: ContractEnv, { mode, oracle, decimals }: Backend): void {
  env.set('instance', ORACLE, address(oracle))
  env.set('instance', BACKEND, vec(u32(mode), u32(decimals)))
}

/** An asset in the encoding of SEP-40. */
const feedAsset = (asset: string): Val => vec(symbol('Other'), symbol(asset))

function readFeedPrice(env: ContractEnv, backend: Backend, asset: string): Val {
  const price = env.call(backend.oracle, 'lastprice', [feedAsset(asset)])
  if (price.type === 'void') fail(ORACLE_UNAVAILABLE)
  return tupleOf(rescale(asI128(fieldOf(price, 'price')), backend), asU64(fieldOf(price, 'timestamp')))
}

/** The latest prices; none if the backend cannot be read. */
function readRecords(env: ContractEnv, backend: Backend, asset: string, records: number): readonly Val[] {
  const [functionName, key] = backend.mode === NOERACLE ? ['get_prices_pers', bytes(priceTag(asset))] as const : ['prices', feedAsset(asset)] as const
  const prices = tryCall(env, backend.oracle, functionName, [key, u32(records)])
  return prices === undefined || prices.type === 'void' ? [] : asVec(prices)
}

const rescale = (price: bigint, { decimals }: Backend): bigint => mulDiv(price, 10n ** BigInt(DECIMALS), 10n ** BigInt(decimals))

const tupleOf = (price: bigint, timestampSec: bigint): Val => vec(i128(price), { type: 'u64', value: timestampSec })
