// The program's logger: pino, without secrets, as JSON for machines or as short lines for a terminal.

import { pino } from 'pino'
import type { Log } from '../base/log.ts'
import { redact } from './redact.ts'
import { formatForTerminal } from './terminal-format.ts'

export interface LoggerOptions {
  readonly level: string
  /** `auto` picks by whether standard error is a terminal. */
  readonly format: 'auto' | 'json' | 'terminal'
  /** True if lines are colored on a terminal. */
  readonly color: boolean
}

const STANDARD_ERROR = 2

/** Writes to standard error, synchronously, so that the last lines before a crash are not lost. `write` replaces that in tests. */
export function createLogger({ level, format, color }: LoggerOptions, write?: (line: string) => void): Log {
  const isTerminal = write === undefined && process.stderr.isTTY
  const readable = format === 'terminal' || (format === 'auto' && isTerminal)
  const destination = write === undefined ? pino.destination({ dest: STANDARD_ERROR, sync: true }) : { write }
  return pino({ level, base: null }, {
    write(line: string) {
      const safe = redact(line)
      destination.write(readable ? formatForTerminal(safe, color && (isTerminal || write !== undefined)) : safe)
    },
  })
}
