// The work of the embedded engine's thread: requests from the thread that started it, which the engine takes one at a time.

import type { MessagePort } from 'node:worker_threads'
import { readFailure } from '../failures.ts'
import { EngineBroken, createCluster, openEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import type { Job, Report, Request } from './messages.ts'

/** Does `job` and reports on `port`. `fsync` flushes an open file to the disk. */
export async function serveJob(job: Job, port: MessagePort, fsync: (descriptor: number) => void): Promise<void> {
  const report = (message: Report): void => port.postMessage(message, [])

  /** Reports a failed disk and blocks the thread until it is terminated: nothing more may run here. */
  function blockForever(error: Error): never {
    report({ kind: 'broken', message: error.message })
    const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    for (;;) Atomics.wait(never, 0, 0)
  }

  try {
    if (job.kind === 'create') {
      await createCluster(job, fsync)
      report({ kind: 'created' })
    } else serve(await openEngine({ ...job, disk: { fsync, onFailure: blockForever } }), port, report)
  } catch (cause) {
    report({ kind: 'refused', message: cause instanceof Error ? cause.message : String(cause) })
    port.close()
  }
}

function serve(engine: Engine, port: MessagePort, report: (message: Report) => void): void {
  async function handle(request: Request): Promise<void> {
    const message = await respond(engine, request)
    report(message)
    if (message.kind === 'closed') port.close()
  }
  engine.onNotification((channel, payload) => report({ kind: 'notified', channel, payload }))
  port.on('message', (request: Request) => void handle(request))
  report({ kind: 'ready' })
}

async function respond(engine: Engine, request: Request): Promise<Report> {
  try {
    if (request.kind === 'run') return { kind: 'done', result: await engine.run(request.statement) }
    if (request.kind === 'dump') return { kind: 'dumped', bytes: await engine.dump() }
    await engine.close()
    return { kind: 'closed' }
  } catch (cause) {
    if (cause instanceof EngineBroken) return { kind: 'broken', message: cause.message }
    return { kind: 'failed', failure: readFailure(cause) }
  }
}
