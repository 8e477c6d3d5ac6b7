// Requests per second with an API key, relative to the same requests without one: the cost of authentication.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { load } from '../support/load.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const PATH = '/v1/oracle/prices'
const ROUNDS = 40
const ROUND_MS = 250
const CONNECTIONS = 32
const TARGET = { min: 0.9 }

export async function measureAuthenticated(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const roundCount = quick ? 1 : ROUNDS
  const inMemory: DatabaseLocation = { databaseUrl: null, dataDir: null }
  await using gateway = startChild(new URL('../children/gateway.ts', import.meta.url))
  const port = await gateway.call<number>('serve', inMemory)
  const authorization = await gateway.call<string>('issueKey')
  const rounds = await interleave(() => measure(gateway, port, { authorization }), () => measure(gateway, port, {}), {
    rounds: roundCount,
    onRound: (done) => reportProgress(`round ${done} of ${roundCount}`),
  })
  const roundsOf = (key: keyof Rates) => rounds.map(({ ours, baseline }) => ({ ours: ours[key], baseline: baseline[key] }))
  return [
    { name: 'with a key, relative to without', rounds: roundsOf('perSec'), unit: 'requests/s', target: TARGET },
    { name: 'with a key, relative to without, by processor time', rounds: roundsOf('perCpuSec'), unit: 'requests/cpu s', target: TARGET },
  ]
}

interface Rates {
  readonly perSec: number
  readonly perCpuSec: number
}

async function measure(server: Child, port: number, headers: Readonly<Record<string, string>>): Promise<Rates> {
  const before = await server.cpuSec()
  const { requests, requestsPerSec } = await load({ port, path: PATH, headers, connections: CONNECTIONS, durationMs: ROUND_MS })
  return { perSec: requestsPerSec, perCpuSec: requests / (await server.cpuSec() - before) }
}
