// What a hostile RPC node does to the event loop and to memory, relative to fixed bounds, and what the checks cost for ordinary responses.

import type { AttackFigures } from '../children/rpc-client.ts'
import { startChild } from '../support/child.ts'
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
  const roundCount = quick ? 1 : ROUNDS
  await using node = startChild(new URL('../children/hostile-node.ts', import.meta.url))
  const port = await node.call<number>('serve')
  for (let round = 1; round <= roundCount; round++) {
    await using client = startChild(new URL('../children/rpc-client.ts', import.meta.url))
    attacks.push(await client.call<AttackFigures>('attack', { port, durationMs: quick ? QUICK_ATTACK_MS : ATTACK_MS }))
    reportProgress(`attack: round ${round} of ${roundCount}, ${attacks.at(-1)?.calls} calls`)
  }
  await using client = startChild(new URL('../children/rpc-client.ts', import.meta.url))
  const ordinary = await interleave(() => client.call<number>('ours'), () => client.call<number>('baseline'), {
    rounds: quick ? 1 : ORDINARY_ROUNDS,
    onRound: (done) => reportProgress(`ordinary pages: round ${done}`),
  })
  return [
    {
      name: 'event loop delay while a node is hostile, p99', unit: 'ms', target: { max: 1 },
      rounds: attacks.map(({ delayMs }) => ({ ours: delayMs, baseline: BOUND_MS })),
    },
    {
      name: 'memory after a hostile node', unit: 'MiB', target: { max: 1.5 },
      rounds: attacks.map(({ rssBefore, rssAfter }) => ({ ours: rssAfter / MIB, baseline: rssBefore / MIB })),
    },
    { name: 'ordinary pages of events read', unit: 'pages/s', target: { min: 0.9 }, rounds: ordinary },
  ]
}
