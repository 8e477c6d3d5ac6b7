// A replay whose pages come from the database and from memory in turn: each frame still names the previous one of its channel.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { createIndexFixture } from '../../test/index/fixture.ts'
import { openTestStore } from '../../test/support/database.ts'
import { anyDeployment } from '../../test/support/deployments.ts'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { STREAM_LIMITS } from '../limits.ts'
import { WEB_SOCKET_FRAMES } from './encoding.ts'
import type { LogChannel } from './channels.ts'
import { createReplayBudgets } from './replay-budget.ts'
import { runReplay } from './replay.ts'
import { createTail } from './tail.ts'
import type { Tail } from './tail.ts'

const EVENTS = 200

test('continues with the database after pages from memory', async () => {
  await using store = await openTestStore()
  await using world = createIndexFixture(store)
  for (let pick = 0; pick < EVENTS; pick++) {
    world.queue(pick % 5 === 0 ? world.exchange.other(pick) : world.exchange.open(pick, pick))
    if (pick % 50 === 49) world.closeLedger(5)
  }
  await world.catchUp()
  const parts = { store, deployment: anyDeployment(), clock: createVirtualClock(0), log: silentLog }
  const tail = createTail({ ...parts, publish: () => {}, onEpoch: () => {} })
  await tail.catchUp()
  let pages = 0
  const forgetful: Tail = {
    ...tail,
    recentPage(names, after) {
      pages++
      return pages === 2 ? tail.recentPage(names, after, 1) : undefined
    },
  }
  const frames: { readonly channel: string; readonly seq: number; readonly prev: number }[] = []
  const channels = new Map<string, LogChannel>([['events', { kind: 'events' }], ['trades.BTC', { kind: 'trades', asset: 'BTC' }]])
  const live: string[] = []
  await runReplay({ db: store.read, tail: forgetful, clock: parts.clock }, {
    channels, afterSeq: 0, signal: new AbortController().signal, waitingBytes: STREAM_LIMITS.waitingBytes,
    budget: createReplayBudgets({ limits: STREAM_LIMITS, clock: parts.clock }).open('192.0.2.1'),
    encoding: WEB_SOCKET_FRAMES,
    write(bytes) {
      for (const [, channel = '', seq, prev] of bytes.toString('latin1').matchAll(/"channel":"([^"]+)","seq":(\d+),"prev":(\d+)/g)) {
        frames.push({ channel, seq: Number(seq), prev: Number(prev) })
      }
    },
    drained: () => Promise.resolve(),
    goLive: (liveChannels) => void live.push(...liveChannels),
  })
  assert.deepEqual(live, ['events', 'trades.BTC'])
  assert.ok(pages > 2)
  for (const name of channels.keys()) {
    const own = frames.filter(({ channel }) => channel === name)
    assert.deepEqual(own.map(({ prev }) => prev), [0, ...own.map(({ seq }) => seq)].slice(0, -1))
    assert.equal(own.at(-1)?.seq, tail.channelHead(name))
  }
  const rows = await store.read.query<{ seq: number }>('select seq from idx.events where not is_transfer order by seq')
  assert.deepEqual(frames.filter(({ channel }) => channel === 'events').map(({ seq }) => seq), rows.map(({ seq }) => seq))
})
