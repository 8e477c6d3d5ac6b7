// Validates the params of a control method. Unknown, missing and invalid fields are reported by name.

import { StrKey } from '@stellar/stellar-sdk'
import { I128_MAX } from '../../src/base/fixed-point.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import { invalidParams } from '../rpc/rpc-error.ts'

/** One field: a description of valid values, and a reader that returns undefined for invalid ones. */
export interface Field<T> {
  readonly expected: string
  readonly isOptional: boolean
  readonly read: (value: unknown) => T | undefined
}

type FieldTable = Readonly<Record<string, Field<unknown>>>

type ValuesOf<F extends FieldTable> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** The values of all fields. Throws RpcError -32602 that names every invalid field. */
export function readParams<const F extends FieldTable>(params: Readonly<Record<string, unknown>>, fields: F): ValuesOf<F> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(params)) {
    if (!Object.hasOwn(fields, name)) problems.push(`unknown parameter ${name}`)
  }
  for (const [name, { isOptional, expected, read }] of Object.entries(fields)) {
    const raw = params[name]
    if (raw === undefined || raw === null) {
      if (!isOptional) problems.push(`missing parameter ${name}: ${expected}`)
      values[name] = null
      continue
    }
    const value = read(raw)
    if (value === undefined) problems.push(`${name} must be ${expected}`)
    values[name] = value
  }
  if (problems.length > 0) throw invalidParams(problems.join('; '))
  return values as ValuesOf<F>
}

/** The same field, null when it is absent. */
export function optional<T>(required: Field<T>): Field<T | null> {
  return { ...required, isOptional: true }
}

function field<T>(takes: string, read: (value: unknown) => T | undefined): Field<T> {
  return { expected: takes, isOptional: false, read }
}

export const BOOLEAN = field('true or false', (value) => (typeof value === 'boolean' ? value : undefined))

export const TEXT = field('a non-empty string', (value) => (typeof value === 'string' && value !== '' ? value : undefined))

export const LIST = field('a list', (value) => (Array.isArray(value) ? (value as readonly unknown[]) : undefined))

/** An amount or a price: 7-decimal fixed point. */
export const AMOUNT = field('a string of digits, 7-decimal fixed point', (value) => {
  if (typeof value !== 'string' || !/^\d{1,39}$/.test(value)) return undefined
  const amount = BigInt(value)
  return amount > I128_MAX ? undefined : amount
})

export const ASSET = field(`one of ${PRICED_SYMBOLS.join(', ')}`, (value) =>
  typeof value === 'string' && PRICED_SYMBOLS.includes(value) ? value : undefined,
)

export const ACCOUNT_OR_CONTRACT = field('a G… or C… address', (value) =>
  typeof value === 'string' && (StrKey.isValidEd25519PublicKey(value) || StrKey.isValidContract(value)) ? value : undefined,
)

/** One of these strings. */
export function oneOf<const T extends string>(values: readonly T[]): Field<T> {
  return field(`one of ${values.join(', ')}`, (value) => values.find((each) => each === value))
}

/** An integer within bounds. */
export function integerBetween(min: number, max: number): Field<number> {
  return field(`an integer from ${min} to ${max}`, (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined,
  )
}
