// /v1/keys: creates API keys from wallet signatures and from other keys, lists, rotates and revokes them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { CACHE_NEVER, JSON_TYPE, nextLink } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { HttpFailure, isTooLarge, keepConnectionOpen, UNAVAILABLE, validationFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { Keys } from '../keys/keys.ts'
import { showRestrictions } from '../keys/restrictions.ts'
import { BODY_LIMIT_BYTES, KEY_LABEL_MAX_LENGTH, KEY_OVERLAP_MAX_SEC, PAGE_LIMITS, RATE_LIMIT_PER_WINDOW, SIGNED_CHALLENGE_MAX_LENGTH } from '../limits.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../projections/log/page.ts'
import { ApiKey, BetaStatus, EXAMPLE_API_KEY, IssuedKey, KeyChallenge, RotatedKey } from '../resources/api-key.ts'
import { CurrentKey } from '../resources/current-key.ts'
import { ref } from '../resources/fields.ts'
import { RESTRICTION_FIELDS, restrictionsField } from '../resources/key-restrictions.ts'
import { pageMembers } from '../resources/page-members.ts'
import { addressParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'

const EXAMPLE_CHALLENGE = { challengeHex: 'a7c4'.repeat(16), expiresAt: 1_783_339_500_000 }

const NOT_IN_BETA_MESSAGE = 'This address is not on the early access list.'
const INVALID_SIGNATURE_MESSAGE =
  'The challenge is wrong, expired or already used, or the signed transaction does not prove that the address is yours. Request a new challenge and sign it.'

const { keyId, owner: exampleOwner, tier, label: _label, createdAt, lastUsedAt: _lastUsedAt, revokedAt: _revokedAt, ...EXAMPLE_LIMITS } = EXAMPLE_API_KEY

const EXAMPLE_ISSUED: IssuedKey = { keyId, secret: '3d1f'.repeat(16), tier, owner: exampleOwner, createdAt, ...EXAMPLE_LIMITS }

/** The restrictions of a key that trades two assets up to a daily limit. */
const EXAMPLE_RESTRICTIONS = {
  scopes: ['read', 'trade'], caps: { assets: ['BTC', 'ETH'], maxLeverage: 3, maxNotionalPerDay: '100000000000', maxOrdersPerDay: 50 },
} as const

const labelField = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: KEY_LABEL_MAX_LENGTH,
    // No control characters, and no lone surrogates, which the database cannot store.
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    description: 'Label of the key. Null is the same as none.',
    examples: ['my bot'],
  }),
)

const owner = addressParameter('Account (G…) that will own the key.')

const betaStatus = operation(
  {
    id: 'getBetaStatus',
    tag: 'keys',
    summary: 'Check early access',
    description: 'Returns whether key creation is limited to allow-listed addresses, and whether the given address can create a key.',
    ok: ref(BetaStatus),
    example: { gated: true, allowed: false },
    errors: [400],
    cacheable: false,
  },
  { querystring: Type.Object({ address: Type.Optional(owner) }) },
)

const requestChallenge = operation(
  {
    id: 'requestKeyChallenge',
    tag: 'keys',
    summary: 'Request a key challenge',
    description:
      'Returns a challenge to sign with the wallet. Replaces the pending challenge that you requested for the address; requests from other client ' +
      'addresses do not affect yours. A challenge expires after five minutes or one attempt. With restrictions, the key will be less than its owner: the ' +
      'challenge is bound to them. Caps bind what passes this gateway. Who holds the secret of the wallet needs no gateway.',
    ok: ref(KeyChallenge),
    example: EXAMPLE_CHALLENGE,
    errors: [400],
    cacheable: false,
  },
  { body: Type.Object({ address: owner, restrictions: restrictionsField }, { additionalProperties: false }) },
)

const issueKey = operation(
  {
    id: 'issueKey',
    tag: 'keys',
    summary: 'Create a key',
    description: [
      'Creates an API key for the owner of a signed challenge. Build a transaction with any source account, sequence 0, fee 0, no time bounds, and as first',
      'operation manage-data with the 32 bytes of the challenge as its value. Sign it with the wallet for this network and send the envelope as base64 XDR.',
      'The transaction is never submitted. The secret is returned only once. The key has the restrictions that the challenge was requested with.',
    ].join(' '),
    ok: ref(IssuedKey),
    example: EXAMPLE_ISSUED,
    status: 201,
    errors: [400, '401 invalid_signature', 403, '409 key_limit_reached', 503],
    cacheable: false,
  },
  {
    body: Type.Object(
      {
        address: owner,
        challenge: Type.String({ description: 'Signed challengeHex.', examples: [EXAMPLE_CHALLENGE.challengeHex] }),
        signature: Type.String({
          maxLength: SIGNED_CHALLENGE_MAX_LENGTH,
          description: 'Complete signed transaction envelope, base64 XDR. Not a detached signature.',
          examples: ['AAAAAgAAAAAb…'],
        }),
        label: labelField,
      },
      { additionalProperties: false },
    ),
  },
)

const listKeys = operation(
  {
    id: 'listKeys',
    tag: 'keys',
    summary: 'List your keys',
    description: 'Returns the keys of the owner of the calling key, newest first, including revoked keys. Secrets are never returned.',
    ok: listOf('keys', ref(ApiKey)),
    example: { keys: [EXAMPLE_API_KEY] },
    headers: ['next'],
    errors: [400],
    cacheable: false,
    requiresKey: true,
  },
  { querystring: Type.Object({ limit: limitParameter(PAGE_LIMITS.keys), cursor: cursorParameter }) },
)

/** The name of the list in its cursors. */
const KEYS_LIST = 'keys'

const revokeKey = operation(
  {
    id: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke a key',
    description:
      'Revokes a key and all keys that it lent immediately. A key can revoke any key of the same owner, including itself; a key that was lent can revoke ' +
      'itself and the keys that it lent.',
    ok: Type.Object({ revoked: Type.Literal(true, { description: 'Always true.' }) }),
    example: { revoked: true },
    errors: [400, '404 key_not_found'],
    cacheable: false,
    requiresKey: true,
  },
  { params: Type.Object({ keyId: Type.String({ description: 'Id of the key to revoke.', examples: [EXAMPLE_API_KEY.keyId] }) }) },
)

const revokeOtherKeys = operation(
  {
    id: 'revokeOtherKeys',
    tag: 'keys',
    summary: 'Revoke all other keys',
    description:
      'Revokes all keys of the owner but the presented one. A key that was lent revokes only the keys that it lent.',
    ok: Type.Object({ revoked: Type.Integer({ minimum: 0, description: 'Number of keys that were revoked.' }) }),
    example: { revoked: 3 },
    errors: [],
    cacheable: false,
    requiresKey: true,
  },
  {},
)

const getCurrentKey = operation(
  {
    id: 'getCurrentKey',
    tag: 'keys',
    summary: 'Get the presented key',
    description: 'Returns the key of the request: what it may do, what it has used of its caps today, and its rate limits. Does not count against them.',
    ok: ref(CurrentKey),
    example: {
      keyId, owner: exampleOwner, tier, label: 'my bot', createdAt, ...EXAMPLE_LIMITS, ...EXAMPLE_RESTRICTIONS, scopes: [...EXAMPLE_RESTRICTIONS.scopes],
      used: { day: '2026-07-06', notional: '25000000000', orders: 4 },
      limits: {
        tier, resetSec: 42,
        buckets: [{ name: 'trading', countedPer: 'key', limit: RATE_LIMIT_PER_WINDOW.standard, remaining: 600 }],
      },
    } satisfies CurrentKey,
    errors: [429],
    cacheable: false,
    requiresKey: true,
    rateLimited: false,
  },
  {},
)

const lendKey = operation(
  {
    id: 'lendKey',
    tag: 'keys',
    summary: 'Lend a key',
    description: [
      'Creates a key from the presented one, without a wallet. What is absent or null is inherited. The new key is a subset in every respect: it ends with the',
      'key that lent it, and what it uses of its caps counts for that key too. The secret is returned only once.',
    ].join(' '),
    ok: ref(IssuedKey),
    example: { ...EXAMPLE_ISSUED, ...EXAMPLE_RESTRICTIONS, parent: 'nk_60303ae22b998861bce3b28f' },
    status: 201,
    errors: [400, '400 not_a_subset', '404 key_not_found', '409 key_limit_reached', '409 already_rotated'],
    cacheable: false,
    requiresKey: true,
  },
  {
    params: Type.Object({ keyId: Type.String({ description: 'Id of the presented key.', examples: [EXAMPLE_API_KEY.keyId] }) }),
    body: Type.Object({ label: labelField, ...RESTRICTION_FIELDS }, { additionalProperties: false }),
  },
)

const rotateKey = operation(
  {
    id: 'rotateKey',
    tag: 'keys',
    summary: 'Rotate a key',
    description: [
      'Gives a key a new secret, which is returned only once. The secret before works for overlapSec more. A WebSocket that used it gets a message of type',
      'key_expiring, and its private subscriptions end with the secret. A key that was lent can rotate itself and the keys that it lent.',
    ].join(' '),
    ok: ref(RotatedKey),
    example: { ...EXAMPLE_ISSUED, previousUntil: 1_783_342_800_000 },
    errors: [400, '404 key_not_found', '409 already_rotated'],
    cacheable: false,
    requiresKey: true,
  },
  {
    params: Type.Object({ keyId: Type.String({ description: 'Id of the key to rotate.', examples: [EXAMPLE_API_KEY.keyId] }) }),
    body: Type.Object({
      overlapSec: Type.Unsafe<number>({
        type: 'integer', minimum: 0, maximum: KEY_OVERLAP_MAX_SEC, description: 'Seconds for which the secret before still works.', examples: [3_600],
      }),
    }, { additionalProperties: false }),
  },
)

export function keysRoutes(app: App, parts: { readonly keys: Keys; readonly requestLimits: RequestLimits }): void {
  const { keys } = parts

  app.get('/v1/keys/beta-status', { schema: betaStatus }, (request, reply) => {
    send(reply, 200, keys.betaStatus(request.query.address ?? null))
  })

  app.post('/v1/keys/challenge', { schema: requestChallenge, config: { countedAs: 'address' }, errorHandler: tooLargeIsInvalid }, async (request, reply) => {
    const { address, restrictions } = request.body
    const challenge = await keys.requestChallenge(address, request.caller.network.bucket, restrictions ?? {})
    if (typeof challenge === 'string') throw validationFailure('body/restrictions/expiresAt', 'must be in the future')
    send(reply, 200, challenge)
  })

  app.post('/v1/keys', { schema: issueKey, config: { countedAs: 'address' }, errorHandler: tooLargeIsInvalid }, async (request, reply) => {
    const { address, challenge, signature, label = null } = request.body
    const issued = await keys.issue({ address, challenge, signature, label }, request.caller.network.bucket)
    if (issued === 'not_in_beta') throw new HttpFailure({ status: 403, body: { error: issued, message: NOT_IN_BETA_MESSAGE } })
    if (issued === 'invalid_signature') throw new HttpFailure({ status: 401, body: { error: issued, message: INVALID_SIGNATURE_MESSAGE } })
    if (issued === 'key_limit_reached') throw new HttpFailure({ status: 409, body: { error: issued, message: keyLimitMessage(keys.maxPerOwner) } })
    send(reply, 201, issued)
  })

  app.get('/v1/keys', { schema: listKeys, config: { requiresKey: true } }, async (request, reply) => {
    const { limit = PAGE_LIMITS.keys.default, cursor } = request.query
    const page = await keys.list(callerKey(request).owner, { before: cursor === undefined ? null : decodePosition(cursor), limit })
    const next = page.next === null ? null : encodeCursor(KEYS_LIST, [page.next])
    if (next !== null) reply.headers(nextLink(request.raw.url ?? '', next))
    send(reply, 200, { keys: page.keys, ...pageMembers(next) })
  })

  app.delete('/v1/keys/:keyId', { schema: revokeKey, config: { requiresKey: true } }, async (request, reply) => {
    if (!(await keys.revoke(callerKey(request), request.params.keyId))) throw keyNotFound()
    send(reply, 200, { revoked: true })
  })

  app.delete('/v1/keys', { schema: revokeOtherKeys, config: { requiresKey: true } }, async (request, reply) => {
    send(reply, 200, { revoked: await keys.revokeOthers(callerKey(request)) })
  })
  lendingRoutes(app, parts)
}

/** The routes of a key that deal with what it is limited to. */
function lendingRoutes(app: App, { keys, requestLimits }: { readonly keys: Keys; readonly requestLimits: RequestLimits }): void {
  app.get('/v1/keys/current', { schema: getCurrentKey, config: { requiresKey: true, rateLimited: false } }, async (request, reply) => {
    const { restrictions, parent, ...key } = callerKey(request)
    const [described, buckets] = await Promise.all([keys.describe(key.keyId), requestLimits.list(request.caller)])
    if (described === undefined) throw new HttpFailure(UNAVAILABLE)
    const { used, ...description } = described
    const limits = { tier: key.tier, resetSec: requestLimits.resetSec(), buckets: [...buckets] }
    const identity = { keyId: key.keyId, owner: key.owner, tier: key.tier, ...description }
    const current: CurrentKey = { ...identity, ...showRestrictions(restrictions), parent, used, limits }
    send(reply, 200, current)
  })

  app.post('/v1/keys/:keyId/children', { schema: lendKey, config: { requiresKey: true } }, async (request, reply) => {
    const parent = callerKey(request)
    if (request.params.keyId !== parent.keyId) throw keyNotFound()
    const { label = null, ...restrictions } = request.body
    const lent = await keys.lend(parent, { label, ...restrictions })
    if (lent === 'key_not_found') throw keyNotFound()
    if (lent === 'already_rotated') throw alreadyRotated()
    if (lent === 'key_limit_reached') throw new HttpFailure({ status: 409, body: { error: lent, message: keyLimitMessage(keys.maxPerOwner) } })
    if (lent === 'expires_in_the_past') throw validationFailure('body/expiresAt', 'must be in the future')
    if ('notASubset' in lent) throw notASubset(lent.notASubset)
    send(reply, 201, lent)
  })

  app.post('/v1/keys/:keyId/rotate', { schema: rotateKey, config: { requiresKey: true } }, async (request, reply) => {
    const rotated = await keys.rotate(callerKey(request), request.params.keyId, request.body.overlapSec)
    if (rotated === 'key_not_found') throw keyNotFound()
    if (rotated === 'already_rotated') throw alreadyRotated()
    send(reply, 200, rotated)
  })
}

function keyNotFound(): HttpFailure {
  const message = 'No active key that this key may change has the id. GET /v1/keys lists your keys.'
  return new HttpFailure({ status: 404, body: { error: 'key_not_found', message } })
}

function alreadyRotated(): HttpFailure {
  const message = 'This secret was replaced, and only its successor can do this. Use the new secret.'
  return new HttpFailure({ status: 409, body: { error: 'already_rotated', message } })
}

function notASubset(member: string): HttpFailure {
  const message = `A key lends at most what it has. Ask for less in ${member}.`
  return new HttpFailure({ status: 400, body: { error: 'not_a_subset', member, message } })
}

function keyLimitMessage(maxPerOwner: number): string {
  return `This account already has the maximum of ${maxPerOwner} active keys. Revoke one, then request a new challenge.`
}

function decodePosition(cursor: string): number {
  const [position] = decodeCursor(KEYS_LIST, cursor, 1)
  if (typeof position !== 'number' || position < 1) throw new InvalidCursor(INVALID_CURSOR)
  return position
}

function send(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(body))
}

/** Reports an oversized body as a validation error, like other invalid input of these endpoints. */
function tooLargeIsInvalid(error: Error, _request: FastifyRequest, reply: FastifyReply): never {
  if (!isTooLarge(error)) throw error
  keepConnectionOpen(reply)
  throw validationFailure('body', `must NOT be larger than ${BODY_LIMIT_BYTES} bytes`)
}
