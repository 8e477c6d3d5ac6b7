// Worker thread that builds the console.

import { parentPort, workerData } from 'node:worker_threads'
import { buildConsole } from './build.ts'
import type { BuiltConsole, ConsoleBuildOptions } from './build.ts'

function build(): BuiltConsole {
  try {
    return buildConsole(workerData as ConsoleBuildOptions)
  } catch (error) {
    // Threads copy the bundler's errors without their message.
    throw new Error(`The console could not be built: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

parentPort?.postMessage(build(), [])
