// `npm run rebuild` and `npm run verify`: request the task of the indexer that runs, or do it here when none does, and print its progress.

import type { Clock } from '../../base/clock.ts'
import type { RebuildProgress, SubmissionsVerified, Task, TaskKind, VerifyProgress } from '../../projections/repair/tasks.ts'
import { isActive } from '../../projections/repair/tasks.ts'
import { FolderInUse } from '../../store/embedded/folder-lock.ts'
import type { Store } from '../../store/store.ts'
import { folderChannel, storeChannel } from './task-channel.ts'
import type { TaskChannel } from './task-channel.ts'
import { ledgerOf } from '../../projections/log/toid.ts'
import { isComplete } from './verify-submissions.ts'

const POLL_MS = 500
/** Interval at which the progress is printed. */
const PRINT_INTERVAL_MS = 2_000

/** The exit code when differences were found and repaired. */
const EXIT_REPAIRED = 2

/** Raised when a task failed. */
class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
}

export interface TaskCommandOptions {
  readonly openStore: () => Promise<Store>
  /** The folder of the embedded database. */
  readonly folder: string
  /**
   * Returns what does the task here, until the signal aborts or nothing is left to do. It does nothing while an indexer runs elsewhere, and closes what it
   * opens.
   */
  readonly createWorker: (store: Store) => Promise<(signal: AbortSignal) => Promise<void>>
  readonly clock: Clock
  readonly print: (text: string) => void
  readonly signal: AbortSignal
}

/** Runs the command and returns its exit code. Throws TaskFailed. */
export async function runTaskCommand(kind: TaskKind, options: TaskCommandOptions): Promise<number> {
  await using disposables = new AsyncDisposableStack()
  const store = await options.openStore().catch((error: unknown) => {
    if (error instanceof FolderInUse) return undefined
    throw error
  })
  if (store === undefined) return await follow(kind, folderChannel(options.folder, options.clock), options)
  disposables.use(store)
  const work = await options.createWorker(store)
  const channel = storeChannel(store, options.clock)
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, options.signal])
  const id = await channel.request(kind)
  const working = work(signal).catch((error: unknown) => stop.abort(error))
  try {
    return await follow(kind, channel, { ...options, signal }, id)
  } finally {
    stop.abort()
    await working
  }
}

/** Prints the progress of a run until it has ended. Requests one if there is no `requested`. */
async function follow(
  kind: TaskKind, channel: TaskChannel, options: Pick<TaskCommandOptions, 'clock' | 'print' | 'signal'>, requested?: number,
): Promise<number> {
  const { clock, signal } = options
  const printer = createPrinter(options)
  const id = requested ?? await channel.request(kind, signal)
  for (;;) {
    const task = await channel.read(kind)
    if (task !== null && task.id >= id) {
      const { progress } = task
      if ('isPartial' in progress && task.id > id) {
        options.print('Verify: done. The gateway has begun to verify a ledger again since; its log has the result.')
        return 0
      }
      if (!isActive(task)) return finish(kind, task, options)
      printer.progress('phase' in progress ? await describeVerify(progress, channel) : describeRebuild(progress))
    }
    signal.throwIfAborted()
    await clock.sleep(POLL_MS, signal)
  }
}

function createPrinter({ clock, print }: Pick<TaskCommandOptions, 'clock' | 'print'>): { progress(line: string): void } {
  let printedAtMs = Number.NEGATIVE_INFINITY
  let printed = ''
  return {
    progress(line) {
      if (line === printed || clock.elapsedMs() - printedAtMs < PRINT_INTERVAL_MS) return
      printedAtMs = clock.elapsedMs()
      printed = line
      print(line)
    },
  }
}

function describeRebuild({ done, total }: RebuildProgress): string {
  return `Rebuild: ${done} of ${total} events`
}

async function describeVerify({ range, cursor, phase, compared, problem, submissions }: VerifyProgress, channel: TaskChannel): Promise<string> {
  if (problem !== null) return `Verify: waiting for the network: ${problem}`
  if (phase === 'projections') {
    if (!isComplete(submissions) && submissions?.isListed === true) return `Verify: comparing submissions with the nodes, ${submissions.waiting} left`
    const rebuilding = (await channel.read('rebuild'))?.progress
    const isKnown = rebuilding !== undefined && 'done' in rebuilding
    return isKnown ? `Verify: comparing the projections, ${rebuilding.done} of ${rebuilding.total} events` : 'Verify: comparing the projections'
  }
  if (range === null) return 'Verify: waiting for the indexer'
  return `Verify: ${compared} events compared, ledger ${cursor === null ? range.fromLedger : ledgerOf(cursor)} of ${range.throughLedger}`
}

function finish(kind: TaskKind, task: Task<TaskKind> | null, { print }: Pick<TaskCommandOptions, 'print'>): number {
  if (task === null) return 0
  if (kind === 'rebuild') {
    const { done, redecoded } = task.progress as RebuildProgress
    print(`Rebuild: done. Replayed ${done} events, ${redecoded} of them with a different decoding.`)
    return 0
  }
  const progress = task.progress as VerifyProgress
  if (task.state === 'failed') throw new TaskFailed(progress.problem ?? 'unknown reason')
  for (const line of summarizeVerification(progress)) print(line)
  return isRepaired(progress) ? EXIT_REPAIRED : 0
}

function isRepaired({ added, replaced, removed, differences, submissions }: VerifyProgress): boolean {
  return added + replaced + removed + (submissions?.corrected ?? 0) > 0 || Object.keys(differences ?? {}).length > 0
}

function summarizeSubmissions({ same, corrected, unverifiable }: SubmissionsVerified): string {
  return `${same} final states hold, ${corrected} corrected, ${unverifiable} not confirmed by enough nodes`
}

/** Describes what was compared, what differed and was repaired, and what could not be compared. */
export function summarizeVerification(progress: VerifyProgress): readonly string[] {
  const { range, compared, added, replaced, removed, differences, unverifiable, submissions } = progress
  const ledgers = range === null || range.fromLedger > range.throughLedger ? 'no ledgers' : `ledgers ${range.fromLedger} to ${range.throughLedger}`
  const repairs = [
    ...(added > 0 ? [`${added} missing events added`] : []),
    ...(replaced > 0 ? [`${replaced} different events replaced`] : []),
    ...(removed > 0 ? [`${removed} invented or repeated events removed`] : []),
  ]
  const rows = Object.entries(differences ?? {}).map(([table, count]) => `${table} ${count}`)
  return [
    `Verify: done. Compared ${compared} events of ${ledgers} with the network, and the projections with the archive.`,
    `  Archive:        ${repairs.length === 0 ? 'no differences' : repairs.join(', ')}`,
    `  Projections:    ${rows.length === 0 ? 'no differences' : `rows replaced: ${rows.join(', ')}`}`,
    `  Not verifiable: ${unverifiable ?? 'unknown'} archived events that the network no longer has`,
    ...(submissions === null ? [] : [`  Submissions:    ${summarizeSubmissions(submissions)}`]),
  ]
}
