// The effect of a hostile RPC node on the event loop and on memory, relative to fixed bounds, and the cost of the checks for ordinary responses.

import type { AttackFigures } from '../children/rpc-client.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const ROUNDS = 3
const ORDINARY_ROUNDS = 30
const ATTACK_MS = 10_000
const QUICK_ATTACK_MS = 1_000
/** The bound for the 99th percentile of the delay. */
const BOUND_MS = 50
const MIB = 1024 * 1024

export async function measureHostileNode(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const attacks: AttackFigures[] = []
  const memory: { ours: number; baseline: number }[] = []
  const roundCount = quick ? 1 : ROUNDS
  await using node = startChild(new URL('../children/hostile-node.ts', import.meta.url))
  const port = await node.call<number>('serve')
  for (let round = 1; round <= roundCount; round++) {
    await using client = startChild(new URL('../children/rpc-client.ts', import.meta.url))
    // The first attack loads the code and fills the heap to its usual size.
    await client.call('attack', { port, durationMs: QUICK_ATTACK_MS })
    const baseline = await memoryOf(client)
    const figures = await client.call<AttackFigures>('attack', { port, durationMs: quick ? QUICK_ATTACK_MS : ATTACK_MS })
    attacks.push(figures)
    memory.push({ ours: await memoryOf(client), baseline })
    reportProgress(`attack: round ${round} of ${roundCount}, ${figures.calls} calls, delay ${figures.delayMs.toFixed()} ms`)
  }
  await using client = startChild(new URL('../children/rpc-client.ts', import.meta.url))
  const ordinary = await interleave(() => client.call<number>('ours'), () => client.call<number>('baseline'), {
    rounds: quick ? 1 : ORDINARY_ROUNDS,
    onRound: (done) => reportProgress(`ordinary pages: round ${done}`),
  })
  return [
    {
      name: 'event loop delay while a node is hostile, p99', unit: 'ms', target: null,
      rounds: attacks.map(({ delayMs }) => ({ ours: delayMs, baseline: BOUND_MS })),
    },
    {
      name: 'event loop delay while a node is hostile, p99, by processor time', unit: 'ms', target: { max: 1 },
      rounds: attacks.map(({ cpuDelayMs }) => ({ ours: cpuDelayMs, baseline: BOUND_MS })),
    },
    {
      name: 'memory after a hostile node', unit: 'MiB', target: { max: 2 },
      rounds: memory,
    },
    { name: 'ordinary pages of events read', unit: 'pages/s', target: { min: 0.9 }, rounds: ordinary },
  ]
}

/** The process's memory after a garbage collection, in MiB. */
async function memoryOf(client: Child): Promise<number> {
  await client.retainedBytes()
  return await client.call<number>('rssBytes') / MIB
}
