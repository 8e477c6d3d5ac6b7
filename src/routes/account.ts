// GET /v1/account/me.

import type { App } from '../http/app.ts'
import { CACHE_NEVER, JSON_TYPE } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { AccountIdentity } from '../resources/account-identity.ts'
import { EXAMPLE_API_KEY } from '../resources/api-key.ts'
import { EXAMPLE_TRADER, ref } from '../resources/fields.ts'

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

export function accountRoutes(app: App): void {
  app.get('/v1/account/me', { schema: getIdentity, config: { requiresKey: true } }, (request, reply) => {
    const { owner, tier, keyId } = callerKey(request)
    const identity: AccountIdentity = { owner, tier, keyId }
    reply.header('cache-control', CACHE_NEVER).type(JSON_TYPE).send(JSON.stringify(identity))
  })
}
