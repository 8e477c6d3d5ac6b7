// Checker: the position of the log never decreases, and within one epoch neither does the last scanned ledger.

import assert from 'node:assert/strict'
import { readIndexState } from '../../../src/projections/state/index-state.ts'
import type { IndexState } from '../../../src/projections/state/index-state.ts'
import type { Queryable } from '../../../src/store/store.ts'

/** Returns a check to call after every step. */
export function createLogWatch(db: Queryable): () => Promise<void> {
  let last: IndexState | null = null
  const seenEpochs: string[] = []

  return async () => {
    const now = await readIndexState(db)
    if (now === null) {
      assert.equal(last, null, 'the index lost its state')
      return
    }
    if (last !== null) {
      assert.ok(now.seq >= last.seq, `the log decreased from ${last.seq} to ${now.seq}`)
      assert.ok(now.gaps >= last.gaps, 'a gap disappeared')
      if (now.epoch === last.epoch) {
        const change = (now.lastLedger ?? 0) - (last.lastLedger ?? 0)
        assert.ok(change >= 0, `the last ledger decreased from ${last.lastLedger} to ${now.lastLedger}`)
      }
    }
    if (now.epoch !== last?.epoch) {
      assert.ok(!seenEpochs.includes(now.epoch), 'an earlier epoch returned')
      seenEpochs.push(now.epoch)
    }
    last = now
  }
}
