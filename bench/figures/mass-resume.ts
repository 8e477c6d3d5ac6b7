// Ten thousand clients of one instance resume at another one after the first is killed, while the log grows. Measures the time from the kill until the last
// client is live again. Every client must receive every frame once. Needs a database server, which the instances share.

import { setTimeout as sleep } from 'node:timers/promises'
import type { CrowdCounts } from '../children/stream-crowd.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import { machineMs } from '../support/machine-clock.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const CLIENTS = 10_000
const QUICK_CLIENTS = 200
/** More than one, so that the clients are not the bottleneck. */
const CLIENT_PROCESSES = 2
const ROUNDS = 3
/** Events committed before the clients connect, right after the kill, and then every second. */
const EVENTS = { before: 600, missed: 20, perSecond: 5 } as const
const COMMIT_INTERVAL_MS = 1_000
const LIMIT_MS = 5_000
const MS_PER_SEC = 1_000

export async function measureMassResume(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  if (!availableEngines().includes('server')) {
    reportProgress('skipped: needs a database server. Set TEST_DATABASE_URL')
    return []
  }
  const count = quick ? QUICK_CLIENTS : CLIENTS
  const roundCount = quick ? 1 : ROUNDS
  await using database = await createDatabase('server')
  await using writer = startChild(new URL('../children/stream.ts', import.meta.url))
  await writer.call('open', database.location)
  await writer.call('begin')
  await writer.call('prepare', EVENTS.before)
  await using resources = new AsyncDisposableStack()
  const crowds = Array.from({ length: CLIENT_PROCESSES }, () => resources.use(startChild(new URL('../children/stream-crowd.ts', import.meta.url))))
  let instance = await startInstance(database.location, count)
  const share = count / CLIENT_PROCESSES
  await Promise.all(crowds.map((crowd, index) => crowd.call('open', { port: instance.port, count: share, firstAddress: index * share })))
  const rounds: Resumed[] = []
  for (let round = 1; round <= roundCount; round++) {
    const next = await startInstance(database.location, count)
    const resumed = await measureResume({ writer, crowds, killed: instance.child, next })
    rounds.push(resumed)
    instance = next
    reportProgress(`${count} clients: round ${round} of ${roundCount}, ${resumed.ms.toFixed(0)} ms, ${resumed.cpuMs.toFixed(0)} ms of processor time`)
  }
  const { events } = await writer.call<{ readonly events: number }>('heads', 'BTC')
  const counts = await Promise.all(crowds.map((crowd) => crowd.call<CrowdCounts>('received', events)))
  for (const crowd of crowds) await crowd[Symbol.asyncDispose]()
  await instance.child[Symbol.asyncDispose]()
  const sum = (kind: keyof CrowdCounts): number => counts.reduce((total, each) => total + each[kind], 0)
  const figure = (name: string, kind: keyof CrowdCounts): Figure => (
    { name: `mass resume, ${name}`, rounds: [{ ours: sum(kind), baseline: sum('frames') }], unit: 'of all frames', target: { max: 0 } }
  )
  return [
    { name: `${count} clients resume after a kill`, rounds: rounds.map(({ ms }) => ({ ours: ms, baseline: LIMIT_MS })), unit: 'ms', target: { max: 1 } },
    {
      name: 'the same, by processor time of the instance', unit: 'cpu ms', target: null,
      rounds: rounds.map(({ cpuMs }) => ({ ours: cpuMs, baseline: LIMIT_MS })),
    },
    figure('lost', 'lost'), figure('repeated', 'repeated'), figure('refused or reported as gaps', 'refused'),
  ]
}

interface Instance {
  readonly child: Child
  readonly port: number
}

/** An instance behind a proxy, with the limits of the specification for each address. */
async function startInstance(location: DatabaseLocation, clients: number): Promise<Instance> {
  const child = startChild(new URL('../children/gateway.ts', import.meta.url))
  return { child, port: await child.call<number>('serveStream', { location, clients }) }
}

interface Resumed {
  /** From the kill until all clients are live again. */
  readonly ms: number
  readonly cpuMs: number
}

async function measureResume(
  { writer, crowds, killed, next }: { readonly writer: Child; readonly crowds: readonly Child[]; readonly killed: Child; readonly next: Instance },
): Promise<Resumed> {
  for (const crowd of crowds) await crowd.call('moveTo', next.port)
  const cpuSecBefore = await next.child.cpuSec()
  const stopWriting = new AbortController()
  const killedAtMs = machineMs()
  const killing = killed.kill()
  const writing = write(writer, stopWriting.signal)
  const liveAtMs = await Promise.all(crowds.map((crowd) => crowd.call<number>('resumed')))
  const cpuMs = (await next.child.cpuSec() - cpuSecBefore) * MS_PER_SEC
  stopWriting.abort()
  await Promise.all([killing, writing])
  return { ms: Math.max(...liveAtMs) - killedAtMs, cpuMs }
}

async function write(writer: Child, signal: AbortSignal): Promise<void> {
  await writer.call('prepare', EVENTS.missed)
  while (!signal.aborted) {
    await sleep(COMMIT_INTERVAL_MS)
    await writer.call('prepare', EVENTS.perSecond)
  }
}
