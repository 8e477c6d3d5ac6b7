// Requests per second of the cached endpoints, including request id, authentication and rate limiter, relative to a bare node:http server that writes the
// same bytes. Reported per second and per second of the server's processor time, which neither a slow load generator nor a busy machine distorts.

import type { CapturedResponse } from '../children/bare-server.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { load } from '../support/load.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const PATHS = ['/v1/markets', '/v1/oracle/prices']
const ROUNDS = 30
/** Short, so that other load on the machine affects both sides of a round. */
const ROUND_MS = 250
/** Before the first round, so that the engine has optimized the servers' code. */
const WARM_UP_MS = 3_000
const CONNECTIONS = 32
const TARGET = { min: 0.7 }
const CPU_TARGET = { min: 0.85 }

/** Headers that node:http adds. Without this list, the baseline would send them twice. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive']

export async function measureCached(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const roundCount = quick ? 1 : ROUNDS
  const inMemory: DatabaseLocation = { databaseUrl: null, dataDir: null }
  await using gateway = startChild(new URL('../children/gateway.ts', import.meta.url))
  const gatewayPort = await gateway.call<number>('serve', inMemory)
  const figures: Figure[] = []
  for (const path of PATHS) {
    const captured = await capture(gatewayPort, path)
    await using bare = startChild(new URL('../children/bare-server.ts', import.meta.url))
    const barePort = await bare.call<number>('serve', captured)
    for (const [server, port] of [[gateway, gatewayPort], [bare, barePort]] as const) await measure(server, port, path, quick ? ROUND_MS : WARM_UP_MS)
    const rounds = await interleave(() => measure(gateway, gatewayPort, path), () => measure(bare, barePort, path), {
      rounds: roundCount,
      onRound: (done) => reportProgress(`${path}: round ${done} of ${roundCount}`),
    })
    const roundsOf = (key: keyof Rates) => rounds.map(({ ours, baseline }) => ({ ours: ours[key], baseline: baseline[key] }))
    figures.push({ name: `cached ${path}`, rounds: roundsOf('perSec'), unit: 'requests/s', target: TARGET })
    figures.push({ name: `cached ${path}, by processor time`, rounds: roundsOf('perCpuSec'), unit: 'requests/cpu s', target: CPU_TARGET })
  }
  return figures
}

interface Rates {
  readonly perSec: number
  readonly perCpuSec: number
}

async function measure(server: Child, port: number, path: string, durationMs = ROUND_MS): Promise<Rates> {
  const before = await server.cpuSec()
  const { requests, requestsPerSec } = await load({ port, path, connections: CONNECTIONS, durationMs, neverWaits: true })
  return { perSec: requestsPerSec, perCpuSec: requests / (await server.cpuSec() - before) }
}

async function capture(port: number, path: string): Promise<CapturedResponse> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}`)
  const headers = [...response.headers].filter(([name]) => !WRITTEN_BY_NODE.includes(name)).flat()
  return { path, headers, body: await response.text() }
}
