// "Keys that can be lent", copied by hand: which scope of a key each endpoint and each call needs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACTION_NAMES } from '../../src/exchange/actions.ts'
import { ENTRY_OPERATIONS } from '../../src/exchange/entries.ts'
import { OPERATION_NAMES } from '../../src/exchange/operations.ts'
import { KEY_SCOPES } from '../../src/limits.ts'
import { ENDPOINT_SCOPES, scopesOfCall } from '../../src/resources/key-scopes.ts'
import { createBareGateway } from '../support/bare-gateway.ts'

/** By method and path. `any`: one of those that trade. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  'get /v1/account/me': 'read',
  'get /v1/account/me/events': 'read',
  'get /v1/account/me/fills': 'read',
  'get /v1/account/me/holdings': 'read',
  'get /v1/account/me/ledger': 'read',
  'get /v1/account/me/limits': 'read',
  'get /v1/account/me/orders': 'read',
  'get /v1/account/me/orders/history': 'read',
  'get /v1/account/me/orders/open': 'read',
  'get /v1/account/me/pnl': 'read',
  'get /v1/account/me/positions': 'read',
  'get /v1/account/me/state': 'read',
  'get /v1/referral/me': 'read',
  'get /v1/referral/me/claims': 'read',
  'get /v1/referral/me/trades': 'read',
  'get /v1/account/me/transactions': 'any',
  'get /v1/tx': 'any',
  'get /v1/tx/{hash}': 'any',
  'post /v1/tx/submit': 'any',
  'post /v1/orders/prepare': 'any',
  'post /v1/actions/prepare': 'any',
  'get /v1/keys/current': 'none',
  'get /v1/keys': 'keys',
  'delete /v1/keys': 'keys',
  'delete /v1/keys/{keyId}': 'keys',
  'post /v1/keys/{keyId}/rotate': 'none for the own key, otherwise keys',
  'post /v1/keys/{keyId}/children': 'lend',
}

const TRADING = ['trade', 'close', 'vaults', 'referral']

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly security: readonly object[]
}

function describe(scopes: (typeof ENDPOINT_SCOPES)[string] | undefined): string {
  if (scopes === undefined) return 'missing'
  if (scopes === null) return 'none'
  if ('own' in scopes) return `none for the own key, otherwise ${scopes.other.join(' or ')}`
  return scopes.join() === TRADING.join() ? 'any' : scopes.join(' or ')
}

test('every operation of the OpenAPI document that requires a key has its scope, and no other operation has one', async () => {
  await using bare = await createBareGateway()
  const { paths } = (await bare.gateway.app.inject('/docs/json')).json<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>()
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
  const keyed = operations.filter(({ operation: { security } }) => security.length > 0)
  const found = keyed.map(({ path, method, operation: { operationId } }) => [`${method} ${path}`, describe(ENDPOINT_SCOPES[operationId])] as const)
  assert.deepEqual(Object.fromEntries(found), ENDPOINTS)
  assert.deepEqual(Object.keys(ENDPOINT_SCOPES).toSorted(), keyed.map(({ operation: { operationId } }) => operationId).toSorted())
  for (const { operation: { description, operationId } } of keyed) assert.match(description, /Needs .*scope/, operationId)
})

/** All other operations and actions need `trade`. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  close: [
    'close_position', 'close_position_cross', 'close_position_partial', 'cancel_order', 'set_stop_loss', 'set_take_profit', 'place_trailing_stop',
    'add_collateral',
  ],
  vaults: [
    'deposit_liquidity', 'approve_liquidity_withdrawal', 'withdraw_liquidity', 'create_vault', 'deposit_vault', 'withdraw_vault', 'leader_open_position',
    'leader_close_position', 'leader_place_limit_order', 'leader_place_stop_limit', 'leader_set_stop_loss', 'leader_set_take_profit',
    'leader_place_trailing_stop', 'leader_cancel_order', 'claim_leader_fees', 'set_vault_paused', 'transfer_usdc',
  ],
  referral: ['create_referral_code', 'set_referrer', 'claim_referral'],
}

test('every operation and action has its scope, and trade includes what only reduces', () => {
  for (const op of [...OPERATION_NAMES, ...ACTION_NAMES]) {
    const [scope = 'trade'] = Object.entries(CALLS).find(([, ops]) => ops.includes(op)) ?? []
    assert.deepEqual(scopesOfCall(op), scope === 'close' ? ['close', 'trade'] : [scope], op)
  }
  assert.equal(scopesOfCall('transfer'), undefined)
  assert.equal(scopesOfCall('constructor'), undefined)
})

test('opens and entry orders count for caps, those of vaults too, and nothing else does', () => {
  assert.deepEqual([...ENTRY_OPERATIONS], [
    'open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order', 'leader_open_position', 'leader_place_limit_order',
    'leader_place_stop_limit',
  ])
})

test('the scopes are those of the specification', () => {
  assert.deepEqual(KEY_SCOPES, ['read', 'trade', 'close', 'vaults', 'referral', 'keys', 'lend'])
})
