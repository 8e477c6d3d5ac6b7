// The connected clients, and the limits on their number.

import { WIDE_NETWORK_FACTOR } from '../limits.ts'
import type { StreamLimits } from '../limits.ts'
import { CLOSE } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

export interface Client {
  readonly connection: Connection
  readonly session: Session
  readonly origin: ClientOrigin
}

/** Connections are counted per address, and per network around it at a multiple of the limit. */
export interface ClientOrigin {
  readonly address: string
  /** The IPv6 /48 network. Null for IPv4. */
  readonly network: string | null
}

/** Why a client cannot connect now, with the close code of its WebSocket. */
export interface Rejection {
  readonly code: number
  readonly reason: 'server_full' | 'too_many_connections' | 'restart'
}

export interface Clients extends Iterable<Client> {
  count(): number
  /** The number of distinct addresses. */
  addresses(): number
  /** Why one more client from this address is rejected; undefined when it fits. */
  rejection(origin: ClientOrigin): Rejection | undefined
  add(client: Client): void
  remove(client: Client): void
}

export function createClients(limits: StreamLimits): Clients {
  const clients = new Set<Client>()
  const countByAddress = new Map<string, number>()
  const countByNetwork = new Map<string, number>()

  function change({ address, network }: ClientOrigin, by: 1 | -1): void {
    changeCount(countByAddress, address, by)
    if (network !== null) changeCount(countByNetwork, network, by)
  }

  return {
    count: () => clients.size,
    addresses: () => countByAddress.size,
    rejection({ address, network }) {
      if (clients.size >= limits.connections) return { code: CLOSE.tryAgain, reason: 'server_full' }
      const isAtLimit = (countByAddress.get(address) ?? 0) >= limits.connectionsPerAddress ||
        (network !== null && (countByNetwork.get(network) ?? 0) >= limits.connectionsPerAddress * WIDE_NETWORK_FACTOR)
      return isAtLimit ? { code: CLOSE.tryAgain, reason: 'too_many_connections' } : undefined
    },
    add(client) {
      clients.add(client)
      change(client.origin, 1)
    },
    remove(client) {
      if (clients.delete(client)) change(client.origin, -1)
    },
    [Symbol.iterator]: () => clients.values(),
  }
}

function changeCount(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
