// Kills instances of the stream one after the other while the log grows. Disconnected clients resume at another instance. At the end every client must
// have received every frame once and in order. Needs a database server, which the instances share.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const CLIENTS = 300
const INSTANCES = 3
const KILLS = 12
const QUICK_CLIENTS = 20
const QUICK_KILLS = 1
/** Time between two kills. */
const KILL_INTERVAL_MS = 2_500
const EVENTS_PER_COMMIT = 7
const COMMIT_INTERVAL_MS = 40
const ASSET = 'BTC'
const CHANNELS = { events: 'events', trades: `trades.${ASSET}` } as const
/** A client that is incomplete after this time has lost frames. */
const COMPLETION_TIMEOUT_MS = 30_000
const RETRY_MS = 100

interface Counts {
  delivered: number
  lost: number
  repeated: number
  reordered: number
  gaps: number
  connections: number
}

export async function measureSoak(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  if (!availableEngines().includes('server')) {
    reportProgress('skipped: needs a database server. Set TEST_DATABASE_URL')
    return []
  }
  await using database = await createDatabase('server')
  await using writer = await startWriter(database.location)
  const instances: Instance[] = []
  for (let started = 0; started < INSTANCES; started++) instances.push(await startInstance(database.location))
  const counts: Counts = { delivered: 0, lost: 0, repeated: 0, reordered: 0, gaps: 0, connections: 0 }
  const stopClients = new AbortController()
  const clients = Array.from({ length: quick ? QUICK_CLIENTS : CLIENTS }, (_, index) => runClient(index, instances, counts, stopClients.signal))
  const stopWriting = new AbortController()
  const writing = write(writer, stopWriting.signal)
  const kills = quick ? QUICK_KILLS : KILLS
  for (let kill = 0; kill < kills; kill++) {
    await sleep(KILL_INTERVAL_MS)
    const index = kill % INSTANCES
    await instances[index]?.child.kill()
    instances[index] = await startInstance(database.location)
    reportProgress(`${kill + 1} of ${kills} instances killed, ${counts.connections} connections made, ${counts.delivered} frames delivered`)
  }
  stopWriting.abort()
  await writing
  const heads = await writer.call<Positions>('heads', ASSET)
  const deadline = performance.now() + COMPLETION_TIMEOUT_MS
  const isComplete = ({ received }: Client): boolean => received.events === heads.events && received.trades === heads.trades
  while (performance.now() < deadline && !clients.every(isComplete)) await sleep(RETRY_MS)
  counts.lost += clients.filter((client) => !isComplete(client)).length
  stopClients.abort()
  await Promise.all(clients.map(({ done }) => done))
  for (const { child } of instances) await child[Symbol.asyncDispose]()
  const figure = (name: string, count: number): Figure => (
    { name: `soak, ${name}`, rounds: [{ ours: count, baseline: counts.delivered }], unit: 'of all frames', target: { max: 0 } }
  )
  return [
    figure('lost', counts.lost), figure('repeated', counts.repeated), figure('reordered', counts.reordered), figure('reported as gaps', counts.gaps),
  ]
}

interface Instance {
  readonly child: Child
  readonly port: number
}

async function startWriter(location: DatabaseLocation): Promise<Child> {
  const writer = startChild(STREAM)
  await writer.call('open', location)
  await writer.call('begin')
  return writer
}

async function startInstance(location: DatabaseLocation): Promise<Instance> {
  const child = startChild(STREAM)
  await child.call('open', location)
  return { child, port: await child.call<number>('serve', { connections: CLIENTS, followsLog: true }) }
}

const STREAM = new URL('../children/stream.ts', import.meta.url)

async function write(writer: Child, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await writer.call('prepare', EVENTS_PER_COMMIT)
    await sleep(COMMIT_INTERVAL_MS)
  }
}

/** The last sequence number received from each channel. */
interface Positions {
  events: number
  trades: number
}

interface Client {
  readonly received: Positions
  readonly done: Promise<void>
}

/** Connects to an instance and resumes, and repeats that at the next instance after each disconnect. */
function runClient(index: number, instances: readonly Instance[], counts: Counts, signal: AbortSignal): Client {
  const received: Positions = { events: 0, trades: 0 }
  async function run(): Promise<void> {
    for (let attempt = index; !signal.aborted; attempt++) {
      const webSocket = new WebSocket(`ws://127.0.0.1:${instances[attempt % INSTANCES]?.port}/v1/ws`)
      const stop = (): void => webSocket.terminate()
      signal.addEventListener('abort', stop)
      webSocket.on('error', () => {})
      webSocket.on('open', () => {
        counts.connections++
        // Resume each channel from its own position, so that no frame is repeated.
        for (const name of ['events', 'trades'] as const) {
          webSocket.send(JSON.stringify({ op: 'subscribe', channels: [CHANNELS[name]], since: received[name] }))
        }
      })
      webSocket.on('message', (data: Buffer) => countFrame(JSON.parse(data.toString()) as StreamFrame, received, counts))
      await once(webSocket, 'close')
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) await sleep(RETRY_MS)
    }
  }
  return { received, done: run() }
}

interface StreamFrame {
  readonly type?: string
  readonly channel?: string
  readonly seq?: number
  readonly prev?: number
}

function countFrame({ type, channel, seq, prev }: StreamFrame, received: Positions, counts: Counts): void {
  if (type === 'gap') counts.gaps++
  if (channel === undefined || seq === undefined || prev === undefined) return
  const name = channel === CHANNELS.events ? 'events' : 'trades'
  counts.delivered++
  if (seq === received[name]) counts.repeated++
  else if (seq < received[name]) counts.reordered++
  else if (prev !== received[name]) counts.lost++
  received[name] = Math.max(received[name], seq)
}
