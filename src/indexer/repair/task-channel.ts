// Requests a task of the indexer and reads its state, in the database.

import type { Clock } from '../../base/clock.ts'
import { readTask } from '../../projections/repair/tasks.ts'
import type { Task, TaskKind } from '../../projections/repair/tasks.ts'
import type { Store } from '../../store/store.ts'
import { requestRebuild } from './rebuild.ts'
import { requestVerify } from './verify.ts'

export interface TaskChannel {
  /** Requests a run, and returns its number. */
  request(kind: TaskKind, signal?: AbortSignal): Promise<number>
  /** The last run of this kind; null before the first. */
  read<Kind extends TaskKind>(kind: Kind): Promise<Task<Kind> | null>
}

export function storeChannel(store: Store, clock: Clock): TaskChannel {
  return {
    request: (kind) => kind === 'verify'
      ? requestVerify(store.write, clock.nowMs())
      : store.write.transaction((tx) => requestRebuild(tx, { reason: 'requested' }, clock.nowMs())),
    // A replica may lag behind the request.
    read: (kind) => readTask(store.write, kind),
  }
}
