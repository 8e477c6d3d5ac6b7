// What makes a key less than its owner: scopes, an end, networks and caps (additions to the specification, "Keys that can be lent").

import { Type } from 'typebox'
import type { Static } from 'typebox'
import { KEY_ASSETS_MAX, KEY_CIDRS_MAX, KEY_SCOPES, LEVERAGE } from '../limits.ts'

export type KeyScope = (typeof KEY_SCOPES)[number]

/** The caps of a key. Null: no such cap. */
export interface KeyCaps {
  readonly assets: readonly string[] | null
  readonly maxLeverage: number | null
  /** 7-decimal USDC. */
  readonly maxNotionalPerDay: string | null
  readonly maxOrdersPerDay: number | null
}

export type CapName = keyof KeyCaps

/** Null: the key is as much as its owner. */
export interface KeyRestrictions {
  /** Null: all but `lend`. */
  readonly scopes: readonly KeyScope[] | null
  /** Milliseconds. */
  readonly expiresAt: number | null
  readonly cidrs: readonly string[] | null
  readonly caps: KeyCaps | null
}

function nullable<Value>(schema: { readonly type: string } & Readonly<Record<string, unknown>>) {
  return Type.Unsafe<Value | null>({ ...schema, type: [schema.type, 'null'] })
}

const SCOPES = {
  read: "read: the account's own data, by REST and stream.",
  trade: 'trade: prepare of every trade.',
  close: 'close: prepare of what only reduces.',
  vaults: "vaults: deposits and withdrawals of pool and vaults, leaders' operations, and transfers of USDC.",
  referral: 'referral: codes and claims.',
  keys: 'keys: listing, revoking and rotating keys of the owner.',
  lend: 'lend: creating keys from this one.',
} as const satisfies Readonly<Record<KeyScope, string>>

const MEMBERS = {
  scopes: {
    type: 'array', items: { type: 'string', enum: [...KEY_SCOPES] }, minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true,
    description: `What the key may do. ${Object.values(SCOPES).join(' ')}`, examples: [['read', 'trade']],
  },
  expiresAt: {
    type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Time from which on the key is rejected with key_expired, Unix milliseconds.',
    examples: [1_785_931_200_000],
  },
  cidrs: {
    type: 'array', items: { type: 'string', format: 'network', maxLength: 64 }, minItems: 1, maxItems: KEY_CIDRS_MAX,
    description: 'Networks that the key may be used from, IPv4 and IPv6.', examples: [['203.0.113.0/24', '2001:db8::/32']],
  },
} as const

const CAPS = {
  assets: {
    type: 'array', items: { type: 'string', pattern: '^[A-Z0-9]{1,12}$' }, minItems: 1, maxItems: KEY_ASSETS_MAX, uniqueItems: true,
    description: 'Assets in which the key may open positions and place entry orders.', examples: [['BTC', 'ETH']],
  },
  maxLeverage: { type: 'integer', minimum: LEVERAGE.min, maximum: LEVERAGE.max, description: 'Highest leverage of an open or entry order.', examples: [3] },
  maxNotionalPerDay: {
    type: 'string', pattern: '^[0-9]+$', maxLength: 39, format: 'i128',
    description: 'Notional of all opens and entry orders of a UTC day, collateral times leverage, 7-decimal USDC.', examples: ['100000000000'],
  },
  maxOrdersPerDay: {
    type: 'integer', minimum: 0, maximum: 2 ** 31 - 1, description: 'Number of opens and entry orders of a UTC day.', examples: [50],
  },
} as const satisfies Readonly<Record<CapName, object>>

/** Members of a request, all optional. Null is the same as absent. */
export const RESTRICTION_FIELDS = {
  scopes: Type.Optional(nullable<KeyScope[]>(MEMBERS.scopes)),
  expiresAt: Type.Optional(nullable<number>(MEMBERS.expiresAt)),
  cidrs: Type.Optional(nullable<string[]>(MEMBERS.cidrs)),
  caps: Type.Optional(nullable<Partial<KeyCaps>>({
    type: 'object', description: 'Bounds of opens and entry orders. What a key lent by this one uses counts for this one too.', additionalProperties: false,
    properties: Object.fromEntries(Object.entries(CAPS).map(([name, schema]) => [name, nullable(schema)])),
  })),
}

/** The members as they are returned: none is absent. */
export const RESTRICTION_MEMBERS = {
  scopes: Type.Unsafe<readonly KeyScope[]>({
    type: 'array', items: MEMBERS.scopes.items, description: MEMBERS.scopes.description, examples: MEMBERS.scopes.examples,
  }),
  expiresAt: nullable<number>({ type: 'integer', description: `${MEMBERS.expiresAt.description} Null: it does not expire.`, examples: [null] }),
  cidrs: nullable<readonly string[]>({
    type: 'array', items: { type: 'string' }, description: `${MEMBERS.cidrs.description} Null: any.`, examples: [MEMBERS.cidrs.examples[0]],
  }),
  caps: nullable<KeyCaps>({
    type: 'object', description: 'Bounds of opens and entry orders; null members do not bound. Null: no caps.',
    properties: Object.fromEntries(Object.entries(CAPS).map(([name, { type, description, examples, ...rest }]) =>
      [name, { type: [type, 'null'], description, examples, ...('items' in rest ? { items: { type: 'string' } } : {}) }])),
    required: Object.keys(CAPS),
  }),
}

const RestrictionsRequest = Type.Object(RESTRICTION_FIELDS, { additionalProperties: false })
/** Restrictions as a request has them. */
export type RestrictionsRequest = Static<typeof RestrictionsRequest>

/** The member `restrictions` of a request for a challenge. */
export const restrictionsField = Type.Optional(Type.Unsafe<RestrictionsRequest | null>({
  ...RestrictionsRequest, type: ['object', 'null'],
  description: 'What the key is limited to. The challenge is valid for a key with exactly these. Absent or null: a key as much as its owner, without lend.',
}))
