// Checker: what each process published is a stretch of the log, channel by channel: in the order of commit, nothing left out, nothing twice, each frame naming
// the one before it.

import assert from 'node:assert/strict'
import { readChannelLog } from '../../support/stream-audit.ts'
import type { ChannelLog } from '../../support/stream-audit.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { PublishedFrame, SimProcess } from '../process.ts'

/** `processes` are all that ever lived. Those that live must have published everything by now. */
export async function checkFramesMatchLog(db: Queryable, processes: readonly SimProcess[]): Promise<void> {
  const log = await readChannelLog(db)
  for (const { frames, killable: mortal, tail } of processes) {
    for (const [channel, published] of Map.groupBy(frames, (frame) => frame.channel)) {
      checkStretch(channel, published, log)
      const last = log.get(channel)?.at(-1)?.seq
      if (!mortal.isDead() && tail.ready()) assert.equal(published.at(-1)?.seq, last, `the end of ${channel} was not published`)
    }
    if (!mortal.isDead() && tail.ready()) assert.equal(tail.position(), log.get('events')?.at(-1)?.seq ?? 0, 'the tail is not at the end of the log')
  }
}

function checkStretch(channel: string, published: readonly PublishedFrame[], log: ChannelLog): void {
  const whole = log.get(channel) ?? []
  const from = whole.findIndex(({ seq }) => seq === published[0]?.seq)
  assert.ok(from >= 0, `${channel} published the place ${published[0]?.seq}, which the log does not have`)
  const expected = whole.slice(from, from + published.length).map(({ seq, data }, index) => ({ channel, seq, prev: whole[from + index - 1]?.seq ?? 0, data }))
  assert.deepEqual(published, expected, `the frames of ${channel}`)
}
