// Query parameters that several lists share (specification, "Pagination and size limits").

import { Type } from 'typebox'
import type { TOptional, TSchema, TUnsafe } from 'typebox'
import { ADDRESS_LENGTH, ASSET_FILTER_MAX_LENGTH } from '../limits.ts'

/** Long enough for every cursor that is handed out. */
const CURSOR_MAX_LENGTH = 512

/** Longer than any topic or contract id. */
export const FILTER_MAX_LENGTH = 128

/** Page size, with the endpoint family's default and maximum. */
export function limit(bounds: { readonly default: number; readonly max: number }): TOptional<TUnsafe<number>> {
  return Type.Optional(
    Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default, description: 'Rows per page' }),
  )
}

/** Pages by time; rows that share a second across a page border are lost this way, which `cursor` avoids. */
export const beforeTs = Type.Optional(
  Type.Unsafe<number>({ type: 'integer', minimum: 0, description: 'Only rows strictly older than this, unix seconds' }),
)

export const topic = Type.Optional(Type.String({ maxLength: FILTER_MAX_LENGTH, description: 'Only events of this topic' }))

export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: CURSOR_MAX_LENGTH,
    description: 'Continues exactly behind the last row of the page before; taken from that answer\'s Link header, and opaque',
  }),
)

export const trader = Type.Optional(
  Type.String({ minLength: ADDRESS_LENGTH, maxLength: ADDRESS_LENGTH, description: 'Only rows of this account (G…) or contract (C…)' }),
)

/** The text itself; upper-cased where it is used. */
export const assetFilter = Type.String({ minLength: 1, maxLength: ASSET_FILTER_MAX_LENGTH, description: 'Asset symbol, in any case' })

/** An object whose one key holds a list. */
export type ListKey =
  | 'markets' | 'prices' | 'stats' | 'trades' | 'events' | 'positions' | 'keys' | 'vaults' | 'deposits' | 'withdraws' | 'feeClaims' | 'claims'
  | 'samples'

/** `{<key>: [row, …]}`. */
export function listOf(key: ListKey, row: TSchema): TSchema {
  return Type.Object({ [key]: Type.Array(row) })
}
