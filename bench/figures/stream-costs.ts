// What the stream costs besides fan-out: the time from the commit of a page to a client's frame, memory for each idle connection, and the return of a thousand
// clients at once; each against the same library with nothing around it.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { openStreamClients } from '../support/stream-clients.ts'
import type { StreamClients } from '../support/stream-clients.ts'
import { quantile } from '../support/load.ts'
import { machineMs } from '../support/machine-clock.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { Engine } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

type Progress = (text: string) => void

const STREAM = new URL('../children/stream.ts', import.meta.url)
const BARE = new URL('../children/bare-stream.ts', import.meta.url)
const SUBSCRIBE = '{"op":"subscribe","channels":["events"]}'
/** hello, and what was subscribed. */
const GREETING_FRAMES = 2

export async function measureStreamCosts(progress: Progress, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const engine of availableEngines()) figures.push(...(await measureLatency(engine, progress, quick)))
  figures.push(...(await measureIdle(progress, quick)))
  for (const engine of availableEngines()) figures.push(...(await measureReturn(engine, progress, quick)))
  return figures
}

const LATENCY_ROUNDS = 6
const COMMITS = 200
const QUICK_COMMITS = 20
const LATENCY_BUDGET_MS = 20_000

/**
 * From the commit of an event to its frame at a client: through the stream, and straight from the notification. Both hear of the same commits. How long the
 * network was not asked for what is new comes on top, and is a setting.
 */
async function measureLatency(engine: Engine, progress: Progress, quick: boolean): Promise<readonly Figure[]> {
  const commits = quick ? QUICK_COMMITS : COMMITS
  const roundCount = quick ? 1 : LATENCY_ROUNDS
  await using place = await createDatabase(engine)
  await using stream = startChild(STREAM)
  await stream.call('open', place.location)
  await stream.call('begin')
  using ours = await openStreamClients(await stream.call<number>('serve', { connections: 1, runs: true }), 1)
  ours.send(SUBSCRIBE)
  await ours.receive(GREETING_FRAMES)
  const arrived = ours.receive(1)
  await stream.call('prepare', 1)
  await arrived
  using theirs = await openStreamClients(await stream.call<number>('echo', ours.lastText()), 1)
  await timeCommits(stream, { ours, theirs }, commits)
  const rounds: { readonly ours: readonly number[]; readonly peer: readonly number[] }[] = []
  const until = performance.now() + LATENCY_BUDGET_MS
  while (rounds.length < roundCount && (rounds.length === 0 || performance.now() < until)) {
    rounds.push(await timeCommits(stream, { ours, theirs }, commits))
    progress(`commit to frame (${engine}): round ${rounds.length} of ${roundCount}`)
  }
  const told = (share: number) => rounds.map((round) => ({ ours: quantile(round.ours, share), peer: quantile(round.peer, share) }))
  return [
    { name: `commit to frame, p50 (${engine})`, rounds: told(0.5), unit: 'ms', target: null },
    { name: `commit to frame, p99 (${engine})`, rounds: told(0.99), unit: 'ms', target: null },
  ]
}

/** Milliseconds until the frame was there, for each of so many commits, sorted. */
async function timeCommits(stream: Child, clients: { readonly ours: StreamClients; readonly theirs: StreamClients }, commits: number) {
  const arrival = async (listeners: StreamClients): Promise<number> => {
    await listeners.receive(1)
    return machineMs()
  }
  const latencies = { ours: [] as number[], peer: [] as number[] }
  for (let commit = 0; commit < commits; commit++) {
    const arrivals = [arrival(clients.ours), arrival(clients.theirs)] as const
    const committed = await stream.call<number>('prepare', 1)
    latencies.ours.push(await arrivals[0] - committed)
    latencies.peer.push(await arrivals[1] - committed)
  }
  latencies.ours.sort((a, b) => a - b)
  latencies.peer.sort((a, b) => a - b)
  return latencies
}

const IDLE_ROUNDS = 4
const IDLE_CONNECTIONS = 1_000
const QUICK_IDLE_CONNECTIONS = 100
const IDLE_BUDGET_MS = 25_000
/** Opened before anything counts: the code that they load is not what a connection costs. */
const FIRST_CONNECTIONS = 50
const KIB = 1_024

/**
 * Memory for each connection that follows all events while nothing happens: objects and buffers, counted when what nobody needs has been collected. What the
 * system counts for the process moves by more, up and down, with the room that the collector keeps.
 */
async function measureIdle(progress: Progress, quick: boolean): Promise<readonly Figure[]> {
  const connections = quick ? QUICK_IDLE_CONNECTIONS : IDLE_CONNECTIONS
  const roundCount = quick ? 1 : IDLE_ROUNDS
  const rounds = await interleave(
    async () => {
      await using stream = startChild(STREAM)
      await stream.call('openNothing')
      return await weigh(stream, await stream.call<number>('serve', { connections: connections + FIRST_CONNECTIONS, runs: false }), connections)
    },
    async () => {
      await using bare = startChild(BARE)
      return await weigh(bare, await bare.call<number>('serve', ''), connections)
    },
    { rounds: roundCount, budgetMs: IDLE_BUDGET_MS, onRound: (done) => progress(`${connections} idle connections: round ${done} of ${roundCount}`) },
  )
  return [{ name: 'idle connection, objects and buffers', rounds, unit: 'KiB', target: null }]
}

/** KiB for each of so many connections. */
async function weigh(server: Child, port: number, connections: number): Promise<number> {
  using first = await openStreamClients(port, FIRST_CONNECTIONS)
  first.send(SUBSCRIBE)
  const before = await server.retainedBytes()
  using idle = await openStreamClients(port, connections)
  idle.send(SUBSCRIBE)
  return (await server.retainedBytes() - before) / connections / KIB
}

const RETURN_ROUNDS = 6
const RETURNING = 1_000
const QUICK_RETURNING = 50
const RETURN_BUDGET_MS = 6_000
/** That a returning client has missed. */
const MISSED_FRAMES = 100

/** Everybody resumes at the same moment: at an instance that has just been started, and at one that has sent these frames itself. */
async function measureReturn(engine: Engine, progress: Progress, quick: boolean): Promise<readonly Figure[]> {
  const clients = quick ? QUICK_RETURNING : RETURNING
  await using place = await createDatabase(engine)
  await using stream = startChild(STREAM)
  await stream.call('open', place.location)
  await stream.call('begin')
  await stream.call('prepare', MISSED_FRAMES)
  using ours = await openStreamClients(await stream.call<number>('serve', { connections: clients, runs: false }), clients)
  await ours.receive(1)
  await resume(stream, ours, 0)
  await using bare = startChild(BARE)
  using theirs = await openStreamClients(await bare.call<number>('serve', ours.lastText()), clients)
  await bare.call('answer', MISSED_FRAMES + 1)
  const figures: Figure[] = []
  for (const { at, since } of [{ at: 'a new instance', since: 0 }, { at: 'the same instance', since: MISSED_FRAMES }]) {
    if (since > 0) await deliverMissed(stream, ours)
    const rounds = await interleave(() => resume(stream, ours, since), () => resume(bare, theirs, since), {
      rounds: quick ? 1 : RETURN_ROUNDS,
      budgetMs: RETURN_BUDGET_MS,
      onRound: (done) => progress(`${clients} clients resume at ${at} (${engine}): round ${done}`),
    })
    const told = (kind: keyof Cost) => rounds.map((round) => ({ ours: round.ours[kind] / clients, peer: round.peer[kind] / clients }))
    figures.push(
      { name: `resume at ${at}, by processor time (${engine})`, rounds: told('cpuUs'), unit: 'cpu us/client', target: null },
      { name: `resume at ${at}, by time (${engine})`, rounds: told('us'), unit: 'us/client', target: null },
    )
  }
  return figures
}

async function deliverMissed(stream: Child, ours: StreamClients): Promise<void> {
  await stream.call('prepare', MISSED_FRAMES)
  const heard = ours.receive(MISSED_FRAMES)
  await stream.call('send')
  await heard
}

interface Cost {
  readonly cpuUs: number
  readonly us: number
}

/** Until the last client has all that it missed. */
async function resume(server: Child, clients: StreamClients, since: number): Promise<Cost> {
  const before = await server.cpuSec()
  const started = performance.now()
  // What was subscribed, and the frames.
  const heard = clients.receive(1 + MISSED_FRAMES)
  clients.send(JSON.stringify({ op: 'subscribe', channels: ['events'], since }))
  await heard
  const us = (performance.now() - started) * US_PER_MS
  return { us, cpuUs: (await server.cpuSec() - before) * US_PER_SEC }
}

const US_PER_MS = 1_000
const US_PER_SEC = 1_000_000
