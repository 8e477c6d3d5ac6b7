// Which node is asked, on several nodes that close ledgers, lag, lie, or serve another network. The clock is virtual; every answer takes the way
// through the real client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import type { VirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { RpcFailure } from './failure.ts'
import { HEAD_TTL_MS, LEAP_SLACK_LEDGERS } from './chain-head.ts'
import { EXCLUSION_MIN_MS, PROBE_EVERY_MS } from './node-state.ts'
import { createRpc } from './rpc.ts'
import type { RpcClient } from './rpc.ts'

const LEDGER_MS = 5_000
const START_MS = 1_783_339_200_000
const OURS = 'our network'

/** A node of the test: what it tells, of a network that closes a ledger every five seconds. */
interface TestNode {
  /** How many ledgers it is behind the network; negative: ahead. */
  lag: number
  /** The same for what getHealth says; absent: as `lag`. */
  healthLag?: number
  passphrase?: string
  /** The close time that it goes on telling. */
  stoodSec?: number
  isDown?: boolean
  /** How long its answers take. */
  delayMs?: number
}

interface Bench {
  readonly rpc: RpcClient
  readonly clock: VirtualClock
  /** Calls by node, in order; probes left out. */
  readonly asked: number[]
  /** The network's ledger: 1000 at the start. */
  ledger(): number
  /** A read of an entry; moves the clock until it has ended. */
  read(minLedger?: number): Promise<number | RpcFailure>
  /** Lets so much time pass, in steps of half a second. */
  pass(ms: number): Promise<void>
  /** Runs the client's watch for as long as the test does. */
  watch(): void
}

function benchOf(nodes: readonly TestNode[], network: { ledger?: () => number } = {}): Bench {
  const clock = createVirtualClock(START_MS)
  const asked: number[] = []
  const ledger = network.ledger ?? (() => 1_000 + Math.floor((clock.nowMs() - START_MS) / LEDGER_MS))
  const rpc = createRpc({
    urls: nodes.map((_, index) => `http://node-${index}/`), clock, random: createSeededRandom('choice'), log: silentLog, networkPassphrase: OURS,
    async transport(url, body, signal) {
      const index = Number(/node-(\d)/.exec(url)?.[1])
      const node = nodes[index]
      assert.ok(node !== undefined)
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      if (method === 'getLedgerEntries') asked.push(index)
      if (node.isDown === true) throw new Error('connection reset')
      if (node.delayMs !== undefined) await clock.sleep(node.delayMs, signal)
      signal.throwIfAborted()
      const latestLedger = ledger() - node.lag
      const closeTime = (behind: number): number => node.stoodSec ?? Math.floor(clock.nowMs() / 1000) - Math.max(0, behind) * (LEDGER_MS / 1000)
      const health = node.healthLag ?? node.lag
      const results: Readonly<Record<string, unknown>> = {
        getNetwork: { passphrase: node.passphrase ?? OURS, protocolVersion: 27 },
        getHealth: {
          status: 'healthy', latestLedger: ledger() - health, latestLedgerCloseTime: closeTime(health), oldestLedger: 1, oldestLedgerCloseTime: 1,
          ledgerRetentionWindow: 100,
        },
        getLedgerEntries: { entries: [], latestLedger },
      }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) }
    },
  })

  async function turns(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  return {
    rpc, clock, asked, ledger,
    async read(minLedger = 0) {
      const ends: (number | RpcFailure)[] = []
      void rpc.getLedgerEntries(['AAAA'], { minLedger }).then(
        (answer) => ends.push(answer.latestLedger),
        (error: unknown) => {
          assert.ok(error instanceof RpcFailure, String(error))
          ends.push(error)
        },
      )
      for (let steps = 0; ; steps++) {
        await turns()
        const [end] = ends
        if (end !== undefined) return end
        assert.ok(steps < 1_000, 'the read does not end')
        clock.advance(50)
      }
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 500) {
        await turns()
        clock.advance(500)
      }
      await turns()
    },
    watch: () => void rpc.watch(stop.signal),
  }
}

const stop = new AbortController()

function statuses({ rpc }: Bench): readonly string[] {
  return rpc.nodes().map(({ status }) => status)
}

test('a node that lags is left at once, its old answer is not taken, and it is asked again when it has caught up', async () => {
  const nodes = [{ lag: 0 }, { lag: 0 }]
  const bench = benchOf(nodes)
  bench.watch()
  await bench.pass(1_000)
  assert.equal(await bench.read(), bench.ledger())
  const [first] = nodes
  assert.ok(first !== undefined)
  first.lag = 5
  assert.equal(await bench.read(), bench.ledger(), 'the other one\'s answer')
  assert.deepEqual(statuses(bench), ['lagging', 'healthy'])
  bench.asked.length = 0
  for (let call = 0; call < 10; call++) await bench.read()
  assert.deepEqual(new Set(bench.asked), new Set([1]), 'nobody asks the one that lags')
  first.lag = 0
  await bench.pass(4 * EXCLUSION_MIN_MS)
  assert.deepEqual(statuses(bench), ['healthy', 'healthy'])
  await bench.read()
  Object.assign(nodes[1] ?? {}, { lag: 5 })
  bench.asked.length = 0
  assert.equal(await bench.read(), bench.ledger())
  assert.deepEqual(bench.asked, [1, 0], 'it is returned to')
})

test('nodes a ledger or two apart are as good as each other: nothing is asked twice for it', async () => {
  const bench = benchOf([{ lag: 2 }, { lag: 0 }])
  bench.watch()
  await bench.pass(1_000)
  for (let call = 0; call < 5; call++) await bench.read()
  assert.deepEqual(bench.asked, [0, 0, 0, 0, 0])
})

test('a node that says more of itself than it has is believed ever more seldom', async () => {
  const bench = benchOf([{ lag: 50, healthLag: 0, delayMs: 100 }, { lag: 0, delayMs: 1_000 }])
  bench.watch()
  await bench.pass(1_000)
  for (let second = 0; second < 1_800; second += 10) {
    assert.equal(await bench.read(), bench.ledger())
    await bench.pass(10_000)
  }
  const wasted = bench.asked.filter((index) => index === 0).length
  assert.ok(wasted >= 2, 'being the faster one, it got another chance')
  assert.ok(wasted <= 12, `${wasted} of 180 reads went to the liar first`)
})

test('a ledger that the network cannot have come to is not believed, nor is the answer taken', async () => {
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }]
  const bench = benchOf(nodes)
  bench.watch()
  await bench.pass(1_000)
  await bench.read()
  Object.assign(nodes[0] ?? {}, { lag: -1_000_000 })
  for (let call = 0; call < 5; call++) assert.equal(await bench.read(), bench.ledger())
  await bench.pass(HEAD_TTL_MS * 2)
  for (let call = 0; call < 5; call++) assert.equal(await bench.read(), bench.ledger())
  assert.deepEqual(statuses(bench), ['ahead', 'healthy'])
})

test('nor when it was the first to be heard: its time gives it away', async () => {
  const bench = benchOf([{ lag: -1_000_000 }, { lag: 0 }])
  bench.watch()
  await bench.pass(1_000)
  for (let call = 0; call < 5; call++) assert.equal(await bench.read(), bench.ledger())
  assert.deepEqual(statuses(bench), ['ahead', 'healthy'])
})

test('what all nodes say is believed, however far it leaps: a network in a hurry, or one that was reset', async () => {
  let now = 1_000
  const bench = benchOf([{ lag: 0 }, { lag: 0 }], { ledger: () => now })
  bench.watch()
  await bench.pass(1_000)
  now += LEAP_SLACK_LEDGERS * 10
  assert.equal(await bench.read(), now, 'both confirm it')
  assert.deepEqual(statuses(bench), ['healthy', 'healthy'])
  now = 7
  assert.equal(await bench.read(), 7, 'old or not, there is nothing better')
  for (let ledger = 0; ledger < 40; ledger++) {
    now += 1
    await bench.pass(LEDGER_MS)
    assert.equal(await bench.read(), now)
  }
  assert.deepEqual(statuses(bench), ['healthy', 'healthy'], 'the front was found anew')
})

test('after a reset that one node has not noticed the new chain is read, although its ledgers are lower', async () => {
  let now = 50_000
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }]
  const bench = benchOf(nodes, { ledger: () => now })
  bench.watch()
  await bench.pass(1_000)
  await bench.read()
  // The first stands still at the old chain; its close time with it.
  now = 10
  Object.assign(nodes[0] ?? {}, { lag: -49_990, stoodSec: START_MS / 1000 })
  for (let ledger = 0; ledger < 50; ledger++) {
    now += 1
    Object.assign(nodes[0] ?? {}, { lag: now - 50_000 })
    await bench.pass(LEDGER_MS)
  }
  assert.equal(await bench.read(), now)
})

test('a read that must not be older than a ledger: another node, then a while of patience, then a failure of its own kind', async () => {
  const pair = benchOf([{ lag: 1 }, { lag: 0 }])
  assert.equal(await pair.read(1_000), 1_000)
  assert.deepEqual(pair.asked, [0, 1])
  assert.equal(await pair.read(1_000), 1_000)
  assert.deepEqual(pair.asked, [0, 1, 1])
  const known = benchOf([{ lag: 1 }, { lag: 0 }])
  known.watch()
  await known.pass(1_000)
  assert.equal(await known.read(1_000), 1_000)
  assert.deepEqual(known.asked, [1], 'the one that is known to have come there')

  const lagging: TestNode = { lag: 1 }
  const alone = benchOf([lagging])
  alone.clock.setTimer(400, () => void (lagging.lag = 0))
  assert.equal(await alone.read(1_000), 1_000, 'the next ledger brings it')
  const failure = await alone.read(2_000)
  assert.ok(failure instanceof RpcFailure)
  assert.deepEqual([failure.kind, failure.retryable, failure.method], ['behind', true, 'getLedgerEntries'])
})

test('where all lag, the one that lags least is asked, and its answer taken', async () => {
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }, { lag: 0 }]
  const bench = benchOf(nodes)
  bench.watch()
  await bench.pass(1_000)
  for (const [index, lag] of [20, 9, 6].entries()) Object.assign(nodes[index] ?? {}, { lag })
  for (let passedMs = 0; passedMs < PROBE_EVERY_MS * 3; passedMs += LEDGER_MS) {
    await bench.read()
    await bench.pass(LEDGER_MS)
  }
  assert.equal(await bench.read(), bench.ledger() - 6)
  Object.assign(nodes[2] ?? {}, { isDown: true })
  assert.equal(await bench.read(), bench.ledger() - 9, 'then the next')
})

test('a node of another network is left, and told of; the only one there is goes on being asked', async () => {
  const bench = benchOf([{ lag: 0, passphrase: 'another network' }, { lag: -700_000 }])
  bench.watch()
  await bench.pass(1_000)
  await bench.read()
  assert.deepEqual(bench.asked, [1])
  assert.equal(statuses(bench)[0], 'wrongNetwork')
  const alone = benchOf([{ lag: 0, passphrase: 'another network' }])
  alone.watch()
  assert.equal(await alone.read(), 1_000)
})

test('a node that is much faster is preferred, except by a reader that goes on where it left off', async () => {
  const nodes: TestNode[] = [{ lag: 0, delayMs: 2_500 }, { lag: 0, delayMs: 100 }]
  const bench = benchOf(nodes)
  const session = bench.rpc.session()
  bench.watch()
  await bench.pass(6_000)
  await bench.read()
  assert.deepEqual(bench.asked, [1])
  const reading = session.getLedgerEntries(['AAAA'])
  await bench.pass(4_000)
  await reading
  assert.deepEqual(bench.asked, [1, 0])
  Object.assign(nodes[0] ?? {}, { lag: 6 })
  const next = session.getLedgerEntries(['AAAA'])
  await bench.pass(4_000)
  assert.equal((await next).latestLedger, bench.ledger())
  assert.deepEqual(bench.asked, [1, 0, 0, 1], 'when its node lags it leaves as well')
})

test('the watch of several nodes is cheap, and ends with its signal', async () => {
  const bench = benchOf([{ lag: 0 }, { lag: 0 }])
  const end = new AbortController()
  const watching = bench.rpc.watch(end.signal)
  await bench.pass(10_000)
  end.abort()
  await bench.pass(500)
  await watching
  assert.equal(bench.clock.pendingTimers(), 0)
})

test.after(() => stop.abort())
