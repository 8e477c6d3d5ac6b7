// A secret is returned once and appears nowhere else: in no log line, database row or later response.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import { bearer, call, createWallet, obtainKey, requestChallenge, signChallenge } from '../support/keys.ts'

/** Every row of every table, as text. */
async function dump(store: Store): Promise<string> {
  const tables = await store.read.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`)
  const texts: string[] = []
  for (const { name } of tables) {
    const [row] = await store.read.query<{ text: string | null }>(`select string_agg(t::text, ' ') as text from ${name} t`)
    texts.push(`${name} ${row?.text ?? ''}`)
  }
  return texts.join('\n')
}

/** The encodings in which a secret could appear. */
function encodingsOf({ keyId, secret }: IssuedKey): readonly string[] {
  const bytes = Buffer.from(secret, 'hex')
  return [secret, secret.toUpperCase(), bytes.toString('base64'), Buffer.from(secret).toString('hex'), Buffer.from(`${keyId}:${secret}`).toString('base64')]
}

/** A value as the log writes it, including the causes of errors. */
function serialize(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner instanceof Error ? Object.assign({}, inner, { message: inner.message, stack: inner.stack, cause: inner.cause }) : inner)
}

test('a secret appears in no log line, database row or later response, also after failures', async () => {
  await using store = await openTestStore()
  const clock = createVirtualClock(BARE_START_MS)
  const lines: string[] = []
  const write = (fields: object, message: string): void => void lines.push(`${message} ${serialize(fields)}`)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const flaky = createFlakyStore(store)
  const wallet = createWallet('secretive')
  const texts: string[] = []
  let key: IssuedKey
  let unissued: string
  {
    await using bare = await createBareGateway({ store: flaky.store, clock, log })
    const { app } = bare.gateway
    const callAndRecord = async (...args: Parameters<typeof call>): Promise<void> => {
      const response = await call(...args)
      texts.push(JSON.stringify(response.headers), response.text)
    }
    key = await obtainKey(app, wallet, 'a label')
    const urls = ['/v1/account/me', '/v1/keys', '/v1/nowhere', '/%zz', '/v1/keys/beta-status?address=x', '/v1/health']
    for (const url of urls) await callAndRecord(app, url, { key })
    await callAndRecord(app, `/v1/keys/${key.keyId}`, { method: 'DELETE', key: await obtainKey(app, wallet) })
    await callAndRecord(app, '/v1/account/me', { key })
    await callAndRecord(app, '/v1/account/me', { headers: { authorization: `Basic ${bearer(key)}` } })
    const other = await obtainKey(app, wallet)
    flaky.set('down')
    clock.advance(KEY_TTL_MS)
    await callAndRecord(app, '/v1/account/me', { key: other })
    await callAndRecord(app, `/v1/keys/${other.keyId}`, { method: 'DELETE', key: other })
    // Issuing fails after the secret was generated.
    const address = wallet.publicKey()
    const { challengeHex } = await requestChallenge(app, address)
    unissued = challengeHex
    const signature = signChallenge({ challengeHex, signer: wallet })
    await callAndRecord(app, '/v1/keys', { method: 'POST', body: { address, challenge: challengeHex, signature } })
    assert.match(texts.at(-1) ?? '', /"statusCode":503/)
    flaky.set('up')
    clock.advance(10_000)
    await flaky.idle()
    await callAndRecord(app, '/v1/keys', { key: other })
  }
  assert.ok(lines.length >= 2, 'there are log lines')
  const rows = await dump(store)
  assert.ok(rows.includes(key.keyId), 'there are rows')
  const everything = [...lines, ...texts, rows].join('\n')
  for (const encoding of encodingsOf(key)) assert.ok(!everything.includes(encoding), encoding)
  assert.ok(!rows.includes(unissued), 'a pending challenge is in memory only')
  assert.doesNotMatch(lines.join('\n'), /[0-9a-f]{64}/, 'no log line has a string in the format of a secret')
})
