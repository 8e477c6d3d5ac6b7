// Pairs of the lies in hostile-node.ts, at the same time from the only node: each lie with a third of the others. `HOSTILE_PAIRS=all` tries every pair.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestStore } from '../support/database.ts'
import { LIES } from './hostile-node.ts'
import type { Lie } from './hostile-node.ts'
import { assertHonest, runWithLies } from './hostile-run.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

const STRIDE = process.env['HOSTILE_PAIRS'] === 'all' ? 1 : 3
const PAIRS = LIES.flatMap((first, index) =>
  LIES.slice(0, index).flatMap((second, other): [Lie, Lie][] => (index + other) % STRIDE === 0 ? [[first, second]] : []))

test('no pair of lies changes the index', async () => {
  assert.equal(PAIRS.length, STRIDE === 1 ? 276 : 92)
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
