// Schemas of common field types (specification, "Global conventions").

import { Type } from 'typebox'
import type { Static, TSchema, TUnsafe } from 'typebox'

interface FieldOptions {
  readonly description: string
  readonly examples?: readonly unknown[]
}

/** A 7-decimal fixed-point integer as a digit string. */
export function amount(description: string, example = '10000000'): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', pattern: '^-?[0-9]+$', description, examples: [example] })
}

export function amountOrNull(description: string, example = '10000000'): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] })
}

export function textOrNull(options: FieldOptions): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
}

export function booleanOrNull(description: string): TUnsafe<boolean | null> {
  return Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description, examples: [false] })
}

export function integerOrNull(options: FieldOptions): TUnsafe<number | null> {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options })
}

/** Unix seconds. */
export function seconds(description: string): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', description, examples: [1_783_339_200] })
}

/** Describes text that users write to the chain. */
export const CHAIN_TEXT = [
  'A zero byte, bytes that are not UTF-8, a byte order mark at the start, and a backslash before xHH are escaped as \\xHH, the byte in hex.',
  'Anything else is unchanged: escape control and bidirectional characters when you display it.',
].join(' ')

/** A `G…` account or a `C…` contract. */
export function address(description: string, example = EXAMPLE_TRADER): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', description, examples: [example] })
}

export function txHash(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', description, examples: [EXAMPLE_TX_HASH] })
}

/** A reference to a resource schema by its `$id`. */
export function ref<S extends TSchema & { readonly $id?: string }>(schema: S): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id ?? ''}#` })
}

export const EXAMPLE_TRADER = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
export const EXAMPLE_TX_HASH = '3389e9f0f1a65f19736cacf544c2e825313e8447f569233bb8db39aa607c8889'

/** A position in the log. */
export function logSeq(description: string): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', minimum: 0, description, examples: [1_042] })
}

export const logEpoch = Type.String({ description: 'Epoch of that position, as in `hello`.', examples: ['667e41f1'] })

/** Rows of the served deployment do not have it. */
export const olderDeployment = Type.Optional(
  Type.String({ description: 'Name of the deployment that the row belongs to, if it is not the served one.', examples: ['testnet-2026-07-06'] }),
)
