import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STREAM_LIMITS } from '../limits.ts'
import { createClients } from './clients.ts'
import type { Client, ClientOrigin } from './clients.ts'

function originAt(address: string, network: string, isNetworkLimited: boolean, owner: string | null = null): ClientOrigin {
  return { address, clientAddress: address, network, isNetworkLimited, owner }
}

test('limits the connections of an address, and of an IPv6 /48 network to ten times that', () => {
  const clients = createClients({ ...STREAM_LIMITS, connectionsPerAddress: 2 })
  const open = (origin: ClientOrigin): Client | undefined => {
    if (clients.rejection(origin) !== undefined) return undefined
    const client = { origin } as Client
    clients.add(client)
    return client
  }
  const subnet = (index: number): ClientOrigin => originAt(`2001:db8:7:${index}::/64`, '2001:db8:7::/48', true)
  const opened = Array.from({ length: 90 }, (_, index) => open(subnet(index % 30))).filter((client) => client !== undefined)
  assert.equal(opened.length, 20, 'ten times the limit of an address')
  assert.equal(clients.rejection(subnet(99))?.reason, 'too_many_connections')
  assert.ok(open(originAt('2001:db8:8:0::/64', '2001:db8:8::/48', true)) !== undefined, 'another network')
  assert.deepEqual([1, 2, 3].map(() => open(originAt('192.0.2.1', '192.0.2.0/24', false)) !== undefined), [true, true, false])
  for (const client of opened) clients.remove(client)
  assert.deepEqual([1, 2, 3].map(() => open(subnet(0)) !== undefined), [true, true, false])
})

test('when there are too many, the owner with the most at an address gives way', () => {
  const clients = createClients({ ...STREAM_LIMITS, connections: 4, connectionsPerAddress: 4 })
  const at = (owner: string | null): ClientOrigin => originAt('192.0.2.1', '192.0.2.0/24', false, owner)
  const add = (name: string, origin: ClientOrigin, loggedIn: string | null = null): void => {
    const session = { isIdle: () => false, login: () => (loggedIn === null ? null : { owner: loggedIn, keyId: '', tier: '' }) }
    clients.add({ origin, session, name } as unknown as Client)
  }
  add('first', at(null), 'GOWNER')
  add('second', at('GOWNER'))
  assert.equal(clients.surplus(at('GOTHER')), undefined, 'there are places')
  add('third', at('GOWNER'))
  add('keyless', at(null))
  assert.equal((clients.surplus(at('GOTHER')) as unknown as { readonly name: string } | undefined)?.name, 'third')
})
