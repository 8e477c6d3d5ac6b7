// Logs an outage without flooding the log: one line when it begins, one for each further cause, one a minute with the number of failures, and one at its end.
// Loops that retry log their failures with it.

import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** A line during an outage: failures are counted in between. */
const LINE_INTERVAL_MS = 60_000
/** Causes of one outage with a line of their own. */
const CAUSES_MAX = 8

export interface OutageLog {
  /** Counts a failure. `cause` distinguishes causes and must not contain what differs each time; `fields` are those of the line. */
  failed(cause: string, fields: () => Record<string, unknown>): void
  /** Logs the end of the outage, if there is one. */
  succeeded(): void
}

export interface OutageLogOptions {
  readonly clock: Clock
  readonly log: Log
  readonly level: 'warn' | 'error'
  /** The message of each failure. */
  readonly message: string
  /** The message at the end, level `info`. */
  readonly endMessage: string
}

export function createOutageLog({ clock, log, level, message, endMessage }: OutageLogOptions): OutageLog {
  let outage: { readonly causes: Set<string>; failures: number; loggedAtMs: number } | null = null
  return {
    failed(cause, fields) {
      const nowMs = clock.elapsedMs()
      outage ??= { causes: new Set(), failures: 0, loggedAtMs: nowMs }
      outage.failures += 1
      const isNew = !outage.causes.has(cause) && outage.causes.size < CAUSES_MAX
      if (!isNew && nowMs - outage.loggedAtMs < LINE_INTERVAL_MS) return
      outage.causes.add(cause)
      outage.loggedAtMs = nowMs
      log[level]({ ...fields(), ...(outage.failures === 1 ? {} : { failures: outage.failures }) }, message)
    },
    succeeded() {
      if (outage === null) return
      log.info({ failures: outage.failures }, endMessage)
      outage = null
    },
  }
}
