// Published frames never change: whatever owner is found later and whatever fails, the frames of a channel up to a seq stay the same, and each event of an
// account appears once.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import { readIndexState } from '../../src/projections/state/index-state.ts'
import { countOrderEntries, readOrderEntries, readOrderHeads } from '../../src/projections/orders/order-stream.ts'
import type { OrderChange } from '../../src/projections/orders/order-stream.ts'
import { countFrames, readChannelHeads, readChannels } from '../../src/projections/log/stream-log.ts'
import type { LogChannels } from '../../src/projections/log/stream-log.ts'
import { TRADERS } from '../index/accounts.ts'
import { testContracts } from '../index/history.ts'
import { emptyIndex } from '../index/tables.ts'
import { ConnectionBroken, createIndexFixture } from '../index/fixture.ts'
import type { IndexFixture } from '../index/fixture.ts'
import { openTestStore } from '../support/database.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

interface Op {
  readonly op: 'place' | 'end' | 'trade' | 'submit' | 'other' | 'ledger' | 'step' | 'observe' | 'break' | 'restart' | 'reset' | 'redeploy'
  readonly pick: number
}

const script = fc.array(
  fc.record<Op>({
    op: fc.constantFrom(
      ...(['place', 'place', 'place', 'end', 'end', 'end', 'other', 'ledger', 'ledger', 'ledger', 'step', 'step', 'step', 'observe', 'observe'] as const),
      ...(['trade', 'trade', 'submit', 'break', 'restart', 'reset', 'redeploy'] as const),
    ),
    pick: fc.nat(1_000),
  }),
  { minLength: 30, maxLength: 100, size: 'max' },
)

async function play(index: IndexFixture, { op, pick }: Op): Promise<void> {
  const { exchange } = index
  switch (op) {
    case 'place': return index.queue(exchange.placeOrder(pick))
    case 'end': return index.queue(exchange.endOrder(pick))
    case 'trade': return index.queue(pick % 2 === 0 ? exchange.open(pick, pick) : exchange.close(pick, pick))
    case 'submit': return await submit(pick)
    case 'other': return index.queue(exchange.other(pick))
    case 'ledger': return index.closeLedger(1 + (pick % 9))
    case 'step':
      await tolerant(() => index.indexer.step())
      return await tolerant(() => index.indexer.numberSubmissions())
    case 'observe': return await tolerant(() => index.indexer.observe())
    case 'break':
      index.nextFault = pick % 3 === 0 ? 'after commit' : { beforeStatement: pick % 15 }
      return
    case 'restart': return await index.restart()
    case 'reset':
      if (pick % 4 !== 0) return
      await settle(index)
      index.reset()
      return index.closeLedger(60)
    case 'redeploy':
      if (pick % 4 !== 0) return
      await settle(index)
      return index.redeploy(testContracts(1 + (pick % 2)))
  }
}

/** Appends a change of a submission, as its driver does. */
async function submit(pick: number): Promise<void> {
  const row = JSON.stringify({ hash: `hash ${pick}` })
  await store.write.query('insert into tx.submission_changes (owner, hash, row, changed_at) values ($1, $2, $3::jsonb, 0)', [
    TRADERS[pick % TRADERS.length] ?? '', `hash ${pick}`, row,
  ])
}

/** Ignores an injected database fault. */
async function tolerant(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConnectionBroken)) throw error
  }
}

async function settle(index: IndexFixture): Promise<void> {
  index.nextFault = undefined
  index.closeLedger()
  await index.catchUp()
}

const ofAccount = (account: string): LogChannels => ({ events: false, corrections: false, assets: [], accounts: [account], orders: [] })

interface EventFrame {
  readonly seq: number
  /** Identifies the event. */
  readonly event: string
}

/** Reads an account's channel in (afterSeq, through], page by page. */
async function readFrames(account: string, afterSeq: number, through: number, limit = 3): Promise<EventFrame[]> {
  const frames: EventFrame[] = []
  for (let from = afterSeq; ;) {
    const rows = await readChannels(store.read, ofAccount(account), { afterSeq: from, throughSeq: through, limit })
    for (const row of rows) {
      if (row.accounts.includes(account)) frames.push({ seq: row.seq, event: `${row.topic} ${row.ledger} ${row.txHash} ${JSON.stringify(row.payload)}` })
      for (const { account: owner, topic, ledger, txHash, payload } of row.learned) {
        if (owner === account) frames.push({ seq: row.seq, event: `${topic} ${ledger} ${txHash} ${JSON.stringify(payload)}` })
      }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return frames
    from = last.seq
  }
}

/** Reads an account's channel of orders in (afterSeq, through], page by page: one item per position. */
async function readOrderFrames(account: string, afterSeq: number, through: number, limit = 3): Promise<EventFrame[]> {
  const frames: EventFrame[] = []
  for (let from = afterSeq; from < through;) {
    const { entries, throughSeq } = await readOrderEntries(store.read, [account], { afterSeq: from, throughSeq: through, limit })
    assert.ok(throughSeq > from, 'a page advances')
    for (const { seq, changes } of entries) frames.push({ seq, event: changes.map(describeChange).join() })
    from = throughSeq
  }
  return frames
}

/** Returns the identity of a change; other members of its row may become known later. */
function describeChange(change: OrderChange): string {
  if (change.kind === 'submission') return `submission ${change.row.hash}`
  if (change.kind === 'fill') return `fill ${change.row.kind} ${change.row.positionId} ${change.row.txHash}`
  const { orderId, status, placed, ended } = change.row
  return `order ${orderId} ${status} ${ended?.txHash ?? placed?.txHash}`
}

/** The channels of events and of orders, one after the other. */
async function readAllFrames(through: number): Promise<EventFrame[][]> {
  return Promise.all([readFrames, readOrderFrames].flatMap((read) => TRADERS.map((account) => read(account, 0, through))))
}

async function head(): Promise<number> {
  return (await readIndexState(store.read))?.seq ?? 0
}

/** Checks that the channel has every event of the account once. */
async function assertComplete(frames: readonly (readonly EventFrame[])[]): Promise<void> {
  for (const [index, account] of TRADERS.entries()) {
    const rows = await store.read.query<{ event: string }>(
      `select concat_ws(' ', e.topic, e.ledger, e.tx_hash, e.seq) as event from idx.account_events a join idx.events e on e.seq = a.seq where a.account = $1`,
      [account],
    )
    assert.equal(frames[index]?.length, rows.length, 'one frame per event')
    assert.equal(new Set(rows.map(({ event }) => event)).size, rows.length)
  }
}

/** Checks that the channel of orders has every fill, every change of an order and every change of a submission of the account, once per position. */
async function assertOrdersComplete(frames: readonly (readonly EventFrame[])[]): Promise<void> {
  for (const [index, account] of TRADERS.entries()) {
    const [expected] = await store.read.query<{ fills: number; completed: number; submissions: number }>(
      `select (select count(*) from idx.position_fills where trader = $1 and not (kind = 'liquidation' and price is null))
           + (select count(*) from idx.order_changes where account = $1 and fill_seq is not null) as fills,
         (select count(*) from idx.order_changes where account = $1 and order_id is not null) as completed,
         (select count(*) from tx.submission_changes where owner = $1 and seq is not null) as submissions`,
      [account],
    )
    const events = frames[index]?.flatMap(({ event }) => event.split(',')) ?? []
    const count = (kind: string): number => events.filter((event) => event.startsWith(`${kind} `)).length
    const completed = expected?.completed ?? 0
    assert.deepEqual({ fills: count('fill'), completed, submissions: count('submission') }, expected)
    const orders = await store.read.query<{ event: string }>(
      `select concat_ws(' ', 'order', order_id, 'pending', tx_hash) as event from idx.orders where trader = $1 and seq is not null
       union all select concat_ws(' ', 'order', order_id, status, ended_tx_hash) from idx.orders where trader = $1 and ended_seq is not null`,
      [account],
    )
    assert.equal(count('order'), orders.length + completed)
    for (const { event } of orders) assert.ok(events.includes(event), event)
  }
}

async function assertOrderHeadsAndCounts(frames: readonly (readonly EventFrame[])[], through: number): Promise<void> {
  for (const [index, account] of TRADERS.entries()) {
    const own = frames[index] ?? []
    assert.deepEqual(own.map(({ seq }) => seq), [...new Set(own.map(({ seq }) => seq))].sort((a, b) => a - b), 'one item per position, in order')
    for (const place of [0, Math.floor(through / 2), through]) {
      assert.equal((await readOrderHeads(store.read, [account], place)).get(account), own.findLast(({ seq }) => seq <= place)?.seq ?? 0)
      assert.deepEqual(await readOrderFrames(account, place, through, 500), own.filter(({ seq }) => seq > place), 'readable from any seq')
      const range = { afterSeq: place, throughSeq: through, max: 1_000 }
      assert.equal(await countOrderEntries(store.read, [account], range), own.filter(({ seq }) => seq > place).length)
    }
  }
}

async function assertHeadsAndCounts(frames: readonly (readonly EventFrame[])[], through: number): Promise<void> {
  for (const [index, account] of TRADERS.entries()) {
    const own = frames[index] ?? []
    assert.deepEqual(own.map(({ seq }) => seq), [...new Set(own.map(({ seq }) => seq))].sort((a, b) => a - b), 'one frame per seq, in order')
    for (const place of [0, Math.floor(through / 2), through]) {
      const heads = await readChannelHeads(store.read, ofAccount(account), place)
      assert.equal(heads.accounts.get(account), own.findLast(({ seq }) => seq <= place)?.seq ?? 0, 'the head of the channel')
      const range = { afterSeq: place, throughSeq: through, max: 1_000 }
      assert.equal(await countFrames(store.read, ofAccount(account), range), own.filter(({ seq }) => seq > place).length)
      assert.deepEqual(await readFrames(account, place, through, 500), own.filter(({ seq }) => seq > place), 'readable from any seq')
    }
  }
}

const RUNS = fuzzRuns(6, 10)

test('an account channel is append-only and has every event of the account once, whenever its owner is found', async () => {
  let learned = 0
  await fc.assert(fc.asyncProperty(script, async (ops) => {
    await emptyIndex(store.write)
    await using index = createIndexFixture(store)
    await store.write.query('truncate tx.submission_changes')
    let sent: EventFrame[][] = [...TRADERS, ...TRADERS].map(() => [])
    let through = 0
    for (const op of ops) {
      await play(index, op)
      if ((op.op !== 'step' && op.op !== 'observe') || op.pick % 2 === 0) continue
      const now = await head()
      const frames = await readAllFrames(now)
      for (const [trader, before] of sent.entries()) {
        const own = frames[trader] ?? []
        assert.deepEqual(own.slice(0, before.length), before, 'published frames stay the same')
        for (const { seq } of own.slice(before.length)) assert.ok(seq > through, `a frame appeared at ${seq} after ${through} was published`)
      }
      sent = frames
      through = now
    }
    await settle(index)
    await index.indexer.observe()
    // Each event with a late owner needs a later event to carry it.
    for (let events = 0; events < 300 && (await isWaiting()); events++) {
      index.queue(index.exchange.other(events))
      await settle(index)
    }
    const frames = await readAllFrames(await head())
    await assertComplete(frames)
    await assertHeadsAndCounts(frames, await head())
    await assertOrdersComplete(frames.slice(TRADERS.length))
    await assertOrderHeadsAndCounts(frames.slice(TRADERS.length), await head())
    await index.indexer[Symbol.asyncDispose]()
    await rebuild(store, { clock: createSystemClock() })
    assert.deepEqual(await readAllFrames(await head()), frames, 'a rebuild changes no frame')
    learned += (await store.read.query('select 1 from idx.learned_events')).length
  }), { numRuns: RUNS })
  assert.ok(learned > RUNS, 'the scripts find owners late')
})

async function isWaiting(): Promise<boolean> {
  return (await store.read.query('select 1 from idx.learned_events where shown_seq is null limit 1')).length > 0
}
