// What the indexer says about its state, in the log and in its status.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Log } from '../../base/log.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import type { RpcFailureKind } from '../../chain/rpc/failure.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { BadPage } from '../pages/events-page.ts'
import { createProgress } from './progress.ts'

function createBench() {
  const lines: Record<string, unknown>[] = []
  const add = (fields: Record<string, unknown>, message: string): void => void lines.push({ ...fields, message })
  const log: Log = { ...silentLog, info: add, warn: add, error: add }
  const clock = createVirtualClock(0)
  return { lines, clock, progress: createProgress(clock, log) }
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
