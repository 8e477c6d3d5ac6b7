// The interface of a contract at each position of its history. Indexing, rebuilds, verifications and filled gaps all decode with it, so they agree.

import { GENERATIONS } from '../exchange/generations.ts'
import type { Generation } from '../exchange/generations.ts'
import { listContractVersions, versionAt } from '../projections/contract-versions.ts'
import type { Queryable } from '../store/store.ts'
import type { EventInterface } from './decode.ts'
import { UNKNOWN_INTERFACE } from './decode.ts'

/** The interfaces of the contracts of one chain. */
export interface Interfaces {
  /** The interface in force at an event, by its id on the chain. */
  at(address: string, eventId: string): EventInterface
}

export async function readInterfaces(db: Queryable, chain: number): Promise<Interfaces> {
  const versionsOf = Map.groupBy(await listContractVersions(db, chain), ({ address }) => address)
  return {
    at(address, eventId) {
      const version = versionAt(versionsOf.get(address) ?? [], eventId)
      return version === undefined ? UNKNOWN_INTERFACE : { generation: toGeneration(version.generation) }
    },
  }
}

/** The interfaces of several chains, by chain. */
export async function readInterfacesOfChains(db: Queryable, chains: readonly number[]): Promise<ReadonlyMap<number, Interfaces>> {
  const interfaces = new Map<number, Interfaces>()
  for (const chain of new Set(chains)) interfaces.set(chain, await readInterfaces(db, chain))
  return interfaces
}

/** Null for a name that this version does not know. */
function toGeneration(name: string | null): Generation | null {
  return GENERATIONS.find((generation) => generation === name) ?? null
}

const CHAIN_ID_LENGTH = 30

/** The id of an archived event on its chain; epochs after the first append their name. */
export function chainEventId(eventId: string): string {
  return eventId.slice(0, CHAIN_ID_LENGTH)
}
