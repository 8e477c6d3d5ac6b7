import { Type } from 'typebox'
import type { Static } from 'typebox'
import { KEY_LABEL_MAX_LENGTH, KEY_TIERS } from '../limits.ts'
import { address, EXAMPLE_TRADER, integerOrNull, textOrNull } from './fields.ts'

/** The tiers that a key may have. */
export type KeyTier = (typeof KEY_TIERS)[number]

export const keyTier = Type.Unsafe<KeyTier>({
  type: 'string',
  enum: [...KEY_TIERS],
  description: 'The allowance that calls with the key are counted against; always standard at issuance',
  examples: [KEY_TIERS[0]],
})

export const keyId = Type.Unsafe<string>({
  type: 'string',
  pattern: '^nk_[0-9a-f]{24}$',
  description: 'Names the key; no secret',
  examples: ['nk_9f86d081884c7d659a2feaa0'],
})

function milliseconds(description: string, example: number) {
  return Type.Unsafe<number>({ type: 'integer', description, examples: [example] })
}

const createdAt = milliseconds('When the key was issued, milliseconds', 1_783_339_200_000)

/** Specification, "API key record (list)". */
export const ApiKey = Type.Object(
  {
    keyId,
    owner: address('The account that the key was issued to'),
    tier: keyTier,
    label: textOrNull({ description: `What the owner calls it; at most ${KEY_LABEL_MAX_LENGTH} characters`, examples: ['market maker, Frankfurt'] }),
    createdAt,
    lastUsedAt: integerOrNull({ description: 'The last successful authentication, milliseconds', examples: [1_783_342_800_123] }),
    revokedAt: integerOrNull({ description: 'Since when it is refused, milliseconds; null while it is active', examples: [null] }),
  },
  { $id: 'ApiKey', description: 'A key as its owner sees it; the secret is never told again' },
)

export type ApiKey = Static<typeof ApiKey>

/** The answer to POST /v1/keys. */
export const IssuedKey = Type.Object(
  {
    keyId,
    secret: Type.String({ description: '64 hex characters. Shown this once: keep it, nobody can tell it again', examples: ['3d1f'.repeat(16)] }),
    tier: keyTier,
    owner: address('The account that the key was issued to'),
    createdAt,
  },
  { $id: 'IssuedKey', description: 'A new key with its secret' },
)

export type IssuedKey = Static<typeof IssuedKey>

/** The answer to POST /v1/keys/challenge. */
export const KeyChallenge = Type.Object(
  {
    challengeHex: Type.String({ description: '32 random bytes as 64 hex characters', examples: ['a7c4'.repeat(16)] }),
    expiresAt: milliseconds('From then on the challenge is void, milliseconds', 1_783_339_500_000),
  },
  { $id: 'KeyChallenge', description: 'What is to be signed to be issued a key' },
)

export type KeyChallenge = Static<typeof KeyChallenge>

/** The answer to GET /v1/keys/beta-status. */
export const BetaStatus = Type.Object(
  {
    gated: Type.Boolean({ description: 'True when issuance is limited to listed addresses' }),
    allowed: Type.Boolean({ description: 'True when the address may be issued a key; false without an address while the gate is on' }),
  },
  { $id: 'BetaStatus', description: 'Who may be issued a key' },
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
}
