import assert from 'node:assert/strict'

/** The body of an error without its sentence, which may change. Fails when it has none. */
export function withoutMessage(body: unknown): unknown {
  const { message, ...rest } = body as { readonly message?: unknown }
  assert.ok(typeof message === 'string' && message.length > 8, `an error without a sentence: ${JSON.stringify(body)}`)
  return rest
}
