// The work of the embedded engine's thread: requests from the thread that started it, which the engine takes one at a time.

import type { MessagePort } from 'node:worker_threads'
import { readFailure } from '../failures.ts'
import { isNoSpace } from './durable-filesystem.ts'
import type { Disk } from './durable-filesystem.ts'
import { EngineBroken, createCluster, openEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import type { Job, Report, Request } from './messages.ts'

/** Does `job` and reports on `port`. `fsync` flushes an open file to the disk. */
export async function serveJob(job: Job, port: MessagePort, fsync: (descriptor: number) => void): Promise<void> {
  const report = (message: Report): void => port.postMessage(message, [])
  let isDiskFull = false

  /** Reports a failed disk and blocks the thread until it is terminated: nothing more may run here. */
  function blockForever(error: Error): never {
    report({ kind: 'broken', message: error.message, isDiskFull })
    const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    for (;;) Atomics.wait(never, 0, 0)
  }

  try {
    if (job.kind === 'create') {
      await createCluster(job, fsync)
      report({ kind: 'created' })
    } else {
      const disk: Disk = { fsync, onFailure: blockForever, onWrite: (result) => void (isDiskFull = result === 'full') }
      serve(await openEngine({ ...job, disk }), { port, report, isDiskFull: () => isDiskFull })
    }
  } catch (cause) {
    report({ kind: 'refused', message: cause instanceof Error ? cause.message : String(cause), isDiskFull: isDiskFull || isNoSpace(cause) })
  }
}

interface Serving {
  readonly port: MessagePort
  readonly report: (message: Report) => void
  readonly isDiskFull: () => boolean
}

function serve(engine: Engine, { port, report, isDiskFull }: Serving): void {
  async function handle(request: Request): Promise<void> {
    const message = await respond(engine, request, isDiskFull)
    report(message)
    if (message.kind === 'closed') port.close()
  }
  engine.onNotification((channel, payload) => report({ kind: 'notified', channel, payload }))
  port.on('message', (request: Request) => void handle(request))
  report({ kind: 'ready' })
}

async function respond(engine: Engine, request: Request, isDiskFull: () => boolean): Promise<Report> {
  try {
    if (request.kind === 'run') return { kind: 'done', result: await engine.run(request.statement) }
    if (request.kind === 'dump') return { kind: 'dumped', bytes: await engine.dump() }
    await engine.close()
    return { kind: 'closed' }
  } catch (cause) {
    if (cause instanceof EngineBroken) return { kind: 'broken', message: cause.message, isDiskFull: isDiskFull() }
    return { kind: 'failed', failure: readFailure(cause) }
  }
}
