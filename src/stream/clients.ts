// The connected clients, and the limits on their number.

import { findSurplusHolder } from '../base/fair-share.ts'
import type { Requester } from '../base/fair-share.ts'
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

/** Whom connections are counted by. */
export interface ClientOrigin {
  readonly address: string
  /** The address itself, which keys may be limited to. `address` is the /64 network of an IPv6 address. */
  readonly clientAddress: string
  /** The network around it: the IPv6 /48, or the IPv4 /24. */
  readonly network: string
  /** True if one subscriber commonly has the whole network. Then it has a limit of its own, a multiple of that of an address. */
  readonly isNetworkLimited: boolean
  /** The wallet of the key that the request had; null without one. */
  readonly owner: string | null
}

/** The reason why a client cannot connect now, with the close code of its WebSocket. */
export interface Rejection {
  readonly code: number
  readonly reason: 'server_full' | 'too_many_connections' | 'restart'
}

export interface Clients extends Iterable<Client> {
  count(): number
  /** The number of distinct addresses. */
  addresses(): number
  /** The reason why one more client from here is rejected; undefined when it fits, or another one gives way. */
  rejection(origin: ClientOrigin): Rejection | undefined
  /** The client that gives way to one from here when there are too many: of the largest holder, the newest without channels, or else the newest. */
  surplus(origin: ClientOrigin): Client | undefined
  add(client: Client): void
  remove(client: Client): void
}

export function createClients(limits: StreamLimits): Clients {
  const clients = new Set<Client>()
  const countByAddress = new Map<string, number>()
  const countByNetwork = new Map<string, number>()

  function change({ address, network, isNetworkLimited }: ClientOrigin, by: 1 | -1): void {
    changeCount(countByAddress, address, by)
    if (isNetworkLimited) changeCount(countByNetwork, network, by)
  }

  function surplus(origin: ClientOrigin): Client | undefined {
    if (clients.size < limits.connections) return undefined
    const { idle = [], busy = [] } = Object.groupBy(clients, ({ session }) => (session.isIdle() ? 'idle' : 'busy'))
    const holders = [...busy, ...idle].map((client) => ({ client, requester: requesterOf(client.origin, client.session.login()?.owner) }))
    return findSurplusHolder(holders, requesterOf(origin), () => true)?.client
  }

  return {
    count: () => clients.size,
    addresses: () => countByAddress.size,
    rejection(origin) {
      const { address, network } = origin
      const isAtLimit = (countByAddress.get(address) ?? 0) >= limits.connectionsPerAddress ||
        (countByNetwork.get(network) ?? 0) >= limits.connectionsPerAddress * WIDE_NETWORK_FACTOR
      if (isAtLimit) return { code: CLOSE.tryAgain, reason: 'too_many_connections' }
      const isFull = clients.size >= limits.connections && surplus(origin) === undefined
      return isFull ? { code: CLOSE.tryAgain, reason: 'server_full' } : undefined
    },
    surplus,
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

function requesterOf({ network, address, owner }: ClientOrigin, loggedIn?: string): Requester {
  return { network, address, key: loggedIn ?? owner ?? '' }
}

function changeCount(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
