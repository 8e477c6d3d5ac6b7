// Query parameters shared by several lists (specification, "Pagination and size limits").

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { TOptional, TSchema, TString, TUnsafe } from 'typebox'
import { ADDRESS_LENGTH, ASSET_FILTER_MAX_LENGTH } from '../limits.ts'
import { EXAMPLE_TRADER } from '../resources/fields.ts'

/** Longer than any cursor that the gateway issues. */
const CURSOR_MAX_LENGTH = 512

/** Longer than any topic or contract id. */
export const FILTER_MAX_LENGTH = 128

export function limitParameter(bounds: { readonly default: number; readonly max: number }): TOptional<TUnsafe<number>> {
  return Type.Optional(
    Type.Unsafe<number>({ type: 'integer', minimum: 1, maximum: bounds.max, default: bounds.default, description: 'Maximum number of rows per page.' }),
  )
}

/** Paging by time skips rows if a page ends within a second. `cursor` does not. */
export const beforeTsParameter = Type.Optional(
  Type.Unsafe<number>({ type: 'integer', minimum: 0, description: 'Return only rows older than this time, Unix seconds.' }),
)

/** The largest ledger number. */
const LEDGER_MAX = 4_294_967_295

export const atLedgerParameter = Type.Optional(
  Type.Unsafe<number>({
    type: 'integer', minimum: 0, maximum: LEDGER_MAX,
    description: 'Return the answer as it stood when this ledger had been indexed. Must be a ledger of the current epoch.',
  }),
)

/** For canonical URLs, after another parameter. */
export function atParameter(atLedger: number | undefined): string {
  return atLedger === undefined ? '' : `&at_ledger=${atLedger}`
}

export const topicParameter = Type.Optional(Type.String({ maxLength: FILTER_MAX_LENGTH, description: 'Return only events of this topic.' }))

export const cursorParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: CURSOR_MAX_LENGTH,
    description: 'The nextCursor of the previous page, opaque. Continues exactly after its last row.',
  }),
)

/** An account or a contract. src/http/muxed-addresses.ts rejects muxed addresses. */
export function addressParameter(description: string): TString {
  return Type.String({
    minLength: ADDRESS_LENGTH, maxLength: ADDRESS_LENGTH, description: `${description} Not a muxed address (M…, W…).`, examples: [EXAMPLE_TRADER],
  })
}

export const traderParameter = Type.Optional(addressParameter('Return only rows of this account (G…) or contract (C…).'))

/** Removes the spaces around `trader`, and the parameter when nothing is left, as clients of the deployed service expect. Runs before validation. */
export function trimTrader(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const query = request.query as Record<string, unknown>
  if (typeof query['trader'] === 'string') {
    const trader = query['trader'].trim()
    if (trader === '') delete query['trader']
    else query['trader'] = trader
  }
  done()
}

export const assetParameter = Type.String({
  minLength: 1, maxLength: ASSET_FILTER_MAX_LENGTH, description: 'Asset symbol, case-insensitive.', examples: ['BTC'],
})

export type ListKey =
  | 'markets' | 'prices' | 'stats' | 'trades' | 'events' | 'positions' | 'keys' | 'vaults' | 'deposits' | 'withdraws' | 'feeClaims' | 'claims'
  | 'samples' | 'corrections' | 'orders' | 'fills' | 'transactions' | 'exports' | 'instruments'

/** `{<key>: [row, …]}`. */
export function listOf(key: ListKey, row: TSchema): TSchema {
  return Type.Object({ [key]: Type.Array(row, { description: 'Rows of this page.' }) })
}
