import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import type { IndexerStatus } from './progress.ts'
import { reportProgress } from './report-progress.ts'

const NO_PROBLEM = { problem: null } as const

test('prints a line for each change of state, and the progress of a catch-up every two seconds', async () => {
  const clock = createVirtualClock(1_783_339_200_000)
  const stop = new AbortController()
  const printed: string[] = []
  let status: IndexerStatus = { ...NO_PROBLEM, state: 'starting', lastLedger: null, latestLedger: null }
  const reporting = reportProgress({ status: () => status }, { hosts: ['one', 'two'], clock, print: (text) => printed.push(text), stop: stop.signal })

  /** Returns the lines that are printed within two seconds in this state. */
  async function linesOf(next: IndexerStatus): Promise<readonly string[]> {
    status = next
    printed.length = 0
    for (let halfSecond = 0; halfSecond < 4; halfSecond++) {
      clock.advance(500)
      await new Promise((resolve) => void setImmediate(resolve))
    }
    return [...printed]
  }

  assert.deepEqual(await linesOf(status), [])
  assert.deepEqual(await linesOf({ ...NO_PROBLEM, state: 'catching-up', lastLedger: 40, latestLedger: 90 }), ['Indexer catching up: ledger 40 of 90'])
  assert.deepEqual(await linesOf({ ...NO_PROBLEM, state: 'catching-up', lastLedger: 70, latestLedger: 90 }), ['Indexer catching up: ledger 70 of 90'])
  assert.deepEqual(await linesOf({ ...NO_PROBLEM, state: 'live', lastLedger: 90, latestLedger: 90 }), ['Indexer in sync at ledger 90'])
  assert.deepEqual(await linesOf({ ...NO_PROBLEM, state: 'live', lastLedger: 91, latestLedger: 91 }), [], 'an index in sync prints nothing')
  const standby = await linesOf({ ...NO_PROBLEM, state: 'standby', lastLedger: 91, latestLedger: 91 })
  assert.deepEqual(standby, ['Indexer on standby: another process writes the index'])
  const waiting = await linesOf({ ...NO_PROBLEM, state: 'waiting', lastLedger: 91, latestLedger: 91 })
  assert.deepEqual(waiting, ['Indexer waiting: one, two lags behind the index or serves another network'])
  const unreachable = await linesOf({ ...NO_PROBLEM, state: 'unreachable', lastLedger: 91, latestLedger: 91 })
  assert.deepEqual(unreachable, ['Indexer cannot reach one, two. The gateway serves the indexed history and keeps retrying.'])

  const refusing = await linesOf({ state: 'refusing', problem: 'bad_events', lastLedger: 91, latestLedger: 91 })
  assert.deepEqual(refusing, ['Indexer cannot use the responses of one, two: bad_events. The gateway serves the indexed history and keeps retrying.'])
  const [unwritable = ''] = await linesOf({ state: 'unwritable', problem: 'the database is read-only', lastLedger: 91, latestLedger: 91 })
  assert.match(unwritable, /^Indexer cannot write the index: the database is read-only\./)

  stop.abort()
  clock.advance(500)
  await reporting.catch(() => {})
})
