// What the caller of the command got wrong.

/** The command line or the environment cannot be acted on; nothing was asked of the gateway. `hint` says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string | null
  constructor(message: string, hint: string | null = null) {
    super(message)
    this.hint = hint
  }
}
