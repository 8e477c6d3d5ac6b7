import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskContext } from '../base/task-context.ts'
import { NOOP_TRACER } from '../base/tracer.ts'
import type { TurnCaller } from '../base/turns.ts'
import { readsFor, withCallers } from './caller-reads.ts'
import { scopedStore } from './scoped-store.ts'
import { sql } from './sql.ts'
import type { Store } from './store.ts'
import { idx } from './tables.ts'
import { tracedStore } from './traced-store.ts'

/** A store that records whom its reads run for. */
function recordingStore(): { readonly store: Store; readonly callers: (TurnCaller | undefined)[] } {
  const callers: (TurnCaller | undefined)[] = []
  const read: Store['read'] = {
    query: (_sql, _params, caller) => {
      callers.push(caller)
      return Promise.resolve([])
    },
  }
  return { store: { engine: 'embedded', readsLag: false, read, write: read } as unknown as Store, callers }
}

const ALICE: TurnCaller = { address: '192.0.2.1', owner: 'GALICE', isLarge: true }
const BOB: TurnCaller = { address: '192.0.2.2' }

test('reads run for the present caller, for a named one, and otherwise for the program itself', async () => {
  const { store, callers } = recordingStore()
  const context = createTaskContext<TurnCaller>()
  const { read } = withCallers(store, context.current)
  await context.run(ALICE, async () => {
    await read.query('select 1')
    await readsFor(read, BOB).query('select 1', [])
  })
  await read.query('select 1', [])
  assert.deepEqual(callers, [ALICE, BOB, undefined])
})

test('traces and indexes in other schemas keep the caller', async () => {
  const { store, callers } = recordingStore()
  await tracedStore(scopedStore(store, 'side'), NOOP_TRACER).read.query(sql`select 1 from ${idx.events}`, [], ALICE)
  assert.deepEqual(callers, [ALICE])
})
