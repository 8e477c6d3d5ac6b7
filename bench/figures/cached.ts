// Requests per second of the cached endpoints, with request id, caller and limiter in place, against a bare node:http server that writes the same bytes.
// Told twice: as the load sees it, and per second of the server's own processor time, which neither a slow load nor a busy machine can flatter.

import type { CapturedResponse } from '../children/bare-server.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { load } from '../support/load.ts'
import type { DatabaseLocation } from '../support/databases.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const PATHS = ['/v1/markets', '/v1/oracle/prices']
const ROUNDS = 30
/** Short, so that what else the machine does meets both of a round. */
const ROUND_MS = 250
/** Before the first round: what is measured is a server that has run for a while, compiled as far as the engine goes. */
const WARM_UP_MS = 3_000
const CONNECTIONS = 32
const AIM = { atLeast: 0.7 }

/** What node:http writes by itself; given twice it would stand in the answer twice. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive']

export async function measureCached(progress: (text: string) => void, quick: boolean): Promise<readonly Figure[]> {
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
      onRound: (done) => progress(`${path}: round ${done} of ${roundCount}`),
    })
    const told = (key: keyof Rates) => rounds.map(({ ours, peer }) => ({ ours: ours[key], peer: peer[key] }))
    figures.push({ name: `cached ${path}`, rounds: told('perSec'), unit: 'requests/s', target: AIM })
    figures.push({ name: `cached ${path}, by processor time`, rounds: told('perCpuSec'), unit: 'requests/cpu s', target: AIM })
  }
  return figures
}

interface Rates {
  readonly perSec: number
  readonly perCpuSec: number
}

async function measure(server: Child, port: number, path: string, durationMs = ROUND_MS): Promise<Rates> {
  const before = await server.cpuSec()
  const { requests, requestsPerSec } = await load({ port, path, connections: CONNECTIONS, durationMs })
  return { perSec: requestsPerSec, perCpuSec: requests / (await server.cpuSec() - before) }
}

async function capture(port: number, path: string): Promise<CapturedResponse> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  const headers = [...answer.headers].filter(([name]) => !WRITTEN_BY_NODE.includes(name)).flat()
  return { path, headers, body: await answer.text() }
}
