// "Keys that can be lent" of the additions, copied by hand: its endpoints, in the notation of endpoints.test.ts.

/** Keys of a body that has a secret. */
export const ISSUED_KEY = ['keyId', 'secret', 'tier', 'owner', 'createdAt', 'scopes', 'expiresAt', 'cidrs', 'caps', 'parent'] as const

export const KEY_ENDPOINTS = [
  { method: 'delete', path: '/v1/keys', key: true, query: [], body: ['revoked'], errors: [401, 403, 429, 500] },
  {
    path: '/v1/keys/current', key: true, query: [], errors: [401, 403, 429, 500],
    body: ['keyId', 'owner', 'tier', 'label', 'createdAt', 'scopes', 'expiresAt', 'cidrs', 'caps', 'parent', 'used', 'limits'],
  },
  {
    method: 'post', path: '/v1/keys/{keyId}/children', key: true, status: 201, pathParameters: ['keyId string'], query: [],
    fields: ['label? string maxLength=64', 'scopes? array', 'expiresAt? integer', 'cidrs? array maxItems=16', 'caps? object'],
    body: ISSUED_KEY, errors: [400, 401, 403, 404, 409, 429, 500],
  },
  {
    method: 'post', path: '/v1/keys/{keyId}/rotate', key: true, pathParameters: ['keyId string'], query: [],
    fields: ['overlapSec integer minimum=0 maximum=86400'], body: [...ISSUED_KEY, 'previousUntil'], errors: [400, 401, 403, 404, 409, 429, 500],
  },
] as const
