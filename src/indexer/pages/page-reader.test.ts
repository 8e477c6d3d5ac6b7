// Pages that are joined and read ahead while the index is far behind.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { endOf, eventId } from '../../../test/index/node.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { EVENTS_PAGE_LIMIT } from '../../limits.ts'
import { createPageReader } from './page-reader.ts'
import type { PageReader } from './page-reader.ts'

const REQUEST = { contractIds: ['C'], limit: EVENTS_PAGE_LIMIT }
/** A page has one ledger. */
const EVENTS_PER_LEDGER = EVENTS_PAGE_LIMIT / 2
const LEDGERS = 12

interface Node {
  readonly rpc: Rpc
  /** The cursors of the requests. */
  readonly requests: string[]
  /** Fails the requests with these cursors. */
  readonly failing: Set<string>
}

function createNode(latestLedger = LEDGERS, valueXdr = ''): Node {
  const requests: string[] = []
  const failing = new Set<string>()
  const getEvents: Rpc['getEvents'] = async ({ from }, call) => {
    const cursor = 'cursor' in from ? from.cursor : endOf(from.startLedger - 1)
    requests.push(cursor)
    call?.signal?.throwIfAborted()
    if (failing.has(cursor)) throw new RpcFailure({ method: 'getEvents', kind: 'timeout', retryable: true })
    const ledger = Number(BigInt(cursor.slice(0, 19)) >> 32n) + 1
    const closeSec = 1_000 + ledger * 5
    const events = ledger > latestLedger ? [] : Array.from({ length: EVENTS_PER_LEDGER }, (_, index) => (
      { id: eventId(ledger, index, index), ledger, closeSec, contractId: 'C', txHash: '00', topicsXdr: [], valueXdr }))
    return { events, cursor: endOf(Math.min(ledger, latestLedger)), latestLedger, latestLedgerCloseSec: null, oldestLedger: 1, oldestLedgerCloseSec: null }
  }
  return { rpc: { getEvents } as Rpc, requests, failing }
}

const from = (ledger: number) => ({ cursor: endOf(ledger - 1), startLedger: 1 })

async function readLedgers(reader: PageReader, { rpc }: Node, first: number): Promise<readonly number[]> {
  const { events } = await reader.read(rpc, from(first), REQUEST, {})
  return [...new Set(events.map(({ ledger }) => ledger))]
}

test('joins more pages after fast writes and fewer after slow ones', async () => {
  const node = createNode()
  const reader = createPageReader()
  assert.deepEqual(await readLedgers(reader, node, 1), [1])
  reader.onWritten(250)
  assert.deepEqual(await readLedgers(reader, node, 1), [1, 2])
  reader.onWritten(10)
  const page = await reader.read(node.rpc, from(1), REQUEST, {})
  assert.deepEqual([page.events.length, page.cursor, page.through?.ledger], [8 * EVENTS_PER_LEDGER, endOf(8), 8])
  for (let write = 0; write < 5; write++) reader.onWritten(10)
  reader.onWritten(700)
  assert.equal((await readLedgers(reader, node, 1)).length, 8)
  reader.onWritten(2_000)
  assert.deepEqual(await readLedgers(reader, node, 1), [1, 2, 3, 4])
  assert.deepEqual(await readLedgers(reader, node, LEDGERS), [LEDGERS], 'nothing follows the latest ledger')
})

test('joins no further page to one with much XDR', async () => {
  const node = createNode(LEDGERS, 'A'.repeat(40_000))
  const reader = createPageReader()
  for (let write = 0; write < 5; write++) reader.onWritten(10)
  assert.deepEqual(await readLedgers(reader, node, 1), [1])
})

test('writes what was read when a following page fails, and reports the failure at the next read', async () => {
  const node = createNode()
  const reader = createPageReader()
  reader.onWritten(10)
  node.failing.add(endOf(1))
  assert.deepEqual(await readLedgers(reader, node, 1), [1])
  await assert.rejects(readLedgers(reader, node, 2), RpcFailure)
})

test('reads ahead for the next position only, and reports a failure once', async () => {
  const node = createNode()
  const reader = createPageReader()
  const page = await reader.read(node.rpc, from(1), REQUEST, {})
  reader.readAhead(node.rpc, page, REQUEST, {})
  assert.deepEqual(node.requests, [endOf(0), endOf(1)])
  assert.deepEqual(await readLedgers(reader, node, 2), [2])
  assert.equal(node.requests.length, 2, 'it was read already')
  assert.deepEqual(await readLedgers(reader, node, 2), [2])
  assert.equal(node.requests.length, 3)

  reader.readAhead(node.rpc, page, REQUEST, {})
  assert.deepEqual(await readLedgers(reader, node, 7), [7], 'the index went elsewhere')
  reader.readAhead(node.rpc, page, REQUEST, {})
  assert.deepEqual((await reader.read(node.rpc, from(2), { ...REQUEST, contractIds: ['C', 'D'] }, {})).through?.ledger, 2)
  assert.equal(node.requests.length, 7, 'another request is sent')

  node.failing.add(endOf(1))
  reader.readAhead(node.rpc, page, REQUEST, {})
  await assert.rejects(readLedgers(reader, node, 2), RpcFailure)
  node.failing.clear()
  assert.deepEqual(await readLedgers(reader, node, 2), [2])
})

test('does not read ahead at the head of the chain, and abandons what it read when it is closed', async () => {
  const node = createNode(2)
  const reader = createPageReader()
  const last = await reader.read(node.rpc, from(2), REQUEST, {})
  reader.readAhead(node.rpc, last, REQUEST, {})
  assert.equal(node.requests.length, 1)
  const first = await reader.read(node.rpc, from(1), REQUEST, {})
  reader.readAhead(node.rpc, first, REQUEST, {})
  await reader.close()
  assert.deepEqual(await readLedgers(reader, node, 2), [2])
  assert.equal(node.requests.length, 4)
})
