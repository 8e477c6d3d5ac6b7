// Checker: each process published a contiguous part of the orders channel of each account, as a client that resumes reads it later, and every change of a
// submission is in it once. A fill that was published incomplete must have been published again.

import assert from 'node:assert/strict'
import { readOrderEntries } from '../../../src/projections/orders/order-stream.ts'
import type { OrderEntry } from '../../../src/projections/orders/order-stream.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { TransactionRow } from '../../../src/resources/transaction.ts'
import type { PublishedFrame, SimProcess } from '../process.ts'
import { withLateMembers } from './late-members.ts'

const PAGE_ENTRIES = 50

/** Running processes must have published everything by now. Returns the number of frames in the log. */
export async function checkOrderFramesMatchLog(db: Queryable, processes: readonly SimProcess[], accounts: readonly string[]): Promise<number> {
  const [end] = await db.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  let frames = 0
  for (const account of accounts) {
    const expected = framesOf(account, await readAll(db, account, end?.seq ?? 0))
    frames += expected.length
    const stored = await db.query<{ seq: number; row: TransactionRow }>(
      'select seq, row from tx.submission_changes where owner = $1 and seq is not null order by id', [account],
    )
    const changes = expected.map(({ seq, data }) => ({ seq, ...(data as { readonly kind: string; readonly row: unknown }) }))
    const submissions = changes.filter(({ kind }) => kind === 'submission').map(({ seq, row }) => ({ seq, row }))
    assert.deepEqual(submissions, stored, `changes of the submissions of ${account} in the log`)
    for (const { frames: all, killable, tail } of processes) {
      const own = all.filter(({ channel }) => channel === `account.orders.${account}`).map((frame) => ({ ...frame, data: withoutLabel(frame.data) }))
      const published = withLateMembers(own, expected.filter(({ seq }) => seq > (own.at(-1)?.seq ?? Infinity)))
      const from = expected.findIndex(({ seq }) => seq === published[0]?.seq)
      const wanted = expected.slice(from, from + published.length)
      const complete = published.map((frame, index) => withLaterFigures(frame, wanted[index], expected))
      if (published.length > 0) assert.deepEqual(complete, wanted, `frames of the orders of ${account}`)
      const isComplete = killable.isDead() || !tail.ready() || published.length === 0 || published.at(-1)?.seq === expected.at(-1)?.seq
      assert.ok(isComplete, `the end of the orders channel of ${account} was not published`)
    }
  }
  return frames
}

/** Reads the whole channel in pages, as a resume does. */
async function readAll(db: Queryable, account: string, lastSeq: number): Promise<readonly OrderEntry[]> {
  const all: OrderEntry[] = []
  for (let afterSeq = 0; afterSeq < lastSeq;) {
    const { entries, throughSeq } = await readOrderEntries(db, [account], { afterSeq, throughSeq: lastSeq, limit: PAGE_ENTRIES })
    assert.ok(throughSeq > afterSeq, 'a page of the orders channel made no progress')
    all.push(...entries)
    afterSeq = throughSeq
  }
  return all
}

/** Frames of one entry share its seq and name the entry before. */
function framesOf(account: string, entries: readonly OrderEntry[]): readonly PublishedFrame[] {
  return entries.flatMap(({ seq, changes }, index) => changes.map((data, nth) => {
    const more = changes.length - 1 - nth
    const asJson = { ...JSON.parse(JSON.stringify(data)) as object, revision: seq }
    return { channel: `account.orders.${account}`, seq, prev: entries[index - 1]?.seq ?? 0, ...(more === 0 ? {} : { more }), data: withoutLabel(asJson) }
  }))
}

/** The frame with what became known of its row after it was published. Then the row must have been sent again. */
function withLaterFigures(frame: PublishedFrame, now: PublishedFrame | undefined, log: readonly PublishedFrame[]): PublishedFrame {
  const { kind, row } = frame.data as Change
  const later = Object.entries((now?.data as Change | undefined)?.row ?? {}).filter(([name, value]) => value !== null && row[name] === null)
  if (kind === 'submission' || later.length === 0) return frame
  const isAgain = log.some(({ seq, data }) => seq > frame.seq && isSameRow((data as Change).row, row))
  assert.ok(isAgain, `${JSON.stringify(frame.data)} was not sent again with its ${later.map(([name]) => name).join(', ')}`)
  return { ...frame, data: { ...frame.data as Change, row: { ...row, ...Object.fromEntries(later) } } }
}

interface Change {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

function isSameRow(one: Change['row'], other: Change['row']): boolean {
  return one['eventId'] === other['eventId'] && one['orderId'] === other['orderId']
}

/** Fills of another deployment name it. A frame that was published before a reset does not. */
function withoutLabel(data: object): object {
  const { row: { deployment: _label, ...row }, ...rest } = data as { readonly row: { readonly deployment?: string } }
  return { ...rest, row }
}
