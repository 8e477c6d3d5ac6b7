// A client's requests, handled one at a time in the order of arrival.

import type { FailureLog } from '../base/failure-log.ts'
import type { ClientRequest } from './requests.ts'

/** Queued requests per connection. Only a stalled database fills the queue: the rate limit is lower. */
const QUEUED_REQUESTS_MAX = 100

export interface RequestQueue {
  /** False when the queue is full. */
  push(request: ClientRequest): boolean
  clear(): void
}

export interface RequestQueueParts {
  /** Handles one request; the next request waits until it resolves. */
  handle(request: ClientRequest): void | Promise<void>
  /** Called after a request that the gateway could not handle. */
  onFailure(): void
  /** Counts those requests. */
  readonly failures: FailureLog
  readonly requestId: string
}

export function createRequestQueue({ handle, onFailure, failures, requestId }: RequestQueueParts): RequestQueue {
  const queue: ClientRequest[] = []
  let handling = false

  async function handleQueue(): Promise<void> {
    handling = true
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      try {
        const handled = handle(request)
        if (handled !== undefined) await handled
      } catch (error) {
        failures.record(nameOf(error), () => ({ err: error, requestId, op: request.op }))
        onFailure()
      }
    }
    handling = false
  }

  return {
    push(request) {
      if (queue.length >= QUEUED_REQUESTS_MAX) return false
      queue.push(request)
      if (!handling) void handleQueue()
      return true
    },
    clear() {
      queue.length = 0
    },
  }
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
