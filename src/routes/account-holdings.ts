// GET /v1/account/me/holdings. Not in the specification.

import { Type } from 'typebox'
import type { Accounts } from '../accounts/accounts.ts'
import type { App } from '../http/app.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { requesterOf } from '../http/requester.ts'
import { CACHE_PRIVATE, prepareResponse, sendResponse } from '../http/response.ts'
import { HOLDINGS_VAULTS_MAX } from '../limits.ts'
import { AccountHoldings, EXAMPLE_ACCOUNT_HOLDINGS } from '../resources/account-holdings.ts'
import { ref } from '../resources/fields.ts'
import { serialiseBody } from './page-response.ts'

const schema = operation(
  {
    id: 'getAccountHoldings',
    tag: 'account',
    summary: 'Get your shares in the pool and in vaults',
    description:
      'Returns your shares in the given trader vaults, what those vaults are worth with their open positions, and when you can withdraw from the liquidity ' +
      'pool. Read from the ledger.',
    ok: ref(AccountHoldings),
    example: EXAMPLE_ACCOUNT_HOLDINGS,
    errors: [400, 502],
    requiresKey: true,
  },
  {
    querystring: Type.Object({
      vaults: Type.Optional(Type.String({
        pattern: `^[0-9]{1,9}(,[0-9]{1,9}){0,${HOLDINGS_VAULTS_MAX - 1}}$`,
        description: `Vault ids, separated by commas, at most ${HOLDINGS_VAULTS_MAX}. None by default.`,
        examples: ['0,1'],
      })),
    }),
  },
)

export function accountHoldingsRoutes(app: App, { accounts }: { readonly accounts: Pick<Accounts, 'holdings'> }): void {
  app.get('/v1/account/me/holdings', { schema, config: { requiresKey: true } }, async (request, reply) => {
    const { vaults = '' } = request.query
    const vaultIds = [...new Set(vaults === '' ? [] : vaults.split(',').map(Number))]
    const holdings = await accounts.holdings(callerKey(request).owner, vaultIds, requesterOf(request).address)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, holdings), { 'cache-control': CACHE_PRIVATE }))
  })
}
