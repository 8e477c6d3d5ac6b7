// Where the tail begins: what clients of another instance come back with is at hand at once.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createTail, INITIAL_ROWS } from './tail.ts'
import type { Frame } from './frames.ts'

test('an instance that begins has the newest rows at hand, with their places, and publishes none of them', async () => {
  await using store = await openTestStore()
  await using world = createIndexFixture(store)
  const rows = INITIAL_ROWS + 40
  for (let pick = 0; pick < rows; pick++) {
    world.queue(world.exchange.open(pick, pick))
    if (pick % 50 === 49) world.closeLedger(5)
  }
  world.closeLedger(5)
  await world.catchUp()
  const published: Frame[] = []
  const options = { store, publish: (frames: readonly Frame[]) => void published.push(...frames), onEpoch: () => assert.fail('no epoch begins') }
  const tail = createTail({ ...options, clock: createVirtualClock(0), log: silentLog })
  await tail.catchUp()
  assert.deepEqual([published.length, tail.position(), tail.channelHead('events')], [0, rows, rows])
  const frames = tail.recentFrames(new Set(['events']), rows - 3)
  assert.deepEqual(frames?.map(({ seq }) => seq), [rows - 2, rows - 1, rows])
  assert.equal(tail.recentFrames(new Set(['events']), rows - INITIAL_ROWS)?.length, INITIAL_ROWS)
  assert.equal(tail.recentFrames(new Set(['events']), rows - INITIAL_ROWS - 1), undefined, 'what is older is read by whoever asks for it')
  const trades = ['BTC', 'ETH', 'XLM'].map((asset) => `trades.${asset}`)
  for (const channel of trades) {
    const own = tail.recentFrames(new Set([channel]), rows - INITIAL_ROWS) ?? []
    assert.equal(own.at(-1)?.seq, tail.channelHead(channel))
    const prevs = own.map((frame) => (JSON.parse(textOf(frame)) as { prev: number }).prev)
    assert.deepEqual(prevs.slice(1), own.slice(0, -1).map(({ seq }) => seq), 'each frame names the one before it')
    assert.ok((prevs[0] ?? 0) > 0 && (prevs[0] ?? rows) <= rows - INITIAL_ROWS, 'the first of them one that is older')
  }
})

/** The JSON in a frame as it goes over the wire. */
function textOf(frame: Frame): string {
  const bytes = frame.bytes()
  return bytes.subarray(bytes.indexOf('{')).toString()
}
