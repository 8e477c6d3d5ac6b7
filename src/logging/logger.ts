// The program's logger: pino, without secrets, as JSON for machines or as short lines for a terminal.

import { pino } from 'pino'
import type { Log } from '../base/log.ts'
import { redact } from './redact.ts'
import { formatForTerminal } from './terminal-format.ts'

export interface LoggerOptions {
  readonly level: string
  readonly format: 'json' | 'terminal'
  /** Colors on a terminal. */
  readonly color: boolean
}

const STANDARD_ERROR = 2

/** Writes to standard error, synchronously, so that the last lines before a crash are not lost. `write` replaces that in tests. */
export function createLogger({ level, format, color }: LoggerOptions, write?: (line: string) => void): Log {
  const destination = write === undefined ? pino.destination({ dest: STANDARD_ERROR, sync: true }) : { write }
  return pino({ level, base: null }, {
    write(line: string) {
      const safe = redact(line)
      destination.write(format === 'json' ? safe : formatForTerminal(safe, color))
    },
  })
}
