import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddress, networkOf } from './client-address.ts'
import type { TrustProxy } from './client-address.ts'

const cases: readonly { title: string; trust: TrustProxy; peer: string | undefined; forwarded: string | undefined; expected: string }[] = [
  { title: 'trusts no proxy by default', trust: false, peer: '203.0.113.9', forwarded: '198.51.100.1', expected: '203.0.113.9' },
  { title: 'trusts no proxy with zero hops', trust: 0, peer: '203.0.113.9', forwarded: '198.51.100.1', expected: '203.0.113.9' },
  {
    title: 'uses the left-most address if all proxies are trusted', trust: true,
    peer: '10.0.0.1', forwarded: '198.51.100.1, 10.0.0.7', expected: '198.51.100.1',
  },
  {
    title: 'uses the address seen by the nearest proxy with one hop', trust: 1,
    peer: '10.0.0.1', forwarded: '6.6.6.6, 198.51.100.1', expected: '198.51.100.1',
  },
  {
    title: 'uses the second address from the right with two hops', trust: 2,
    peer: '10.0.0.1', forwarded: '6.6.6.6, 198.51.100.1, 10.0.0.7', expected: '198.51.100.1',
  },
  { title: 'uses the left-most address with more hops than addresses', trust: 5, peer: '10.0.0.1', forwarded: '198.51.100.1', expected: '198.51.100.1' },
  { title: 'uses the peer without the header', trust: true, peer: '10.0.0.1', forwarded: undefined, expected: '10.0.0.1' },
  { title: 'trusts a peer inside a trusted range', trust: ['10.0.0.0/8'], peer: '10.1.2.3', forwarded: '198.51.100.1', expected: '198.51.100.1' },
  { title: 'does not trust a peer outside the range', trust: ['10.0.0.0/8'], peer: '192.0.2.1', forwarded: '198.51.100.1', expected: '192.0.2.1' },
  {
    title: 'ignores addresses that the client added itself', trust: ['10.0.0.0/8'], peer: '10.1.2.3',
    forwarded: '1.1.1.1, 203.0.113.5, 10.9.9.9', expected: '203.0.113.5',
  },
  { title: 'trusts a single address', trust: ['::1'], peer: '::1', forwarded: '2001:db8::7', expected: '2001:db8::7' },
  {
    title: 'unwraps IPv4-mapped IPv6 addresses', trust: ['10.0.0.0/8'], peer: '::ffff:10.0.0.1',
    forwarded: '198.51.100.1', expected: '198.51.100.1',
  },
  { title: 'strips ports and brackets', trust: 2, peer: '10.0.0.1', forwarded: '[2001:db8::7]:443, 10.0.0.2:8080', expected: '2001:db8::7' },
  { title: 'stops at an invalid address', trust: true, peer: '10.0.0.1', forwarded: '198.51.100.1, unknown', expected: '10.0.0.1' },
  { title: 'returns an empty address for a closed socket', trust: false, peer: undefined, forwarded: undefined, expected: '' },
]

for (const { title, trust, peer, forwarded, expected } of cases) {
  test(title, () => {
    assert.equal(createClientAddress(trust)(peer, forwarded), expected)
  })
}

test('counts IPv4 by address and /24 network, and IPv6 by /64 and /48 network', () => {
  const bucketOf = (address: string): string => networkOf(address).bucket
  assert.deepEqual(networkOf('203.0.113.9'), { address: '203.0.113.9', bucket: '203.0.113.9', wide: '203.0.113.0/24', isWideOneSubscriber: false })
  const address = '2001:DB8:0001:2::9'
  assert.deepEqual(networkOf(address), { address, bucket: '2001:db8:1:2::/64', wide: '2001:db8:1::/48', isWideOneSubscriber: true })
  assert.equal(bucketOf('2001:db8:1:2:3:4:5:6'), bucketOf('2001:DB8:0001:2::9'))
  assert.notEqual(bucketOf('2001:db8:1:2::1'), bucketOf('2001:db8:1:3::1'))
  assert.equal(networkOf('2001:db8:1:2::1').wide, networkOf('2001:db8:1:3::1').wide)
  assert.equal(bucketOf('::1'), '0:0:0:0::/64')
  assert.equal(bucketOf('fe80::'), 'fe80:0:0:0::/64')
})

test('counts IPv4-mapped addresses in hexadecimal as IPv4, so that they do not share one network', () => {
  assert.deepEqual(networkOf('::ffff:c633:6401'), networkOf('198.51.100.1'))
  assert.deepEqual(networkOf('0:0:0:0:0:ffff:c000:0209'), networkOf('192.0.2.9'))
})
