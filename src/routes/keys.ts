// /v1/keys: creates API keys from wallet signatures, lists and revokes them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { CACHE_NEVER, JSON_TYPE, nextLink } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { HttpFailure, isTooLarge, keepConnectionOpen, validationFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import type { Keys } from '../keys/keys.ts'
import { BODY_LIMIT_BYTES, KEY_LABEL_MAX_LENGTH, PAGE_LIMITS, SIGNED_CHALLENGE_MAX_LENGTH } from '../limits.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../projections/log/page.ts'
import { ApiKey, BetaStatus, EXAMPLE_API_KEY, IssuedKey, KeyChallenge } from '../resources/api-key.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { pageMembers } from '../resources/page-members.ts'
import { addressParameter, cursorParameter, limitParameter, listOf } from './parameters.ts'

const EXAMPLE_CHALLENGE = { challengeHex: 'a7c4'.repeat(16), expiresAt: 1_783_339_500_000 }

const NOT_IN_BETA_MESSAGE = 'This address is not on the early access list.'

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
      'addresses do not affect yours. A challenge expires after five minutes or one attempt.',
    ok: ref(KeyChallenge),
    example: EXAMPLE_CHALLENGE,
    errors: [400],
    cacheable: false,
  },
  { body: Type.Object({ address: owner }, { additionalProperties: false }) },
)

const issueKey = operation(
  {
    id: 'issueKey',
    tag: 'keys',
    summary: 'Create a key',
    description: [
      'Creates an API key for the owner of a signed challenge. Build a transaction with any source account, sequence 0, fee 0, no time bounds, and as first',
      'operation manage-data with the 32 bytes of the challenge as its value. Sign it with the wallet for this network and send the envelope as base64 XDR.',
      'The transaction is never submitted. The secret is returned only once.',
    ].join(' '),
    ok: ref(IssuedKey),
    example: {
      keyId: EXAMPLE_API_KEY.keyId,
      secret: '3d1f'.repeat(16),
      tier: EXAMPLE_API_KEY.tier,
      owner: EXAMPLE_TRADER,
      createdAt: EXAMPLE_API_KEY.createdAt,
    } satisfies IssuedKey,
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
        label: Type.Optional(
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            maxLength: KEY_LABEL_MAX_LENGTH,
            // No control characters, and no lone surrogates, which the database cannot store.
            pattern: '^[^\\p{Cc}\\p{Cs}]*$',
            description: 'Label of the key. Null is the same as none.',
            examples: ['my bot'],
          }),
        ),
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
    description: 'Revokes a key immediately. A key can revoke any key of the same owner, including itself.',
    ok: Type.Object({ revoked: Type.Literal(true, { description: 'Always true.' }) }),
    example: { revoked: true },
    errors: [400, '404 key_not_found'],
    cacheable: false,
    requiresKey: true,
  },
  { params: Type.Object({ keyId: Type.String({ description: 'Id of the key to revoke.', examples: [EXAMPLE_API_KEY.keyId] }) }) },
)

export function keysRoutes(app: App, parts: { readonly keys: Keys }): void {
  const { keys } = parts

  app.get('/v1/keys/beta-status', { schema: betaStatus }, (request, reply) => {
    send(reply, 200, keys.betaStatus(request.query.address ?? null))
  })

  app.post('/v1/keys/challenge', { schema: requestChallenge, config: { countedAs: 'address' }, errorHandler: tooLargeIsInvalid }, async (request, reply) => {
    send(reply, 200, await keys.requestChallenge(request.body.address, request.caller.network.bucket))
  })

  app.post('/v1/keys', { schema: issueKey, config: { countedAs: 'address' }, errorHandler: tooLargeIsInvalid }, async (request, reply) => {
    const { address, challenge, signature, label = null } = request.body
    const issued = await keys.issue({ address, challenge, signature, label }, request.caller.network.bucket)
    if (issued === 'not_in_beta') throw new HttpFailure({ status: 403, body: { error: issued, message: NOT_IN_BETA_MESSAGE } })
    if (issued === 'invalid_signature') throw new HttpFailure({ status: 401, body: { error: issued } })
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
    const revoked = await keys.revoke(callerKey(request).owner, request.params.keyId)
    if (!revoked) throw new HttpFailure({ status: 404, body: { error: 'key_not_found' } })
    send(reply, 200, { revoked: true })
  })
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
  throw validationFailure(`body must NOT be larger than ${BODY_LIMIT_BYTES} bytes`)
}
