// GET /v1/referral/lookup, /v1/referral/info, and for the caller: /v1/referral/me, /me/trades, /me/claims.

import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { App } from '../http/app.ts'
import { CACHE_PRIVATE, CACHE_REVALIDATE, indexHeaders, prepareResponse, sendResponse } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { HttpFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { PAGE_LIMITS, REFERRAL_CODE_LENGTH } from '../limits.ts'
import { findReferrer, listReferralClaims, listReferralTrades, readReferral } from '../projections/traders/referral.ts'
import { CHAIN_TEXT, ref } from '../resources/fields.ts'
import { ReferralBinding, ReferralClaim, ReferralTrade, Referrer } from '../resources/referral.ts'
import type { Queryable } from '../store/store.ts'
import { EXAMPLE_BINDING, EXAMPLE_REFERRAL_CLAIM, EXAMPLE_REFERRAL_TRADE, EXAMPLE_REFERRER } from './examples.ts'
import { privatePageResponse, serialiseBody } from './page-response.ts'
import { addressParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'

const NOT_YET = 'The exchange does not pay referral rewards yet: amounts are 0, and the lists of trades and claims are empty.'

const lookup = operation(
  {
    id: 'lookupReferralCode',
    tag: 'referral',
    summary: 'Look up a referral code',
    description: `Returns the owner of a referral code. Codes are case-sensitive. ${CHAIN_TEXT} ${NOT_YET}`,
    ok: ref(Referrer),
    example: EXAMPLE_REFERRER,
    headers: ['index'],
    errors: [400, '404 unknown_code', 503],
  },
  {
    querystring: Type.Object({
      code: Type.String({
        minLength: REFERRAL_CODE_LENGTH.min, maxLength: REFERRAL_CODE_LENGTH.max,
        description: 'Referral code of 3 to 16 characters, in the form of responses.', examples: ['NORTH'],
      }),
    }),
  },
)

const nullOr = (schema: TSchema, description: string): TSchema => Type.Unsafe({ anyOf: [schema, { type: 'null' }], description })
const bindingOrNull = nullOr(ref(ReferralBinding), 'Referrer of the address. Null if it has none.')

const info = operation(
  {
    id: 'getReferralInfo',
    tag: 'referral',
    summary: 'Get the referral info of an address',
    description: `Returns the referral code of an address and its referrer. The address must own a code. ${NOT_YET}`,
    ok: Type.Object({ self: ref(Referrer), binding: bindingOrNull }),
    example: { self: EXAMPLE_REFERRER, binding: null },
    headers: ['index'],
    errors: [400, '404 no_code', 503],
  },
  {
    querystring: Type.Object({
      address: addressParameter('Account (G…) or contract (C…).'),
    }),
  },
)

const me = operation(
  {
    id: 'getMyReferral',
    tag: 'referral',
    summary: 'Get your referral info',
    description: `Returns your referral code and your referrer. Either can be null. ${NOT_YET}`,
    ok: Type.Object({ self: nullOr(ref(Referrer), 'Your referral code. Null if you have none.'), binding: bindingOrNull }),
    example: { self: EXAMPLE_REFERRER, binding: EXAMPLE_BINDING },
    headers: ['index'],
    errors: [],
    requiresKey: true,
  },
  {},
)

const trades = operation(
  {
    id: 'listMyReferralTrades',
    tag: 'referral',
    summary: 'List your referral trades',
    description: `Returns trades that earned you a referral reward, newest first. ${NOT_YET}`,
    ok: listOf('trades', ref(ReferralTrade)),
    example: { trades: [EXAMPLE_REFERRAL_TRADE] },
    headers: ['index', 'next'],
    errors: [400],
    requiresKey: true,
  },
  { querystring: Type.Object({ limit: limitParameter(PAGE_LIMITS.referral), cursor: cursorParameter }) },
)

const claims = operation(
  {
    id: 'listMyReferralClaims',
    tag: 'referral',
    summary: 'List your referral claims',
    description: `Returns your claims of referral rewards, newest first. ${NOT_YET}`,
    ok: listOf('claims', ref(ReferralClaim)),
    example: { claims: [EXAMPLE_REFERRAL_CLAIM] },
    headers: ['index', 'next'],
    errors: [400],
    requiresKey: true,
  },
  { querystring: Type.Object({ limit: limitParameter(PAGE_LIMITS.referral), cursor: cursorParameter }) },
)

export function referralRoutes(app: App, parts: { readonly db: Queryable }): void {
  const { db } = parts

  app.get('/v1/referral/lookup', { schema: lookup }, async (request, reply) => {
    const { code } = request.query
    const { referrer, head } = await findReferrer(db, code)
    if (referrer === null) {
      const message = 'Nobody has registered this code. Check the spelling: upper and lower case differ.'
      throw new HttpFailure({ status: 404, body: { error: 'unknown_code', message, code } })
    }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, referrer), { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })

  app.get('/v1/referral/info', { schema: info }, async (request, reply) => {
    const { address } = request.query
    const { self, binding, head } = await readReferral(db, address)
    if (self === null) {
      const message = 'This address has no referral code. Its account can register one with POST /v1/actions/prepare.'
      throw new HttpFailure({ status: 404, body: { error: 'no_code', message, address } })
    }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, { self, binding }), { 'cache-control': CACHE_REVALIDATE, ...indexHeaders(head) }))
  })

  app.get('/v1/referral/me', { schema: me, config: { requiresKey: true } }, async (request, reply) => {
    const { self, binding, head } = await readReferral(db, callerKey(request).owner)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, { self, binding }), { 'cache-control': CACHE_PRIVATE, ...indexHeaders(head) }))
  })

  app.get('/v1/referral/me/trades', { schema: trades, config: { requiresKey: true } }, async (request, reply) => {
    const { limit = PAGE_LIMITS.referral.default, cursor } = request.query
    const page = await listReferralTrades(db, { referrer: callerKey(request).owner, limit, cursor })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { trades: page.rows }))
  })

  app.get('/v1/referral/me/claims', { schema: claims, config: { requiresKey: true } }, async (request, reply) => {
    const { limit = PAGE_LIMITS.referral.default, cursor } = request.query
    const page = await listReferralClaims(db, { referrer: callerKey(request).owner, limit, cursor })
    sendResponse(request, reply, privatePageResponse(request.raw.url ?? '', reply, page, { claims: page.rows }))
  })
}
