// Reads through a faulty node, one fault at a time: the archive must equal the emitted events, and the index must keep running. docs/operating.md describes
// each fault and how the indexer handles it.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import { EVENT_CONTRACT_KEYS, TRANSFER_PARTY_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { StepResult } from '../../src/indexer/pages/step-result.ts'
import { EVENTS_PAGE_LIMIT } from '../../src/limits.ts'
import { readArchive } from '../sim/checkers/archive.ts'
import { NEWER_PREFIX } from '../../src/projections/log/archived-event.ts'
import type { Archived } from '../sim/checkers/archive.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let world: GatewayFixture

before(async () => {
  world = await createGatewayFixture({ seed: 'node faults' })
  await world.closeLedgers(6)
  await world.catchUp()
})
afterEach(() => world.control('local_clearFaults'))
after(() => world[Symbol.asyncDispose]())

const arm = (fault: Readonly<Record<string, unknown>>): Promise<unknown> => world.control('local_fault', fault)

async function health(): Promise<{ lastLedger: number; unknownEvents: number }> {
  return (await world.get<{ indexer: { lastLedger: number; unknownEvents: number } }>('/v1/health')).body.indexer
}

async function hits(): Promise<number> {
  const { armed } = await world.control('local_faults') as { armed: readonly { hits: number }[] }
  return armed.reduce((sum, fault) => sum + fault.hits, 0)
}

/** Steps the indexer while advancing the clock, so that time-outs expire. */
async function steps(count: number): Promise<readonly StepResult[]> {
  const results: StepResult[] = []
  for (let step = 0; step < count; step++) {
    let result: StepResult | undefined
    const stepping = world.indexer.step().then((stepped) => (result = stepped))
    while (result === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      if (world.clock.pendingTimers() > 0) world.clock.advance(50)
    }
    results.push(await stepping)
  }
  return results
}

/** Asserts that the archive holds exactly the transfers of the token that name a contract of the exchange, in order. */
async function assertTransfersComplete(): Promise<void> {
  const { chain: { history }, contracts } = world.network
  const parties = new Set(TRANSFER_PARTY_KEYS.map((key) => encodeScVal({ type: 'address', value: contracts[key] })))
  const range = { afterId: null, fromLedger: history.oldest().sequence, untilLedger: history.latest().sequence + 1, contractIds: [contracts.usdcToken] }
  const emitted = [...history.events(range)].filter(({ topics }) => MOVEMENTS.has(topics[0] ?? '') && topics.slice(1, 3).some((topic) => parties.has(topic)))
  const archived = await world.store.read.query<{ txHash: string; topics: string; value: string }>(
    'select tx_hash as "txHash", topics_xdr as topics, value_xdr as value from idx.events where is_transfer order by seq',
  )
  assert.ok(archived.length > 0)
  assert.deepEqual(archived, emitted.map(({ txHash, topics, value }) => ({ txHash, topics: topics.join(' '), value })))
}

const MOVEMENTS = new Set(['transfer', 'mint', 'burn', 'clawback'].map((value) => encodeScVal({ type: 'symbol', value })))

/** Asserts that the archive holds exactly the emitted events, in order; returns it. */
async function assertArchiveComplete(sameId: (archived: string, emitted: string) => boolean = (a, b) => a === b): Promise<readonly Archived[]> {
  const { history } = world.network.chain
  const contractIds = EVENT_CONTRACT_KEYS.map((key) => world.network.contracts[key])
  const range = { afterId: null, fromLedger: history.oldest().sequence, untilLedger: history.latest().sequence + 1, contractIds }
  const emitted = [...history.events(range)]
  const archive = await readArchive(world.store.read)
  assert.deepEqual(archive.map(({ txHash, valueXdr }) => [txHash, valueXdr]), emitted.map(({ txHash, value }) => [txHash, value]))
  for (const [index, { eventId }] of archive.entries()) assert.ok(sameId(eventId, emitted[index]?.id ?? ''), eventId)
  await assertTransfersComplete()
  return archive
}

/** Temporary faults: no event may be lost, duplicated or reordered. */
const TEMPORARY: readonly (readonly [name: string, fault: Readonly<Record<string, unknown>>])[] = [
  ['short_scan', { ledgers: 2, count: null }], ['mixed_filters_lose', {}], ['duplicated_event', {}], ['repeated_page', {}],
  ['cut_page', { events: 3, count: 5 }],
  ['cursor_ignored', {}], ['slow_scan', { events: 100 }], ['torn_json', { method: 'getEvents' }], ['html_200', { method: 'getEvents' }],
  ['empty_204', { method: 'getEvents' }], ['timeout', { method: 'getEvents' }], ['connection_reset', { method: 'getEvents' }],
  ['http_status', { method: 'getEvents', status: 503 }], ['rate_limited', { method: 'getEvents' }], ['slow', { method: 'getEvents' }],
  ['rpc_error', { method: 'getEvents', code: -32603 }], ['heavy_latest_ledger', {}], ['boastful_health', {}], ['get_transactions_cursor_zero', {}],
  ['damaged_xdr', { count: 3 }], ['lagging', { ledgers: 3, count: 2 }], ['retention_cut', { ledgers: 20 }], ['archived_entries', {}],
]

for (const [name, fault] of TEMPORARY) {
  test(`${name}: loses and duplicates no event`, async () => {
    await world.closeLedgers(4)
    await arm({ name, ...fault })
    const results = await steps(10)
    assert.ok(results.every(({ kind }) => kind !== 'gap' && kind !== 'epoch'), JSON.stringify(results))
    await world.control('local_clearFaults')
    await world.catchUp()
    await assertArchiveComplete()
  })
}

test('slow_scan: requests smaller pages until the node responds, then full pages again', async () => {
  await world.closeLedgers(4)
  await arm({ name: 'slow_scan', events: 60 })
  const results = await steps(6)
  assert.deepEqual(results.slice(0, 5).map(({ kind }) => kind), Array.from({ length: 5 }, () => 'unreachable'), `${EVENTS_PAGE_LIMIT} halved five times is 31`)
  assert.equal(results[5]?.kind, 'indexed')
  await world.control('local_clearFaults')
  await world.catchUp()
  await assertArchiveComplete()
})

test('short_scan: an empty page does not end the catch-up', async () => {
  await world.control('local_actors', { traders: false, keeper: false })
  await world.closeLedgers(9)
  await arm({ name: 'short_scan', ledgers: 2 })
  const [first] = await steps(1)
  assert.ok(first?.kind === 'indexed' && !first.caughtUp, 'the page advances the cursor and there is more to read')
  await steps(8)
  assert.equal((await health()).lastLedger, world.network.chain.history.latest().sequence)
  await world.control('local_clearFaults')
})

test('heavy_latest_ledger: does not request the latest ledger while the node is healthy', async () => {
  await arm({ name: 'heavy_latest_ledger' })
  await world.closeLedgers(2)
  await steps(3)
  await world.catchUp()
  assert.equal(await hits(), 0)
  await world.control('local_clearFaults')
})

test('renumbered_events: a node with other event ids may take over between ledgers without duplicating events', async () => {
  await world.closeLedgers(4)
  await arm({ name: 'renumbered_events', by: 3 })
  await steps(4)
  await world.control('local_clearFaults')
  await world.closeLedgers(4)
  await world.catchUp()
  const toid = (id: string): string => id.split('-')[0] ?? ''
  await assertArchiveComplete((archived, emitted) => toid(archived) === toid(emitted))
})

test('wrong_network: indexes nothing until the right network responds again', async () => {
  const archivedBefore = (await readArchive(world.store.read)).length
  await arm({ name: 'wrong_network' })
  await arm({ name: 'connection_reset', method: 'getEvents', count: 3 })
  await world.closeLedgers(3)
  const results = await steps(6)
  assert.ok(results.some((result) => result.kind === 'waiting' && result.reason === 'wrong-network'), JSON.stringify(results))
  assert.equal((await readArchive(world.store.read)).length, archivedBefore)
  await world.control('local_clearFaults')
  world.clock.advance(10_000)
  await world.catchUp()
})

test('method_missing: reports the node as unreachable until the method works', async () => {
  await arm({ name: 'method_missing', method: 'getEvents' })
  await world.closeLedgers(2)
  const results = await steps(2)
  assert.deepEqual(results.map(({ kind }) => kind), ['unreachable', 'unreachable'])
  await world.control('local_clearFaults')
  await world.catchUp()
})

test('odd_events and unknown_xdr: archives them raw, counts them, and continues', async () => {
  const unknown = async (): Promise<number> => (await health()).unknownEvents
  const unknownBefore = await unknown()
  await world.control('local_actors', { traders: true, keeper: true })
  for (const name of ['odd_events', 'unknown_xdr']) {
    await world.closeLedgers(6)
    await arm({ name, method: 'getEvents', count: 1 })
    const [result] = await steps(1)
    assert.equal(result?.kind, 'indexed', name)
    await world.catchUp()
    assert.equal((await health()).lastLedger, world.network.chain.history.latest().sequence, name)
  }
  assert.ok((await unknown()) > unknownBefore)
  const raw = await world.store.read.query<{ problem: string; valueXdr: string }>(
    'select problem, value_xdr as "valueXdr" from idx.events where problem is not null',
  )
  assert.ok(raw.some(({ problem }) => problem.startsWith(NEWER_PREFIX)))
  assert.equal(raw.length, await unknown())
  assert.ok(raw.every(({ valueXdr }) => valueXdr.length > 0), 'the XDR is stored for a later version that can decode it')
})
