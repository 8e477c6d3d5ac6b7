// The generations of the exchange's contracts. One address has several interfaces over its life, so the interface that the code declares decides, never the
// address (docs/decisions/interfaces-from-the-chain.md). Names of declared types say nothing: a compiler may rename them without changing what is called.

import type { ContractKey } from './contracts.ts'
import { acceptsArguments, findFunction, signatureOf } from './contract-spec.ts'
import type { ContractSpec, SpecTypeText } from './contract-spec.ts'

/** In order of age. */
export const GENERATIONS = ['1', '2.0', '2.1', '2.2', '2.3'] as const
export type Generation = (typeof GENERATIONS)[number]

/** True when `generation` is `since` or a later one. */
export function isAtLeast(generation: Generation, since: Generation): boolean {
  return GENERATIONS.indexOf(generation) >= GENERATIONS.indexOf(since)
}

/** Null for a name that this version does not know. */
export function toGeneration(name: string | null): Generation | null {
  return GENERATIONS.find((generation) => generation === name) ?? null
}

const SECOND: readonly Generation[] = ['2.0', '2.1', '2.2', '2.3']

/**
 * The generation of a contract with this interface. Contracts other than the market did not change their interface with every generation: `expected` decides
 * between generations with the same interface, otherwise the oldest of them. Null when the interface is none that the gateway knows, and for tokens, which
 * are asset contracts.
 */
export function recogniseGeneration(key: ContractKey, spec: ContractSpec, expected: Generation | null): Generation | null {
  const candidates = PROBES[key](probeOf(spec))
  if (expected !== null && candidates.includes(expected)) return expected
  return candidates[0] ?? null
}

interface Probe {
  has(functionName: string): boolean
  /** The number of arguments; -1 when there is no such function. */
  arity(functionName: string): number
  /** The type of an argument; undefined when there is none. */
  argument(functionName: string, index: number): SpecTypeText | undefined
}

function probeOf(spec: ContractSpec): Probe {
  return {
    has: (name) => findFunction(spec, name) !== undefined,
    arity: (name) => findFunction(spec, name)?.inputs.length ?? -1,
    argument: (name, index) => findFunction(spec, name)?.inputs[index]?.type,
  }
}

const NONE: readonly Generation[] = []

/** The generations that have such an interface, oldest first. */
const PROBES: Readonly<Record<ContractKey, (probe: Probe) => readonly Generation[]>> = {
  market({ has, arity }) {
    if (!has('get_pause_state')) return arity('open_position') === 5 ? ['1'] : NONE
    if (arity('open_position') !== 6) return NONE
    if (has('get_trader_position_ids')) return ['2.3']
    if (has('reseed_funding')) return ['2.2']
    return has('set_admin') ? ['2.1'] : ['2.0']
  },
  vault({ has, arity }) {
    if (arity('reserve_for_position') === 3) return ['1']
    if (arity('reserve_for_position') !== 5) return NONE
    if (has('receive_loss_for')) return ['2.3']
    return arity('deposit') === 3 ? ['2.1', '2.2'] : ['2.0']
  },
  oracleShim({ has }) {
    if (!has('lastprice')) return NONE
    return has('twap') ? SECOND : ['1']
  },
  router({ arity, argument }) {
    if (arity('open_with_price') < 0) return NONE
    return argument('open_with_price', 1) === 'symbol' ? ['1'] : SECOND
  },
  vaultFactory({ has, arity }) {
    if (!has('create_vault')) return NONE
    if (!has('get_full_nav')) return ['1']
    return arity('deposit') === 4 ? ['2.1', '2.2', '2.3'] : ['2.0']
  },
  referral({ arity }) {
    if (arity('record_trade') === 2) return ['1']
    return arity('record_trade') === 3 ? SECOND : NONE
  },
  usdcToken: () => NONE,
  lpToken: () => NONE,
}

type Signatures = Readonly<Record<string, readonly SpecTypeText[]>>

const OPEN = ['address', 'symbol', 'i128', 'u32', 'u32'] as const
const CLOSE = ['address', 'u64'] as const

/** The functions that the gateway calls, with the types of their arguments: operations, actions and views. */
const MARKET_1: Signatures = {
  open_position: OPEN,
  open_position_cross: OPEN,
  close_position: CLOSE,
  close_position_cross: CLOSE,
  place_limit_order: ['address', 'symbol', 'u32', 'i128', 'u32', 'i128', 'bool', 'u32', 'u32'],
  place_stop_limit_order: ['address', 'symbol', 'u32', 'i128', 'u32', 'i128', 'i128', 'bool', 'u32', 'u32'],
  set_stop_loss: ['address', 'u64', 'i128', 'u32'],
  set_take_profit: ['address', 'u64', 'i128', 'u32', 'i128'],
  place_trailing_stop: ['address', 'u64', 'u32', 'u32'],
  cancel_order: CLOSE,
  deposit_cross_margin: ['address', 'i128'],
  withdraw_cross_margin: ['address', 'i128'],
}

const MARKET_2: Signatures = {
  ...MARKET_1,
  open_position: [...OPEN, 'i128'],
  open_position_cross: [...OPEN, 'i128'],
  close_position: [...CLOSE, 'i128'],
  close_position_cross: [...CLOSE, 'i128'],
  close_position_partial: [...CLOSE, 'i128'],
  add_collateral: [...CLOSE, 'i128'],
  remove_collateral: [...CLOSE, 'i128'],
}

const VAULT_1: Signatures = { deposit: ['address', 'i128'], withdraw: ['address', 'i128'] }
const VAULT_2: Signatures = { ...VAULT_1, claim_shortfall: ['address'] }
const VAULT_MIN_OUT: Signatures = { ...VAULT_2, deposit: ['address', 'i128', 'i128'], withdraw: ['address', 'i128', 'i128'] }

const FACTORY_1: Signatures = {
  create_vault: ['address', 'string'],
  deposit: ['address', 'u32', 'i128'],
  withdraw: ['address', 'u32', 'i128'],
  leader_open_position: ['address', 'u32', 'symbol', 'i128', 'u32', 'u32'],
  leader_close_position: ['address', 'u32', 'u64'],
  leader_place_limit_order: ['address', 'u32', 'symbol', 'i128', 'u32', 'u32', 'i128', 'bool', 'u32'],
  leader_cancel_order: ['address', 'u32', 'u64'],
  claim_leader_fees: ['u32'],
  set_paused: ['u32', 'bool'],
  view_vault: ['u32'],
  vault_count: [],
}
const FACTORY_2: Signatures = {
  ...FACTORY_1,
  leader_place_limit_order: ['address', 'u32', 'symbol', 'i128', 'u32', 'u32', 'i128', 'bool', 'u32', 'u32'],
  leader_place_stop_limit: ['address', 'u32', 'symbol', 'i128', 'u32', 'u32', 'i128', 'i128', 'bool', 'u32'],
  leader_set_stop_loss: ['address', 'u32', 'u64', 'i128', 'u32'],
  leader_set_take_profit: ['address', 'u32', 'u64', 'i128', 'u32', 'i128'],
  leader_place_trailing_stop: ['address', 'u32', 'u64', 'u32', 'u32'],
}
const FACTORY_MIN_OUT: Signatures = { ...FACTORY_2, deposit: ['address', 'u32', 'i128', 'i128'], withdraw: ['address', 'u32', 'i128', 'i128'] }

const SHIM: Signatures = { lastprice: ['symbol'] }
const REFERRAL: Signatures = { create_code: ['address', 'string'], set_referrer: ['address', 'string'], claim: ['address'] }

/** The calls of the gateway to a contract in a generation. The router and the tokens' own functions are not checked: tokens are built into the network. */
export function requiredSignatures(key: ContractKey, generation: Generation): Signatures {
  const first = generation === '1'
  switch (key) {
    case 'market':
      return first ? MARKET_1 : MARKET_2
    case 'vault':
      return first ? VAULT_1 : generation === '2.0' ? VAULT_2 : VAULT_MIN_OUT
    case 'vaultFactory':
      return first ? FACTORY_1 : generation === '2.0' ? FACTORY_2 : FACTORY_MIN_OUT
    case 'oracleShim':
      return SHIM
    case 'referral':
      return REFERRAL
    default:
      return {}
  }
}

/** More lines than this help nobody, and neither do longer ones: a name may have a thousand characters. */
const NOT_UNDERSTOOD_MAX = 50
const LINE_MAX_LENGTH = 500

/**
 * Lists what the gateway does not understand of an interface, one line each: no known generation, functions that are missing or take other arguments, and error
 * codes without an entry in the gateway's tables. Without a recognised generation the functions of `expected` count.
 */
export function listNotUnderstood(key: ContractKey, spec: ContractSpec, { generation, expected, knowsError }: {
  readonly generation: Generation | null
  readonly expected: Generation | null
  knowsError(code: number): boolean
}): readonly string[] {
  const lines = generation === null ? ['the interface is of no known generation'] : []
  const required = generation ?? expected
  for (const [name, types] of required === null ? [] : Object.entries(requiredSignatures(key, required))) {
    const declared = findFunction(spec, name)
    if (declared === undefined) lines.push(`function ${name} is missing`)
    else if (!acceptsArguments(spec, declared, types)) lines.push(`${signatureOf(declared)}: expected (${types.join(', ')})`)
  }
  for (const { name, value } of spec.errors) {
    if (!knowsError(value)) lines.push(`error ${value} ${name} is unknown`)
  }
  const shown = lines.slice(0, NOT_UNDERSTOOD_MAX).map((line) => (line.length > LINE_MAX_LENGTH ? `${line.slice(0, LINE_MAX_LENGTH)}…` : line))
  return lines.length <= NOT_UNDERSTOOD_MAX ? shown : [...shown, `and ${lines.length - NOT_UNDERSTOOD_MAX} more`]
}
