// Processor time per delivered frame of the stream, from the committed row to the socket, against a bare server of the same library that sends every frame to
// every client by itself.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { openStreamClients } from '../support/stream-clients.ts'
import type { StreamClients } from '../support/stream-clients.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const CONNECTIONS = 1_000
const QUICK_CONNECTIONS = 50
const ROUNDS = 12
/** Bursts of a round: one is over before the machine's clock has moved much. */
const BURSTS = 8
const BUDGET_MS = 30_000

/** How many frames come at once, and what is wanted. */
const CASES = [{ frames: 10, atMost: 0.25 }, { frames: 1, atMost: 1 }] as const

export async function measureFanOut(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  const connections = quick ? QUICK_CONNECTIONS : CONNECTIONS
  const roundCount = quick ? 1 : ROUNDS
  await using stream = startChild(new URL('../children/stream.ts', import.meta.url))
  await stream.call('open', { databaseUrl: null, dataDir: null })
  await stream.call('begin')
  using ours = await openStreamClients(await stream.call<number>('serve', { connections, runs: false }), connections)
  ours.send('{"op":"subscribe","channels":["events"]}')
  // hello, and what was subscribed.
  await ours.receive(2)
  await deliver(stream, ours, 1)
  await using bare = startChild(new URL('../children/bare-stream.ts', import.meta.url))
  using theirs = await openStreamClients(await bare.call<number>('serve', ours.lastText()), connections)
  const figures: Figure[] = []
  for (const { frames, atMost } of CASES) {
    const rounds = await interleave(() => measure(stream, ours, frames, connections), () => measure(bare, theirs, frames, connections), {
      rounds: roundCount,
      budgetMs: BUDGET_MS,
      onRound: (done) => progress(`${connections} connections, ${frames} at once: round ${done} of ${roundCount}`),
    })
    figures.push({ name: `fan-out, ${frames} at once`, rounds, unit: 'cpu us/frame', target: { atMost } })
  }
  return figures
}

/** Microseconds of the server's processor time for each frame that a client got. */
async function measure(server: Child, listeners: StreamClients, frames: number, connections: number): Promise<number> {
  let cpuSec = 0
  for (let burst = 0; burst < BURSTS; burst++) cpuSec += await deliver(server, listeners, frames)
  return (cpuSec * 1_000_000) / (BURSTS * frames * connections)
}

async function deliver(server: Child, listeners: StreamClients, frames: number): Promise<number> {
  await server.call('prepare', frames)
  const before = await server.cpuSec()
  const heard = listeners.receive(frames)
  await server.call('send')
  await heard
  return (await server.cpuSec()) - before
}
