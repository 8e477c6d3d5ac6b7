// What the client verifies: proofs and notes made by independent code, and the same with each byte altered.

import assert from 'node:assert/strict'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { createClient } from '../../client/src/client.ts'
import type { Client } from '../../client/src/client.ts'
import { ProofFailure } from '../../client/src/errors.ts'
import { createFrameGate } from '../../client/src/frame-gate.ts'
import { SlowReader } from '../../client/src/frame-queue.ts'
import type { CheckpointData, Frame } from '../../client/src/stream-frames.ts'
import type { EventProof, LedgerHash } from '../../client/src/proofs/event-proof.ts'
import { openNote } from '../../client/src/proofs/note.ts'
import { eventBytes, readEventBytes, readRecord } from '../../client/src/proofs/record.ts'
import { readResultAt } from '../../client/src/proofs/results.ts'
import { isConsistent, isIncluded } from '../../client/src/proofs/tree.ts'
import { ACCEPT_SIGNATURE } from '../../client/src/verification.ts'
import type { InclusionProof, SignedResponse } from '../../client/src/verify-types.ts'
import { createReader } from '../../client/src/xdr.ts'
import { address } from '../../localnet/contracts/shared/host.ts'
import { BOB, COUNTER, metaOf, payment, startTestChain } from '../../localnet/ledger/test-chain.ts'
import { closeMetaOf } from '../../localnet/ledger/test-header-reader.ts'
import { checkpointText, signNote } from '../../src/base/proofs/checkpoint.ts'
import { eventBytes as gatewayBytes } from '../../src/base/proofs/events.ts'
import { encodeRecord } from '../../src/base/proofs/record.ts'
import { createSigningKey, publishedKey } from '../../src/base/proofs/signing.ts'
import { consistencyProof, hashLeaf, inclusionProof, rootOf } from '../../src/base/proofs/tree.ts'
import type { Hash, NodeReader } from '../../src/base/proofs/tree.ts'

const ORIGIN = 'gateway.example/local/local'
const NOW_MS = 1_783_339_200_000
const KEY = createSigningKey(createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]), format: 'der', type: 'pkcs8',
}), NOW_MS / 1_000 - 60) ?? assert.fail('no key')
const PUBLISHED = publishedKey(KEY)

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function noteOf(leaves: readonly Hash[], origin = ORIGIN): string {
  return signNote(checkpointText({ origin, size: leaves.length, root: rootOf(leaves) }), [{ name: origin, ...KEY }])
}

function readerOf(leaves: readonly Hash[]): NodeReader {
  return async (level, index) => rootOf(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))
}

/** The bytes with each one changed in turn. */
function* altered(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte))
}

const EVENTS = [1, 2, 3].map((number) => ({
  id: `0000000030064775169-000000000${number}`, txHash: 'ab'.repeat(32), contractId: COUNTER, topic: ['AAAADwAAAAFhAAAA'],
  value: base64(Buffer.of(0, 0, 0, 3, 0, 0, 0, number)),
}))
const LEAVES = EVENTS.map((event) => hashLeaf(gatewayBytes({ ...event, topicsXdr: event.topic, valueXdr: event.value })))
const RECORD = encodeRecord({
  kind: 'page', endsInside: false, epoch: '0badcafe', fromLedger: 5, toLedger: 7, toLedgerHash: new Uint8Array(32).fill(1), seqFirst: 11, events: 3,
  eventsRoot: rootOf(LEAVES), filterHash: new Uint8Array(32).fill(2), replaces: 0,
})
/** A log whose record 4 has the events. */
const LOG = Array.from({ length: 11 }, (_, index) => (index === 4 ? hashLeaf(RECORD) : hashLeaf(Buffer.of(index))))

/** A client of a gateway that serves a log. `log` and `directory` may change. */
function clientOf(served: { log: readonly Hash[]; keys: readonly object[] }): Client {
  return createClient({
    url: 'http://gateway.test', attempts: 1, clock: { nowMs: () => NOW_MS, later: () => () => {} },
    async fetch(url) {
      const { pathname, searchParams } = new URL(url)
      const json = (body: object, status = 200): Response => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
      if (pathname === '/v1/log/checkpoint') return new Response(noteOf(served.log), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
      if (pathname.endsWith('-directory')) return json({ keys: served.keys })
      const [from, to] = ['from', 'to'].map((name) => Number(searchParams.get(name)))
      if (from === undefined || to === undefined || to > served.log.length) return json({ error: 'not_in_log' }, 404)
      return json({ hashes: (await consistencyProof(from, to, readerOf(served.log))).map(base64) })
    },
  })
}

const rejection = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => assert.fail('it was accepted'), (error: unknown) => error)

async function rejects(promise: Promise<unknown>, fault?: ProofFailure['fault']): Promise<ProofFailure> {
  const error = await rejection(promise)
  assert.ok(error instanceof ProofFailure, String(error))
  if (fault !== undefined) assert.equal(error.fault, fault, error.message)
  return error
}

async function inclusionOf(at: number, size: number): Promise<InclusionProof> {
  const log = LOG.slice(0, size)
  return {
    record: base64(RECORD), leafIndex: 4, treeSize: size, root: base64(rootOf(log)), hashes: (await inclusionProof(4, size, readerOf(log))).map(base64),
    event: { index: at, hashes: (await inclusionProof(at, 3, readerOf(LEAVES))).map(base64) }, checkpoint: noteOf(log),
  }
}

test('every byte of an inclusion proof that is altered is refused, and so is another event', async () => {
  const verify = clientOf({ log: LOG, keys: [PUBLISHED] }).verify
  const [event, other] = [EVENTS[1] ?? assert.fail(), EVENTS[2] ?? assert.fail()]
  const proof = await inclusionOf(1, 9)
  const { place, record, leafIndex } = await verify.inclusion(proof, event)
  assert.deepEqual([place, record.fromLedger, record.toLedger, leafIndex], [12, 5, 7, 4])
  assert.deepEqual((await verify.inclusion(proof, { bytes: base64(eventBytes(event)) })).place, 12)
  const changes = [
    ...[...altered(Buffer.from(proof.record, 'base64'))].map((bytes) => ({ record: base64(bytes) })),
    ...[...altered(Buffer.from(proof.root, 'base64'))].map((bytes) => ({ root: base64(bytes) })),
    ...proof.hashes.flatMap((hash, at) => [...altered(Buffer.from(hash, 'base64'))].map((bytes) => ({ hashes: proof.hashes.with(at, base64(bytes)) }))),
    ...proof.event.hashes.flatMap((hash, at) => [...altered(Buffer.from(hash, 'base64'))].map((bytes) => {
      return { event: { ...proof.event, hashes: proof.event.hashes.with(at, base64(bytes)) } }
    })),
    ...[...altered(Buffer.from(proof.checkpoint ?? ''))].map((bytes) => ({ checkpoint: Buffer.from(bytes).toString() })),
    { leafIndex: 5 }, { treeSize: 8 }, { event: { ...proof.event, index: 0 } }, { hashes: proof.hashes.slice(1) }, { hashes: [...proof.hashes, proof.root] },
    { checkpoint: noteOf(LOG.slice(0, 8)) }, { checkpoint: null },
  ]
  for (const change of changes) await rejects(verify.inclusion({ ...proof, ...change }, event))
  await rejects(verify.inclusion(proof, other), 'not_included')
  for (const bytes of altered(eventBytes(event))) await rejects(verify.inclusion(proof, { bytes: base64(bytes) }), 'not_included')
})

test('every altered byte of a consistency proof is refused', async () => {
  for (const [from, to] of [[3, 7], [4, 11], [8, 11]] as const) {
    const [first, second] = [LOG.slice(0, from), LOG.slice(0, to)].map((log) => ({ size: log.length, root: rootOf(log) }))
    assert.ok(first !== undefined && second !== undefined)
    const hashes = await consistencyProof(from, to, readerOf(LOG))
    assert.ok(await isConsistent(first, second, hashes))
    for (const [at, hash] of hashes.entries()) {
      for (const bytes of altered(hash)) assert.ok(!await isConsistent(first, second, hashes.with(at, bytes)), `${from} to ${to}`)
    }
    for (const root of altered(first.root)) assert.ok(!await isConsistent({ ...first, root }, second, hashes))
    for (const root of altered(second.root)) assert.ok(!await isConsistent(first, { ...second, root }, hashes))
    for (const others of [hashes.slice(1), hashes.slice(0, -1), [...hashes, rootOf(LOG)]]) assert.ok(!await isConsistent(first, second, others))
  }
  const [leaf] = LOG
  assert.ok(leaf !== undefined && await isIncluded({ index: 0, size: 1, hashes: [] }, leaf, leaf))
  assert.ok(!await isIncluded({ index: 1, size: 1, hashes: [] }, leaf, leaf))
})

test('a checkpoint that is smaller, forked or signed by another key is refused with both notes', async () => {
  const served = { log: LOG.slice(0, 8), keys: [PUBLISHED] as object[] }
  const { verify } = clientOf(served)
  const first = await verify.checkpoint()
  assert.deepEqual([first.origin, first.size], [ORIGIN, 8])
  served.log = LOG
  assert.equal((await verify.checkpoint()).size, 11)
  const older = noteOf(LOG.slice(0, 6))
  assert.equal((await verify.consistency(older)).size, 6)
  served.log = LOG.slice(0, 10)
  assert.deepEqual((await rejects(verify.checkpoint(), 'smaller')).evidence, [noteOf(LOG), noteOf(served.log)])
  for (const length of [11, 14]) {
    served.log = Array.from({ length }, (_, index) => hashLeaf(Buffer.of(index)))
    assert.deepEqual((await rejects(verify.checkpoint(), 'inconsistent')).evidence, [noteOf(LOG), noteOf(served.log)])
  }
  served.log = LOG
  await rejects(verify.consistency(noteOf(LOG.map((leaf, index) => (index === 2 ? hashLeaf(leaf) : leaf)).slice(0, 5))), 'inconsistent')
  const stranger = clientOf({ log: LOG, keys: [{ ...PUBLISHED, x: Buffer.alloc(32, 9).toString('base64url') }] })
  await rejects(stranger.verify.checkpoint(), 'signature')
})

test('a stored checkpoint binds the gateway across runs, and pinned keys and names are the only ones', async () => {
  const notes = new Map([[ORIGIN, noteOf(LOG)]])
  const store = { load: (origin: string) => notes.get(origin) ?? null, save: (origin: string, note: string) => void notes.set(origin, note) }
  const gateway = (log: readonly Hash[], trust: object): Client => createClient({
    url: 'http://gateway.test', attempts: 1, log: { store, keys: [PUBLISHED], ...trust },
    fetch: async () => new Response(noteOf(log), { headers: { 'content-type': 'text/plain' } }),
  })
  await rejects(gateway(LOG.slice(0, 4), {}).verify.checkpoint(), 'smaller')
  assert.equal((await gateway(LOG, {}).verify.checkpoint()).size, 11)
  await rejects(gateway(LOG, { origin: 'other.example/local/local' }).verify.checkpoint(), 'different')
  await rejects(gateway(LOG, { keys: [] }).verify.checkpoint(), 'signature')
})

test('a note with any byte altered is refused', async () => {
  const note = noteOf(LOG)
  assert.equal((await openNote(note, [PUBLISHED])).size, 11)
  for (const bytes of altered(Buffer.from(note))) await rejects(openNote(Buffer.from(bytes).toString(), [PUBLISHED]))
})

test('records and bytes of events are those of the gateway, and nothing else is read', () => {
  assert.equal(readRecord(RECORD)?.events, 3)
  for (const [at, value] of [[0, 0x71], [4, 4], [5, 2], [130, 1], [168, 1], [61, 0]] as const) {
    assert.equal(readRecord(RECORD.map((byte, index) => (index === at ? value : byte))), null, String(at))
  }
  assert.equal(readRecord(RECORD.subarray(1)), null)
  for (const event of EVENTS) {
    const bytes = eventBytes(event)
    assert.deepEqual(Buffer.from(bytes), gatewayBytes({ ...event, topicsXdr: event.topic, valueXdr: event.value }))
    assert.deepEqual(readEventBytes(bytes), event)
    assert.throws(() => readEventBytes(bytes.subarray(1)))
    assert.throws(() => readEventBytes(bytes.subarray(0, -1)))
  }
})

/** A ledger of the local network with a payment and a call that has an event. */
function proofOfCall(): { readonly proof: EventProof; readonly ledger: LedgerHash } {
  using testChain = startTestChain()
  const [paid, called] = [testChain.signed(payment(BOB)), testChain.prepare(COUNTER, 'increment', [address(BOB.publicKey())], { source: BOB })]
  for (const transaction of [called, paid]) testChain.send(transaction)
  const ledger = testChain.chain.history.ledger(testChain.close()) ?? assert.fail('no ledger')
  const { txProcessing } = closeMetaOf(ledger)
  const { operations, sorobanMeta } = metaOf(testChain.recordOf(called))
  const preimage = new xdr.InvokeHostFunctionSuccessPreImage({
    returnValue: sorobanMeta?.returnValue ?? assert.fail('no value'), events: [...operations[0]?.events ?? []],
  })
  const txHash = Buffer.from(called.hash()).toString('hex')
  const proof = {
    format: 'pxg-event-proof/1', network: 'A network for tests', ledger: ledger.sequence, header: ledger.headerXdr, txHash,
    results: base64(new xdr.TransactionResultSet({ results: txProcessing.map(({ result }) => result) }).toXdr()), preimage: base64(preimage.toXdr()),
    pairIndex: txProcessing.findIndex(({ result }) => Buffer.from(result.transactionHash.value).toString('hex') === txHash), eventIndex: 0,
  }
  return { proof, ledger: { sequence: ledger.sequence, hash: ledger.hash } }
}

test('an event is proven by the hash of its ledger, and every byte of the proof that is altered is refused', async () => {
  const { proof, ledger } = proofOfCall()
  const { verify } = clientOf({ log: LOG, keys: [] })
  const event = await verify.event(proof, { ledger })
  assert.deepEqual([event.ledger, event.txHash, event.contractId, event.isSystem], [ledger.sequence, proof.txHash, COUNTER, false])
  assert.equal(event.topic[0], xdr.ScVal.scvSymbol('counted').toXdr('base64'))
  for (const part of ['header', 'results', 'preimage'] as const) {
    for (const bytes of altered(Buffer.from(proof[part], 'base64'))) await rejects(verify.event({ ...proof, [part]: base64(bytes) }, { ledger }))
  }
  const wrong = [
    { format: 'pxg-event-proof/2' }, { ledger: proof.ledger + 1 }, { txHash: 'ab'.repeat(32) }, { pairIndex: 1 - proof.pairIndex }, { eventIndex: 1 },
  ]
  for (const change of wrong) await rejects(verify.event({ ...proof, ...change }, { ledger }))
  for (const hash of altered(Buffer.from(ledger.hash, 'hex'))) {
    await rejects(verify.event(proof, { ledger: { ...ledger, hash: Buffer.from(hash).toString('hex') } }), 'header')
  }
  const node = createClient({
    url: 'http://gateway.test', fetch: async () => new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ledgers: [ledger] } })),
  })
  assert.deepEqual(await node.verify.event(proof, { node: 'http://node.test' }), event)
})

test('finds a call behind the results of every kind of operation', () => {
  const result = (body: string, feeBump = false): string => {
    const inner = `${'00'.repeat(8)}${body}00000000`
    return feeBump ? `${'00'.repeat(8)}00000001${'cd'.repeat(32)}${inner}00000000` : inner
  }
  const operation = (type: number, payload: string, code = 0): string =>
    `000000000000000100000000${type.toString(16).padStart(8, '0')}${(code >>> 0).toString(16).padStart(8, '0')}${payload}`
  const account = `00000000${'11'.repeat(32)}`
  const usdc = `0000000155534443${account}`
  const long = `00000002${'61'.repeat(12)}${account}`
  const i64 = '00'.repeat(8)
  const atoms = [
    `0000000300000000${'22'.repeat(32)}${i64}${usdc}${i64}00000000${i64}`, `00000001${account}${i64}${long}${i64}${usdc}${i64}`,
    `00000002${'33'.repeat(32)}${usdc}${i64}${long}${i64}`,
  ].join('')
  const offer = `${account}${i64}${usdc}00000000${i64}${'00'.repeat(12)}00000000`
  const bodies = [
    operation(0, ''), operation(1, ''), operation(2, `${atoms}${account}${usdc}${i64}`), operation(2, usdc, -9),
    operation(13, `00000000${account}00000000${i64}`),
    operation(3, `${atoms}00000000${offer}`), operation(12, '0000000000000002'), operation(4, `0000000000000001${offer}`), operation(8, i64),
    operation(9, `00000001${account}${i64}`), operation(14, `00000000${'44'.repeat(32)}`), operation(26, ''), operation(24, '', -2), '0000000000000001ffffffff',
    'fffffffe', operation(23, ''), `ffffffff${operation(24, '55'.repeat(32)).slice(8)}`,
  ]
  const call = operation(24, 'ee'.repeat(32))
  const pairs = [...bodies.map((body) => `${'aa'.repeat(32)}${result(body)}`), `${'bb'.repeat(32)}${result(call, true)}`, `${'cc'.repeat(32)}${result(call)}`]
  const set = Buffer.from(`${pairs.length.toString(16).padStart(8, '0')}${pairs.join('')}`, 'hex')
  assert.equal(Buffer.from(xdr.TransactionResultSet.fromXdr(set).toXdr()).toString('hex'), set.toString('hex'))
  const found = pairs.map((_, index) => readResultAt(createReader(set), index).successHash)
  assert.deepEqual(found.map((hash) => hash !== null && Buffer.from(hash).toString('hex')), [...bodies.map(() => false), 'ee'.repeat(32), 'ee'.repeat(32)])
  assert.throws(() => readResultAt(createReader(set.subarray(0, -1)), 0))
  assert.throws(() => readResultAt(createReader(set), pairs.length))
})

/** Signs an answer as RFC 9421 says, by hand. */
function signedAnswer(
  { body = '{"trades":[]}', nonce = '', created = NOW_MS / 1_000, headers = {} }:
  { readonly body?: string; readonly nonce?: string; readonly created?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): { readonly headers: Headers; readonly response: SignedResponse } {
  const url = 'https://gateway.example/v1/trades?limit=1'
  const all = {
    'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`, 'content-type': 'application/json',
    'x-ledger': '7', 'x-seq': '9', ...headers,
  }
  const names = Object.keys(all).filter((name) => !(name in headers))
  const params = `("@status" ${names.map((name) => `"${name}"`).join(' ')} "@method";req "@target-uri";req);created=${created};expires=${created + 300}` +
    `;keyid="${KEY.keyId}";alg="ed25519"${nonce === '' ? '' : `;nonce="${nonce}"`}`
  const lines = ['"@status": 200', ...names.map((name) => `"${name}": ${new Headers(all).get(name)}`), '"@method";req: GET', `"@target-uri";req: ${url}`]
  const text = [...lines, `"@signature-params": ${params}`].join('\n')
  const signature = sign(null, Buffer.from(text), KEY.privateKey).toString('base64')
  const sent = new Headers({ ...all, 'signature-input': `pxg=${params}`, signature: `pxg=:${signature}:` })
  const response = { status: 200, url, headers: sent, arrayBuffer: async () => new Uint8Array(Buffer.from(body)).buffer }
  return { headers: sent, response }
}

test('a signed answer is verified with its request, and every altered part of it is refused', async () => {
  assert.match(ACCEPT_SIGNATURE, /^pxg=\("@status" .*\);alg="ed25519"$/)
  const { verify } = clientOf({ log: LOG, keys: [PUBLISHED] })
  const { response, headers } = signedAnswer({ nonce: 'n1' })
  const { body, keyId } = await verify.answer(response, { nonce: 'n1' })
  assert.deepEqual([Buffer.from(body).toString(), keyId], ['{"trades":[]}', KEY.keyId])
  for (const name of ['signature-input', 'signature', 'content-digest', 'content-type', 'x-ledger', 'x-seq']) {
    for (const bytes of altered(Buffer.from(headers.get(name) ?? ''))) {
      const value = Buffer.from(bytes).toString('latin1')
      const changed = { get: (each: string) => (each === name ? value : headers.get(each)) }
      await rejects(verify.answer({ ...response, headers: changed }, { nonce: 'n1' }))
    }
    await rejects(verify.answer({ ...response, headers: { get: (each: string) => (each === name ? null : headers.get(each)) } }))
  }
  for (const bytes of altered(Buffer.from('{"trades":[]}'))) {
    await rejects(verify.answer({ ...response, arrayBuffer: async () => new Uint8Array(bytes).buffer }), 'different')
  }
  await rejects(verify.answer({ ...response, status: 201 }), 'signature')
  await rejects(verify.answer({ ...response, url: `${response.url}&asset=BTC` }), 'signature')
  await rejects(verify.answer(response, { method: 'POST' }), 'signature')
  await rejects(verify.answer(response, { nonce: 'n2' }), 'signature')
  await rejects(verify.answer(signedAnswer({ headers: { 'x-epoch': 'not signed' } }).response), 'signature')
  await rejects(verify.answer(signedAnswer({ created: NOW_MS / 1_000 - 2_000 }).response), 'expired')
  await rejects(verify.answer(signedAnswer({ created: NOW_MS / 1_000 - 100 }).response), 'expired')
})

test('a gate holds frames until their checkpoint is verified, has a limit, and releases nothing after a failure', async () => {
  const got: unknown[] = []
  const failures: unknown[] = []
  const checked: (readonly (number | undefined)[])[] = []
  const gateOf = (limit: number, check: () => Promise<void>) => createFrameGate({
    limit, onHandlerError: () => {}, onFailure: (error) => failures.push(error),
    verifier: { onGap: () => {}, async check(_checkpoint, frames) {
      checked.push(frames.map(({ seq }) => seq))
      await check()
    } },
  })
  const frame = (seq: number): Frame<'events'> => ({ channel: 'events', seq, data: {} }) as unknown as Frame<'events'>
  const checkpoint = (seq: number): CheckpointData => ({ size: 1, root: '', note: '', epoch: 'e1', ledger: 1, seq })
  const gate = gateOf(3, async () => {})
  for (const seq of [2, 3, 4]) gate.hold(frame(seq), ({ seq: delivered }) => got.push(delivered))
  assert.equal(got.length, 0)
  gate.onCheckpoint(checkpoint(3))
  await new Promise(setImmediate)
  assert.deepEqual([got, checked], [[2, 3], [[2, 3]]])
  for (const seq of [5, 6, 7]) gate.hold(frame(seq), ({ seq: delivered }) => got.push(delivered))
  assert.ok(failures[0] instanceof SlowReader)
  gate.onCheckpoint(checkpoint(9))
  await new Promise(setImmediate)
  const refusing = gateOf(3, () => Promise.reject(new ProofFailure('missing', 'left out')))
  refusing.hold(frame(2), ({ seq }) => got.push(seq))
  refusing.onCheckpoint(checkpoint(2))
  await new Promise(setImmediate)
  assert.ok(failures[1] instanceof ProofFailure)
  assert.deepEqual(got, [2, 3])
})
