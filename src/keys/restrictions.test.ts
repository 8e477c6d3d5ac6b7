import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyCaps, KeyRestrictions } from '../resources/key-restrictions.ts'
import { allowsAddress, networksOf, readRestrictions, restrictChild, textOfRestrictions, UNRESTRICTED } from './restrictions.ts'

const CAPS: KeyCaps = { assets: ['BTC', 'ETH'], maxLeverage: 3, maxNotionalPerDay: '1000', maxOrdersPerDay: 5 }
const PARENT: KeyRestrictions = { scopes: ['read', 'trade', 'lend'], expiresAt: 1_000, cidrs: ['10.0.0.0/8', '2001:db8::/32'], caps: CAPS }

test('a child inherits what it does not name', () => {
  assert.deepEqual(restrictChild(PARENT, {}), PARENT)
  assert.deepEqual(restrictChild(PARENT, { scopes: null, expiresAt: null, cidrs: null, caps: null }), PARENT)
  assert.deepEqual(restrictChild(PARENT, { caps: { maxLeverage: 2 } }), { ...PARENT, caps: { ...CAPS, maxLeverage: 2 } })
})

test('a child is a subset in every member, and the first one that exceeds is named', () => {
  const cases: readonly (readonly [Parameters<typeof restrictChild>[1], string])[] = [
    [{ scopes: ['read', 'keys'] }, 'scopes'],
    [{ expiresAt: 1_001 }, 'expiresAt'],
    [{ cidrs: ['10.1.0.0/16', '11.0.0.0/8'] }, 'cidrs'],
    [{ cidrs: ['10.0.0.0/7'] }, 'cidrs'],
    [{ caps: { assets: ['BTC', 'XLM'] } }, 'caps.assets'],
    [{ caps: { maxLeverage: 4 } }, 'caps.maxLeverage'],
    [{ caps: { maxNotionalPerDay: '10000' } }, 'caps.maxNotionalPerDay'],
    [{ caps: { maxOrdersPerDay: 6 } }, 'caps.maxOrdersPerDay'],
  ]
  for (const [asked, member] of cases) assert.equal(restrictChild(PARENT, asked), member)
  const caps = { assets: ['ETH'], maxLeverage: 1, maxNotionalPerDay: '999', maxOrdersPerDay: 0 }
  const lesser = { scopes: ['read' as const], expiresAt: 999, cidrs: ['10.1.0.0/16'], caps }
  assert.deepEqual(restrictChild(PARENT, lesser), lesser)
})

test('a key that names no scopes lends none with lend', () => {
  assert.equal(restrictChild(UNRESTRICTED, { scopes: ['lend'] }), 'scopes')
})

test('no caps at all are the same as none, and amounts have one spelling', () => {
  const empty = readRestrictions({ caps: { assets: null } })
  assert.deepEqual([empty, textOfRestrictions(empty)], [UNRESTRICTED, ''])
  assert.equal(readRestrictions({ caps: { maxNotionalPerDay: '0010' } }).caps?.maxNotionalPerDay, '10')
})

test('an address must be in one of the networks', () => {
  const networks = networksOf({ cidrs: ['192.0.2.0/24', '2001:db8::/32'] })
  const addresses = ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207', '2001:db8::1', '192.0.3.7', '2001:db9::1', '', 'nonsense']
  assert.deepEqual(addresses.map((address) => allowsAddress(networks, address)), [true, true, true, true, false, false, false, false])
  assert.ok(allowsAddress(null, '192.0.3.7'))
})
