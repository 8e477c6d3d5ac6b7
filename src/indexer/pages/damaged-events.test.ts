// Events whose XDR does not decode. The chain cannot hold them, so none may become history, from any node and at any number of attempts.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import type { Log } from '../../base/log.ts'
import type { NodeFault } from '../../chain/rpc/node-fault.ts'
import type { ChainEvent, EventsPage } from '../../chain/rpc/responses.ts'
import { encodeScVal } from '../../chain/codec/scval.ts'
import { POLL_INTERVAL_MS } from '../../limits.ts'
import { listEvents } from '../../projections/log/events.ts'
import { readTask } from '../../projections/repair/tasks.ts'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture } from '../../../test/index/fixture.ts'
import { dumpArchive, dumpProjections, emptyIndex } from '../../../test/index/tables.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { requestVerify } from '../repair/verify.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const SYMBOL = encodeScVal({ type: 'symbol', value: 'position_opened' })
const U64 = encodeScVal({ type: 'u64', value: 7n })
const CUT = Buffer.from(U64, 'base64').subarray(0, -1).toString('base64')
const LONGER = Buffer.concat([Buffer.from(U64, 'base64'), Buffer.alloc(4)]).toString('base64')
const DAMAGED: readonly (readonly [what: string, change: Partial<ChainEvent>])[] = [
  ['a value that ends too early', { valueXdr: CUT }],
  ['a value that ends too late', { valueXdr: LONGER }],
  ['a value of no type', { valueXdr: '/////w==' }],
  ['a first topic that is not XDR', { topicsXdr: [CUT] }],
  ['a second topic that is not XDR', { topicsXdr: [SYMBOL, CUT] }],
  ['a value that is not XDR, without topics', { topicsXdr: [], valueXdr: CUT }],
  ['a value that is not XDR, of an unknown topic', { topicsXdr: [encodeScVal({ type: 'symbol', value: 'margin_called' })], valueXdr: CUT }],
  ['topics of the host that are not XDR', { isSystem: true, topicsXdr: [CUT] }],
]

function play({ exchange, queue, closeLedger }: IndexFixture, ledgers: number): void {
  for (let ledger = 0; ledger < ledgers; ledger++) {
    for (let pick = 0; pick < 3; pick++) queue(exchange.open(pick, ledger + pick))
    queue(exchange.close(ledger, 1))
    closeLedger()
  }
}

/** The page, with a change of its third event. */
const withThird = (change: Partial<ChainEvent>) => (page: EventsPage): EventsPage =>
  ({ ...page, events: page.events.map((event, index) => (index === 2 ? { ...event, ...change } : event)) })

for (const [what, change] of DAMAGED) {
  test(`refuses a page with ${what}, writes nothing of it, and reads it again`, async () => {
    await using fixture = createIndexFixture(store)
    play(fixture, 2)
    await fixture.catchUp()
    const before = [await dumpArchive(store.read), await dumpProjections(store.read)]
    play(fixture, 2)
    fixture.node.pageFaults.push(withThird(change))
    const result = await fixture.indexer.step()
    assert.ok(result.kind === 'unreachable' && result.error.name === 'BadPage' && 'fault' in result.error, JSON.stringify(result))
    assert.deepEqual([result.error.fault, /^the XDR of event \d{19}-\d{10} of ledger \d+ is damaged/.test(result.error.message)], ['bad_events', true])
    assert.deepEqual([await dumpArchive(store.read), await dumpProjections(store.read)], before)
    await fixture.catchUp()
    const { rows } = await listEvents(store.read, { limit: 50 })
    assert.deepEqual([rows.length, rows.every(({ payload }) => !Object.hasOwn(payload as object, 'valueXdr'))], [16, true])
  })
}

test('while every response is damaged, the index waits at its ledger, asks once per poll, and says why once', async () => {
  const warned: unknown[] = []
  const log: Log = { debug() {}, info() {}, error: (facts) => assert.fail(JSON.stringify(facts)), warn: (...line) => void warned.push(line) }
  const reported: NodeFault[] = []
  await using fixture = createIndexFixture(store, { log, rpcOf: ({ rpc }) => ({ ...rpc, reportFault: (fault) => void reported.push(fault) }) })
  play(fixture, 1)
  await fixture.catchUp()
  play(fixture, 1)
  fixture.node.pageFaults.push(...Array.from({ length: 100 }, () => withThird({ valueXdr: CUT })))
  const callsBefore = fixture.node.calls['getEvents'] ?? 0
  const stop = new AbortController()
  const running = fixture.indexer.run(stop.signal)
  for (let poll = 0; poll < 20; poll++) {
    // Database calls take turns of the event loop that no timer announces.
    while (fixture.clock.pendingTimers() === 0) await new Promise((resolve) => setImmediate(resolve))
    fixture.clock.advance(POLL_INTERVAL_MS)
  }
  const calls = (fixture.node.calls['getEvents'] ?? 0) - callsBefore
  assert.ok(calls >= 10 && calls <= 21, `${calls} calls in 20 polls`)
  assert.deepEqual([fixture.indexer.status().state, fixture.indexer.status().lastLedger], ['refusing', 1])
  assert.ok(reported.length >= 10 && reported.every((fault) => fault === 'bad_events'))
  assert.equal(warned.length, 1, JSON.stringify(warned))
  assert.match(JSON.stringify(warned), /the XDR of event .* of ledger 2 is damaged.*no valid page; retrying/)
  fixture.node.pageFaults.length = 0
  stop.abort()
  await running
})

test('a verification changes nothing by a damaged page, reports the node, and continues with an undamaged one', async () => {
  const reported: NodeFault[] = []
  await using fixture = createIndexFixture(store, { rpcOf: ({ rpc }) => ({ ...rpc, reportFault: (fault) => void reported.push(fault) }) })
  play(fixture, 4)
  await fixture.catchUp()
  const before = await dumpArchive(store.read)
  await requestVerify(store.write, 0)
  await fixture.indexer.verify()
  fixture.node.pageFaults.push(withThird({ valueXdr: CUT }))
  await fixture.indexer.verify()
  assert.deepEqual(reported, ['bad_events'])
  assert.match((await readTask(store.read, 'verify'))?.progress.problem ?? '', /is damaged/)
  const { added, replaced, removed } = await fixture.verify()
  assert.deepEqual([added, replaced, removed, await dumpArchive(store.read)], [0, 0, 0, before])
})
