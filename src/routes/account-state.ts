// What the ledger knows of an account: GET /v1/account/me/orders/open, /v1/account/me/state. Beyond the specification.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../account/accounts.ts'
import type { App } from '../http/app.ts'
import { CACHE_PRIVATE, prepareResponse, sendResponse } from '../http/response.ts'
import { callerKey } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { AccountState, EXAMPLE_ACCOUNT_STATE } from '../resources/account-state.ts'
import { ref } from '../resources/fields.ts'
import { EXAMPLE_OPEN_ORDER, OpenOrders } from '../resources/open-order.ts'
import { serialiseBody } from './page-response.ts'

const listOpenOrders = operation(
  {
    id: 'listAccountOpenOrders',
    tag: 'account',
    summary: 'The caller\'s resting orders',
    description:
      'Every pending order as the ledger has it, newest first: stop-limit orders and trailing stops too, whose placement emits no event. Read from the ' +
      'network and kept for a second; the body says at which ledger.',
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
    summary: 'What the caller has and is worth',
    description:
      'Positions with unrealised profit, funding and liquidation price, resting orders, balances, cross margin, fee tier and limits, all read from one ' +
      'ledger and kept for a second. What could not be told is null, and `unknown` says why.',
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
    sendOwn(request, reply, await accounts.openOrders(callerKey(request).owner))
  })
  app.get('/v1/account/me/state', { schema: getState, config: { requiresKey: true } }, async (request, reply) => {
    sendOwn(request, reply, await accounts.state(callerKey(request).owner))
  })
}

function sendOwn(request: FastifyRequest, reply: FastifyReply, body: object): void {
  sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_PRIVATE }))
}
