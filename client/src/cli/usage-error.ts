// The error for invalid command lines.

/** The command line or the environment is invalid. No request was sent. `hint` says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string | null
  constructor(message: string, hint: string | null = null) {
    super(message)
    this.hint = hint
  }
}
