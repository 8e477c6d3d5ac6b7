// Hands tasks to threads, one at a time to each, and gathers what they tell.

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ensureEmbeddedTemplate, testServerUrl } from '../support/database.ts'
import type { Task, TaskResult } from './worker.ts'

const SCRIPT = new URL('./worker.ts', import.meta.url)

/** Runs all tasks on all cores; in the order in which they ended. `onTold` hears of each as it ends. */
export async function runTasks(tasks: readonly Task[], onTold: (told: TaskResult) => void = () => {}): Promise<readonly TaskResult[]> {
  // Made once, before several threads want it at the same moment.
  if (testServerUrl() === null) await ensureEmbeddedTemplate()
  const waiting = [...tasks]
  const told: TaskResult[] = []

  async function serve(): Promise<void> {
    const worker = new Worker(SCRIPT)
    const ended = new Promise<never>((_resolve, reject) => {
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`a thread of the simulation ended with ${code}`)))
    })
    ended.catch(() => {})
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const answer = new Promise<TaskResult>((resolve) => void worker.once('message', resolve))
      worker.postMessage(task, [])
      const one = await Promise.race([answer, ended])
      told.push(one)
      onTold(one)
    }
    worker.postMessage(null, [])
    await ended.catch(() => {})
  }

  await Promise.all(Array.from({ length: Math.min(availableParallelism(), tasks.length) }, serve))
  return told
}
