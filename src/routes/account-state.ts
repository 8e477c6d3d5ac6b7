// Account data from the ledger: GET /v1/account/me/orders/open, /v1/account/me/state. Not in the specification.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountRequest, Accounts } from '../accounts/accounts.ts'
import type { App } from '../http/app.ts'
import { CACHE_PRIVATE, prepareResponse, sendResponse } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { AccountState, EXAMPLE_ACCOUNT_STATE } from '../resources/account-state.ts'
import { ref } from '../resources/fields.ts'
import { EXAMPLE_OPEN_ORDER, OpenOrders } from '../resources/open-order.ts'
import { serialiseBody } from './page-response.ts'
import { requesterOf } from '../http/requester.ts'

const listOpenOrders = operation(
  {
    id: 'listAccountOpenOrders',
    tag: 'account',
    summary: 'List your open orders',
    description:
      'Returns all pending orders, newest first, including stop-limit and trailing stop orders. Read from the ledger and cached for one second. The body ' +
      'contains the ledger.',
    ok: ref(OpenOrders),
    example: { orders: [EXAMPLE_OPEN_ORDER], ledger: 1_234_567, ledgerCloseTs: 1_783_339_200 },
    errors: [502],
    requiresKey: true,
  },
  {},
)

const getState = operation(
  {
    id: 'getAccountState',
    tag: 'account',
    summary: 'Get your account state',
    description:
      'Returns positions with unrealised profit, funding and liquidation price, open orders, balances, cross margin, fee tier and limits. All values come ' +
      'from one ledger and are cached for one second. Values that could not be read are null, and `unknown` lists the reasons.',
    ok: ref(AccountState),
    example: EXAMPLE_ACCOUNT_STATE,
    errors: [502],
    requiresKey: true,
  },
  {},
)

export function accountStateRoutes(app: App, parts: { readonly accounts: Accounts }): void {
  const { accounts } = parts
  app.get('/v1/account/me/orders/open', { schema: listOpenOrders, config: { requiresKey: true } }, async (request, reply) => {
    sendPrivate(request, reply, await accounts.openOrders(accountRequest(request)))
  })
  app.get('/v1/account/me/state', { schema: getState, config: { requiresKey: true } }, async (request, reply) => {
    sendPrivate(request, reply, await accounts.state(accountRequest(request)))
  })
}

function accountRequest(request: FastifyRequest): AccountRequest {
  return { owner: callerKey(request).owner, requester: requesterOf(request).address }
}

function sendPrivate(request: FastifyRequest, reply: FastifyReply, body: object): void {
  sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_PRIVATE }))
}
