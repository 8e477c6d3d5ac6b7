// Divides long synchronous work into slices.

import { setImmediate } from 'node:timers/promises'

/** Resolves after the event loop has handled what is waiting: requests, timers, sockets. */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate()
}
