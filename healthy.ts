// The containers' health check. Run with the environment of the process to check, it exits with 0 when that process responds: a standby indexer and a
// draining gateway are healthy. `healthy.ts localnet` checks the local network. It loads only the settings, because it runs every few seconds: the whole
// program would take two seconds of processor time.

import { createSystemClock } from './src/base/clock.ts'
import { InvalidSettings, loadSettings } from './src/config/config.ts'
import type { Config } from './src/config/config.ts'

const TIMEOUT_MS = 2_000

/** The URL that responds while the process runs, and the method that costs it least. */
function probe({ server, metrics, local, role }: Config, target: string | undefined): { readonly method: string; readonly url: string } {
  const at = (host: string, port: number): string => `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`
  if (target === 'localnet') return { method: 'OPTIONS', url: `${at(local.rpcHost, local.rpcPort)}/rpc` }
  if (role !== 'indexer') return { method: 'GET', url: `${at(server.host, server.port)}/livez` }
  if (metrics === null) throw new InvalidSettings(['ROLE=indexer requires METRICS_PORT for health checks'])
  return { method: 'GET', url: `${at(metrics.host, metrics.port)}/metrics` }
}

const timeout = new AbortController()
const timer = createSystemClock({ keepAlive: false }).setTimer(TIMEOUT_MS, () => timeout.abort(new Error(`no response within ${TIMEOUT_MS} ms`)))
try {
  // A manifest that was damaged since the start does not concern the process that runs.
  const { method, url } = probe(loadSettings(undefined, { readsManifests: false }).config, process.argv[2])
  const { ok, status } = await fetch(url, { method, signal: timeout.signal })
  if (!ok) throw new Error(`${url} returned status ${status}`)
} catch (error) {
  process.exitCode = 1
  const { message, cause } = error as Error
  process.stderr.write(`The health check failed: ${cause instanceof Error ? `${message}: ${cause.message}` : message}\n`)
} finally {
  timer.cancel()
}
