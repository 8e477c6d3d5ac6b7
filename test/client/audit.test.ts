// The audit of a gateway on a local network, and of one that lies in each way: the log is rebuilt and signed to fit the lie, so that
// only the node gives it away.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { contractAddressesOf } from '../../client/src/calls.ts'
import { createClient } from '../../client/src/client.ts'
import { ACCEPT_SIGNATURE } from '../../client/src/verification.ts'
import { ProofFailure } from '../../client/src/errors.ts'
import { audit } from '../../client/src/proofs/audit.ts'
import type { AuditOptions, AuditReport } from '../../client/src/proofs/audit.ts'
import { callNode } from '../../client/src/proofs/node.ts'
import type { PlacedRecord } from '../../client/src/proofs/log.ts'
import { readEventBytes } from '../../client/src/proofs/record.ts'
import type { LogRecord } from '../../client/src/proofs/record.ts'
import { readWords } from '../../client/src/proofs/words.ts'
import type { Frame } from '../../client/src/stream-frames.ts'
import type { WebSocketConstructor } from '../../client/src/platform.ts'
import type { CheckpointStore } from '../../client/src/verify-types.ts'
import { defined } from '../../src/base/assert.ts'
import { createSigningKey } from '../../src/base/proofs/signing.ts'
import { createGatewayFixture, FIXTURE_START_MS } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { stepUntilSettled } from '../support/until.ts'
import { waitsOf } from './client-fixture.ts'
import { createLyingGateway } from './lying-gateway.ts'
import type { LyingGateway, ServedEvents } from './lying-gateway.ts'

const key = defined(createSigningKey(generateKeyPairSync('ed25519').privateKey, FIXTURE_START_MS / 1_000), 'a key')
let fixture: GatewayFixture
let gateway: LyingGateway
/** A record with several events. */
let target: number

before(async () => {
  fixture = await createGatewayFixture({ seed: 'audit', traders: 6, listen: true, gateway: { signingKeys: [key] } })
  for (let page = 0; page < 6; page++) {
    await fixture.closeLedgers(6)
    await fixture.catchUp()
  }
  gateway = await createLyingGateway(fixture.url, key)
  target = gateway.pages.findLastIndex(({ events }) => events.length > 3)
  assert.ok(target > 0, 'a page has several events')
})
after(() => fixture[Symbol.asyncDispose]())

/** Calls the network's own RPC, as another node would answer. */
async function askNode(method: string, params: unknown): Promise<unknown> {
  return await callNode(async (_url, { body }) => {
    const { status, body: text } = await fixture.network.rpc.handle(body ?? '')
    return new Response(text, { status })
  }, 'http://node.test', method, params)
}

async function auditOf(fetcher: typeof fetch, options: Partial<AuditOptions> = {}, store?: CheckpointStore): Promise<AuditReport> {
  const client = createClient({ url: fixture.url, fetch: fetcher, ...waitsOf(fixture), log: store === undefined ? {} : { store } })
  return await audit({
    log: client, verify: client.verify, contracts: contractAddressesOf((await client.getHealth()).body.contracts),
    callNode: askNode as AuditOptions['callNode'], fromLedger: 0, toLedger: 2 ** 32 - 1, sample: 1, random: () => 0.5,
    signal: new AbortController().signal, ...options,
  })
}

async function failureOf(report: Promise<AuditReport>): Promise<ProofFailure> {
  const error = await report.then(() => assert.fail('the audit found nothing'), (reason: unknown) => reason)
  assert.ok(error instanceof ProofFailure, String(error))
  return error
}

test('an honest gateway passes: every event of every record is the node\'s, and what was not compared is said', async () => {
  const { records, comparedRecords, comparedEvents, notChecked } = await auditOf(fetch)
  assert.deepEqual([records, comparedRecords], [gateway.pages.length, gateway.pages.filter(({ record }) => record.kind === 'page').length])
  assert.equal(comparedEvents, gateway.pages.reduce((sum, { events }) => sum + events.length, 0))
  assert.deepEqual(notChecked, [])
  const { record: { fromLedger, toLedger } } = defined(gateway.pages[target], 'the page')
  const part = await auditOf(fetch, { fromLedger, toLedger })
  assert.equal(part.comparedRecords, 1)
  assert.match(part.notChecked.join(' '), /^\d+ records are outside --from and --to\.$/)
  const none = await failureOf(auditOf(fetch, { contracts: { ...fixture.network.contracts, lpToken: 'C' } }))
  assert.match(none.message, /^Nothing could be compared .* of other contracts/)
})

/** Adds to the amount of an event: the last byte of its value. */
function withChange(events: ServedEvents, at: number): ServedEvents {
  return events.map((event, index) => {
    if (index !== at) return event
    const bytes = Buffer.from(event.bytes, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    return { ...event, bytes: bytes.toString('base64') }
  })
}

const LIES: readonly (readonly [name: string, lie: (events: ServedEvents) => ServedEvents, at: number, what: RegExp])[] = [
  ['leaves out an event', (events) => events.toSpliced(1, 1), 1, /the gateway left it out/],
  ['leaves out a whole page', () => [], 0, /the gateway left it out/],
  ['changes an event', (events) => withChange(events, 2), 2, /the gateway changed it/],
  ['repeats an event', (events) => events.toSpliced(1, 0, ...events.slice(0, 1)), 0, /the gateway repeats it/],
  ['reorders events', (events) => [...events.slice(1, 2), ...events.slice(0, 1), ...events.slice(2)], 0, /the gateway has it at another place/],
]
for (const [name, lie, at, what] of LIES) {
  test(`a gateway that ${name} is caught, with the first ledger and event`, async () => {
    const { events } = defined(gateway.pages[target], 'the page')
    gateway.lie(target, lie)
    const { message } = await failureOf(auditOf(gateway.fetch))
    const { id } = readEventBytes(Buffer.from(defined(events[at], 'the event').bytes, 'base64'))
    assert.ok(message.includes(`event ${id}`) && message.startsWith(`Ledger ${Number(BigInt(id.slice(0, 19)) >> 32n)}`), message)
    assert.match(message, what)
  })
}

test('a gateway that forks or shrinks its log is caught by the checkpoint of the last audit', async () => {
  const notes = new Map<string, string>()
  const store = { load: (origin: string) => notes.get(origin) ?? null, save: (origin: string, note: string) => void notes.set(origin, note) }
  await auditOf(fetch, { sample: 0.01 }, store)
  gateway.lie(target, (events) => events.slice(1))
  const fork = await failureOf(auditOf(gateway.fetch, {}, store))
  assert.deepEqual([fork.fault, fork.evidence.length], ['inconsistent', 2])
  gateway.shrink(gateway.pages.length - 1)
  const smaller = await failureOf(auditOf(gateway.fetch, {}, store))
  assert.deepEqual([smaller.fault, smaller.evidence.length], ['smaller', 2])
})

test('a node that has another chain is not believed to have this one', async () => {
  const lying = (async (method: string, params: unknown) => {
    const result = await askNode(method, params)
    return method === 'getLedgers' ? { ledgers: (result as { ledgers: object[] }).ledgers.map((ledger) => ({ ...ledger, hash: 'ab'.repeat(32) })) } : result
  }) as AuditOptions['callNode']
  assert.match((await failureOf(auditOf(fetch, { callNode: lying }))).message, /the node reports the hash abab/)
})

type Message = Readonly<Record<string, unknown>> & { readonly channel?: string; readonly prev?: number; readonly data?: Readonly<Record<string, unknown>> }

/** A WebSocket of a gateway that changes its messages on the way; null: leaves one out. */
function lyingSocket(change: (message: Message) => Message | null): WebSocketConstructor {
  return class {
    readonly #socket: WebSocket
    constructor(url: string) {
      this.#socket = new WebSocket(url)
    }
    get readyState(): number {
      return this.#socket.readyState
    }
    send(text: string): void {
      this.#socket.send(text)
    }
    close(): void {
      this.#socket.close()
    }
    addEventListener(type: string, listener: (event: never) => void): void {
      this.#socket.addEventListener(type, (event) => {
        const message = type === 'message' ? change(JSON.parse(String((event as MessageEvent).data)) as Message) : null
        if (type !== 'message' || message !== null) listener((message === null ? event : { data: JSON.stringify(message) }) as never)
      })
    }
  }
}

/** Reads this many frames of a verified stream while ledgers close; rejects when the stream ends with an error. */
async function readVerified(change: (message: Message) => Message | null, count: number): Promise<readonly Frame<'events'>[]> {
  const client = createClient({ url: fixture.url, WebSocket: lyingSocket(change), ...waitsOf(fixture) })
  const stream = client.stream({ verified: true, silenceMs: 10_000_000 })
  const frames: Frame<'events'>[] = []
  async function read(): Promise<void> {
    for await (const frame of stream.frames('events')) if (frames.push(frame) >= count) return
  }
  try {
    await stepUntilSettled(read(), { idle: fixture.idle, step: () => fixture.publishLedgers(1), stepsMax: 2_000 })
  } finally {
    stream.close()
  }
  return frames
}

/** Applies a lie to the third frame of a channel. */
function lieAboutThird(lie: (message: Message) => Message | null): (message: Message) => Message | null {
  let seen = 0
  let leftOut: number | undefined
  return (message) => {
    if (message.channel !== 'events') return message
    seen += 1
    const continued = leftOut === undefined ? message : { ...message, prev: leftOut }
    leftOut = undefined
    if (seen !== 3) return continued
    const changed = lie(continued)
    if (changed === null) leftOut = continued.prev
    return changed
  }
}

test('a verified stream delivers what the log has, in its order', async () => {
  const frames = await readVerified((message) => message, 12)
  assert.deepEqual(frames.map(({ seq }) => seq), frames.map(({ seq }) => seq).toSorted((a, b) => Number(a) - Number(b)))
})

const STREAM_LIES: readonly (readonly [name: string, lie: (message: Message) => Message | null, error: RegExp])[] = [
  ['leaves out a frame', () => null, /was left out/],
  ['changes a value', (message) => ({ ...message, data: { ...message.data, payload: { rate: '123456789' } } }), /a value .* is not that of the event/],
  ['changes the transaction', (message) => ({ ...message, data: { ...message.data, txHash: 'ab'.repeat(32) } }), /the transaction is not that of the event/],
  ['invents an event', (message) => ({ ...message, data: { ...message.data, eventId: '0000000030064775169-0000000099' } }), /the log does not have the event/],
]
for (const [name, lie, pattern] of STREAM_LIES) {
  test(`a verified stream of a gateway that ${name} ends with an error that names it`, async () => {
    const error = await readVerified(lieAboutThird(lie), 1_000).then(() => assert.fail('it went on'), (reason: unknown) => reason)
    assert.ok(error instanceof ProofFailure, String(error))
    assert.match(error.message, pattern)
  })
}

test('a verified stream of a gateway without a signing key ends', async () => {
  const noNote = (message: Message): Message => (message.channel === 'checkpoints' ? { ...message, data: { ...message.data, note: null } } : message)
  await assert.rejects(readVerified(noNote, 1), (error: unknown) => error instanceof ProofFailure && error.fault === 'unsigned')
})

/** Records with these fields, one after the other. */
function placed(...records: readonly Partial<LogRecord>[]): readonly PlacedRecord[] {
  const zero = new Uint8Array(32)
  return records.map((fields, leafIndex) => ({
    leafIndex, bytes: new Uint8Array(),
    record: {
      kind: 'page', endsInside: false, epoch: '0badcafe', fromLedger: 0, toLedger: 0, toLedgerHash: zero, seqFirst: 1, events: 0, eventsRoot: zero,
      filterHash: zero, replaces: 0, ...fields,
    },
  }))
}

test('an answer that the gateway signs is verified, and one whose body has changed is not', async () => {
  const client = createClient({ url: fixture.url, ...waitsOf(fixture) })
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> => fetch(`${fixture.url}/v1/events?limit=3`, { headers })
  const { body, keyId } = await client.verify.answer(await ask({ 'accept-signature': ACCEPT_SIGNATURE }))
  assert.equal(keyId, key.keyId)
  const unsigned = await ask({})
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()), await unsigned.json())
  assert.equal(unsigned.headers.get('signature'), null)
  const { status, url, headers } = await ask({ 'accept-signature': `${ACCEPT_SIGNATURE};nonce="once"` })
  const changed = { status, url, headers, arrayBuffer: () => Promise.resolve(new TextEncoder().encode('{"events":[]}').buffer) }
  await assert.rejects(client.verify.answer(changed, { nonce: 'once' }), ProofFailure)
})

const EPOCH = { kind: 'epoch', fromLedger: 5, toLedger: 4 } as const

test('corrections take the place of what they replace, and of a gap a part may remain', () => {
  const words = readWords(placed(
    EPOCH, { fromLedger: 5, toLedger: 7, events: 4 }, { kind: 'gap', fromLedger: 8, toLedger: 20, seqFirst: 5 },
    { fromLedger: 21, toLedger: 21, events: 2, seqFirst: 5, endsInside: true },
    { fromLedger: 21, toLedger: 22, events: 1, seqFirst: 7 }, { kind: 'correction', fromLedger: 10, toLedger: 12, events: 3, seqFirst: 5 },
    { kind: 'correction', fromLedger: 5, toLedger: 7, events: 5, replaces: 4 }, { kind: 'epoch', fromLedger: 30, toLedger: 29, seqFirst: 12 },
    { fromLedger: 30, toLedger: 30, events: 1, seqFirst: 12 },
  ))
  assert.deepEqual(words.map(({ leafIndex, part, from, to, events }) => [leafIndex, part, from, to, events]), [
    [6, 0, 5, 7, 5], [2, 0, 8, 9, 0], [5, 0, 10, 12, 3], [2, 0, 13, 20, 0], [3, 0, 21, 21, 2], [4, 0, 21, 22, 1], [8, 1, 30, 30, 1],
  ])
})

const CONTRADICTIONS: readonly (readonly [what: string, records: readonly Partial<LogRecord>[]])[] = [
  ['that leaves out ledgers', [EPOCH, { fromLedger: 6, toLedger: 7 }]],
  ['before an epoch', [{ fromLedger: 5, toLedger: 7 }]],
  ['that ends before it begins', [EPOCH, { fromLedger: 5, toLedger: 4 }]],
  ['at a wrong place', [EPOCH, { fromLedger: 5, toLedger: 7, events: 3 }, { fromLedger: 8, toLedger: 8, seqFirst: 5 }]],
  ['that replaces without being a correction', [EPOCH, { fromLedger: 5, toLedger: 7, replaces: 1 }]],
  ['of a gap with events', [EPOCH, { kind: 'gap', fromLedger: 5, toLedger: 7, events: 1 }]],
  ['that corrects a part of a page', [EPOCH, { fromLedger: 5, toLedger: 7, events: 3 }, { kind: 'correction', fromLedger: 5, toLedger: 6 }]],
  ['that replaces another number', [EPOCH, { fromLedger: 5, toLedger: 7, events: 3 }, { kind: 'correction', fromLedger: 5, toLedger: 7, replaces: 2 }]],
  ['that corrects nothing', [EPOCH, { fromLedger: 5, toLedger: 7 }, { kind: 'correction', fromLedger: 9, toLedger: 9 }]],
]
for (const [what, records] of CONTRADICTIONS) {
  test(`refuses a record ${what}`, () => assert.throws(() => readWords(placed(...records)), ProofFailure))
}
