// The log of pages as clients read it: what a client verifies of it, with no help of the gateway's code.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createSigningKey } from '../../src/base/proofs/signing.ts'
import type { SigningKey } from '../../src/base/proofs/signing.ts'
import { beginPageLog } from '../../src/indexer/pages/begin-log.ts'
import { LOG_EVENTS_PER_PAGE } from '../../src/limits.ts'
import { correctRepairedLedgers } from '../../src/projections/proofs/log-corrections.ts'
import { decodeRecord } from '../../src/base/proofs/record.ts'
import type { LogRecord } from '../../src/base/proofs/record.ts'
import { hashLeaf, rootOf } from '../../src/base/proofs/tree.ts'
import type { Hash } from '../../src/base/proofs/tree.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { openNote, parseCheckpoint, verifyConsistency, verifyInclusion } from '../support/log-verifier.ts'
import { checkPageLog } from '../sim/checkers/page-log.ts'

const ORIGIN = 'gateway.example'
const keys = [newKey(), newKey()]

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ seed: 'page log', traders: 6, listen: true, gateway: { signingKeys: keys, logOrigin: ORIGIN } })
  await fixture.closeLedgers(30)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

function newKey(): SigningKey {
  return createSigningKey(generateKeyPairSync('ed25519').privateKey, 1_783_339_200) ?? assert.fail('no key')
}

function bytes(base64: string): Hash {
  return Buffer.from(base64, 'base64')
}

async function readBytes(url: string): Promise<Buffer> {
  const response = await fixture.gateway.app.inject({ url })
  assert.equal(response.statusCode, 200, `${url}: ${response.body}`)
  return response.rawPayload
}

async function readCheckpoint(): Promise<{ readonly note: string; readonly size: number; readonly root: Hash }> {
  const note = (await readBytes('/v1/log/checkpoint')).toString()
  const { network, name } = fixture.deployment.current
  const origin = `${ORIGIN}/${network}/${name}`
  const texts = keys.map(({ privateKey }) => openNote(note, { name: origin, publicKey: createPublicKey(privateKey) }))
  assert.ok(texts[0] !== undefined && texts[0] === texts[1], 'both keys have signed the note')
  const checkpoint = parseCheckpoint(texts[0]) ?? assert.fail(note)
  assert.equal(checkpoint.origin, origin)
  return { ...checkpoint, note }
}

async function readRecords(size: number): Promise<readonly Buffer[]> {
  const tile = await readBytes(`/v1/log/tile/entries/000${size % 256 === 0 ? '' : `.p/${size}`}`)
  const records: Buffer[] = []
  for (let at = 0; at < tile.length; at += 2 + tile.readUInt16BE(at)) records.push(tile.subarray(at + 2, at + 2 + tile.readUInt16BE(at)))
  return records
}

test('the checkpoint is signed by every key, and its root is that of the records in the tiles', async () => {
  const { size, root } = await readCheckpoint()
  const records = await readRecords(size)
  assert.deepEqual(Buffer.from(rootOf(records.map(hashLeaf))), Buffer.from(root))
  const hashes = await readBytes(`/v1/log/tile/0/000.p/${size}`)
  assert.deepEqual(hashes, Buffer.concat(records.map(hashLeaf)))
  const { records: stored } = await checkPageLog(fixture.store.read)
  assert.deepEqual(records.map(decodeRecord), stored)
})

test('each event of the list is proven in its record, and its record in the tree of the checkpoint', async () => {
  const { body: { events } } = await fixture.get<{ events: { eventId: string }[] }>('/v1/events?limit=20')
  assert.equal(events.length, 20)
  for (const { eventId } of events) {
    const { status, body } = await fixture.get<Inclusion>(`/v1/log/inclusion?eventId=${eventId}`)
    assert.equal(status, 200)
    const record = decodeRecord(bytes(body.record)) ?? assert.fail('no record')
    const path = body.hashes.map(bytes)
    assert.ok(verifyInclusion({ index: body.leafIndex, size: body.treeSize, path }, hashLeaf(bytes(body.record)), bytes(body.root)))
    const { body: found } = await fixture.get<RecordBody>(`/v1/log/records/${body.leafIndex}`)
    const event = found.events.find((each) => each.eventId === eventId) ?? assert.fail('the record does not have the event')
    const leaf = hashLeaf(bytes(event.bytes))
    assert.ok(verifyInclusion({ index: body.event.index, size: record.events, path: body.event.hashes.map(bytes) }, leaf, record.eventsRoot))
    assert.ok(body.checkpoint?.includes(`\n${body.treeSize}\n${body.root}\n`))
  }
})

interface Inclusion {
  readonly record: string
  readonly leafIndex: number
  readonly treeSize: number
  readonly root: string
  readonly hashes: readonly string[]
  readonly event: { readonly index: number; readonly hashes: readonly string[] }
  readonly checkpoint: string | null
}

interface RecordBody {
  readonly record: string
  readonly leafIndex: number
  readonly correctedBy: number | null
  readonly events: readonly { readonly eventId: string; readonly bytes: string }[]
  readonly nextCursor: string | null
}

async function recordsOfSize(size: number): Promise<readonly (LogRecord | undefined)[]> {
  return (await readRecords(size)).map(decodeRecord)
}

test('a record has the bytes behind its root, in pages', async () => {
  const { size } = await readCheckpoint()
  const records = await recordsOfSize(size)
  const leafIndex = records.findIndex((record) => (record?.events ?? 0) > 0)
  const { body } = await fixture.get<RecordBody>(`/v1/log/records/${leafIndex}`)
  assert.deepEqual([body.correctedBy, body.nextCursor, body.leafIndex], [null, null, leafIndex])
  assert.deepEqual(Buffer.from(rootOf(body.events.map((event) => hashLeaf(bytes(event.bytes))))), Buffer.from(records[leafIndex]?.eventsRoot ?? []))
})

test('the log only grows: two checkpoints are consistent, and every tile stays what it was', async () => {
  const first = await readCheckpoint()
  const tile = await readBytes(`/v1/log/tile/0/000.p/${first.size}`)
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  const second = await readCheckpoint()
  assert.ok(second.size > first.size)
  const { body } = await fixture.get<{ hashes: string[] }>(`/v1/log/consistency?from=${first.size}&to=${second.size}`)
  assert.ok(verifyConsistency({ first: first.size, second: second.size, path: body.hashes.map(bytes) }, first.root, second.root))
  assert.deepEqual(await readBytes(`/v1/log/tile/0/000.p/${first.size}`), tile)
  const { headers } = await fixture.gateway.app.inject({ url: `/v1/log/tile/0/000.p/${first.size}` })
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
})

const PYTHON_VERIFIER = fileURLToPath(new URL('verify_log.py', import.meta.url))

test('pymerkle verifies the roots and proofs of the log', async (context: TestContext) => {
  const python = process.env['TEST_PYMERKLE']
  if (python === undefined) return context.skip('pymerkle is not installed: set TEST_PYMERKLE to a Python that has it, like the one .ci/run makes')
  for (let page = 0; page < 8; page++) {
    await fixture.closeLedgers(1)
    await fixture.catchUp()
  }
  const { size, root } = await readCheckpoint()
  const records = await readRecords(size)
  const { body: { events } } = await fixture.get<{ events: { eventId: string }[] }>('/v1/events?limit=20')
  const inclusions = await Promise.all(events.map(async ({ eventId }) => {
    const { body } = await fixture.get<Inclusion>(`/v1/log/inclusion?eventId=${eventId}`)
    const { body: { events: all } } = await fixture.get<RecordBody>(`/v1/log/records/${body.leafIndex}`)
    return { ...body, events: all.map((event) => event.bytes) }
  }))
  const consistency = await Promise.all(Array.from({ length: size - 1 }, async (_, index) => {
    const { body } = await fixture.get<{ hashes: string[] }>(`/v1/log/consistency?from=${index + 1}&to=${size}`)
    return [index + 1, size, body.hashes]
  }))
  const roots = [...inclusions.map(({ treeSize, root: each }) => [treeSize, each]), [size, Buffer.from(root).toString('base64')]]
  const input = JSON.stringify({ records: records.map((record) => record.toString('base64')), roots, inclusions, consistency })
  const { stdout, stderr } = spawnSync(python, [PYTHON_VERIFIER], { input, encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.deepEqual(JSON.parse(stdout), { records: size, inclusions: 20, consistency: size - 1 })
})

test('what the log does not have is 404 not_in_log, and a malformed tile or range 400', async () => {
  const { size } = await readCheckpoint()
  const absent = [
    `/v1/log/tile/0/000.p/${size + 1}`, '/v1/log/tile/0/000', '/v1/log/tile/1/000.p/1', '/v1/log/tile/entries/001.p/1', `/v1/log/records/${size}`,
    '/v1/log/inclusion?eventId=0000000000000000000-0000000000', `/v1/log/consistency?from=1&to=${size + 1}`,
  ]
  for (const url of absent) assert.deepEqual([url, (await fixture.get<{ error: string }>(url)).body.error], [url, 'not_in_log'])
  for (const url of ['/v1/log/tile/0/0', '/v1/log/tile/x', '/v1/log/consistency?from=2&to=1', '/v1/log/records/-1']) {
    assert.equal((await fixture.get(url)).status, 400, url)
  }
})

test('the checkpoint of a page follows its frames on the stream, and covers them', async () => {
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['events', 'checkpoints'] })
  await client.settle()
  await fixture.publishLedgers(15)
  await client.settle()
  const { data } = client.of('checkpoints').at(-1) ?? assert.fail('no checkpoint')
  await client.close()
  const { size, root, note } = await readCheckpoint()
  assert.deepEqual([data?.['size'], data?.['root'], data?.['note']], [size, Buffer.from(root).toString('base64'), note])
  const end = client.frames.findLastIndex(({ channel }) => channel === 'checkpoints')
  const events = client.frames.filter(({ channel }) => channel === 'events')
  assert.ok(events.length > 0, 'there are frames')
  assert.ok(client.frames.findLastIndex(({ channel }) => channel === 'events') < end, 'the frames of the page come first')
  assert.ok(events.every(({ seq }) => Number(seq) <= Number(data?.['seq'])), 'every frame is covered')
})

const ASKED = '("@status" "content-digest" "content-type" "x-epoch" "x-ledger" "x-seq" "@method";req "@target-uri";req)'

interface SignedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

async function readSigned(url: string, accepted: string, headers: Readonly<Record<string, string>> = {}): Promise<SignedResponse> {
  const { statusCode: status, headers: answered, body: text } = await fixture.gateway.app.inject(
    { url, headers: { host: 'api.example', 'accept-signature': accepted, ...headers } },
  )
  return { status, headers: answered, text }
}

/** The parameters of a label's signature, which is verified here by the rules of RFC 9421 alone. */
function verifySigned({ status, headers, text }: SignedResponse, url: string, label = 'pxg', key = keys[0]): string {
  const [, names = '', parameters = ''] = new RegExp(`(?:^|, )${label}=\\(([^)]*)\\)([^,]*)`).exec(String(headers['signature-input'])) ?? []
  const [, signature = ''] = new RegExp(`(?:^|, )${label}=:([^:]*):`).exec(String(headers['signature'])) ?? []
  const derived: Readonly<Record<string, unknown>> = { '@status': status, '@method;req': 'GET', '@target-uri;req': `http://api.example${url}` }
  const lines = names.split(' ').map((name) => `${name}: ${String(derived[name.replaceAll('"', '')] ?? headers[name.replaceAll('"', '')])}`)
  const base = [...lines, `"@signature-params": (${names})${parameters}`].join('\n')
  const publicKey = createPublicKey(key?.privateKey ?? assert.fail('no key'))
  assert.ok(verify(null, Buffer.from(base), publicKey, Buffer.from(signature, 'base64')), base)
  if (status !== 304) assert.equal(headers['content-digest'], `sha-256=:${createHash('sha256').update(text).digest('base64')}:`)
  return `(${names})${parameters}`
}

test('an answer is signed by both keys when a request asks for it, and else has nothing of it', async () => {
  const plain = await fixture.gateway.app.inject({ url: '/v1/trades' })
  for (const name of ['signature', 'signature-input', 'content-digest', 'vary']) assert.equal(plain.headers[name], undefined, name)
  for (const url of ['/v1/trades', '/v1/markets', '/v1/oracle/prices']) {
    const answer = await readSigned(url, `pxg=${ASKED};alg="ed25519"`, { 'accept-encoding': 'gzip' })
    assert.equal(answer.status, 200, answer.text)
    assert.match(verifySigned(answer, url), new RegExp(`;created=\\d+;expires=\\d+;keyid="${keys[0]?.keyId}";alg="ed25519"$`))
    verifySigned(answer, url, 'pxg-old', keys[1])
    assert.match(String(answer.headers['cache-control']), /no-transform/)
    assert.equal(answer.headers['content-encoding'], undefined)
  }
})

test('a signature covers what the answer has: an error has no ledger, and 304 no body', async () => {
  const missing = await readSigned('/v1/log/records/999999', `pxg=${ASKED}`)
  assert.equal(missing.status, 404)
  assert.ok(verifySigned(missing, '/v1/log/records/999999').startsWith('("@status" "content-digest" "content-type" "@method";req "@target-uri";req)'))
  const { headers: { etag } } = await readSigned('/v1/trades', `pxg=${ASKED}`)
  const unchanged = await readSigned('/v1/trades', `pxg=${ASKED}`, { 'if-none-match': String(etag) })
  assert.equal(unchanged.status, 304)
  verifySigned(unchanged, '/v1/trades')
})

test('the same answer keeps its signature, unless the request has a nonce, which is signed', async () => {
  const [first, second] = [await readSigned('/v1/trades', `pxg=${ASKED}`), await readSigned('/v1/trades', `pxg=${ASKED}`)]
  assert.equal(first.headers['signature'], second.headers['signature'])
  const asked = `pxg=${ASKED};nonce="b3k2pp5k7z"`
  const answer = await readSigned('/v1/trades', asked)
  assert.ok(verifySigned(answer, '/v1/trades').endsWith(';nonce="b3k2pp5k7z"'))
  fixture.clock.advance(241_000)
  assert.notEqual((await readSigned('/v1/trades', `pxg=${ASKED}`)).headers['signature'], first.headers['signature'], 'a client must not get an expired one')
  assert.equal((await readSigned('/v1/trades', 'pxg=("@status";key="x")')).headers['signature'], undefined, 'what is not understood is not signed')
})

test('the directory lists the public keys with their time of use, and without a key the checkpoint is 503', async () => {
  const { body } = await fixture.get<{ keys: { kid: string; nbf: number; exp: number }[] }>('/.well-known/http-message-signatures-directory')
  assert.deepEqual(body.keys.map(({ kid }) => kid), keys.map(({ keyId }) => keyId))
  assert.ok(body.keys.every(({ nbf, exp }) => exp > nbf))
  await fixture.restartGateway({ signingKeys: [] })
  assert.equal((await readSigned('/v1/trades', `pxg=${ASKED}`)).headers['signature'], undefined, 'answers are not signed either')
  const response = await fixture.get<{ error: string }>('/v1/log/checkpoint')
  assert.deepEqual([response.status, response.body.error], [503, 'signing_disabled'])
  assert.deepEqual((await fixture.get('/.well-known/http-message-signatures-directory')).body, { keys: [] })
  const { body: { events } } = await fixture.get<{ events: { eventId: string }[] }>('/v1/events?limit=1')
  assert.equal((await fixture.get<Inclusion>(`/v1/log/inclusion?eventId=${events[0]?.eventId}`)).body.checkpoint, null)
})

test('a long record has several pages, and one that a correction replaces names it and has no events', async () => {
  const { store, deployment } = fixture
  for (const table of ['log_records', 'log_nodes', 'log_head']) await store.write.query(`delete from idx.${table}`)
  // Copies of the events make the archive long enough.
  await store.write.query(`insert into idx.events select (jsonb_populate_record(e, jsonb_build_object('seq', e.seq + 100000 * n,
    'event_id', left(e.event_id, 20) || lpad((500 * n + substr(e.event_id, 21, 10)::int)::text, 10, '0')))).* from idx.events e, generate_series(1, 10) n`)
  await beginPageLog(store.write, deployment)
  const { records } = await checkPageLog(store.read)
  const leafIndex = records.length - 1
  const { events, eventsRoot, toLedger } = records[leafIndex] ?? assert.fail('no record')
  assert.ok(events > LOG_EVENTS_PER_PAGE, `${events} events`)
  const read = await readWholeRecord(leafIndex)
  assert.deepEqual([read.pages, read.correctedBy], [Math.ceil(events / LOG_EVENTS_PER_PAGE), null])
  assert.deepEqual(Buffer.from(rootOf(read.leaves)), Buffer.from(eventsRoot))

  const [removed] = await store.write.query<{ ledger: number }>('delete from idx.events where seq = 1 returning ledger')
  await store.write.transaction((tx) => correctRepairedLedgers(tx, 1, [removed?.ledger ?? assert.fail('no event')]))
  const correction = (await checkPageLog(store.read)).records[leafIndex + 1]
  assert.deepEqual([correction?.kind, correction?.toLedger, correction?.events, correction?.replaces], ['correction', toLedger, events - 1, events])
  const replaced = await readWholeRecord(leafIndex)
  assert.deepEqual([replaced.correctedBy, replaced.leaves], [leafIndex + 1, []])
  const { body: { events: [event] } } = await fixture.get<{ events: { eventId: string }[] }>('/v1/events?limit=1')
  const { body } = await fixture.get<Inclusion>(`/v1/log/inclusion?eventId=${event?.eventId}`)
  assert.equal(body.leafIndex, leafIndex + 1, 'an event is proven in the correction')
  const { leaves } = await readWholeRecord(leafIndex + 1)
  const place = { index: body.event.index, size: events - 1, path: body.event.hashes.map(bytes) }
  assert.ok(verifyInclusion(place, leaves[body.event.index] ?? assert.fail('no event'), decodeRecord(bytes(body.record))?.eventsRoot ?? assert.fail()))
})

async function readWholeRecord(leafIndex: number): Promise<{ readonly pages: number; readonly correctedBy: number | null; readonly leaves: readonly Hash[] }> {
  const leaves: Hash[] = []
  for (let pages = 1, cursor = ''; ; pages++) {
    const { body, status } = await fixture.get<RecordBody>(`/v1/log/records/${leafIndex}${cursor === '' ? '' : `?cursor=${cursor}`}`)
    assert.equal(status, 200)
    leaves.push(...body.events.map((event) => hashLeaf(bytes(event.bytes))))
    if (body.nextCursor === null) return { pages, correctedBy: body.correctedBy, leaves }
    cursor = encodeURIComponent(body.nextCursor)
  }
}
