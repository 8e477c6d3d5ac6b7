// The stream's costs besides fan-out: the time from a commit to the client's frame, memory per idle connection, and a thousand clients that resume at
// once. Each is relative to a bare server of the same library.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { openStreamClients } from '../support/stream-clients.ts'
import type { StreamClients } from '../support/stream-clients.ts'
import { quantile } from '../support/load.ts'
import { machineMs } from '../support/machine-clock.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const STREAM = new URL('../children/stream.ts', import.meta.url)
const BARE = new URL('../children/bare-stream.ts', import.meta.url)
const SUBSCRIBE = '{"op":"subscribe","channels":["events"]}'
/** The hello and the subscription's response. */
const GREETING_FRAMES = 2

export async function measureStreamCosts(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(...(await measureLatency(engine, reportProgress, quick)))
  figures.push(...(await measureIdle(reportProgress, quick)))
  for (const engine of availableEngines()) figures.push(...(await measureResume(engine, reportProgress, quick)))
  return figures
}

/** One commit in a hundred waits for the disk or the scheduler, so a few thousand are not enough to compare the 99th percentile. */
const LATENCY_ROUNDS = 16
const COMMITS = 1_000
const QUICK_COMMITS = 20
const LATENCY_BUDGET_MS = 240_000
/** Of the 99th percentile. */
const LATENCY_TARGET = { max: 1.3 }

/**
 * The time from the commit of an event to its frame at a client: through the stream, and directly from the notification of the same commit in another database.
 * The commits alternate. It does not include the indexer's poll interval, which is a setting.
 */
async function measureLatency(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const commits = quick ? QUICK_COMMITS : COMMITS
  const roundCount = quick ? 1 : LATENCY_ROUNDS
  await using database = await createDatabase(engine)
  await using bareDatabase = await createDatabase(engine)
  await using stream = startChild(STREAM)
  await using bare = startChild(STREAM)
  for (const [child, { location }] of [[stream, database], [bare, bareDatabase]] as const) {
    await child.call('open', location)
    await child.call('begin')
  }
  using ours = await openStreamClients(await stream.call<number>('serve', { connections: 1, followsLog: true }), 1)
  ours.send(SUBSCRIBE)
  await ours.receive(GREETING_FRAMES)
  const arrived = ours.receive(1)
  await stream.call('prepare', 1)
  await arrived
  using baselineClients = await openStreamClients(await bare.call<number>('echo', ours.lastText()), 1)
  const sides = { ours: { server: stream, clients: ours }, baseline: { server: bare, clients: baselineClients } }
  await timeCommits(sides, commits)
  const rounds: { readonly ours: readonly number[]; readonly baseline: readonly number[] }[] = []
  const until = performance.now() + LATENCY_BUDGET_MS
  while (rounds.length < roundCount && (rounds.length === 0 || performance.now() < until)) {
    rounds.push(await timeCommits(sides, commits))
    reportProgress(`commit to frame (${engine}): round ${rounds.length} of ${roundCount}`)
  }
  const roundsAt = (share: number) => rounds.map((round) => ({ ours: quantile(round.ours, share), baseline: quantile(round.baseline, share) }))
  return [
    { name: `commit to frame, p50 (${engine})`, rounds: roundsAt(0.5), unit: 'ms', target: null },
    { name: `commit to frame, p99 (${engine})`, rounds: roundsAt(0.99), unit: 'ms', target: LATENCY_TARGET },
  ]
}

interface Side {
  readonly server: Child
  readonly clients: StreamClients
}

/** The milliseconds from each commit until the frame arrived, sorted. The sides take turns in committing first. */
async function timeCommits(sides: { readonly ours: Side; readonly baseline: Side }, commits: number) {
  const latencies = { ours: [] as number[], baseline: [] as number[] }
  for (let commit = 0; commit < commits; commit++) {
    for (const name of commit % 2 === 0 ? ['ours', 'baseline'] as const : ['baseline', 'ours'] as const) latencies[name].push(await timeCommit(sides[name]))
  }
  latencies.ours.sort((a, b) => a - b)
  latencies.baseline.sort((a, b) => a - b)
  return latencies
}

async function timeCommit({ server, clients }: Side): Promise<number> {
  const arrived = clients.receive(1).then(machineMs)
  const commitAtMs = await server.call<number>('prepare', 1)
  return await arrived - commitAtMs
}

const IDLE_ROUNDS = 4
const IDLE_CONNECTIONS = 1_000
const QUICK_IDLE_CONNECTIONS = 100
const IDLE_BUDGET_MS = 25_000
/** Opened before the measurement, so that the code they load does not count as the cost of a connection. */
const WARM_UP_CONNECTIONS = 50
const KIB = 1_024

/**
 * Memory per idle connection that subscribes to all events: objects and buffers after a garbage collection. The resident set size would vary by more than
 * that, because the collector reserves memory.
 */
async function measureIdle(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const connections = quick ? QUICK_IDLE_CONNECTIONS : IDLE_CONNECTIONS
  const roundCount = quick ? 1 : IDLE_ROUNDS
  const rounds = await interleave(
    async () => {
      await using stream = startChild(STREAM)
      await stream.call('openEmpty')
      const port = await stream.call<number>('serve', { connections: connections + WARM_UP_CONNECTIONS, followsLog: false })
      return await memoryPerConnection(stream, port, connections)
    },
    async () => {
      await using bare = startChild(BARE)
      return await memoryPerConnection(bare, await bare.call<number>('serve', ''), connections)
    },
    { rounds: roundCount, budgetMs: IDLE_BUDGET_MS, onRound: (done) => reportProgress(`${connections} idle connections: round ${done} of ${roundCount}`) },
  )
  return [{ name: 'idle connection, objects and buffers', rounds, unit: 'KiB', target: null }]
}

/** KiB per connection. */
async function memoryPerConnection(server: Child, port: number, connections: number): Promise<number> {
  using warmUp = await openStreamClients(port, WARM_UP_CONNECTIONS)
  warmUp.send(SUBSCRIBE)
  const before = await server.retainedBytes()
  using idle = await openStreamClients(port, connections)
  idle.send(SUBSCRIBE)
  return (await server.retainedBytes() - before) / connections / KIB
}

const RESUME_ROUNDS = 6
const RESUMING = 1_000
const QUICK_RESUMING = 50
const RESUME_BUDGET_MS = 6_000
/** Frames that a resuming client has missed. */
const MISSED_FRAMES = 100
const RESUME_TARGET = { max: 1.2 }
const RESUME_CASES = [
  { at: 'a new instance', since: 0, isCorked: false },
  { at: 'a new instance, to frames in one write', since: 0, isCorked: true },
  { at: 'the same instance', since: MISSED_FRAMES, isCorked: false },
] as const

/**
 * All clients resume at once: at a new instance, and at the instance that sent these frames. The baseline sends each frame by itself, as the library does, or
 * all of them in one write.
 */
async function measureResume(engine: Engine, reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const clients = quick ? QUICK_RESUMING : RESUMING
  await using database = await createDatabase(engine)
  await using stream = startChild(STREAM)
  await stream.call('open', database.location)
  await stream.call('begin')
  await stream.call('prepare', MISSED_FRAMES)
  using ours = await openStreamClients(await stream.call<number>('serve', { connections: clients, followsLog: false }), clients)
  await ours.receive(1)
  await resume(stream, ours, 0)
  await using bare = startChild(BARE)
  using baselineClients = await openStreamClients(await bare.call<number>('serve', ours.lastText()), clients)
  const figures: Figure[] = []
  for (const { at, since, isCorked } of RESUME_CASES) {
    if (since > 0) await deliverMissed(stream, ours)
    await bare.call('respond', { frames: MISSED_FRAMES + 1, isCorked })
    const rounds = await interleave(() => resume(stream, ours, since), () => resume(bare, baselineClients, since), {
      rounds: quick ? 1 : RESUME_ROUNDS,
      budgetMs: RESUME_BUDGET_MS,
      onRound: (done) => reportProgress(`${clients} clients resume at ${at} (${engine}): round ${done}`),
    })
    const roundsOf = (kind: keyof Cost) => rounds.map((round) => ({ ours: round.ours[kind] / clients, baseline: round.baseline[kind] / clients }))
    figures.push(
      { name: `resume at ${at}, by processor time (${engine})`, rounds: roundsOf('cpuUs'), unit: 'cpu us/client', target: RESUME_TARGET },
      { name: `resume at ${at}, by time (${engine})`, rounds: roundsOf('us'), unit: 'us/client', target: RESUME_TARGET },
    )
  }
  return figures
}

async function deliverMissed(stream: Child, ours: StreamClients): Promise<void> {
  await stream.call('prepare', MISSED_FRAMES)
  const received = ours.receive(MISSED_FRAMES)
  await stream.call('send')
  await received
}

interface Cost {
  readonly cpuUs: number
  readonly us: number
}

/** Resumes all clients and measures until the last one has received every missed frame. */
async function resume(server: Child, clients: StreamClients, since: number): Promise<Cost> {
  const before = await server.cpuSec()
  const started = performance.now()
  // The subscription's response and the frames.
  const received = clients.receive(1 + MISSED_FRAMES)
  clients.send(JSON.stringify({ op: 'subscribe', channels: ['events'], since }))
  await received
  const us = (performance.now() - started) * US_PER_MS
  return { us, cpuUs: (await server.cpuSec() - before) * US_PER_SEC }
}

const US_PER_MS = 1_000
const US_PER_SEC = 1_000_000
