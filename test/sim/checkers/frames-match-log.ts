// Checker: each process published a contiguous part of every channel of the log, in order, without gaps or duplicates; each frame names the one before it.

import assert from 'node:assert/strict'
import { readChannelLog } from '../../stream/stream-audit.ts'
import type { ChannelLog } from '../../stream/stream-audit.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { Decision } from '../decisions.ts'
import type { PublishedFrame, SimProcess } from '../process.ts'

/** Data that the checks of all channels share. */
interface Context {
  readonly log: ChannelLog
  /** Prints whose frame may lack the order that caused them. */
  readonly splitPrints: ReadonlySet<number>
}

/** Running processes must have published everything by now. The faults say how small the node's pages were. */
export async function checkFramesMatchLog(db: Queryable, processes: readonly SimProcess[], faults: readonly Decision[]): Promise<void> {
  const cuts = faults.flatMap(({ choice }) => (choice.name === 'cut_page' ? [Number(choice['events'])] : []))
  const context = { log: await readChannelLog(db), splitPrints: new Set(cuts.length === 0 ? [] : await listSplitPrints(db, Math.min(...cuts))) }
  const [end] = await db.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  for (const { frames, killable, tail } of processes) {
    for (const [channel, published] of Map.groupBy(frames, (frame) => frame.channel)) {
      if (isOrdersChannel(channel)) continue
      checkStretch(channel, published, context)
      const last = context.log.get(channel)?.at(-1)?.seq
      if (!killable.isDead() && tail.ready()) assert.equal(published.at(-1)?.seq, last, `the end of ${channel} was not published`)
    }
    if (!killable.isDead() && tail.ready()) assert.equal(tail.position(), end?.seq ?? 0, 'the tail is not at the end of the log')
  }
}

/** Frames of orders share their seq, and have a checker of their own. */
function isOrdersChannel(channel: string): boolean {
  return channel.startsWith('account.orders.')
}

function checkStretch(channel: string, published: readonly PublishedFrame[], { log, splitPrints }: Context): void {
  const whole = log.get(channel) ?? []
  const from = whole.findIndex(({ seq }) => seq === published[0]?.seq)
  assert.ok(from >= 0, `${channel}: the log has no frame ${published[0]?.seq}`)
  const expected = whole.slice(from, from + published.length).map(({ seq, data }, index) => ({
    channel, seq, prev: whole[from + index - 1]?.seq ?? 0, data: splitPrints.has(seq) ? asPublished(data, published[index]) : data,
  }))
  assert.deepEqual(published, expected, `the frames of ${channel}`)
}

/**
 * The prints that a page of this many events can separate from the execution that names their order (docs/decisions/prints.md): only a page that is too small
 * for all events of their transaction before it.
 */
async function listSplitPrints(db: Queryable, smallestPage: number): Promise<readonly number[]> {
  const rows = await db.query<{ seq: number }>(
    `select f.seq from (select o.seq from idx.opens o where o.order_id is not null union all
       select r.seq from idx.trades r where r.order_id is not null and r.kind <> 'cross_liquidation') f join idx.events p on p.seq = f.seq
     cross join lateral (select min(x.seq) as seq from idx.events x where x.epoch = p.epoch and x.tx_hash = p.tx_hash and x.topic = 'order_executed'
       and x.seq > p.seq) execution
     where (select count(*) from idx.events b where b.epoch = p.epoch and b.tx_hash = p.tx_hash and b.seq < execution.seq) >= $1::int`,
    [smallestPage],
  )
  return rows.map(({ seq }) => seq)
}

function asPublished(data: object, frame: PublishedFrame | undefined): object {
  if (frame === undefined || !frame.channel.startsWith('trades.') || 'orderId' in frame.data) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'orderId'))
}
