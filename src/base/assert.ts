/** A broken invariant of this program, never invalid input. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Throws when an invariant does not hold. Also enabled in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message)
}

/** Returns the value. Throws when it is missing. */
export function defined<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`${what} is missing`)
  return value
}
