// Checker: each process published a contiguous part of every channel of the log, in order, without gaps or duplicates; each frame names the one before it.

import assert from 'node:assert/strict'
import { readChannelLog } from '../../support/stream-audit.ts'
import type { ChannelLog } from '../../support/stream-audit.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { PublishedFrame, SimProcess } from '../process.ts'

/** Running processes must have published everything by now. */
export async function checkFramesMatchLog(db: Queryable, processes: readonly SimProcess[]): Promise<void> {
  const log = await readChannelLog(db)
  const [end] = await db.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  for (const { frames, killable, tail } of processes) {
    for (const [channel, published] of Map.groupBy(frames, (frame) => frame.channel)) {
      if (isOrdersChannel(channel)) continue
      checkStretch(channel, published, log)
      const last = log.get(channel)?.at(-1)?.seq
      if (!killable.isDead() && tail.ready()) assert.equal(published.at(-1)?.seq, last, `the end of ${channel} was not published`)
    }
    if (!killable.isDead() && tail.ready()) assert.equal(tail.position(), end?.seq ?? 0, 'the tail is not at the end of the log')
  }
}

/** Frames of orders share their seq, and have a checker of their own. */
function isOrdersChannel(channel: string): boolean {
  return channel.startsWith('account.orders.')
}

function checkStretch(channel: string, published: readonly PublishedFrame[], log: ChannelLog): void {
  const whole = log.get(channel) ?? []
  const from = whole.findIndex(({ seq }) => seq === published[0]?.seq)
  assert.ok(from >= 0, `${channel}: the log has no frame ${published[0]?.seq}`)
  const expected = whole.slice(from, from + published.length).map(({ seq, data }, index) => ({
    channel, seq, prev: whole[from + index - 1]?.seq ?? 0, data: asPublished(data, published[index]),
  }))
  assert.deepEqual(published, expected, `the frames of ${channel}`)
}

/** A node that returns less than one transaction splits a print from the execution that names its order (docs/decisions/prints.md). */
function asPublished(data: object, frame: PublishedFrame | undefined): object {
  if (frame === undefined || !frame.channel.startsWith('trades.') || 'orderId' in frame.data) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'orderId'))
}
