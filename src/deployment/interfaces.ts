// Keeps the interfaces of the current deployment up to date. The indexer alone notices code; every process reads what it has stored, so all of them agree
// (docs/decisions/interfaces-from-the-chain.md).

import type { Clock } from '../base/clock.ts'
import { waitAtMost } from '../base/deadline.ts'
import type { Log } from '../base/log.ts'
import { composeInterfaces } from '../exchange/contracts/contract-interface.ts'
import type { ContractInterfaces, RunningCode } from '../exchange/contracts/contract-interface.ts'
import type { ContractSpec } from '../exchange/contracts/contract-spec.ts'
import { CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import { withInterfaces } from '../exchange/deployment.ts'
import type { ReplaceableDeployment } from '../exchange/deployment.ts'
import { CONTRACTS_CHANNEL, readContractCode } from '../projections/state/contract-versions.ts'
import { listRunningVersions } from '../projections/state/running-code.ts'
import type { Queryable, Store } from '../store/store.ts'

/** Notifications can be lost. */
export const REFRESH_MS = 10_000

export interface InterfaceFollower {
  /** Reads the interfaces once. Rejects when the database cannot be read. */
  refresh(): Promise<void>
  /** Follows until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export function createInterfaceFollower({ store, deployment, clock, log }: {
  readonly store: Pick<Store, 'read' | 'listen'>
  readonly deployment: ReplaceableDeployment
  readonly clock: Clock
  readonly log: Log
}): InterfaceFollower {
  // By hash; only the code of the current deployment.
  let known: ReadonlyMap<string, StoredCode> = new Map()

  async function refresh(): Promise<void> {
    const read = deployment.current
    const versions = await listRunningVersions(store.read, Object.values(read.contracts))
    const wanted = versions.filter(({ isRead }) => isRead).flatMap(({ wasmHash }) => wasmHash ?? [])
    known = await readMissing(store.read, known, wanted)
    const codeAt = new Map(versions.map(({ address, wasmHash, problem, sinceLedger }): [string, RunningCode] => {
      const stored = wasmHash === null ? { spec: null, problem } : known.get(wasmHash) ?? NOT_READ
      return [address, { wasmHash, sinceLedger, ...stored }]
    }))
    // Another manifest may have replaced the deployment while the database was read.
    if (deployment.current !== read) return await refresh()
    const interfaces = composeInterfaces(read.contracts, codeAt, read.generation)
    if (describe(interfaces) === describe(read.interfaces)) return
    report(log, read.interfaces, interfaces)
    deployment.replace(withInterfaces(read, interfaces))
  }

  return {
    refresh,
    async run(signal) {
      let changed = Promise.withResolvers<void>()
      const notify = (): void => changed.resolve()
      const stop = await store.listen(CONTRACTS_CHANNEL, notify, { onConnected: notify }).catch(() => undefined)
      const unsubscribe = deployment.subscribe(notify)
      while (!signal.aborted) {
        changed = Promise.withResolvers<void>()
        try {
          await refresh()
        } catch (error) {
          log.warn({ err: error }, 'the interfaces of the contracts could not be read')
        }
        await waitAtMost(clock, REFRESH_MS, changed.promise, signal)
      }
      unsubscribe()
      await stop?.()
    },
  }
}

interface StoredCode {
  readonly spec: ContractSpec | null
  readonly problem: string | null
}

const NOT_READ: StoredCode = { spec: null, problem: null }

/** Code never changes under its hash, so each is read once. An interface can still follow a problem. */
async function readMissing(db: Queryable, known: ReadonlyMap<string, StoredCode>, wanted: readonly string[]): Promise<ReadonlyMap<string, StoredCode>> {
  const missing = wanted.filter((hash) => (known.get(hash)?.spec ?? null) === null)
  const read = missing.length === 0 ? new Map() : await readContractCode(db, missing)
  const next = new Map<string, StoredCode>()
  for (const hash of wanted) {
    const stored = read.get(hash)
    // The indexer stored what parseContractSpec returned.
    if (stored !== undefined) next.set(hash, { spec: stored.spec as ContractSpec | null, problem: stored.problem })
    else next.set(hash, known.get(hash) ?? NOT_READ)
  }
  return next
}

/** Everything but the interfaces' text, which the hash determines. */
function describe(interfaces: ContractInterfaces): string {
  return JSON.stringify(CONTRACT_KEYS.map((key) => {
    const known = interfaces[key]
    return known === null ? null : [known.wasmHash, known.sinceLedger, known.generation, known.spec !== null, known.notUnderstood]
  }))
}

function report(log: Log, before: ContractInterfaces, after: ContractInterfaces): void {
  for (const key of CONTRACT_KEYS) {
    const now = after[key]
    if (now === null || before[key]?.wasmHash === now.wasmHash && before[key].spec === now.spec) continue
    const { wasmHash, generation, sinceLedger, notUnderstood } = now
    const fields = { contract: key, wasmHash, generation, sinceLedger }
    if (notUnderstood.length === 0) log.info(fields, 'the contract runs code that the gateway understands')
    else log.warn({ ...fields, notUnderstood }, 'the contract runs code that the gateway does not fully understand')
  }
}
