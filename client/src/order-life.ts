// Orders by their id, from their placement to their end.

import type { Order } from './generated/resources.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import type { CallOptions, Key } from './http.ts'
import type { Endpoints } from './rest.ts'
import type { Stream } from './stream.ts'

export interface WatchOptions {
  readonly signal?: AbortSignal
  /** Interval at which the order is read besides what the stream reports, milliseconds; five seconds by default. */
  readonly pollMs?: number
}

export interface Orders {
  /** An order in any state. Rejects with GatewayError `order_not_found`. */
  get(orderId: number, options?: CallOptions): Promise<Order>
  /**
   * The order now, and again after each of its changes, until it has ended; the last row says how. Follows the stream if the order belongs to the key's
   * account, and reads the order at intervals besides.
   */
  watch(orderId: number, options?: WatchOptions): AsyncIterableIterator<Order>
}

export interface OrdersParts {
  readonly endpoints: Endpoints
  readonly clock: Clock
  readonly key: () => Key | null
  readonly stream: () => Stream
}

const POLL_MS = 5_000

export function createOrders(parts: OrdersParts): Orders {
  const { endpoints, clock } = parts
  const get = async (orderId: number, options?: CallOptions): Promise<Order> => (await endpoints.getOrder({ orderId }, options)).body

  /** Calls `onChange` when the account's channel reports a change of the order. Returns a function that ends it. */
  async function follow(order: Order, onChange: () => void, options: CallOptions): Promise<() => void> {
    if (parts.key() === null) return () => {}
    const { owner } = (await endpoints.getAccountIdentity({}, options)).body
    if (owner !== order.trader) return () => {}
    const stream = parts.stream()
    stream.on(`account.orders.${owner}`, ({ data }) => {
      if (data.kind === 'order' && data.row.orderId === order.orderId) onChange()
    })
    return () => stream.close()
  }

  return {
    get,
    async *watch(orderId, { signal, pollMs = POLL_MS } = {}) {
      const options = signal === undefined ? {} : { signal }
      let order = await get(orderId, options)
      yield order
      if (order.status !== 'pending') return
      const changes = createChanges(clock, pollMs, signal)
      // Without the stream, the order is read at intervals only.
      const unfollow = await follow(order, changes.report, options).catch(() => () => {})
      try {
        while (order.status === 'pending') {
          await changes.next()
          const next = await readAgain(order, options)
          if (JSON.stringify(next) === JSON.stringify(order)) continue
          order = next
          yield order
        }
      } finally {
        unfollow()
      }
    },
  }

  /** After a reset of the network the order may be gone. Then it stays as it was last seen, and reading it fails. */
  async function readAgain(order: Order, options: CallOptions): Promise<Order> {
    try {
      return await get(order.orderId, options)
    } catch (error) {
      if (error instanceof GatewayError && error.status < 500 && error.status !== 429) throw error
      return order
    }
  }
}

/** `next` resolves when a change was reported since the last call, after `pollMs` at the latest. Rejects with the signal's reason. */
function createChanges(clock: Clock, pollMs: number, signal: AbortSignal | undefined): { report(): void; next(): Promise<void> } {
  let isReported = false
  let wake: () => void = () => {}
  return {
    report() {
      isReported = true
      wake()
    },
    async next() {
      const waiting = new AbortController()
      wake = () => waiting.abort()
      if (!isReported) {
        await pause(clock, pollMs, signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal])).catch((error: unknown) => {
          if (!isReported) throw error
        })
      }
      isReported = false
    },
  }
}
