// The console's files, made once, when somebody first opens it: a gateway whose console nobody opens pays nothing for it.

import { Worker } from 'node:worker_threads'
import type { BuildOrder, BuiltConsole } from './built.ts'

/** Answers with the files; builds them at the first call. A build that fails is tried again at the next one. */
export type ConsoleFiles = () => Promise<BuiltConsole>

export function createConsoleFiles(order: BuildOrder): ConsoleFiles {
  let building: Promise<BuiltConsole> | undefined
  return () => {
    building ??= build(order).catch((error: unknown) => {
      building = undefined
      throw error
    })
    return building
  }
}

/** In a thread of its own, which ends with it. */
function build(order: BuildOrder): Promise<BuiltConsole> {
  return new Promise((resolve, reject) => {
    // That Node's own stripping of types calls itself experimental is known (docs/decisions/console-without-build.md).
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order, execArgv: ['--disable-warning=ExperimentalWarning'] })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the console could not be built (${code})`)))
  })
}
