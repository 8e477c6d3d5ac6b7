// Processor time per delivered frame of the stream, from the committed row to the socket, relative to a bare server of the same library that sends every
// frame to every client separately.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { openStreamClients } from '../support/stream-clients.ts'
import type { StreamClients } from '../support/stream-clients.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const CONNECTIONS = 1_000
const QUICK_CONNECTIONS = 50
const ROUNDS = 12
/** Bursts per round. A single one is too short for the resolution of the processor time. */
const BURSTS = 8
const BUDGET_MS = 30_000

/** How many frames are sent at once, and the target for them. */
const CASES = [{ frames: 10, max: 0.25 }, { frames: 1, max: 0.9 }] as const

export async function measureFanOut(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const connections = quick ? QUICK_CONNECTIONS : CONNECTIONS
  const roundCount = quick ? 1 : ROUNDS
  await using stream = startChild(new URL('../children/stream.ts', import.meta.url))
  await stream.call('open', { databaseUrl: null, dataDir: null })
  await stream.call('begin')
  using ours = await openStreamClients(await stream.call<number>('serve', { connections, followsLog: false }), connections)
  ours.send('{"op":"subscribe","channels":["events"]}')
  // The hello and the subscription's response.
  await ours.receive(2)
  await deliver(stream, ours, 1)
  await using bare = startChild(new URL('../children/bare-stream.ts', import.meta.url))
  using baselineClients = await openStreamClients(await bare.call<number>('serve', ours.lastText()), connections)
  const figures: Figure[] = []
  for (const { frames, max } of CASES) {
    const rounds = await interleave(() => measure(stream, ours, frames, connections), () => measure(bare, baselineClients, frames, connections), {
      rounds: roundCount,
      budgetMs: BUDGET_MS,
      onRound: (done) => reportProgress(`${connections} connections, ${frames} at once: round ${done} of ${roundCount}`),
    })
    figures.push({ name: `fan-out, ${frames} at once`, rounds, unit: 'cpu us/frame', target: { max } })
  }
  return figures
}

/** Microseconds of the server's processor time per delivered frame. */
async function measure(server: Child, clients: StreamClients, frames: number, connections: number): Promise<number> {
  let cpuSec = 0
  for (let burst = 0; burst < BURSTS; burst++) cpuSec += await deliver(server, clients, frames)
  return (cpuSec * 1_000_000) / (BURSTS * frames * connections)
}

async function deliver(server: Child, clients: StreamClients, frames: number): Promise<number> {
  await server.call('prepare', frames)
  const before = await server.cpuSec()
  const received = clients.receive(frames)
  await server.call('send')
  await received
  return (await server.cpuSec()) - before
}
