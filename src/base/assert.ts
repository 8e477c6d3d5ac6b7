/** A broken invariant of this program, never a mistake of a caller from outside. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Stops when something that must be true is not; kept on in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message)
}

/** The value, which must be there. */
export function defined<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(`${what} is missing`)
  return value
}
