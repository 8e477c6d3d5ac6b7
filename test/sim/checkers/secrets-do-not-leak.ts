// Checker: a key's secret is in the response that issued it and nowhere else: in no other response, log line or row.

import assert from 'node:assert/strict'
import type { Queryable } from '../../../src/store/store.ts'
import type { KeyHolder } from '../key-holders.ts'

export async function checkSecretsDoNotLeak(
  db: Queryable, holders: readonly KeyHolder[], texts: { readonly responses: readonly string[]; readonly logLines: readonly string[] },
): Promise<void> {
  const [row] = await db.query<{ text: string | null }>(`select string_agg(k::text, ' ') as text from keys.api_keys k`)
  const responses = texts.responses.join('\n')
  const elsewhere = `${texts.logLines.join('\n')}\n${row?.text ?? ''}`
  for (const { key: { secret } } of holders.flatMap(({ keys }) => keys)) {
    assert.equal(responses.split(secret).length - 1, 1, 'exactly one response contains a secret')
    assert.ok(!elsewhere.includes(secret), 'the log or a row contains a secret')
  }
}

/** A value as a log would write it, causes of errors included. */
export function toLogText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof Error ? Object.assign({}, inner, { message: inner.message, stack: inner.stack, cause: inner.cause }) : inner)
}
