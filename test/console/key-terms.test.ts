// The terms of a new API key.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTerms, emptyTerms, isUnlimited } from '../../console/wallet/key-terms.ts'
import type { KeyTerms } from '../../console/wallet/key-terms.ts'

const NOW_MS = 1_785_000_000_000
const ALL = ['read', 'trade', 'close', 'vaults', 'referral', 'keys'] as const
const check = (change: Partial<KeyTerms>) => checkTerms({ ...emptyTerms(ALL), ...change }, { nowMs: NOW_MS, markets: ['BTC', 'ETH'] })

test('the terms of a key become the restrictions of the API, and what is empty restricts nothing', () => {
  assert.deepEqual(check({}), { problems: new Map(), restrictions: { scopes: ALL } })
  assert.deepEqual(check({
    scopes: ['trade', 'read'], lifetime: '7', networks: '203.0.113.0/24, 2001:db8::/32 198.51.100.7', assets: 'eth, BTC', maxLeverage: '3',
    maxNotional: '10,000.5', maxOrders: '0',
  }), {
    problems: new Map(),
    restrictions: {
      scopes: ['read', 'trade'], expiresAt: NOW_MS + 604_800_000, cidrs: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
      caps: { assets: ['ETH', 'BTC'], maxLeverage: 3, maxNotionalPerDay: '100005000000', maxOrdersPerDay: 0 },
    },
  })
})

test('each wrong term is said at its input', () => {
  const { problems } = check({ scopes: [], networks: 'office', assets: 'BTC, DOGE', maxLeverage: '0', maxNotional: 'much', maxOrders: '1.5' })
  assert.deepEqual([...problems], [
    ['scopes', 'Choose what the key may do.'], ['networks', 'office is not a network. Write 203.0.113.0/24, or 2001:db8::/32.'],
    ['assets', 'DOGE is not a market. The markets are BTC, ETH.'], ['maxNotional', 'Enter an amount, for example 10000.'],
    ['maxLeverage', 'Enter a whole number from 1.'], ['maxOrders', 'Enter a whole number from 0.'],
  ])
})

test('the page takes only a key without limits for itself', () => {
  assert.equal(isUnlimited(check({}).restrictions), true)
  assert.equal(isUnlimited(check({ scopes: [...ALL, 'lend'] }).restrictions), true)
  for (const change of [{ scopes: ['read'] }, { lifetime: '1' }, { networks: '::1' }, { maxOrders: '5' }] as const) {
    assert.equal(isUnlimited(check(change).restrictions), false, JSON.stringify(change))
  }
})
