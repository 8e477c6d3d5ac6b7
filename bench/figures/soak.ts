// Clients of the stream while its instances are killed under them, one after the other, with the log growing all the time: whoever is cut off resumes at
// another instance, and in the end every client must have had every frame, once, in order. Needs a database server, since the instances share it.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { availableEngines, createDatabase } from '../support/databases.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'

const CLIENTS = 300
const INSTANCES = 3
const KILLS = 12
const QUICK_CLIENTS = 20
const QUICK_KILLS = 1
/** Between two kills. */
const PEACE_MS = 2_500
const EVENTS_PER_COMMIT = 7
const COMMIT_EVERY_MS = 40
const ASSET = 'BTC'
const CHANNELS = { events: 'events', trades: `trades.${ASSET}` } as const
/** Everybody has everything after this long, or never will. */
const PATIENCE_MS = 30_000
const RETRY_MS = 100

interface Counts {
  delivered: number
  lost: number
  repeated: number
  reordered: number
  gaps: number
  connections: number
}

export async function measureSoak(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  if (!availableEngines().includes('server')) {
    progress('needs a database server: set TEST_DATABASE_URL')
    return []
  }
  await using place = await createDatabase('server')
  await using writer = await startWriter(place.location)
  const instances: Instance[] = []
  for (let started = 0; started < INSTANCES; started++) instances.push(await startInstance(place.location))
  const counts: Counts = { delivered: 0, lost: 0, repeated: 0, reordered: 0, gaps: 0, connections: 0 }
  const over = new AbortController()
  const clients = Array.from({ length: quick ? QUICK_CLIENTS : CLIENTS }, (_, index) => runClient(index, instances, counts, over.signal))
  const stopWriting = new AbortController()
  const writing = write(writer, stopWriting.signal)
  const kills = quick ? QUICK_KILLS : KILLS
  for (let kill = 0; kill < kills; kill++) {
    await sleep(PEACE_MS)
    const which = kill % INSTANCES
    await instances[which]?.child.kill()
    instances[which] = await startInstance(place.location)
    progress(`${kill + 1} of ${kills} instances killed, ${counts.connections} connections made, ${counts.delivered} frames delivered`)
  }
  stopWriting.abort()
  await writing
  const heads = await writer.call<Places>('heads', ASSET)
  const waitUntil = performance.now() + PATIENCE_MS
  const isComplete = ({ held }: Client): boolean => held.events === heads.events && held.trades === heads.trades
  while (performance.now() < waitUntil && !clients.every(isComplete)) await sleep(RETRY_MS)
  counts.lost += clients.filter((client) => !isComplete(client)).length
  over.abort()
  await Promise.all(clients.map(({ ended }) => ended))
  for (const { child } of instances) await child[Symbol.asyncDispose]()
  const figure = (name: string, wrong: number): Figure => (
    { name: `soak, ${name}`, rounds: [{ ours: wrong, peer: counts.delivered }], unit: 'of all frames', target: { atMost: 0 } }
  )
  return [
    figure('lost', counts.lost), figure('repeated', counts.repeated), figure('reordered', counts.reordered), figure('given up as gaps', counts.gaps),
  ]
}

interface Instance {
  readonly child: Child
  readonly port: number
}

async function startWriter(where: DatabaseLocation): Promise<Child> {
  const writer = startChild(STREAM)
  await writer.call('open', where)
  await writer.call('begin')
  return writer
}

async function startInstance(where: DatabaseLocation): Promise<Instance> {
  const child = startChild(STREAM)
  await child.call('open', where)
  return { child, port: await child.call<number>('serve', { connections: CLIENTS, runs: true }) }
}

const STREAM = new URL('../children/stream.ts', import.meta.url)

async function write(writer: Child, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await writer.call('prepare', EVENTS_PER_COMMIT)
    await sleep(COMMIT_EVERY_MS)
  }
}

/** The last place that is held of each channel. */
interface Places {
  events: number
  trades: number
}

interface Client {
  readonly held: Places
  readonly ended: Promise<void>
}

/** Connects somewhere, resumes, and does so again whenever it is cut off. */
function runClient(index: number, instances: readonly Instance[], counts: Counts, signal: AbortSignal): Client {
  const held: Places = { events: 0, trades: 0 }
  async function run(): Promise<void> {
    for (let attempt = index; !signal.aborted; attempt++) {
      const webSocket = new WebSocket(`ws://127.0.0.1:${instances[attempt % INSTANCES]?.port}/v1/ws`)
      const stop = (): void => webSocket.terminate()
      signal.addEventListener('abort', stop)
      webSocket.on('error', () => {})
      webSocket.on('open', () => {
        counts.connections++
        // Each channel from its own place, so that nothing comes twice.
        for (const name of ['events', 'trades'] as const) {
          webSocket.send(JSON.stringify({ op: 'subscribe', channels: [CHANNELS[name]], since: held[name] }))
        }
      })
      webSocket.on('message', (data: Buffer) => take(JSON.parse(data.toString()) as StreamFrame, held, counts))
      await once(webSocket, 'close')
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) await sleep(RETRY_MS)
    }
  }
  return { held, ended: run() }
}

interface StreamFrame {
  readonly type?: string
  readonly channel?: string
  readonly seq?: number
  readonly prev?: number
}

function take({ type, channel, seq, prev }: StreamFrame, held: Places, counts: Counts): void {
  if (type === 'gap') counts.gaps++
  if (channel === undefined || seq === undefined || prev === undefined) return
  const name = channel === CHANNELS.events ? 'events' : 'trades'
  counts.delivered++
  if (seq === held[name]) counts.repeated++
  else if (seq < held[name]) counts.reordered++
  else if (prev !== held[name]) counts.lost++
  held[name] = Math.max(held[name], seq)
}
