// Every pair of the lies in hostile-node.ts, at the same time from the only node.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestStore } from '../support/database.ts'
import { LIES } from './hostile-node.ts'
import type { Lie } from './hostile-node.ts'
import { assertHonest, runWithLies } from './hostile-run.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const PAIRS: readonly (readonly [Lie, Lie])[] = LIES.flatMap((first, index) => LIES.slice(index + 1).map((second) => [first, second] as const))

test('no pair of lies changes the index', async () => {
  assert.equal(PAIRS.length, 276)
  const honest = await runWithLies(store, [])
  for (const pair of PAIRS) {
    const names = pair.map(({ name }) => name).join(', ')
    try {
      assertHonest(await runWithLies(store, pair), honest, pair)
    } catch (error) {
      throw new Error(`after the lies: ${names}`, { cause: error })
    }
  }
})
