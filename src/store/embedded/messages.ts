// What the embedded engine's thread and the thread that uses it say to each other.

import type { EncodedParam } from '../values.ts'
import type { Failure } from '../failures.ts'
import type { Interrupt } from './interruptible.ts'

/** What the engine's thread is started to do: make a new cluster in `directory` and end, or serve one (in memory when `directory` is null). */
export type Job =
  | { readonly kind: 'create'; readonly directory: string }
  | { readonly kind: 'serve'; readonly directory: string | null; readonly template: Uint8Array | null }

/** One statement; reads run in a session that refuses to write. */
export interface Statement {
  readonly access: 'read' | 'write'
  readonly sql: string
  /** Null: the text may hold several statements. */
  readonly params: readonly EncodedParam[] | null
}

/** What a statement gave. */
export interface StatementResult {
  readonly rows: object[]
  /** The command's name as PostgreSQL tells it; a COMMIT that answers ROLLBACK did not commit. */
  readonly command: string
  readonly writtenRows: number
}

export type Request =
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' }

export type Report =
  | { readonly kind: 'ready'; readonly interrupt: Interrupt }
  | { readonly kind: 'created' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'done'; readonly result: StatementResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'dumped'; readonly bytes: Uint8Array }
  | { readonly kind: 'closed' }
  | { readonly kind: 'notified'; readonly channel: string; readonly payload: string }
  /** The engine cannot be trusted any more; its thread waits to be ended. */
  | { readonly kind: 'broken'; readonly message: string }
