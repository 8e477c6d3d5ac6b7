// Checker: the secret of a key is in the answer that issued it, and nowhere else: in no other answer, no line of the log, no row.

import assert from 'node:assert/strict'
import type { Queryable } from '../../../src/store/store.ts'
import type { KeyHolder } from '../key-holders.ts'

/** `answers` are all bodies, `lines` everything that was logged. */
export async function checkSecretsDoNotLeak(
  db: Queryable,
  holders: readonly KeyHolder[],
  told: { readonly answers: readonly string[]; readonly lines: readonly string[] },
): Promise<void> {
  const [row] = await db.query<{ text: string | null }>(`select string_agg(k::text, ' ') as text from keys.api_keys k`)
  const answers = told.answers.join('\n')
  const elsewhere = `${told.lines.join('\n')}\n${row?.text ?? ''}`
  for (const { key: { secret } } of holders.flatMap(({ keys }) => keys)) {
    assert.equal(answers.split(secret).length - 1, 1, 'a secret is in one answer')
    assert.ok(!elsewhere.includes(secret), 'a secret is in a log or a row')
  }
}

/** A value as a log would write it, causes of errors included. */
export function toLogText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof Error ? Object.assign({}, inner, { message: inner.message, stack: inner.stack, cause: inner.cause }) : inner)
}
