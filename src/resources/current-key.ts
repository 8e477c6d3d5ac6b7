import { Type } from 'typebox'
import type { Static } from 'typebox'
import { AccountLimits } from './account-limits.ts'
import { ApiKey } from './api-key.ts'
import { amount, ref } from './fields.ts'

const { lastUsedAt: _lastUsedAt, revokedAt: _revokedAt, ...KEY } = ApiKey.properties

/** Response of GET /v1/keys/current. */
export const CurrentKey = Type.Object(
  {
    ...KEY,
    used: Type.Object(
      {
        day: Type.String({ description: 'The UTC day.', examples: ['2026-07-06'] }),
        notional: amount('Notional of opens and entry orders, 7-decimal USDC.', '25000000000'),
        orders: Type.Integer({ description: 'Number of opens and entry orders.', examples: [4] }),
      },
      { description: 'What this key and the keys lent by it have used today. What expired, failed or was rejected does not count.' },
    ),
    limits: ref(AccountLimits),
  },
  { $id: 'CurrentKey', description: 'The key of the request.' },
)

export type CurrentKey = Static<typeof CurrentKey>
