// The console's files, built on the first request: a gateway whose console is never opened spends nothing on it.

import { Worker } from 'node:worker_threads'
import type { BuiltConsole, ConsoleBuildOptions } from './build.ts'

/** Returns the files; the first call builds them. After a failed build, the next call builds again. */
export type ConsoleFiles = () => Promise<BuiltConsole>

export function createConsoleFiles(options: ConsoleBuildOptions): ConsoleFiles {
  let files: Promise<BuiltConsole> | undefined
  return () => {
    files ??= buildInWorker(options).catch((error: unknown) => {
      files = undefined
      throw error
    })
    return files
  }
}

function buildInWorker(options: ConsoleBuildOptions): Promise<BuiltConsole> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The worker that builds the console exited with code ${code}`)))
  })
}
