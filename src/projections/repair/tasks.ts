// Long tasks of the indexer. Each kind has one row with the last run: its state, and the progress from which it resumes after a restart.

import type { EventCounts } from '../log/event-counts.ts'
import { columns, expression } from '../../store/columns.ts'
import { insertReturning } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { Differences } from './shadow.ts'

export type TaskState = 'requested' | 'running' | 'done' | 'failed'

interface ProgressOf {
  readonly rebuild: RebuildProgress
  readonly verify: VerifyProgress
}

export type TaskKind = keyof ProgressOf

export interface Task<Kind extends TaskKind> {
  /** Counts the runs of this kind. */
  readonly id: number
  readonly state: TaskState
  readonly progress: ProgressOf[Kind]
}

export type RebuildReason = 'version' | 'requested' | 'gap' | 'verify'

/** The progress of a rebuild of the projections. */
export interface RebuildProgress {
  readonly reason: RebuildReason
  /** PROJECTIONS_VERSION of the program that builds the copy. */
  readonly version: number
  /** Events up to this seq are in the copy. */
  readonly afterSeq: number
  /** Archived events replayed so far, those that decode differently now, and all of them. */
  readonly done: number
  readonly redecoded: number
  readonly total: number
  /** The number of replayed events by epoch and topic. */
  readonly counts: EventCounts
  /** The epoch gets a new name at the swap, because clients must read the log again. */
  readonly renameEpoch: boolean
  /** The copy is compared with the projections, and takes their place only if they differ. */
  readonly compare: boolean
  /** The result of that comparison. */
  readonly differences: Differences | null
}

/** The progress of a verification against the network. */
export interface VerifyProgress {
  /** Null until the range of the network is known. */
  readonly range: VerifiedRange | null
  /** The position up to which the archive has been compared. */
  readonly cursor: string | null
  readonly phase: 'network' | 'projections'
  /** Events of the network that were compared. */
  readonly compared: number
  readonly added: number
  readonly replaced: number
  readonly removed: number
  readonly differences: Differences | null
  /** Archived events that the network no longer has, so that nothing can be said about them. */
  readonly unverifiable: number | null
  /** The reason why the last attempt to read the network, or the task, failed. */
  readonly problem: string | null
  /** The final states of submissions; null: not begun, or there are none in this log. */
  readonly submissions: SubmissionsVerified | null
  /** True when only these ledgers are verified, because the record of a transaction contradicts the archive. */
  readonly isPartial?: true
}

/** The comparison of submissions. */
export interface SubmissionsVerified {
  /** Submissions up to this id are listed; all of them once `isListed`. */
  readonly afterId: number
  readonly isListed: boolean
  /** Those that hold, those that were corrected, those that not enough nodes say anything about, and those that are not compared yet. */
  readonly same: number
  readonly corrected: number
  readonly unverifiable: number
  readonly waiting: number
}

export interface VerifiedRange {
  readonly chain: number
  readonly fromLedger: number
  readonly throughLedger: number
}

const TASK = columns(idx.tasks, 't', {
  id: 'id', state: expression<TaskState>(sql`t.state`), progress: expression<ProgressOf[TaskKind]>(sql`t.progress`),
})

/** The last run of a kind; null before the first. */
export async function readTask<Kind extends TaskKind>(db: Queryable, kind: Kind): Promise<Task<Kind> | null> {
  const [row] = await db.query(sql`select ${TASK} from ${idx.tasks} t where t.kind = $1`, [kind])
  return row === undefined ? null : row as Task<Kind>
}

export function isActive(task: Task<TaskKind> | null): boolean {
  return task?.state === 'requested' || task?.state === 'running'
}

/** Starts a new run from its beginning, and returns its id. It takes the place of one that is active. */
export async function requestTask<Kind extends TaskKind>(db: Queryable, kind: Kind, progress: ProgressOf[Kind], nowMs: number): Promise<number> {
  const [row] = await insertReturning(db, idx.tasks, [progress], {
    kind: { all: kind }, id: { all: 1 }, state: { all: 'requested' }, progress: (each) => JSON.stringify(each), updated_at: { all: nowMs },
  }, columns(idx.tasks, 'tasks', { id: 'id' }), sql`on conflict (kind) do update set id = tasks.id + 1, state = excluded.state, progress = excluded.progress,
    updated_at = excluded.updated_at`)
  return row?.id ?? 0
}

export async function updateTask<Kind extends TaskKind>(
  tx: Writable, kind: Kind, { state, progress }: { readonly state: TaskState; readonly progress: ProgressOf[Kind] }, nowMs: number,
): Promise<void> {
  await tx.run(
    sql`${sql.update(idx.tasks)} set state = $2, progress = $3::jsonb, updated_at = $4 where kind = $1`, [kind, state, JSON.stringify(progress), nowMs],
  )
}
