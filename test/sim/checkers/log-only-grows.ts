// Checker: whatever happens, the log's position never goes back, and inside one epoch neither does the last scanned ledger.

import assert from 'node:assert/strict'
import { readIndexState } from '../../../src/projections/index-state.ts'
import type { IndexState } from '../../../src/projections/index-state.ts'
import type { Queryable } from '../../../src/store/store.ts'

/** A checker that remembers what it saw; to be asked after every step. */
export function createLogWatch(db: Queryable): () => Promise<void> {
  let last: IndexState | null = null
  const seenEpochs: string[] = []

  return async () => {
    const now = await readIndexState(db)
    if (now === null) {
      assert.equal(last, null, 'the index forgot that it had begun')
      return
    }
    if (last !== null) {
      assert.ok(now.seq >= last.seq, `the log went back from ${last.seq} to ${now.seq}`)
      assert.ok(now.gaps >= last.gaps, 'a gap was forgotten')
      if (now.epoch === last.epoch) {
        const went = (now.lastLedger ?? 0) - (last.lastLedger ?? 0)
        assert.ok(went >= 0, `the last ledger went back from ${last.lastLedger} to ${now.lastLedger}`)
      }
    }
    if (now.epoch !== last?.epoch) {
      assert.ok(!seenEpochs.includes(now.epoch), 'an epoch came back')
      seenEpochs.push(now.epoch)
    }
    last = now
  }
}
