import { Type } from 'typebox'
import type { Static } from 'typebox'
import { KEY_LABEL_MAX_LENGTH, KEY_TIERS } from '../limits.ts'
import { address, EXAMPLE_TRADER, integerOrNull, textOrNull } from './fields.ts'
import { RESTRICTION_MEMBERS } from './key-restrictions.ts'

export type KeyTier = (typeof KEY_TIERS)[number]

export const keyTier = Type.Unsafe<KeyTier>({
  type: 'string',
  enum: [...KEY_TIERS],
  description: 'Rate limit tier of the key. New keys are always standard.',
  examples: [KEY_TIERS[0]],
})

export const keyId = Type.Unsafe<string>({
  type: 'string',
  pattern: '^nk_[0-9a-f]{24}$',
  description: 'Public id of the key.',
  examples: ['nk_9f86d081884c7d659a2feaa0'],
})

const parent = textOrNull({ description: 'Key that lent this one, with which it ends. Null: none.', examples: [null] })

function milliseconds(description: string, example: number) {
  return Type.Unsafe<number>({ type: 'integer', description, examples: [example] })
}

const createdAt = milliseconds('Time the key was issued, Unix milliseconds.', 1_783_339_200_000)

/** Specification, "API key record (list)". */
export const ApiKey = Type.Object(
  {
    keyId,
    owner: address('Account that the key was issued to.'),
    tier: keyTier,
    label: textOrNull({ description: `Label chosen by the owner, at most ${KEY_LABEL_MAX_LENGTH} characters.`, examples: ['market maker, Frankfurt'] }),
    createdAt,
    lastUsedAt: integerOrNull({ description: 'Time of the last successful authentication, Unix milliseconds.', examples: [1_783_342_800_123] }),
    revokedAt: integerOrNull({ description: 'Time the key was revoked, Unix milliseconds. Null while the key is active.', examples: [null] }),
    ...RESTRICTION_MEMBERS,
    parent,
  },
  { $id: 'ApiKey', description: 'An API key without its secret.' },
)

export type ApiKey = Static<typeof ApiKey>

/** Response of POST /v1/keys. */
export const IssuedKey = Type.Object(
  {
    keyId,
    secret: Type.String({
      description: 'Secret of the key, 64 hex characters. Returned only once and cannot be recovered: store it safely.', examples: ['3d1f'.repeat(16)],
    }),
    tier: keyTier,
    owner: address('Account that the key was issued to.'),
    createdAt,
    ...RESTRICTION_MEMBERS,
    parent,
  },
  { $id: 'IssuedKey', description: 'A new API key with its secret.' },
)

export type IssuedKey = Static<typeof IssuedKey>

/** Response of POST /v1/keys/{keyId}/rotate. */
export const RotatedKey = Type.Object(
  {
    ...IssuedKey.properties,
    previousUntil: milliseconds('Time from which on the secret before is rejected, Unix milliseconds.', 1_783_342_800_000),
  },
  { $id: 'RotatedKey', description: 'An API key with its new secret.' },
)

export type RotatedKey = Static<typeof RotatedKey>

/** Response of POST /v1/keys/challenge. */
export const KeyChallenge = Type.Object(
  {
    challengeHex: Type.String({ description: '32 random bytes as 64 hex characters.', examples: ['a7c4'.repeat(16)] }),
    expiresAt: milliseconds('Time the challenge expires, Unix milliseconds.', 1_783_339_500_000),
  },
  { $id: 'KeyChallenge', description: 'A challenge to sign with the wallet.' },
)

export type KeyChallenge = Static<typeof KeyChallenge>

/** Response of GET /v1/keys/beta-status. */
export const BetaStatus = Type.Object(
  {
    gated: Type.Boolean({ description: 'True if only allow-listed addresses can create keys.' }),
    allowed: Type.Boolean({ description: 'True if the address can create a key. False if no address was given and gated is true.' }),
  },
  { $id: 'BetaStatus', description: 'Whether key creation is restricted.' },
)

export type BetaStatus = Static<typeof BetaStatus>

export const EXAMPLE_API_KEY: ApiKey = {
  keyId: 'nk_9f86d081884c7d659a2feaa0',
  owner: EXAMPLE_TRADER,
  tier: 'standard',
  label: 'market maker, Frankfurt',
  createdAt: 1_783_339_200_000,
  lastUsedAt: 1_783_342_800_123,
  revokedAt: null,
  scopes: ['read', 'trade', 'close', 'vaults', 'referral', 'keys'],
  expiresAt: null,
  cidrs: null,
  caps: null,
  parent: null,
}
