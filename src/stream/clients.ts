// The connected clients, and the limits on their number.

import type { StreamLimits } from '../limits.ts'
import { CLOSE } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

export interface Client {
  readonly connection: Connection
  readonly session: Session
  /** Connections are counted per address. */
  readonly address: string
}

export interface Clients extends Iterable<Client> {
  count(): number
  /** The number of distinct addresses. */
  addresses(): number
  /** Why one more client from this address is rejected; undefined when it fits. */
  rejection(address: string): { readonly code: number; readonly reason: string } | undefined
  add(client: Client): void
  remove(client: Client): void
}

export function createClients(limits: StreamLimits): Clients {
  const clients = new Set<Client>()
  const countByAddress = new Map<string, number>()

  return {
    count: () => clients.size,
    addresses: () => countByAddress.size,
    rejection(address) {
      if (clients.size >= limits.connections) return { code: CLOSE.tryAgain, reason: 'server_full' }
      const isAtLimit = (countByAddress.get(address) ?? 0) >= limits.connectionsPerAddress
      return isAtLimit ? { code: CLOSE.tryAgain, reason: 'too_many_connections' } : undefined
    },
    add(client) {
      clients.add(client)
      countByAddress.set(client.address, (countByAddress.get(client.address) ?? 0) + 1)
    },
    remove(client) {
      if (!clients.delete(client)) return
      const remaining = (countByAddress.get(client.address) ?? 1) - 1
      if (remaining === 0) countByAddress.delete(client.address)
      else countByAddress.set(client.address, remaining)
    },
    [Symbol.iterator]: () => clients.values(),
  }
}
