// The router of generation 2: relays publishers' signed prices to the oracle and calls the market in the same transaction
// (generation 2, "Router").

import { requireBothAuth } from '../shared/authorization.ts'
import { emit, emitWithSubject } from '../shared/emit.ts'
import type { ContractCode, ContractEnv, EntryPoint, SpecType, Val } from '../shared/host.ts'
import { address, bytes, i128, struct, symbol, vec, VOID } from '../shared/host.ts'
import { readInstanceAddress } from '../shared/instance-storage.ts'
import { POSITION } from '../shared/market/types.ts'
import { ALL_PRICE_BANDS, type PriceBand } from '../shared/price-bands.ts'
import { priceTag } from '../shared/price-oracle.ts'
import { ADMIN, initializeEntryPoint, MARKET, ORACLE, requireCallerAuth, requirePublisherKeys } from '../shared/router.ts'
import { upgradeEntryPoint } from '../shared/upgrade.ts'
import { asAddress, asI128, asSymbol, asVec, entryPoint, fail, fieldOf, storageKey } from '../shared/values.ts'
import { SHARED_ERRORS } from './errors.ts'
import { checkSecondPrices, SECOND_PRICE_STRUCTS, secondPriceEntryPoints } from './second-prices.ts'

const NOT_INITIALIZED = 1
const INVALID_PARAMETER = 5
const INVALID_PRICE = 31

const bandKey = (asset: string): Val => storageKey('PriceBand', symbol(asset))

type Inputs = Readonly<Record<string, SpecType>>

const OPEN: Inputs = { trader: 'address', collateral: 'i128', leverage: 'u32', direction: 'u32', acceptable_price: 'i128' }
const CLOSE: Inputs = { trader: 'address', position_id: 'u64', acceptable_price: 'i128' }
const CLOSE_PARTIAL: Inputs = { trader: 'address', position_id: 'u64', close_size: 'i128' }
const LIQUIDATE: Inputs = { keeper: 'address', position_id: 'u64' }
const AUTO_DELEVERAGE: Inputs = { caller: 'address', position_id: 'u64' }
const EXECUTE: Inputs = { keeper: 'address', order_id: 'u64' }

/**
 * The router's code. Call `initialize(admin, market, oracle)` first. Every call checks in this order: 1 before initialization; the caller's
 * authorization; 5 unless there are as many prices and signatures as keys, and at least one; 3 for a key that is not on the oracle's list;
 * 31 for a symbol without a band or a price outside it. Then follow the errors of the oracle, for opens and executions those of the check
 * against the second price sources, and those of the market.
 */
export function routerContract(): ContractCode {
  return {
    name: 'router',
    structs: {
      Attestation: [
        ['asset', 'symbol'], ['prices', { vec: 'i128' }], ['pubkeys', { vec: { bytesN: 32 } }], ['round_id', 'u64'],
        ['sigs', { vec: { bytesN: 64 } }],
        ['timestamp', 'u64'],
      ],
      Position: POSITION.spec,
      ...SECOND_PRICE_STRUCTS,
    },
    errors: SHARED_ERRORS,
    entryPoints: {
      initialize: initializeEntryPoint(),
      open_with_price: routedEntryPoint(OPEN, { struct: 'Position' }, 'open_position', {
        hasSecondPrice: true, marketArgs: ([trader = VOID, ...terms], asset) => [trader, asset, ...terms],
      }),
      close_with_price: routedEntryPoint(CLOSE, 'i128', 'close_position'),
      close_partial_with_price: routedEntryPoint(CLOSE_PARTIAL, 'i128', 'close_position_partial'),
      liquidate_with_price: routedEntryPoint(LIQUIDATE, 'i128', 'liquidate'),
      adl_with_price: routedEntryPoint(AUTO_DELEVERAGE, 'i128', 'adl_close'),
      execute_with_price: routedEntryPoint(EXECUTE, 'i128', 'execute_order', { hasSecondPrice: true }),
      liquidate_cross_with_prices: entryPoint({ keeper: 'address', trader: 'address', atts: { vec: ATTESTATION } }, 'i128', (env, args) => {
        const market = requireCallerAuth(env, asAddress(args[0]))
        for (const attestation of asVec(args[2])) relayPrice(env, attestation)
        return env.call(market, 'liquidate_cross_account', args.slice(0, 2))
      }),
      ...secondPriceEntryPoints(requireAdmin),
      ...administrationEntryPoints(),
    },
  }
}

const ATTESTATION: SpecType = { struct: 'Attestation' }

interface RoutedOptions {
  /** The market's arguments; by default the call's own. */
  readonly marketArgs?: (args: readonly Val[], asset: Val) => readonly Val[]
  /** True if the price is checked against the second sources: only where risk may grow. */
  readonly hasSecondPrice?: boolean
}

/** A call for one asset: its own arguments, then the attestation. */
function routedEntryPoint(inputs: Inputs, output: SpecType, marketFunction: string, options: RoutedOptions = {}): EntryPoint {
  const { marketArgs = (args) => args, hasSecondPrice = false } = options
  return entryPoint({ ...inputs, att: ATTESTATION }, output, (env, args) => {
    const market = requireCallerAuth(env, asAddress(args[0]))
    const [attestation, own] = [args.at(-1) ?? VOID, args.slice(0, -1)]
    relayPrice(env, attestation)
    if (hasSecondPrice) checkSecondPrices(env, asSymbol(fieldOf(attestation, 'asset')), medianOf(asVec(fieldOf(attestation, 'prices')).map(asI128)))
    return env.call(market, marketFunction, marketArgs(own, fieldOf(attestation, 'asset')))
  })
}

/** Relays the publishers' prices to the oracle, which verifies the signatures. */
function relayPrice(env: ContractEnv, attestation: Val): void {
  const oracle = readInstanceAddress(env, ORACLE, NOT_INITIALIZED)
  const [keys, prices, signatures] = ['pubkeys', 'prices', 'sigs'].map((name) => asVec(fieldOf(attestation, name))) as [Val[], Val[], Val[]]
  if (keys.length === 0 || prices.length !== keys.length || signatures.length !== keys.length) fail(INVALID_PARAMETER)
  requirePublisherKeys(env, oracle, keys)
  const asset = asSymbol(fieldOf(attestation, 'asset'))
  const { lowest, highest } = readBand(env, asset)
  if (prices.some((price) => asI128(price) < lowest || asI128(price) > highest)) fail(INVALID_PRICE)
  const rounds = keys.map((pubkey, index) => struct({ prices: vec(prices[index] ?? VOID), pubkey, sig: signatures[index] ?? VOID }))
  env.call(oracle, 'update_quorum_ed25519_persistent', [
    vec(bytes(priceTag(asset))), fieldOf(attestation, 'timestamp'), fieldOf(attestation, 'round_id'), vec(...rounds),
  ])
}

/** The middle price; the mean of the two in the middle for an even number. */
function medianOf(prices: readonly bigint[]): bigint {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1))
  const [low = 0n, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  return (low + high) / 2n
}

/** The band of an asset: the admin's, or the compiled one. Fails with 31 for an unknown symbol. */
function readBand(env: ContractEnv, asset: string): PriceBand {
  const compiled = ALL_PRICE_BANDS.get(asset) ?? fail(INVALID_PRICE)
  const stored = env.get('persistent', bandKey(asset))
  if (stored === undefined) return compiled
  const [lowest, highest] = asVec(stored).map(asI128)
  return { lowest: lowest ?? 0n, highest: highest ?? 0n }
}

function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    set_price_band: entryPoint({ asset: 'symbol', lo: 'i128', hi: 'i128' }, 'void', (env, args) => {
      const [asset, lowest, highest] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
      requireAdmin(env)
      if (!ALL_PRICE_BANDS.has(asset)) fail(INVALID_PRICE)
      if (lowest <= 0n || highest < lowest) fail(INVALID_PARAMETER)
      env.set('persistent', bandKey(asset), vec(i128(lowest), i128(highest)))
      emitWithSubject(env, 'price_band_set', symbol(asset), i128(lowest), i128(highest))
      return VOID
    }),
    set_market: rotation({ market: 'address' }, MARKET, 'market_rotated'),
    set_oracle: rotation({ oracle: 'address' }, ORACLE, 'oracle_rotated'),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const [oldAdmin, newAdmin] = [readInstanceAddress(env, ADMIN, NOT_INITIALIZED), asAddress(args[0])]
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', ADMIN, address(newAdmin))
      emit(env, 'admin_rotated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
    upgrade: upgradeEntryPoint(requireAdmin),
  }
}

function rotation(inputs: Inputs, key: Val, topic: string): EntryPoint {
  return entryPoint(inputs, 'void', (env, args) => {
    requireAdmin(env)
    const [before, after] = [readInstanceAddress(env, key, NOT_INITIALIZED), asAddress(args[0])]
    env.set('instance', key, address(after))
    emit(env, topic, address(before), address(after))
    return VOID
  })
}

function requireAdmin(env: ContractEnv): void {
  env.requireAuth(readInstanceAddress(env, ADMIN, NOT_INITIALIZED))
}
