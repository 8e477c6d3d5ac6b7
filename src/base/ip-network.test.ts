import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesNetwork, parseIpNetwork } from './ip-network.ts'

function includes(outer: string, inner: string): boolean {
  const [network, other] = [parseIpNetwork(outer), parseIpNetwork(inner)]
  assert.ok(network !== undefined && other !== undefined, `${outer} ${inner}`)
  return includesNetwork(network, other)
}

test('a network includes its addresses and smaller networks, and no others', () => {
  assert.deepEqual(['10.0.0.0', '10.255.255.255', '11.0.0.0'].map((address) => includes('10.0.0.0/8', address)), [true, true, false])
  assert.deepEqual(['2001:db8::1', '2001:DB8:FFFF::', '2001:db9::'].map((address) => includes('2001:db8::/32', address)), [true, true, false])
  assert.deepEqual(['10.1.0.0/16', '10.0.0.0/8', '10.0.0.0/7'].map((network) => includes('10.0.0.0/8', network)), [true, true, false])
  assert.deepEqual([includes('0.0.0.0/0', '203.0.113.9'), includes('::/0', 'fe80::1'), includes('::/0', '203.0.113.9')], [true, true, false])
  assert.ok(includes('10.9.8.7/8', '10.0.0.1'), 'host bits of a network are ignored')
})

test('an IPv4-mapped address or network is the IPv4 one, in every spelling', () => {
  for (const address of ['::ffff:10.1.2.3', '::ffff:a01:203', '0:0:0:0:0:FFFF:0a01:0203']) assert.ok(includes('10.0.0.0/8', address), address)
  assert.ok(includes('::ffff:10.0.0.0/104', '10.1.2.3'))
  assert.ok(!includes('::ffff:10.0.0.0/104', '11.1.2.3'))
})

test('rejects what is no network', () => {
  for (const text of ['', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/+8', 'fe80::1%eth0', 'example.org/8']) {
    assert.equal(parseIpNetwork(text), undefined, text)
  }
})
