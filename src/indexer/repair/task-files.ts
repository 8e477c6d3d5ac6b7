// How a command reaches the gateway that has the embedded database open: only one process can. The command leaves a request in the data folder; the gateway
// takes it, and writes the state of the task beside it until the task has ended, also after a restart.

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { isActive, readTask } from '../../projections/repair/tasks.ts'
import type { Task, TaskKind } from '../../projections/repair/tasks.ts'
import type { Store } from '../../store/store.ts'
import { storeChannel } from './task-channel.ts'
import type { TaskChannel } from './task-channel.ts'

const POLL_MS = 250
/** A gateway takes a request within this time. */
const ACCEPT_TIMEOUT_MS = 15_000
/** A gateway that is restarted reports again within this time. */
const SILENCE_MAX_MS = 60_000

interface Request {
  readonly kind: TaskKind
  /** Identifies the command. */
  readonly command: string
}

interface Status extends Request {
  readonly id: number
  readonly task: Task<TaskKind> | null
}

/** Raised when no gateway takes the request. */
class TaskNotAccepted extends Error {
  override readonly name = 'TaskNotAccepted'
}

/** Raised when the gateway stopped reporting. The task continues when one runs again. */
export class TaskNotReported extends Error {
  override readonly name = 'TaskNotReported'
}

/** The command's side. */
export function fileChannel(folder: string, { clock, random }: { readonly clock: Clock; readonly random: Random }): TaskChannel {
  const command = Buffer.from(random.bytes(8)).toString('hex')
  const readStatus = (): Status | undefined => {
    const status = readJson(statusFile(folder)) as Status | undefined
    return status?.command === command ? status : undefined
  }
  let reportModifiedMs = Number.NEGATIVE_INFINITY
  let reportSeenAtMs = 0
  function checkReports(kind: TaskKind): void {
    const modifiedMs = statSync(statusFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? reportModifiedMs
    if (modifiedMs !== reportModifiedMs) {
      reportModifiedMs = modifiedMs
      reportSeenAtMs = clock.elapsedMs()
    } else if (clock.elapsedMs() - reportSeenAtMs > SILENCE_MAX_MS) {
      const advice = `The task continues when it runs; \`npm run ${kind}\` follows it then.`
      throw new TaskNotReported(`the gateway that uses ${folder} has not reported for ${SILENCE_MAX_MS / 1000} s. Does it run? ${advice}`)
    }
  }
  return {
    async request(kind, signal) {
      writeJson(requestFile(folder), { kind, command } satisfies Request)
      const startedAtMs = clock.elapsedMs()
      for (;;) {
        const status = readStatus()
        if (status !== undefined) return status.id
        signal?.throwIfAborted()
        if (clock.elapsedMs() - startedAtMs > ACCEPT_TIMEOUT_MS) {
          rmSync(requestFile(folder), { force: true })
          throw new TaskNotAccepted(`the gateway that uses ${folder} did not take the request. Does it run, and is it of this version?`)
        }
        await clock.sleep(POLL_MS, signal)
      }
    },
    async read<Kind extends TaskKind>(kind: Kind) {
      const task = (readStatus()?.task ?? null) as Task<Kind> | null
      if (isActive(task)) checkReports(kind)
      return task
    },
  }
}

/** The gateway's side: takes requests until the signal aborts. Never rejects. */
export async function serveTaskFiles(folder: string, store: Store, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> {
  const channel = storeChannel(store, clock)
  let current = takeUnfinished(folder)
  while (!signal.aborted) {
    try {
      const request = takeRequest(folder)
      if (request !== undefined) current = { ...request, id: await channel.request(request.kind, signal) }
      if (current !== undefined) {
        const { kind, command, id } = current
        const task = await readTask(store.read, kind)
        writeJson(statusFile(folder), { kind, command, id, task } satisfies Status)
        if (!isActive(task)) current = undefined
      }
    } catch {
      // The database or the disk fails, which others report. The command keeps waiting.
    }
    await clock.sleep(POLL_MS, signal)
  }
}

/** The request whose task had not ended when the last gateway of this folder did. */
function takeUnfinished(folder: string): (Request & { readonly id: number }) | undefined {
  const status = readJson(statusFile(folder)) as Partial<Status> | undefined
  const request = toRequest(status)
  if (request === undefined || typeof status?.id !== 'number') return undefined
  return status.task !== undefined && isActive(status.task) ? { ...request, id: status.id } : undefined
}

function takeRequest(folder: string): Request | undefined {
  const file = requestFile(folder)
  if (!existsSync(file)) return undefined
  const request = readJson(file) as Partial<Request> | undefined
  rmSync(file, { force: true })
  return toRequest(request)
}

/** Undefined for what another version may have written. */
function toRequest({ kind, command }: Partial<Request> = {}): Request | undefined {
  return (kind === 'rebuild' || kind === 'verify') && typeof command === 'string' ? { kind, command } : undefined
}

const requestFile = (folder: string): string => join(folder, 'task-request.json')
const statusFile = (folder: string): string => join(folder, 'task-status.json')

/** Undefined when there is no such file, or when it is not JSON. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Atomically, so that no reader finds a part of it. */
function writeJson(file: string, value: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(value))
  renameSync(`${file}.new`, file)
}
