// Runs tasks on worker threads, one at a time per thread, and collects the results.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ensureEmbeddedTemplate, testServerUrl } from '../support/database.ts'
import type { Task, TaskResult } from './worker.ts'

const SCRIPT = new URL('./worker.ts', import.meta.url)

/** Runs all tasks on all cores. Returns the results in the order of completion and reports each to `onResult`. */
export async function runTasks(tasks: readonly Task[], onResult: (result: TaskResult) => void = () => {}): Promise<readonly TaskResult[]> {
  // Created once, before several threads need it.
  if (testServerUrl() === null) await ensureEmbeddedTemplate()
  const waiting = [...tasks]
  const results: TaskResult[] = []

  async function serve(): Promise<void> {
    const worker = new Worker(SCRIPT)
    const ended = new Promise<never>((_resolve, reject) => {
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`a thread of the simulation ended with ${code}`)))
    })
    ended.catch(() => {})
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const message = new Promise<TaskResult>((resolve) => void worker.once('message', resolve))
      worker.postMessage(task, [])
      const result = await Promise.race([message, ended])
      results.push(result)
      onResult(result)
    }
    worker.postMessage(null, [])
    await ended.catch(() => {})
  }

  await Promise.all(Array.from({ length: Math.min(availableParallelism(), tasks.length) }, serve))
  return results
}
