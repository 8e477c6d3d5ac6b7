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
const ROUNDS = 24
/** Rounds before those that count: V8 compiles the code of the database engine during them, in the process that is measured. */
const WARM_UP_ROUNDS = 6
/**
 * Bursts of each side per round. The sides take turns: after a commit and a burst of the other server, neither finds its clients' memory in the processor's
 * cache.
 */
const BURSTS = 8
const BUDGET_MS = 30_000

/** Number of frames sent at once, and the target for them. */
const CASES = [{ frames: 10, max: 0.25 }, { frames: 1, max: 0.9 }] as const

export async function measureFanOut(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const connections = quick ? QUICK_CONNECTIONS : CONNECTIONS
  const roundCount = quick ? 1 : WARM_UP_ROUNDS + ROUNDS
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
    const bursts = await interleave(() => deliver(stream, ours, frames), () => deliver(bare, baselineClients, frames), {
      rounds: roundCount * BURSTS,
      budgetMs: BUDGET_MS,
      onRound(done) {
        if (done % BURSTS === 0) reportProgress(`${connections} connections, ${frames} at once: round ${done / BURSTS} of ${roundCount}`)
      },
    })
    const rounds = roundsOf(bursts).slice(-ROUNDS).map((round) => ({
      ours: microsPerFrame(round.map((burst) => burst.ours), frames * connections),
      baseline: microsPerFrame(round.map((burst) => burst.baseline), frames * connections),
    }))
    figures.push({ name: `fan-out, ${frames} at once`, rounds, unit: 'cpu us/frame', target: { max } })
  }
  return figures
}

/** In whole rounds. */
function roundsOf<Burst>(bursts: readonly Burst[]): readonly (readonly Burst[])[] {
  return Array.from({ length: Math.floor(bursts.length / BURSTS) }, (_, round) => bursts.slice(round * BURSTS, (round + 1) * BURSTS))
}

/** Microseconds per delivered frame. */
function microsPerFrame(burstSecs: readonly number[], framesPerBurst: number): number {
  return (burstSecs.reduce((sum, sec) => sum + sec, 0) * 1_000_000) / (burstSecs.length * framesPerBurst)
}

/** Seconds of the server's processor time for one burst. */
async function deliver(server: Child, clients: StreamClients, frames: number): Promise<number> {
  await server.call('prepare', frames)
  const before = await server.cpuSec()
  const received = clients.receive(frames)
  await server.call('send')
  await received
  return (await server.cpuSec()) - before
}
