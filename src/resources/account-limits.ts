import { Type } from 'typebox'
import type { Static } from 'typebox'
import { keyTier } from './api-key.ts'
import { ref } from './fields.ts'

function oneOf<const Value extends string>(values: readonly Value[], description: string) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], description, examples: [values[0]] })
}

/** A bucket of GET /v1/account/me/limits. */
export const RateLimitBucket = Type.Object(
  {
    name: oneOf(
      ['read', 'trading', 'keys', 'public', 'documents'],
      'read: requests with this key. trading: prepare, submit and /v1/tx with this key. keys: requests with any key from this client address. public: ' +
      'requests without a key, and creating keys. documents: size of the documentation and the console, in units of 16 KiB.',
    ),
    countedPer: oneOf(['key', 'address', 'network'], 'address is the IPv4 address or the IPv6 /64 network. network is the IPv6 /48 network around it.'),
    limit: Type.Integer({ description: 'Requests per clock minute.', examples: [600] }),
    remaining: Type.Integer({ description: 'Requests left in the current minute.', examples: [597] }),
  },
  { $id: 'RateLimitBucket', description: 'A rate limit and what is left of it.' },
)

/** Response of GET /v1/account/me/limits. */
export const AccountLimits = Type.Object(
  {
    tier: keyTier,
    resetSec: Type.Integer({ description: 'Seconds until all buckets are full again.', examples: [42] }),
    buckets: Type.Array(ref(RateLimitBucket), { description: 'Every bucket that requests with this key from this client address count in.' }),
  },
  { $id: 'AccountLimits', description: 'The rate limits of a key.' },
)

export type AccountLimits = Static<typeof AccountLimits>
