// The choice of a node when nodes close ledgers, lag, report wrong ledgers, or serve another network. The clock is virtual; every response goes through the
// real client.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import type { VirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { RpcFailure } from './failure.ts'
import { HEAD_TTL_MS } from './chain-head.ts'
import { BURST_LEDGERS } from './close-times.ts'
import { EXCLUSION_MIN_MS, PROBE_EVERY_MS } from './node-state.ts'
import { createRpc } from './rpc.ts'
import type { RpcClient } from './rpc.ts'

const LEDGER_MS = 5_000
const START_MS = 1_783_339_200_000
const OURS = 'our network'

/** A test node's reports, of a network that closes a ledger every five seconds. */
interface TestNode {
  /** Ledgers behind the network; negative: ahead. */
  lag: number
  /** The same for getHealth; defaults to `lag`. */
  healthLag?: number
  passphrase?: string
  /** A fixed close time, as of a node that has stopped. */
  frozenCloseSec?: number
  isDown?: boolean
  /** Duration of its responses. */
  delayMs?: number
}

interface Fixture {
  readonly rpc: RpcClient
  readonly clock: VirtualClock
  /** The called nodes, in order, without probes. */
  readonly calls: number[]
  /** The network's ledger, initially 1000. */
  ledger(): number
  /** Reads an entry; moves the clock until the call has ended. */
  read(minLedger?: number): Promise<number | RpcFailure>
  /** Moves the clock in steps of half a second. */
  pass(ms: number): Promise<void>
  /** Runs the client's background probes until the end of the tests. */
  watch(): void
}

function createFixture(nodes: readonly TestNode[], network: { ledger?: () => number } = {}): Fixture {
  const clock = createVirtualClock(START_MS)
  const calls: number[] = []
  const ledger = network.ledger ?? (() => 1_000 + Math.floor((clock.nowMs() - START_MS) / LEDGER_MS))
  const rpc = createRpc({
    urls: nodes.map((_, index) => `http://node-${index}/`), clock, random: createSeededRandom('choice'), log: silentLog, networkPassphrase: OURS,
    async transport(url, body, signal) {
      const index = Number(/node-(\d)/.exec(url)?.[1])
      const node = nodes[index]
      assert.ok(node !== undefined)
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      if (method === 'getLedgerEntries') calls.push(index)
      if (node.isDown === true) throw new Error('connection reset')
      if (node.delayMs !== undefined) await clock.sleep(node.delayMs, signal)
      signal.throwIfAborted()
      const latestLedger = ledger() - node.lag
      const closeTime = (lag: number): number => node.frozenCloseSec ?? Math.floor(clock.nowMs() / 1000) - Math.max(0, lag) * (LEDGER_MS / 1000)
      const healthLag = node.healthLag ?? node.lag
      const results: Readonly<Record<string, unknown>> = {
        getNetwork: { passphrase: node.passphrase ?? OURS, protocolVersion: 27 },
        getHealth: {
          status: 'healthy', latestLedger: ledger() - healthLag, latestLedgerCloseTime: closeTime(healthLag), oldestLedger: 1, oldestLedgerCloseTime: 1,
          ledgerRetentionWindow: 100,
        },
        getLedgerEntries: { entries: [], latestLedger },
      }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) }
    },
  })

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  return {
    rpc, clock, calls, ledger,
    async read(minLedger = 0) {
      const ends: (number | RpcFailure)[] = []
      void rpc.getLedgerEntries(['AAAA'], { minLedger }).then(
        (response) => ends.push(response.latestLedger),
        (error: unknown) => {
          assert.ok(error instanceof RpcFailure, String(error))
          ends.push(error)
        },
      )
      for (let steps = 0; ; steps++) {
        await settle()
        const [end] = ends
        if (end !== undefined) return end
        assert.ok(steps < 1_000, 'the read did not end')
        clock.advance(50)
      }
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 500) {
        await settle()
        clock.advance(500)
      }
      await settle()
    },
    watch: () => void rpc.watch(stop.signal),
  }
}

const stop = new AbortController()

function statuses({ rpc }: Fixture): readonly string[] {
  return rpc.nodes().map(({ status }) => status)
}

test('excludes a lagging node at once, rejects its stale response, and calls it again after it has caught up', async () => {
  const nodes = [{ lag: 0 }, { lag: 0 }]
  const fixture = createFixture(nodes)
  fixture.watch()
  await fixture.pass(1_000)
  assert.equal(await fixture.read(), fixture.ledger())
  const [first] = nodes
  assert.ok(first !== undefined)
  first.lag = 5
  assert.equal(await fixture.read(), fixture.ledger(), 'the response of the other node')
  assert.deepEqual(statuses(fixture), ['lagging', 'healthy'])
  fixture.calls.length = 0
  for (let call = 0; call < 10; call++) await fixture.read()
  assert.deepEqual(new Set(fixture.calls), new Set([1]), 'the lagging node is not called')
  first.lag = 0
  await fixture.pass(4 * EXCLUSION_MIN_MS)
  assert.deepEqual(statuses(fixture), ['healthy', 'healthy'])
  await fixture.read()
  Object.assign(nodes[1] ?? {}, { lag: 5 })
  fixture.calls.length = 0
  assert.equal(await fixture.read(), fixture.ledger())
  assert.deepEqual(fixture.calls, [1, 0], 'the recovered node is called')
})

test('treats nodes within two ledgers as equal and does not repeat calls', async () => {
  const fixture = createFixture([{ lag: 2 }, { lag: 0 }])
  fixture.watch()
  await fixture.pass(1_000)
  for (let call = 0; call < 5; call++) await fixture.read()
  assert.deepEqual(fixture.calls, [0, 0, 0, 0, 0])
})

test('calls a node that claims more than it has less and less often', async () => {
  const fixture = createFixture([{ lag: 50, healthLag: 0, delayMs: 100 }, { lag: 0, delayMs: 1_000 }])
  fixture.watch()
  await fixture.pass(1_000)
  for (let second = 0; second < 1_800; second += 10) {
    assert.equal(await fixture.read(), fixture.ledger())
    await fixture.pass(10_000)
  }
  const wasted = fixture.calls.filter((index) => index === 0).length
  assert.ok(wasted >= 2, 'the faster node gets another chance')
  assert.ok(wasted <= 12, `${wasted} of 180 reads went to the wrong node first`)
})

test('rejects a response with a ledger that the network cannot have reached', async () => {
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }]
  const fixture = createFixture(nodes)
  fixture.watch()
  await fixture.pass(1_000)
  await fixture.read()
  Object.assign(nodes[0] ?? {}, { lag: -1_000_000 })
  for (let call = 0; call < 5; call++) assert.equal(await fixture.read(), fixture.ledger())
  await fixture.pass(HEAD_TTL_MS * 2)
  for (let call = 0; call < 5; call++) assert.equal(await fixture.read(), fixture.ledger())
  assert.deepEqual(statuses(fixture), ['ahead', 'healthy'])
})

test('rejects such a ledger also when it is reported first, because of its close time', async () => {
  const fixture = createFixture([{ lag: -1_000_000 }, { lag: 0 }])
  fixture.watch()
  await fixture.pass(1_000)
  for (let call = 0; call < 5; call++) assert.equal(await fixture.read(), fixture.ledger())
  assert.deepEqual(statuses(fixture), ['ahead', 'healthy'])
})

test('believes any ledger that all nodes report: after a leap and after a reset', async () => {
  let now = 1_000
  const fixture = createFixture([{ lag: 0 }, { lag: 0 }], { ledger: () => now })
  fixture.watch()
  await fixture.pass(1_000)
  now += BURST_LEDGERS * 10
  assert.equal(await fixture.read(), now, 'both nodes confirm it')
  assert.deepEqual(statuses(fixture), ['healthy', 'healthy'])
  now = 7
  assert.equal(await fixture.read(), 7, 'the only response there is')
  for (let ledger = 0; ledger < 40; ledger++) {
    now += 1
    await fixture.pass(LEDGER_MS)
    assert.equal(await fixture.read(), now)
  }
  assert.deepEqual(statuses(fixture), ['healthy', 'healthy'], 'the head was replaced')
})

test('after a reset, reads the new chain although one node still serves the old, higher one', async () => {
  let now = 50_000
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }]
  const fixture = createFixture(nodes, { ledger: () => now })
  fixture.watch()
  await fixture.pass(1_000)
  await fixture.read()
  // The first node stays on the old chain, with its last close time.
  now = 10
  Object.assign(nodes[0] ?? {}, { lag: -49_990, frozenCloseSec: START_MS / 1000 })
  for (let ledger = 0; ledger < 50; ledger++) {
    now += 1
    Object.assign(nodes[0] ?? {}, { lag: now - 50_000 })
    await fixture.pass(LEDGER_MS)
  }
  assert.equal(await fixture.read(), now)
})

test('a read with a minimum ledger tries another node, then waits, then fails with kind behind', async () => {
  const pair = createFixture([{ lag: 1 }, { lag: 0 }])
  assert.equal(await pair.read(1_000), 1_000)
  assert.deepEqual(pair.calls, [0, 1])
  assert.equal(await pair.read(1_000), 1_000)
  assert.deepEqual(pair.calls, [0, 1, 1])
  const known = createFixture([{ lag: 1 }, { lag: 0 }])
  known.watch()
  await known.pass(1_000)
  assert.equal(await known.read(1_000), 1_000)
  assert.deepEqual(known.calls, [1], 'the node that has reached it')

  const lagging: TestNode = { lag: 1 }
  const alone = createFixture([lagging])
  alone.clock.setTimer(400, () => void (lagging.lag = 0))
  assert.equal(await alone.read(1_000), 1_000, 'the next ledger satisfies it')
  const failure = await alone.read(2_000)
  assert.ok(failure instanceof RpcFailure)
  assert.deepEqual([failure.kind, failure.retryable, failure.method], ['behind', true, 'getLedgerEntries'])
})

test('when all nodes lag, calls the one that lags least', async () => {
  const nodes: TestNode[] = [{ lag: 0 }, { lag: 0 }, { lag: 0 }]
  const fixture = createFixture(nodes)
  fixture.watch()
  await fixture.pass(1_000)
  for (const [index, lag] of [20, 9, 6].entries()) Object.assign(nodes[index] ?? {}, { lag })
  for (let passedMs = 0; passedMs < PROBE_EVERY_MS * 3; passedMs += LEDGER_MS) {
    await fixture.read()
    await fixture.pass(LEDGER_MS)
  }
  assert.equal(await fixture.read(), fixture.ledger() - 6)
  Object.assign(nodes[2] ?? {}, { isDown: true })
  assert.equal(await fixture.read(), fixture.ledger() - 9, 'then the next best')
})

test('does not use a node of another network, unless it is the only one', async () => {
  const fixture = createFixture([{ lag: 0, passphrase: 'another network' }, { lag: -700_000 }])
  fixture.watch()
  await fixture.pass(1_000)
  await fixture.read()
  assert.deepEqual(fixture.calls, [1])
  assert.equal(statuses(fixture)[0], 'wrongNetwork')
  const alone = createFixture([{ lag: 0, passphrase: 'another network' }])
  alone.watch()
  assert.equal(await alone.read(), 1_000)
})

test('prefers a much faster node, except for sessions', async () => {
  const nodes: TestNode[] = [{ lag: 0, delayMs: 2_500 }, { lag: 0, delayMs: 100 }]
  const fixture = createFixture(nodes)
  const session = fixture.rpc.session()
  fixture.watch()
  await fixture.pass(6_000)
  await fixture.read()
  assert.deepEqual(fixture.calls, [1])
  const reading = session.getLedgerEntries(['AAAA'])
  await fixture.pass(4_000)
  await reading
  assert.deepEqual(fixture.calls, [1, 0])
  Object.assign(nodes[0] ?? {}, { lag: 6 })
  const next = session.getLedgerEntries(['AAAA'])
  await fixture.pass(4_000)
  assert.equal((await next).latestLedger, fixture.ledger())
  assert.deepEqual(fixture.calls, [1, 0, 0, 1], 'a session leaves a lagging node too')
})

test('background probes end with their signal and leave no timer', async () => {
  const fixture = createFixture([{ lag: 0 }, { lag: 0 }])
  const end = new AbortController()
  const watching = fixture.rpc.watch(end.signal)
  await fixture.pass(10_000)
  end.abort()
  await fixture.pass(500)
  await watching
  assert.equal(fixture.clock.pendingTimers(), 0)
})

test.after(() => stop.abort())
