// The logger interface of all parts. pino's logger implements it; tests use a silent or a recording one.

type LogFunction = (fields: Record<string, unknown>, message: string) => void

/** A structured logger: fields first, then one sentence. Never log secrets. */
export interface Log {
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
}

/** A logger that discards everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
