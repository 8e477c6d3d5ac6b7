// The interface of a contract at each position of its history. Indexing, rebuilds, verifications and filled gaps all decode with it, so they agree.

import type { EventSpec } from '../../exchange/contracts/contract-spec.ts'
import { toGeneration } from '../../exchange/contracts/generations.ts'
import type { ContractVersion } from '../../projections/state/contract-versions.ts'
import { listContractVersions, listDeclaredEvents, versionAt } from '../../projections/state/contract-versions.ts'
import type { Queryable } from '../../store/store.ts'
import type { EventInterface } from './decode.ts'
import { NO_EVENTS, UNKNOWN_INTERFACE } from './decode.ts'

/** The interfaces of the contracts of one chain. */
export interface Interfaces {
  /** The interface in force at an event, by its id on the chain. */
  at(address: string, eventId: string): EventInterface
}

/** Interfaces by versions in the order of the chain, and the events that their code declares. */
export function interfacesOf(versions: readonly ContractVersion[], declaredEvents: ReadonlyMap<string, EventSpec>): Interfaces {
  const versionsOf = Map.groupBy(versions, ({ address }) => address)
  return {
    at(address, eventId) {
      const version = versionAt(versionsOf.get(address) ?? [], eventId)
      if (version === undefined) return UNKNOWN_INTERFACE
      const { events, structs } = (version.wasmHash === null ? undefined : declaredEvents.get(version.wasmHash)) ?? NO_EVENTS
      return { generation: toGeneration(version.generation), events, structs }
    },
  }
}

export async function readInterfaces(db: Queryable, chain: number): Promise<Interfaces> {
  const { versions, declaredEvents } = await readStoredInterfaces(db, chain)
  return interfacesOf(versions, declaredEvents)
}

/** Stored data about the code of a chain's contracts. */
export interface StoredInterfaces {
  /** In the order of the chain. */
  readonly versions: readonly ContractVersion[]
  /** The events that code declares, by its hash. Code without such events is missing. */
  readonly declaredEvents: ReadonlyMap<string, EventSpec>
}

export async function readStoredInterfaces(db: Queryable, chain: number): Promise<StoredInterfaces> {
  const [versions, declared] = await Promise.all([listContractVersions(db, chain), listDeclaredEvents(db, chain)])
  return { versions, declaredEvents: new Map(declared.map(({ wasmHash, ...spec }) => [wasmHash, spec as EventSpec])) }
}

/** The interfaces of several chains, by chain. */
export async function readInterfacesOfChains(db: Queryable, chains: readonly number[]): Promise<ReadonlyMap<number, Interfaces>> {
  const interfaces = new Map<number, Interfaces>()
  for (const chain of new Set(chains)) interfaces.set(chain, await readInterfaces(db, chain))
  return interfaces
}
