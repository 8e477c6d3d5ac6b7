// What a part needs to speak to the operator. pino's logger fits this shape; tests hand in a silent or a recording one.

type LogFunction = (fields: Record<string, unknown>, message: string) => void

/** A structured logger: fields first, then one sentence. No secret is ever a field. */
export interface Log {
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
}

/** A logger that says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
