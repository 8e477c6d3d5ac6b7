// GET /v1/account/me and /v1/account/me/limits.

import type { App } from '../http/app.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { AccountIdentity } from '../resources/account-identity.ts'
import { AccountLimits } from '../resources/account-limits.ts'
import { EXAMPLE_API_KEY } from '../resources/api-key.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'
import { ADDRESS_CEILING_PER_WINDOW, DOCUMENT_UNITS_PER_WINDOW, RATE_LIMIT_PER_WINDOW } from '../limits.ts'

const getIdentity = operation(
  {
    id: 'getAccountIdentity',
    tag: 'account',
    summary: 'Get the identity of your key',
    description: 'Returns the key of the request and its owner. Served from memory, so it is a cheap way to test a key.',
    ok: ref(AccountIdentity),
    example: { owner: EXAMPLE_TRADER, tier: EXAMPLE_API_KEY.tier, keyId: EXAMPLE_API_KEY.keyId } satisfies AccountIdentity,
    errors: [],
    cacheable: false,
    requiresKey: true,
  },
  {},
)

const getLimits = operation(
  {
    id: 'getAccountLimits',
    tag: 'account',
    summary: 'Get your rate limits',
    description:
      'Returns every rate limit that requests with this key from this client address count in, and what is left in the current clock minute. Does not count ' +
      'itself. A request must fit into all buckets that apply to it. Trading has its own bucket, so a client that has used up its reads can still cancel.',
    ok: ref(AccountLimits),
    example: {
      tier: EXAMPLE_API_KEY.tier,
      resetSec: 42,
      buckets: [
        { name: 'read', countedPer: 'key', limit: RATE_LIMIT_PER_WINDOW.standard, remaining: 597 },
        { name: 'trading', countedPer: 'key', limit: RATE_LIMIT_PER_WINDOW.standard, remaining: 600 },
        { name: 'keys', countedPer: 'address', limit: ADDRESS_CEILING_PER_WINDOW, remaining: 11_997 },
        { name: 'public', countedPer: 'address', limit: RATE_LIMIT_PER_WINDOW.public, remaining: 58 },
        { name: 'documents', countedPer: 'address', limit: DOCUMENT_UNITS_PER_WINDOW, remaining: 1_500 },
      ],
    } satisfies AccountLimits,
    errors: [429],
    cacheable: false,
    requiresKey: true,
    rateLimited: false,
  },
  {},
)

export function accountRoutes(app: App, { requestLimits }: { readonly requestLimits: RequestLimits }): void {
  app.get('/v1/account/me', { schema: getIdentity, config: { requiresKey: true } }, (request, reply) => {
    const { owner, tier, keyId } = callerKey(request)
    const identity: AccountIdentity = { owner, tier, keyId }
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(identity))
  })

  app.get('/v1/account/me/limits', { schema: getLimits, config: { requiresKey: true, rateLimited: false } }, async (request, reply) => {
    const buckets = await requestLimits.list(request.caller)
    const limits: AccountLimits = { tier: callerKey(request).tier, resetSec: requestLimits.resetSec(), buckets: [...buckets] }
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(limits))
  })
}
