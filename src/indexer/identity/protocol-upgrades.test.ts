// The index across upgrades of the network's protocol, known and unknown. A public network, so nothing is believed that is not proven.

import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Log } from '../../base/log.ts'
import { KNOWN_PROTOCOL } from '../../base/protocol.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAnchors } from '../../projections/state/anchors.ts'
import { listEvents } from '../../projections/log/events.ts'
import { isStoppedByProtocol, readIndexState } from '../../projections/state/index-state.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { createIndexFixture, FIRST_CLOSE_SEC, PASSPHRASE } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { createFakeNode } from '../../../test/index/node.ts'
import type { FakeNode } from '../../../test/index/node.ts'
import { emptyIndex } from '../../../test/index/tables.ts'
import type { HeaderFields } from '../../../test/support/ledger-headers.ts'
import { BadPage } from '../pages/events-page.ts'
import { PUBLIC_NETWORK } from './confirmation.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

function createPublicFixture(log: Log = silentLog): IndexFixture {
  return createIndexFixture(store, { clock: createVirtualClock(FIRST_CLOSE_SEC * 1000), trust: PUBLIC_NETWORK, log })
}

/** Closes a ledger with one event, and indexes it. Throws when the index does not advance. */
async function closeAndIndex(fixture: IndexFixture, secondsLater: number, header: Partial<HeaderFields> = {}): Promise<void> {
  close(fixture, secondsLater, header)
  const results = await fixture.catchUp()
  assert.deepEqual(results.filter(({ kind }) => kind !== 'indexed' && kind !== 'epoch'), [], 'no node is at fault')
}

function close(fixture: IndexFixture, secondsLater: number, header: Partial<HeaderFields> = {}): void {
  const ledgers = fixture.node.ledgerCount()
  fixture.queue(fixture.exchange.open(ledgers, ledgers + 1))
  fixture.closeLedger(secondsLater, header)
}

async function indexedLedgers(): Promise<readonly number[]> {
  return (await listEvents(store.read, { limit: 100 })).rows.map(({ ledger }) => ledger).toReversed()
}

const SIGNED_SET = 1
const DROPPED_SET = 2
const DROPPED_SET_MS = 4

test('follows a network from protocol 29 to 30, with dropped transaction sets and several ledgers in a second', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 29
  await closeAndIndex(fixture, 5)
  await closeAndIndex(fixture, 5, { form: DROPPED_SET })
  await closeAndIndex(fixture, 5, { protocol: 30, form: SIGNED_SET, upgrades: [Buffer.from([0, 0, 0, 1, 0, 0, 0, 30])] })
  fixture.node.protocol = 30
  for (const [secondsLater, form] of [[5, 3], [0, 3], [0, DROPPED_SET_MS], [1, 3], [0, 3], [0, 3]] as const) {
    await closeAndIndex(fixture, secondsLater, { form })
  }
  assert.deepEqual(await indexedLedgers(), [1, 2, 3, 4, 5, 6, 7, 8, 9])
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.protocol, state?.newerForms], [30, []])
  const anchors = await readAnchors(store.read, 1)
  const [closeSec = 0] = anchors.map((anchor) => anchor.closeSec ?? 0)
  assert.deepEqual(anchors.slice(0, 4).map(({ closeMs }) => closeMs), [2, 1, 0, -998].map((ms) => closeSec * 1_000 + ms))
  assert.deepEqual(anchors.slice(6).map(({ closeMs, protocol }) => [closeMs, protocol]), [[null, 30], [null, 29], [null, 29]])
})

test('catches up over hundreds of ledgers at protocol 30 of which many share a second', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 30
  for (let ledger = 0; ledger < 300; ledger++) close(fixture, ledger % 3)
  await fixture.catchUp()
  assert.equal((await readIndexState(store.read))?.lastLedger, 300)
})

test('refuses a ledger at protocol 30 that closed no later than the one before, in milliseconds', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 30
  await closeAndIndex(fixture, 5)
  const closeMs = (FIRST_CLOSE_SEC + 5) * 1_000
  close(fixture, 0, { closeMs: closeMs + 900 })
  close(fixture, 0, { closeMs: closeMs + 900 })
  const result = await fixture.indexer.step()
  assert.ok(result.kind === 'unreachable' && result.error instanceof BadPage && result.error.fault === 'broken_chain', result.kind)
})

test('refuses a ledger below protocol 30 that closed in the same second as the one before', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 29
  await closeAndIndex(fixture, 5)
  close(fixture, 5)
  close(fixture, 0)
  const result = await fixture.indexer.step()
  assert.ok(result.kind === 'unreachable' && result.error instanceof BadPage && result.error.fault === 'broken_chain', result.kind)
})

test('goes on at headers of an unknown form, and records what is unknown with its bytes', async () => {
  const errors: unknown[] = []
  await using fixture = createPublicFixture({ ...silentLog, error: (fields) => void errors.push(fields) })
  fixture.node.protocol = 30
  await closeAndIndex(fixture, 5)
  const unknown = { form: 5, value: Buffer.alloc(200, 7), protocol: KNOWN_PROTOCOL + 1 }
  for (const secondsLater of [5, 0, 4, 4]) await closeAndIndex(fixture, secondsLater, unknown)
  assert.deepEqual(await indexedLedgers(), [1, 2, 3, 4, 5])
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.protocol, state?.newerForms], [KNOWN_PROTOCOL + 1, [{ what: 'ledger value type 5', ledger: 2, isStop: false }]])
  assert.equal(state !== null && isStoppedByProtocol(state), false)
  assert.deepEqual(errors, [{ unknown: 'ledger value type 5', known: KNOWN_PROTOCOL, ledger: 2 }], 'logged once')
  const [kept] = await store.read.query<{ xdr: string }>('select xdr from idx.newer_forms')
  assert.equal(kept?.xdr, fixture.node.headerXdr(2))
})

test('an unknown form does not make a ledger believable that does not continue the chain', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 30
  await closeAndIndex(fixture, 5)
  close(fixture, 5, { form: 5, value: Buffer.alloc(8), protocol: KNOWN_PROTOCOL + 1, previousHash: 'ef'.repeat(32) })
  const result = await fixture.indexer.step()
  assert.ok(result.kind === 'unreachable' && result.error instanceof BadPage && result.error.fault === 'other_chain', result.kind)
  assert.deepEqual((await readIndexState(store.read))?.newerForms, [])
})

test('stops before a header whose sequence cannot be found, says so once, and continues after the upgrade without loss', async () => {
  const errors: unknown[] = []
  await using fixture = createPublicFixture({ ...silentLog, error: (fields, message) => void errors.push([fields, message]) })
  fixture.node.protocol = 30
  await closeAndIndex(fixture, 5)
  fixture.node.newerFrom = 2
  for (let ledger = 0; ledger < 3; ledger++) close(fixture, 5)
  const kinds = [await fixture.indexer.step(), await fixture.indexer.step(), await fixture.indexer.step()].map(({ kind }) => kind)
  assert.deepEqual(kinds, ['outdated', 'outdated', 'outdated'])
  assert.equal(fixture.indexer.status().state, 'outdated')
  const what = 'ledger header of the future'
  assert.deepEqual(errors, [[{ unknown: what, known: KNOWN_PROTOCOL }, 'the index stopped: the network is newer than this gateway']])
  const stopped = await readIndexState(store.read)
  assert.deepEqual([stopped?.lastLedger, stopped?.newerForms], [1, [{ what, ledger: 2, isStop: true }]])
  assert.equal(stopped !== null && isStoppedByProtocol(stopped), true)

  fixture.node.newerFrom = Number.MAX_SAFE_INTEGER
  await fixture.restart()
  await fixture.catchUp()
  assert.deepEqual(await indexedLedgers(), [1, 2, 3, 4])
  const state = await readIndexState(store.read)
  assert.deepEqual([state?.gaps, state?.newerForms], [0, []])
})

test('an index that only begins before the headers of an unknown form is not stopped by them', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 30
  for (let ledger = 0; ledger < 6; ledger++) close(fixture, 5)
  close(fixture, 5, { form: 5, value: Buffer.alloc(8), protocol: KNOWN_PROTOCOL + 1 })
  fixture.node.pageCap = 2
  const stopped: unknown[] = []
  for (let step = 0; step < 5; step++) {
    assert.match((await fixture.indexer.step()).kind, /^(?:epoch|indexed)$/)
    const state = await readIndexState(store.read)
    if (state !== null) stopped.push([state.newerForms.length, isStoppedByProtocol(state)])
  }
  assert.deepEqual(new Set(stopped.map((each) => JSON.stringify(each))), new Set(['[1,false]']))
})

/** A client of both nodes. It calls `first`, and `second` while the headers of the first cannot be read. */
function bothNodes(first: FakeNode, second: FakeNode): Rpc {
  const nodeFor = ({ endpoint }: CallOptions = {}): Rpc => {
    const isReadable = first.newerFrom > first.latest().sequence
    return (endpoint === undefined ? isReadable : endpoint === 0) ? first.rpc : second.rpc
  }
  return {
    ...first.rpc,
    endpoints: 2,
    getHealth: async (options) => await nodeFor(options).getHealth(options),
    getNetwork: async (options) => await nodeFor(options).getNetwork(options),
    getLedgers: async (request, options) => await nodeFor(options).getLedgers(request, options),
    getEvents: async (request, options) => await nodeFor(options).getEvents(request, options),
  }
}

test('a node of another chain proves no reset while the headers of the other node cannot be read', async () => {
  const other = createFakeNode({ passphrase: PASSPHRASE })
  other.reset()
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using fixture = createIndexFixture(store, { clock, trust: PUBLIC_NETWORK, rpcOf: (node) => bothNodes(node, other) })
  fixture.node.protocol = 30
  for (let ledger = 0; ledger < 3; ledger++) close(fixture, 5)
  await fixture.catchUp()
  fixture.node.newerFrom = 4
  const kinds = new Set<string>()
  for (let step = 0; step < 12; step++) {
    close(fixture, 5)
    other.close(fixture.nowSec())
    kinds.add((await fixture.indexer.step()).kind)
  }
  assert.deepEqual([...kinds], ['unreachable'])
  assert.deepEqual(await indexedLedgers(), [1, 2, 3])
})

test('a form is not reported any more by a version that knows it, or when it was not met for a week', async () => {
  await using fixture = createPublicFixture()
  fixture.node.protocol = 30
  await closeAndIndex(fixture, 5, { form: 5, value: Buffer.alloc(8) })
  assert.equal((await readIndexState(store.read))?.newerForms.length, 1)
  await store.write.query('update idx.newer_forms set known_protocol = known_protocol - 1')
  assert.deepEqual((await readIndexState(store.read))?.newerForms, [])
  await closeAndIndex(fixture, 5, { form: 5, value: Buffer.alloc(8) })
  assert.equal((await readIndexState(store.read))?.newerForms.length, 1, 'met again')
  await closeAndIndex(fixture, 8 * 86_400)
  assert.deepEqual((await readIndexState(store.read))?.newerForms, [])
})
