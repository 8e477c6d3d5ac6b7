// The messages between the embedded engine's thread and the thread that uses it.

import type { EncodedParam } from '../values.ts'
import type { Failure } from '../failures.ts'

/** Task of the engine's thread: create a cluster in `directory` and end, or serve one (in memory when `directory` is null). */
export type Job =
  | { readonly kind: 'create'; readonly code: WebAssembly.Module; readonly directory: string }
  | { readonly kind: 'serve'; readonly code: WebAssembly.Module; readonly directory: string | null; readonly template: Uint8Array | null }

/** One statement. Reads run in a session that refuses to write. */
export interface Statement {
  readonly access: 'read' | 'write'
  readonly sql: string
  /** Null when the text may hold several statements. */
  readonly params: readonly EncodedParam[] | null
  /** It is sent often: the engine keeps its plan. */
  readonly isRepeated?: boolean
}

export interface StatementResult {
  readonly rows: object[]
  /** PostgreSQL's command tag. A COMMIT that returns ROLLBACK did not commit. */
  readonly command: string
  readonly writtenRows: number
}

export type Request =
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'dump' }
  | { readonly kind: 'close' }

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'created' }
  /** The engine does not start. */
  | ({ readonly kind: 'refused' } & EngineEnd)
  | { readonly kind: 'done'; readonly result: StatementResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'dumped'; readonly bytes: Uint8Array }
  | { readonly kind: 'closed' }
  | { readonly kind: 'notified'; readonly channel: string; readonly payload: string }
  /** The engine is unusable. Its thread is blocked until the receiver terminates it. */
  | ({ readonly kind: 'broken' } & EngineEnd)

/** The reason why an engine cannot be used. */
export interface EngineEnd {
  readonly message: string
  /** Its last write found no space. */
  readonly isDiskFull: boolean
}
