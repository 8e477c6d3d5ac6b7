// Recorded calls of the exchange's published contracts: the format of the files, and the encoding of their values.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Val } from '../../contracts/shared/host.ts'
import { address, bool, i128, struct, symbol, text, u32, u64, vec } from '../../contracts/shared/host.ts'

/** A recorded value: u64 and i128 as decimal strings, addresses as `@name`, strings as `str:...`. */
export type RecordedValue = null | boolean | number | string | readonly RecordedValue[] | { readonly [field: string]: RecordedValue }

/** An argument with its type: `a:name` address, `i:`, `u:`, `w:` (u32), `b:`, `s:` symbol, `t:` string. */
export type RecordedArgument = string | readonly RecordedArgument[] | { readonly [field: string]: RecordedArgument }

/** Price, age in seconds (negative: in the future), average (null: none, `fail`: the call fails), age of the average. null: no price. */
export type RecordedPrice = readonly [price: string, ageSec: number, average: string | null, averageAgeSec?: number] | null

export type RecordedResult = { readonly ok: RecordedValue } | { readonly err: number | 'auth' | 'trap' }

export type RecordedEvent = readonly [contract: string, topics: readonly RecordedValue[], data: RecordedValue]

/** The answer of the mock of the referral contract: shares of the fee in bps, amounts, or a failure. */
export type ReferralAnswer = readonly [kind: 'bps' | 'abs' | 'fail', discount: number, payout: number]

/** One step: time and prices change, then a contract is called. */
export interface RecordedStep {
  /** Seconds by which the ledger's time advances. */
  readonly t?: number
  readonly p?: Readonly<Record<string, RecordedPrice>>
  readonly ref?: ReferralAnswer
  /** `none`: nobody signs. Otherwise every account does. */
  readonly s?: 'none'
  readonly c?: string
  readonly f?: string
  readonly a?: readonly RecordedArgument[]
  readonly r?: RecordedResult
  readonly ev?: readonly RecordedEvent[]
  /** Changes of storage: `contract/I|P|T/Key(arguments)` to the new value, `-` if the entry was removed. */
  readonly d?: Readonly<Record<string, RecordedValue>>
  /** Changes of balances: `usdc:holder` or `lp:holder` to the new amount, `-` for zero. */
  readonly b?: Readonly<Record<string, string>>
}

export interface Scenario {
  readonly name: string
  readonly steps: readonly RecordedStep[]
}

export interface RecordedFile {
  readonly name: string
  readonly scenarios: readonly Scenario[]
}

/** The folder with the recorded calls. Set `CONTRACT_VECTORS` to use another one. */
const VECTORS_FOLDER = process.env['CONTRACT_VECTORS'] ?? fileURLToPath(new URL('../../../../shared/fixtures/contracts', import.meta.url))

/** The skip reason for node:test if there are no recorded calls, else false. A folder that the variable names must exist. */
export const vectorsMissing: string | false = process.env['CONTRACT_VECTORS'] !== undefined || existsSync(VECTORS_FOLDER)
  ? false
  : `No recorded calls in ${VECTORS_FOLDER}. Set CONTRACT_VECTORS to their folder.`

/** The calls of the published trader vaults, which fail their authorization where the local ones work on purpose (COVERAGE.md). Not compared. */
export const NOT_COMPARED: readonly string[] = ['trader-vaults-published.json']

/** Reads every file of recorded calls except those that are not compared. Fails if there is none. */
export function readVectors(folder: string = VECTORS_FOLDER): readonly RecordedFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && !NOT_COMPARED.includes(name)).sort()
  if (names.length === 0) throw new Error(`${folder} has no recorded calls (*.json)`)
  return names.map((name) => ({ name, scenarios: JSON.parse(readFileSync(join(folder, name), 'utf8')) as Scenario[] }))
}

const ARGUMENT_TYPES: Readonly<Record<string, (value: string) => Val>> = {
  a: address, s: symbol, t: text,
  i: (value) => i128(BigInt(value)),
  u: (value) => u64(BigInt(value)),
  w: (value) => u32(Number(value)),
  b: (value) => bool(value === '1'),
}

export function decodeArgument(argument: RecordedArgument): Val {
  if (typeof argument === 'string') {
    const type = ARGUMENT_TYPES[argument.slice(0, argument.indexOf(':'))]
    if (type === undefined) throw new Error(`${argument} has no known type`)
    return type(argument.slice(argument.indexOf(':') + 1))
  }
  if (isList(argument)) return vec(...argument.map(decodeArgument))
  return struct(Object.fromEntries(Object.entries(argument).map(([name, value]) => [name, decodeArgument(value)])))
}

const isList = (argument: RecordedArgument): argument is readonly RecordedArgument[] => Array.isArray(argument)

/** A value of the local contracts as it would be recorded. */
export function encodeValue(val: Val): RecordedValue {
  switch (val.type) {
    case 'void': return null
    case 'u64': case 'i128': return String(val.value)
    case 'address': return `@${val.value}`
    case 'string': return `str:${val.value}`
    case 'bytes': return `bytes:${Buffer.from(val.value).toString('hex')}`
    case 'vec': return val.value.map(encodeValue)
    case 'map': return Object.fromEntries(val.value.map(([key, value]) => [nameOf(key), encodeValue(value)]))
    default: return val.value
  }
}

/** A storage key as it would be recorded: `Name` or `Name(argument,argument)`. */
export function encodeKey(key: Val): string {
  const [name, ...args] = key.type === 'vec' ? key.value.map(nameOf) : [nameOf(key)]
  return args.length === 0 ? name ?? '' : `${name ?? ''}(${args.join(',')})`
}

/** The value of a key of a struct or the part of a storage key. */
function nameOf(val: Val): string {
  const value = encodeValue(val)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
