// The child's side of child.ts: handles the parent's calls.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CPU_SEC, RETAINED_BYTES } from './child.ts'
import type { CallRequest, CallResponse } from './child.ts'

/** A child's handlers by name. The parent receives an error as text. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>

/** Handles the parent's calls until the parent disconnects. Then `close` must release everything that keeps the process running. */
export function serveParent(handlers: Handlers, close: () => Promise<void>): void {
  process.on('message', (request: CallRequest) => void handle(handlers, request).then(send))
  process.once('disconnect', () => void close())
}

/** Drops the response if the parent has disconnected. */
function send(response: CallResponse): void {
  if (process.connected) process.send?.(response)
}

async function handle(handlers: Handlers, { id, name, argument }: CallRequest): Promise<CallResponse> {
  try {
    const handler = COMMON_HANDLERS[name] ?? handlers[name]
    if (handler === undefined) throw new Error(`No handler named ${name}`)
    return { id, value: await handler(argument as never) }
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const COMMON_HANDLERS: Handlers = { [CPU_SEC]: cpuSec, [RETAINED_BYTES]: retainedBytes }

function cpuSec(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

function retainedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The first pass collects objects whose buffers only the second pass frees.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
