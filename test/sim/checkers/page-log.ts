// Checker: the log of pages is the tree that its head states, each record adjoins the one before, places follow from the records alone, and each word that
// counts has the events of the archive and no others. No page is without a record, and no record without its page.

import assert from 'node:assert/strict'
import { contractIdOf } from '../../../src/base/strkey.ts'
import { endOfLedger, isEndOfLedger, ledgerOf } from '../../../src/projections/log/toid.ts'
import { decodeRecord, ZERO_HASH } from '../../../src/base/proofs/record.ts'
import type { LogRecord } from '../../../src/base/proofs/record.ts'
import { hashLeaf, hashNode, rootOf } from '../../../src/base/proofs/tree.ts'
import type { Hash } from '../../../src/base/proofs/tree.ts'
import type { Queryable } from '../../../src/store/store.ts'

/** The newest word on some ledgers. */
interface Word {
  readonly leaf: number
  readonly epochNumber: number
  readonly kind: LogRecord['kind']
  readonly from: number
  readonly to: number
  readonly events: number
  readonly root: Uint8Array
}

interface RecordRow {
  readonly leaf: number
  readonly record: Uint8Array
  readonly epochNumber: number
}

interface EventRow {
  readonly id: string
  readonly epoch: number
  readonly ledger: number
  readonly txHash: string
  readonly contractId: string
  readonly topicsXdr: string
  readonly valueXdr: string
}

/** What was checked. */
export interface CheckedLog {
  readonly records: readonly LogRecord[]
  readonly words: readonly Word[]
  readonly root: Uint8Array
}

/** Reads and checks the whole log. Throws at the first contradiction. */
export async function checkPageLog(db: Queryable): Promise<CheckedLog> {
  const rows = await db.query<RecordRow>('select leaf, record, epoch_number as "epochNumber" from idx.log_records order by leaf')
  const records = rows.map(({ record, leaf }) => decodeRecord(record) ?? assert.fail(`record ${leaf} is malformed`))
  rows.forEach(({ leaf }, index) => assert.equal(leaf, index, 'the leaves are not numbered without a gap'))
  const root = await checkTree(db, rows)
  const words = readWords(rows, records)
  await checkHead(db, records, words)
  await checkEvents(db, words)
  return { records, words, root }
}

async function checkTree(db: Queryable, rows: readonly RecordRow[]): Promise<Uint8Array> {
  const root = rootOf(rows.map(({ record }) => hashLeaf(record)))
  const [head] = await db.query<{ size: number; edge: Uint8Array }>('select size, edge from idx.log_head')
  assert.equal(head?.size ?? 0, rows.length, 'the head states another size')
  const edge = head?.edge ?? new Uint8Array(0)
  const peaks: Hash[] = Array.from({ length: edge.length / 32 }, (_, index) => edge.slice(index * 32, (index + 1) * 32))
  const edgeHash = rows.length === 0 ? root : peaks.reduceRight((right, left) => hashNode(left, right))
  assert.deepEqual(Buffer.from(edgeHash), Buffer.from(root), 'the edge is of another tree')
  const nodes = await db.query<{ level: number; position: number; hash: Uint8Array }>('select level, position, hash from idx.log_nodes order by 1, 2')
  assert.equal(nodes.filter(({ level }) => level === 8).length, Math.floor(rows.length / 256), 'a subtree of 256 records is missing')
  for (const { level, position, hash } of nodes) {
    const leaves = rows.slice(position * 2 ** level, (position + 1) * 2 ** level)
    assert.deepEqual(Buffer.from(hash), Buffer.from(rootOf(leaves.map(({ record }) => hashLeaf(record)))), `node ${level}/${position}`)
  }
  return root
}

/** The newest word on each range, in the order of ledgers. Checks that ranges and places adjoin. */
function readWords(rows: readonly RecordRow[], records: readonly LogRecord[]): readonly Word[] {
  const words: Word[] = []
  const total = (): number => words.reduce((sum, { events }) => sum + events, 0)
  let next: number | undefined
  for (const [leaf, record] of records.entries()) {
    const { kind, fromLedger: from, toLedger: to, events, eventsRoot: root, seqFirst, replaces, endsInside } = record
    const at = `record ${leaf} (${kind} ${from} to ${to})`
    const word: Word = { leaf, epochNumber: rows[leaf]?.epochNumber ?? 0, kind, from, to, events, root }
    assert.equal(events === 0, Buffer.compare(root, ZERO_HASH) === 0, `${at}: zeros are the root of no events`)
    if (kind === 'correction') {
      const place = correct(words, word, replaces)
      assert.equal(seqFirst, place, `${at}: its place`)
      continue
    }
    assert.equal(seqFirst, total() + 1, `${at}: its place`)
    assert.equal(replaces, 0, at)
    if (kind === 'epoch') {
      assert.deepEqual([to, events], [from - 1, 0], at)
      next = from
      continue
    }
    assert.equal(from, next, `${at} does not adjoin the record before`)
    assert.ok(to >= from, at)
    next = endsInside ? to : to + 1
    words.push(word)
  }
  return words
}

/** Puts a correction in the place of what it replaces; returns the place of its first event. */
function correct(words: Word[], correction: Word, replaces: number): number {
  const at = `correction ${correction.leaf} of ${correction.from} to ${correction.to}`
  const isConcerned = (word: Word): boolean =>
    word.epochNumber === correction.epochNumber && word.to >= correction.from && word.from <= correction.to
  const first = words.findIndex(isConcerned)
  assert.notEqual(first, -1, `${at} is of nothing`)
  const last = words.findLastIndex(isConcerned)
  const before: Word[] = []
  const after: Word[] = []
  let replaced = 0
  for (const word of words.slice(first, last + 1)) {
    assert.ok(isConcerned(word), `${at} is of two parts of the log`)
    // All events of a page that ends inside its last ledger are of that ledger.
    const keepsEvents = word.to > correction.to
    if (!keepsEvents) replaced += word.events
    if (word.from < correction.from) before.push({ ...word, to: correction.from - 1, events: 0, root: ZERO_HASH })
    if (word.to > correction.to) {
      assert.equal(word.kind, 'gap', `${at} leaves a part of record ${word.leaf} without its events`)
      after.push({ ...word, from: correction.to + 1 })
    }
  }
  assert.equal(replaces, replaced, `${at}: what it replaces`)
  const place = words.slice(0, first).reduce((sum, { events }) => sum + events, 1)
  words.splice(first, last + 1 - first, ...before, correction, ...after)
  return place
}

/** The log ends where the index does. */
async function checkHead(db: Queryable, records: readonly LogRecord[], words: readonly Word[]): Promise<void> {
  const [cursor] = await db.query<{ cursor: string | null; startLedger: number | null; name: string | null }>(
    'select c.cursor, c.start_ledger as "startLedger", e.epoch as name from idx.cursor c left join idx.epochs e on e.number = c.epoch',
  )
  const [head] = await db.query<{ events: number }>('select events from idx.log_head')
  assert.equal(head?.events ?? 0, words.reduce((sum, { events }) => sum + events, 0), 'the head states another number of events')
  const last = records.findLast(({ kind }) => kind !== 'correction')
  if (cursor === undefined || cursor.name === null) return assert.equal(last, undefined, 'there is a record without an index')
  const end = cursor.cursor ?? endOfLedger((cursor.startLedger ?? 0) - 1)
  assert.deepEqual(
    last === undefined ? undefined : { toLedger: last.toLedger, endsInside: last.endsInside },
    { toLedger: ledgerOf(end), endsInside: !isEndOfLedger(end) }, 'the newest record is not of the newest page',
  )
}

/** Each word has the events of the archive, and each event of the archive is in one word. */
async function checkEvents(db: Queryable, words: readonly Word[]): Promise<void> {
  const events = await db.query<EventRow>(
    `select left(event_id, 30) as id, epoch, ledger, tx_hash as "txHash", contract_id as "contractId", topics_xdr as "topicsXdr", value_xdr as "valueXdr"
     from idx.events order by epoch, left(event_id, 30) collate "C"`,
  )
  const left = Map.groupBy(events, ({ epoch }) => epoch)
  for (const { leaf, epochNumber, from, to, events: count, root } of words) {
    const own = left.get(epochNumber)?.splice(0, count) ?? []
    assert.equal(own.length, count, `record ${leaf} states more events than the archive has`)
    for (const { id, ledger } of own) assert.ok(ledger >= from && ledger <= to, `event ${id} is not of record ${leaf} (${from} to ${to})`)
    const expected = count === 0 ? ZERO_HASH : rootOf(own.map((event) => hashLeaf(bytesOf(event))))
    assert.equal(Buffer.from(root).toString('hex'), Buffer.from(expected).toString('hex'), `the root of record ${leaf} (${from} to ${to})`)
  }
  for (const [epoch, rest] of left) assert.deepEqual(rest, [], `the log does not have these events of epoch ${epoch}`)
}

function bytesOf({ id, txHash, contractId: contract, topicsXdr, valueXdr }: EventRow): Buffer {
  const topics = topicsXdr === '' ? [] : topicsXdr.split(' ')
  const withLength = (xdr: string): Buffer => {
    const bytes = Buffer.from(xdr, 'base64')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  return Buffer.concat([
    Buffer.of(id.length), Buffer.from(id), Buffer.from(txHash, 'hex'), contractIdOf(contract) ?? Buffer.alloc(0), Buffer.of(topics.length),
    ...topics.map(withLength), withLength(valueXdr),
  ])
}
