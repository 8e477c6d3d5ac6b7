import assert from 'node:assert/strict'
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { noteVerifierKey, openNote, parseCheckpoint } from '../../../test/support/log-verifier.ts'
import { encodeContract } from '../strkey.ts'
import { checkpointText, signNote } from './checkpoint.ts'
import { createEventsRoot, eventBytes, eventLeaf, filterHash } from './events.ts'
import { decodeRecord, encodeRecord, RECORD_BYTES, ZERO_HASH } from './record.ts'
import type { LogRecord } from './record.ts'
import { entriesTile, parseTilePath, tilePath, tileWidth } from './tiles.ts'
import { hashLeaf, rootOf } from './tree.ts'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The example of C2SP signed-note: the seed, key and note of PeterNeumann. */
const NOTE_SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1)
const NOTE_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const NOTE_TEXT = 'If you think cryptography is the answer to your problem,\nthen you don\'t know what your problem is.\n'
const NOTE = `${NOTE_TEXT}
\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`

function signerOf(name: string, seed: Uint8Array): Parameters<typeof signNote>[1][number] {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { name, privateKey, publicKey: Buffer.from(x, 'base64url') }
}

const RECORD: LogRecord = {
  kind: 'correction', endsInside: true, epoch: '0badcafe', fromLedger: 0x01020304, toLedger: 0x05060708, toLedgerHash: new Uint8Array(32).fill(0xaa),
  seqFirst: 0x090a0b0c0d, events: 0x11121314, eventsRoot: new Uint8Array(32).fill(0xbb), filterHash: new Uint8Array(32).fill(0xcc), replaces: 0x15161718,
}

test('signs the known note of C2SP', () => {
  const signer = signerOf('PeterNeumann', NOTE_SEED)
  assert.equal(noteVerifierKey(signer.name, signer.publicKey), NOTE_KEY)
  assert.equal(signNote(NOTE_TEXT, [signer]), NOTE)
  const key = { name: signer.name, publicKey: createPublicKey(signer.privateKey) }
  assert.equal(openNote(NOTE, key), NOTE_TEXT)
  assert.equal(openNote(NOTE.replace('answer', 'Answer'), key), undefined)
  assert.equal(openNote(NOTE, { ...key, name: 'Peter' }), undefined)
})

test('a checkpoint has three lines, and one signature line per key', () => {
  const signers = [signerOf('localhost/local/local', NOTE_SEED), signerOf('localhost/local/local', new Uint8Array(32).fill(7))]
  const checkpoint = { origin: 'localhost/local/local', size: 20_852_163, root: hashLeaf(Buffer.from('root')) }
  const note = signNote(checkpointText(checkpoint), signers)
  assert.equal(note.split('\n').length, 7)
  for (const { name, privateKey } of signers) {
    const text = openNote(note, { name, publicKey: createPublicKey(privateKey) }) ?? assert.fail('not signed')
    assert.deepEqual(parseCheckpoint(text), checkpoint)
  }
})

test('a record has 169 bytes, each field at its offset', () => {
  const bytes = encodeRecord(RECORD)
  assert.equal(bytes.length, RECORD_BYTES)
  assert.equal(bytes.toString('hex'), [
    '70786731', '01', '01', '0badcafe', '01020304', '05060708', 'aa'.repeat(32), '000000090a0b0c0d', '11121314', 'bb'.repeat(32), 'cc'.repeat(32), '15161718',
    '00'.repeat(39),
  ].join(''))
  assert.deepEqual(decodeRecord(bytes), RECORD)
})

test('refuses a record with another length, magic, kind or flag, or with reserved bytes', () => {
  const bytes = encodeRecord(RECORD)
  const changed = [[0, 0x71], [4, 4], [5, 2], [130, 1], [168, 1]].map(([at = 0, value = 0]) => Buffer.from(bytes).fill(value, at, at + 1))
  for (const other of [bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)]), ...changed]) assert.equal(decodeRecord(other), undefined)
  assert.throws(() => encodeRecord({ ...RECORD, epoch: 'no hex' }), RangeError)
  assert.throws(() => encodeRecord({ ...RECORD, toLedger: 2 ** 32 }), RangeError)
})

test('the bytes of an event are id, transaction, contract, topics and value, with their lengths', () => {
  const topics = [Buffer.from('topic one'), Buffer.from('t2')]
  const event = {
    id: '0000000030064775169-0000000001', txHash: 'ab'.repeat(32), contractId: encodeContract(new Uint8Array(32).fill(5)),
    topicsXdr: topics.map((topic) => topic.toString('base64')), valueXdr: Buffer.from('value').toString('base64'),
  }
  const expected = Buffer.concat([
    Buffer.of(30), Buffer.from(event.id), Buffer.alloc(32, 0xab), Buffer.alloc(32, 5), Buffer.of(2), Buffer.of(0, 0, 0, 9), Buffer.from('topic one'),
    Buffer.of(0, 0, 0, 2), Buffer.from('t2'), Buffer.of(0, 0, 0, 5), Buffer.from('value'),
  ])
  assert.deepEqual(eventBytes(event), expected)
  assert.deepEqual(eventLeaf(event), hashLeaf(expected))
  assert.deepEqual(eventBytes({ ...event, valueXdr: event.valueXdr.replaceAll('=', '') }), expected)
  assert.deepEqual(eventBytes({ ...event, valueXdr: ` ${event.valueXdr.slice(0, 4)} ${event.valueXdr.slice(4)}\n` }), expected)
  const root = createEventsRoot()
  assert.deepEqual([root.events, root.root()], [0, ZERO_HASH])
  for (let index = 0; index < 3; index++) root.add(eventLeaf({ ...event, txHash: `0${index}`.repeat(32) }))
  const leaves = [0, 1, 2].map((index) => eventLeaf({ ...event, txHash: `0${index}`.repeat(32) }))
  assert.deepEqual([root.events, root.root()], [3, rootOf(leaves)])
})

test('the filter\'s hash is that of its JSON with sorted keys', () => {
  const text = '{"contracts":{"market":"CA","vault":"CB"},"passphrase":"Test \\"net\\"","token":"CC"}'
  assert.deepEqual(filterHash({ token: 'CC', passphrase: 'Test "net"', contracts: { vault: 'CB', market: 'CA' } }), createHash('sha256').update(text).digest())
})

test('names tiles as C2SP does, and reads no other form', () => {
  const tiles = [
    ['0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }], ['1/000.p/5', { level: 1, index: 0, width: 5 }],
    ['entries/999', { level: 'entries', index: 999, width: 256 }], ['entries/x001/000.p/255', { level: 'entries', index: 1_000, width: 255 }],
  ] as const
  for (const [path, tile] of tiles) {
    assert.equal(tilePath(tile), path)
    assert.deepEqual(parseTilePath(path), tile)
  }
  for (const path of [
    '0/0', '0/1000', '0/x000/001', '00/001', '64/000', '0/000.p/0', '0/000.p/256', '0/000.p/05', '0/000/', '-1/000', 'data/000', '0/x001/x234/67',
  ]) {
    assert.equal(parseTilePath(path), undefined, path)
  }
})

test('knows the width of each tile of a tree', () => {
  assert.deepEqual([tileWidth(0, 0, 70_000), tileWidth(0, 273, 70_000), tileWidth(0, 274, 70_000)], [256, 112, 0])
  assert.deepEqual([tileWidth(1, 0, 70_000), tileWidth(1, 1, 70_000), tileWidth(2, 0, 70_000), tileWidth('entries', 273, 70_000)], [256, 17, 1, 112])
})

test('a tile of records has the length before each', () => {
  const tile = entriesTile([Buffer.from('ab'), encodeRecord(RECORD)])
  assert.deepEqual(tile.subarray(0, 6), Buffer.from([0, 2, 0x61, 0x62, 0, 169]))
  assert.equal(tile.length, 4 + 2 + RECORD_BYTES)
})
