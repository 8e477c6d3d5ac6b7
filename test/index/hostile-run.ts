// Indexes a chain through a node that lies for a while, and compares the index with that of an honest node.

import assert from 'node:assert/strict'
import { createVirtualClock } from '../../src/base/clock.ts'
import { PUBLIC_NETWORK } from '../../src/indexer/identity/confirmation.ts'
import type { Log } from '../../src/base/log.ts'
import type { RpcObserver } from '../../src/chain/rpc/rpc-observer.ts'
import type { StepResult } from '../../src/indexer/pages/step-result.ts'
import type { Store } from '../../src/store/store.ts'
import { createIndexFixture, FIRST_CLOSE_SEC, PASSPHRASE } from './fixture.ts'
import type { IndexFixture } from './fixture.ts'
import { createHostileRpc } from './hostile-node.ts'
import type { Lie } from './hostile-node.ts'
import { createFakeNode } from './node.ts'
import type { FakeNode } from './node.ts'
import { dumpArchive, dumpProjections, emptyIndex } from './tables.ts'

const LEDGER_SEC = 2
const HONEST_LEDGERS = 6
/** Eight seconds. */
const LYING_LEDGERS = 4
/** The clock advances in these steps while a call waits for a retry. */
const WAIT_MS = 250
/** Steps until the index must be in sync after the lies. */
const STEPS_MAX = 60

export interface HostileRun {
  readonly archive: readonly string[]
  readonly projections: Readonly<Record<string, readonly string[]>>
  readonly epochs: number
  readonly gaps: number
  /** Results of the steps while the node lied. */
  readonly lyingResults: readonly StepResult[]
}

/** Runs the script with these lies. The database is emptied first. */
export async function runWithLies(
  store: Store, lies: readonly Lie[], options: { readonly withHonestNode?: boolean; readonly observer?: RpcObserver; readonly log?: Log } = {},
): Promise<HostileRun> {
  await emptyIndex(store.write)
  const active: Lie[] = []
  const clock = createVirtualClock(FIRST_CLOSE_SEC * 1000)
  await using fixture = createIndexFixture(store, {
    clock, trust: PUBLIC_NETWORK,
    rpcOf: (node) => createHostileRpc(node, { ...options, clock, active, oldChain: oldChainOf(node) }).session(),
  })
  closeLedgers(fixture, HONEST_LEDGERS)
  await untilInSync(fixture)
  active.push(...lies)
  const lyingResults: StepResult[] = []
  for (let ledger = 0; ledger < LYING_LEDGERS; ledger++) {
    closeLedgers(fixture, 1)
    lyingResults.push(await step(fixture), await step(fixture))
  }
  active.length = 0
  closeLedgers(fixture, HONEST_LEDGERS)
  await untilInSync(fixture)
  const [counts] = await store.read.query<{ epochs: number; gaps: number }>(
    'select (select count(*) from idx.epochs) as epochs, (select count(*) from idx.gaps) as gaps',
  )
  const { epochs = 0, gaps = 0 } = counts ?? {}
  return { archive: await dumpArchive(store.read), projections: await dumpProjections(store.read), epochs, gaps, lyingResults }
}

/** Compares the run with the honest one. After undetectable lies, events may be missing, but none may be wrong. */
export function assertHonest(run: HostileRun, honest: HostileRun, lies: readonly Lie[]): void {
  assert.deepEqual([run.epochs, run.gaps], [1, 0], 'no epoch and no gap')
  if (lies.every(({ undetectable }) => undetectable === undefined)) {
    assert.deepEqual(run.archive, honest.archive)
    assert.deepEqual(run.projections, honest.projections)
    return
  }
  const known = new Set(honest.archive.map(withoutSeq))
  assert.deepEqual(run.archive.map(withoutSeq).filter((row) => !known.has(row)), [], 'only events of the chain')
  assert.equal(new Set(run.archive.map(withoutSeq)).size, run.archive.length, 'no event twice')
}

const withoutSeq = (row: string): string => row.slice(row.indexOf(' '))

function closeLedgers(fixture: IndexFixture, count: number): void {
  for (let ledger = 0; ledger < count; ledger++) {
    const { sequence } = fixture.node.ledgerCount() === 0 ? { sequence: 0 } : fixture.node.latest()
    fixture.queue(fixture.exchange.open(sequence, sequence + 1))
    fixture.queue(fixture.exchange.open(sequence + 1, sequence + 2))
    if (sequence % 2 === 1) fixture.queue(fixture.exchange.close(sequence, 7))
    fixture.closeLedger(LEDGER_SEC)
  }
}

/** The network from before a reset: more ledgers, closed earlier, with the same passphrase. */
function oldChainOf(node: FakeNode): FakeNode {
  const old = createFakeNode({ passphrase: PASSPHRASE })
  old.reset()
  for (let ledger = 0; ledger < 40; ledger++) old.close(FIRST_CLOSE_SEC - 10_000 + ledger * LEDGER_SEC)
  assert.notEqual(old, node)
  return old
}

async function untilInSync(fixture: IndexFixture): Promise<void> {
  const results: StepResult[] = []
  while (results.length < STEPS_MAX) {
    const result = await step(fixture)
    if (result.kind === 'indexed' && result.lastLedger === fixture.node.latest().sequence) return
    results.push(result)
  }
  assert.fail(`the index is not in sync: ${JSON.stringify(results.slice(-3))}`)
}

/** Steps the indexer; the clock advances while it waits. */
async function step({ indexer, clock }: IndexFixture): Promise<StepResult> {
  let result: StepResult | undefined
  const stepping = indexer.step().then((stepped) => (result = stepped))
  while (result === undefined) {
    await new Promise((resolve) => setImmediate(resolve))
    if (clock.pendingTimers() > 0) clock.advance(WAIT_MS)
  }
  return await stepping
}
