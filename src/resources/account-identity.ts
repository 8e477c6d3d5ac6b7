import { Type } from 'typebox'
import type { Static } from 'typebox'
import { keyId, keyTier } from './api-key.ts'
import { address } from './fields.ts'

/** Specification, "Account identity". */
export const AccountIdentity = Type.Object(
  {
    owner: address('Account that the key was issued to.'),
    tier: keyTier,
    keyId,
  },
  { $id: 'AccountIdentity', description: 'The key that authenticated the request, and its owner.' },
)

export type AccountIdentity = Static<typeof AccountIdentity>
