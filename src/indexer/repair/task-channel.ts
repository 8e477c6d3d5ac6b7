// How a command requests a task and reads its state: both are rows of the database. The embedded database is open in one process only, so the gateway that
// has it takes requests from its folder, and copies the rows to a file there.

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { isActive, readTask } from '../../projections/repair/tasks.ts'
import type { Task, TaskKind } from '../../projections/repair/tasks.ts'
import type { Store } from '../../store/store.ts'
import { requestRebuild } from './rebuild.ts'
import { requestVerify } from './verify.ts'

const POLL_MS = 250
/** A gateway takes a request within this time. */
const ACCEPT_TIMEOUT_MS = 15_000
/** A gateway that is restarted reports again within this time. */
const SILENCE_MAX_MS = 60_000

export interface TaskChannel {
  /** Requests a run, and returns its number. A run of everything that is active continues. */
  request(kind: TaskKind, signal?: AbortSignal): Promise<number>
  /** The last run of this kind; null before the first. */
  read<Kind extends TaskKind>(kind: Kind): Promise<Task<Kind> | null>
}

/** The rows of the database. */
export function storeChannel(store: Store, clock: Clock): TaskChannel {
  return {
    request: (kind) => kind === 'verify'
      ? requestVerify(store.write, clock.nowMs())
      : store.write.transaction((tx) => requestRebuild(tx, { reason: 'requested' }, clock.nowMs())),
    // A replica may lag behind the request.
    read: (kind) => readTask(store.write, kind),
  }
}

/** Raised when no gateway takes the request. */
class TaskNotAccepted extends Error {
  override readonly name = 'TaskNotAccepted'
}

/** Raised when the gateway stopped reporting. The task continues when one runs again. */
export class TaskNotReported extends Error {
  override readonly name = 'TaskNotReported'
}

/** The rows of an embedded database that a gateway has open. */
export function folderChannel(folder: string, clock: Clock): TaskChannel {
  let reportModifiedMs = Number.NEGATIVE_INFINITY
  let reportSeenAtMs = 0
  function checkReports(kind: TaskKind): void {
    const modifiedMs = statSync(rowsFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? reportModifiedMs
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
      const file = requestFile(folder, kind)
      writeFileSync(file, '')
      const startedAtMs = clock.elapsedMs()
      while (existsSync(file)) {
        signal?.throwIfAborted()
        if (clock.elapsedMs() - startedAtMs > ACCEPT_TIMEOUT_MS) {
          rmSync(file, { force: true })
          throw new TaskNotAccepted(`the gateway that uses ${folder} did not take the request. Does it run, and is it of this version?`)
        }
        await clock.sleep(POLL_MS, signal)
      }
      return readRows(folder)[kind]?.id ?? 0
    },
    async read(kind) {
      const task = readRows(folder)[kind] ?? null
      if (isActive(task)) checkReports(kind)
      return task
    },
  }
}

/** Takes requests from the folder of an embedded database until the signal aborts. Never rejects. */
export async function serveFolder(folder: string, store: Store, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> {
  const channel = storeChannel(store, clock)
  /** A command may follow a task that the process before this one began. */
  let isFollowed = existsSync(rowsFile(folder))
  while (!signal.aborted) {
    try {
      const requested = TASK_KINDS.filter((kind) => existsSync(requestFile(folder, kind)))
      for (const kind of requested) await channel.request(kind)
      if (requested.length > 0 || isFollowed) {
        const rows: TaskRows = { rebuild: await readTask(store.read, 'rebuild'), verify: await readTask(store.read, 'verify') }
        writeRows(folder, rows)
        isFollowed = isActive(rows.rebuild) || isActive(rows.verify)
      }
      // A request is there until its row and the copy are, so that none is lost with the process.
      for (const kind of requested) rmSync(requestFile(folder, kind), { force: true })
    } catch {
      // The database or the disk fails, which others report. The command keeps waiting.
    }
    await clock.sleep(POLL_MS, signal)
  }
}

const TASK_KINDS: readonly TaskKind[] = ['rebuild', 'verify']
type TaskRows = { readonly [Kind in TaskKind]: Task<Kind> | null }

const requestFile = (folder: string, kind: TaskKind): string => join(folder, `${kind}-request`)
const rowsFile = (folder: string): string => join(folder, 'tasks.json')

/** Nothing when there is no such file, or when it is not JSON. */
function readRows(folder: string): Partial<TaskRows> {
  try {
    return JSON.parse(readFileSync(rowsFile(folder), 'utf8')) as Partial<TaskRows>
  } catch {
    return {}
  }
}

/** Atomically, so that no reader finds a part of it. */
function writeRows(folder: string, rows: TaskRows): void {
  writeFileSync(`${rowsFile(folder)}.new`, JSON.stringify(rows))
  renameSync(`${rowsFile(folder)}.new`, rowsFile(folder))
}
