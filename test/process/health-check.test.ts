// The containers' health check, run as a container engine runs it: a program whose exit code says whether the process with the same environment responds.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { serveHttp } from '../support/http-server.ts'
import { startMain } from '../support/main-process.ts'
import { COMPILE_CACHE, startProgram } from '../support/program.ts'

interface Checked {
  readonly code: number | string | null
  readonly errors: string
}

async function check(environment: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Checked> {
  await using program = startProgram([process.execPath, 'healthy.ts', ...words], { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment })
  const code = await program.exited
  return { code, errors: program.errors() }
}

/** An indexer in a process of its own. */
const INDEXER = { ROLE: 'indexer', DATABASE_URL: 'postgres://db.invalid/gateway', RPC_URL: 'http://rpc.invalid/' } as const

const HEALTHY: Checked = { code: 0, errors: '' }

test('finds the gateway, its metrics and the local network healthy while they run, and not afterwards', async () => {
  await using main = startMain({ METRICS_PORT: '0' })
  const metricsUrl = /http:\S+/.exec(await main.waitForLine(/^Metrics: /))?.[0] ?? ''
  const [PORT, LOCAL_RPC_PORT, METRICS_PORT] = [await main.url(), await main.rpcUrl(), metricsUrl].map((url) => new URL(url).port)
  const checks = (): Promise<readonly Checked[]> => Promise.all([
    check({ PORT: String(PORT) }),
    check({ ...INDEXER, METRICS_PORT: String(METRICS_PORT), PORT: '1' }),
    check({ LOCAL_RPC_PORT: String(LOCAL_RPC_PORT), PORT: '1' }, 'localnet'),
  ])
  assert.deepEqual(await checks(), [HEALTHY, HEALTHY, HEALTHY])
  await main.stop('SIGTERM')
  for (const { code, errors } of await checks()) {
    assert.equal(code, 1)
    assert.match(errors, /^The health check failed: .*ECONNREFUSED/)
  }
})

test('finds a process unhealthy that fails or does not respond within two seconds', async () => {
  await using server = await serveHttp((request, response) => {
    if (request.url === '/livez') response.writeHead(503).end()
  })
  const port = String(server.port)
  const failed = await check({ PORT: port, HOST: '127.0.0.1' })
  assert.deepEqual(failed, { code: 1, errors: `The health check failed: http://127.0.0.1:${port}/livez returned status 503\n` })
  const silent = await check({ ...INDEXER, METRICS_PORT: port, METRICS_HOST: '127.0.0.1' })
  assert.deepEqual(silent, { code: 1, errors: 'The health check failed: no response within 2000 ms\n' })
})
