// Indexes the deployments that are configured beside the served one, each in its own index.

import { once } from 'node:events'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createOutageLog } from '../base/outage-log.ts'
import { createCurrentDeployment, createDeployment } from '../exchange/deployment.ts'
import type { ContractSources, CurrentDeployment, Deployment, IndexedDeployment, ReplaceableDeployment } from '../exchange/deployment.ts'
import { CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import { prepareSideIndex, sideSchema } from '../projections/state/side-index.ts'
import { scopedStore } from '../store/scoped-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import type { Indexer } from './indexer.ts'
import type { IndexerOptions } from './options.ts'

/** Delay after an index could not be created. */
const RETRY_MS = 5_000

export interface SideIndexersOptions {
  readonly store: Store
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  createIndexer(options: Pick<IndexerOptions, 'store' | 'deployment' | 'log' | 'hasSubmissions'>): Indexer
}

interface RunningIndexer {
  readonly deployment: ReplaceableDeployment
  readonly stop: AbortController
  readonly done: Promise<void>
}

/** Runs until the signal aborts, and follows changes of the configured deployments. Never rejects. */
export async function runSideIndexers(options: SideIndexersOptions, signal: AbortSignal): Promise<void> {
  const { deployment } = options
  const running = new Map<string, RunningIndexer>()
  const ended: Promise<void>[] = []

  function follow(served: Deployment): void {
    const wanted = new Map(served.others.filter(({ name }) => name !== served.name).map((other) => [other.name, toDeployment(other, served)]))
    for (const [name, { stop, done }] of running) {
      if (wanted.has(name)) continue
      stop.abort()
      running.delete(name)
      ended.push(done)
    }
    for (const [name, next] of wanted) {
      const known = running.get(name)
      if (known === undefined) running.set(name, start(options, next, signal))
      else known.deployment.replace(next)
    }
  }

  follow(deployment.current)
  const unsubscribe = deployment.subscribe(follow)
  if (!signal.aborted) await once(signal, 'abort')
  unsubscribe()
  for (const { stop } of running.values()) stop.abort()
  await Promise.all([...ended, ...[...running.values()].map(({ done }) => done)])
}

function start(options: SideIndexersOptions, initial: Deployment, signal: AbortSignal): RunningIndexer {
  const stop = new AbortController()
  const deployment = createCurrentDeployment(initial)
  return { deployment, stop, done: run(options, deployment, AbortSignal.any([signal, stop.signal])) }
}

async function run({ store, clock, log, createIndexer }: SideIndexersOptions, deployment: CurrentDeployment, signal: AbortSignal): Promise<void> {
  const { name } = deployment.current
  const failures = createOutageLog({
    clock, log: namedLog(log, name), level: 'error',
    message: 'the index of a deployment could not be created; retrying', endMessage: 'the index of a deployment exists',
  })
  while (!signal.aborted) {
    try {
      await prepareSideIndex(store.write, name, deployment.current.contracts.market)
      failures.succeeded()
      break
    } catch (error) {
      failures.failed((error as Error).name, () => (error instanceof StoreUnavailable ? { problem: error.problem, reason: error.message } : { err: error }))
      await clock.sleep(RETRY_MS, signal)
    }
  }
  if (signal.aborted) return
  await using indexer = createIndexer({ store: scopedStore(store, sideSchema(name)), deployment, log: namedLog(log, name), hasSubmissions: false })
  await indexer.run(signal)
}

function toDeployment({ name, since, generation, contracts }: IndexedDeployment, served: Deployment): Deployment {
  const sources = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, { address: contracts[key], source: 'manifest' }])) as ContractSources
  return createDeployment({ ...served, name, since, generation, contracts: sources, assets: served.assets.all, others: [] })
}

function namedLog(log: Log, deployment: string): Log {
  return {
    debug: (fields, message) => log.debug({ ...fields, deployment }, message),
    info: (fields, message) => log.info({ ...fields, deployment }, message),
    warn: (fields, message) => log.warn({ ...fields, deployment }, message),
    error: (fields, message) => log.error({ ...fields, deployment }, message),
  }
}
