// Preloaded into test processes. Node's test runner follows every promise with an async hook, to know which suite a call of `test` belongs to and which test an
// uncaught error comes from. A test that waits for a database spends a fifth of its time on it. Here the hook is only enabled while a batch loads its files.
// After that, an uncaught error fails the file or batch, and its stack is printed.

import { createHook } from 'node:async_hooks'
import type { AsyncHook } from 'node:async_hooks'
import { isBatch } from './batches.ts'

const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook
const { enable } = hooks
let disable = (): void => {}

hooks.enable = function enableOthers(this: AsyncHook): AsyncHook {
  if (new Error('who enables it').stack?.includes('node:internal/test_runner/') !== true) return enable.call(this)
  process.on('uncaughtExceptionMonitor', (error) => console.error(error))
  process.on('unhandledRejection', (reason) => console.error(reason))
  if (!isBatch(process.argv[1] ?? '')) return this
  disable = () => void this.disable()
  return enable.call(this)
}

/** A batch has loaded its files. */
export function stopTracking(): void {
  disable()
}
