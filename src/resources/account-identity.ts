import { Type } from 'typebox'
import type { Static } from 'typebox'
import { keyId, keyTier } from './api-key.ts'
import { address } from './fields.ts'

/** Specification, "Account identity". */
export const AccountIdentity = Type.Object(
  {
    owner: address('The account that issued the key'),
    tier: keyTier,
    keyId,
  },
  { $id: 'AccountIdentity', description: 'Who the caller is' },
)

export type AccountIdentity = Static<typeof AccountIdentity>
