// What the indexer says about its state, in the log and in its status.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { Log } from '../base/log.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { RpcFailureKind } from '../chain/rpc/failure.ts'
import { StoreUnavailable } from '../store/store.ts'
import { BadPage } from './pages/events-page.ts'
import { createStatusTracker, describeStatus } from './status.ts'
import type { IndexerStatus } from './status.ts'

function createBench() {
  const lines: Record<string, unknown>[] = []
  const add = (fields: Record<string, unknown>, message: string): void => void lines.push({ ...fields, message })
  const log: Log = { ...silentLog, info: add, warn: add, error: add }
  const clock = createVirtualClock(0)
  const printed: string[] = []
  const onStatus = (status: IndexerStatus): void => void printed.push(describeStatus(status, ['one', 'two']))
  return { lines, printed, clock, progress: createStatusTracker({ clock, log, onStatus }) }
}

const failure = (kind: RpcFailureKind): RpcFailure => new RpcFailure({ method: 'getEvents', kind, retryable: true })

test('a node that responds with nonsense is not called unreachable', () => {
  const { lines, progress } = createBench()
  const stateAfter = (error: RpcFailure | BadPage): unknown[] => {
    progress.record({ kind: 'unreachable', error })
    const { state, problem } = progress.status()
    return [state, problem, lines.at(-1)?.['message']]
  }
  const CANNOT_REACH = 'the RPC cannot be reached; retrying'
  const NO_VALID_PAGE = 'the RPC returned no valid page; retrying'
  assert.deepEqual(stateAfter(failure('timeout')), ['unreachable', null, CANNOT_REACH])
  assert.deepEqual(stateAfter(new BadPage('bad_events', 'an event twice')), ['refusing', 'bad_events', NO_VALID_PAGE])
  assert.deepEqual(stateAfter(failure('malformed')), ['refusing', 'malformed', NO_VALID_PAGE])
  assert.deepEqual(stateAfter(failure('http')), ['unreachable', null, CANNOT_REACH])
  assert.equal(lines.length, 3, 'a state is logged when it begins')
})

test('a database that takes no page is named, logged once a minute without a stack, and at the end', () => {
  const { lines, clock, progress } = createBench()
  for (let poll = 0; poll < 35; poll++) {
    progress.failed(new StoreUnavailable('the database is read-only', { problem: 'read_only' }), true)
    clock.advance(2_000)
  }
  assert.deepEqual([progress.status().state, progress.status().problem], ['unwritable', 'the database is read-only'])
  progress.written()
  const message = 'the index could not be written; retrying'
  assert.deepEqual([...lines], [
    { problem: 'read_only', reason: 'the database is read-only', message },
    { problem: 'read_only', reason: 'the database is read-only', failures: 31, message },
    { failures: 35, message: 'the index is written again' },
  ])
  progress.failed(new TypeError('a bug'), false)
  assert.ok(lines.at(-1)?.['err'] instanceof TypeError, 'an unexpected error keeps its stack')
  assert.equal(progress.status().state, 'unwritable', 'the state is that of the last step')
})

test('a line is printed for each change of state, and every two seconds of a catch-up', () => {
  const { printed, clock, progress } = createBench()
  const indexed = (lastLedger: number, latestLedger: number): void => void progress.record(
    { kind: 'indexed', events: 1, lastLedger, latestLedger, caughtUp: lastLedger === latestLedger, advanced: true })
  const linesAfter = (change: () => unknown): readonly string[] => {
    printed.length = 0
    change()
    clock.advance(2_000)
    return [...printed]
  }
  assert.deepEqual(linesAfter(() => [40, 41, 42].map((ledger) => indexed(ledger, 90))), ['Indexer catching up: ledger 40 of 90'])
  assert.deepEqual(linesAfter(() => indexed(70, 90)), ['Indexer catching up: ledger 70 of 90'])
  assert.deepEqual(linesAfter(() => indexed(90, 90)), ['Indexer in sync at ledger 90'])
  assert.deepEqual(linesAfter(() => indexed(91, 91)), [], 'an index in sync prints nothing')
  assert.deepEqual(linesAfter(() => progress.record({ kind: 'standby' })), ['Indexer on standby: another process writes the index'])
  const waiting = linesAfter(() => progress.record({ kind: 'waiting', reason: 'node-lagging' }))
  assert.deepEqual(waiting, ['Indexer waiting: one, two lags behind the index or serves another network'])
  const unreachable = linesAfter(() => progress.record({ kind: 'unreachable', error: failure('timeout') }))
  assert.deepEqual(unreachable, ['Indexer cannot reach one, two. The gateway serves the indexed history and keeps retrying.'])
  const refusing = linesAfter(() => progress.record({ kind: 'unreachable', error: new BadPage('bad_events', 'an event twice') }))
  assert.deepEqual(refusing, ['Indexer cannot use the responses of one, two: bad_events. The gateway serves the indexed history and keeps retrying.'])
  const [unwritable = ''] = linesAfter(() => progress.failed(new StoreUnavailable('the database is read-only', { problem: 'read_only' }), true))
  assert.match(unwritable, /^Indexer cannot write the index: the database is read-only\./)
})
