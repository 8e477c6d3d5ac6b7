// Requests per second with a key against the same requests without one: what it costs to know who is calling.

import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { load } from '../support/load.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const PATH = '/v1/oracle/prices'
const ROUNDS = 40
const ROUND_MS = 250
const CONNECTIONS = 32
const AIM = { atLeast: 0.9 }

export async function measureAuthenticated(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
  const roundCount = quick ? 1 : ROUNDS
  const inMemory: DatabaseLocation = { databaseUrl: null, dataDir: null }
  await using gateway = startChild(new URL('../children/gateway.ts', import.meta.url))
  const port = await gateway.call<number>('serve', inMemory)
  const authorization = await gateway.call<string>('issueKey')
  const rounds = await interleave(() => measure(gateway, port, { authorization }), () => measure(gateway, port, {}), {
    rounds: roundCount,
    onRound: (done) => progress(`round ${done} of ${roundCount}`),
  })
  const told = (key: keyof Rates) => rounds.map(({ ours, peer }) => ({ ours: ours[key], peer: peer[key] }))
  return [
    { name: 'with a key against without', rounds: told('perSec'), unit: 'requests/s', target: AIM },
    { name: 'with a key against without, by processor time', rounds: told('perCpuSec'), unit: 'requests/cpu s', target: AIM },
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
