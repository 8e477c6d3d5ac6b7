// Which generation of the market's code was in force at a ledger.

import type { Deployment } from '../../exchange/deployment.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import { isAtLeast, toGeneration } from '../../exchange/contracts/generations.ts'
import { listContractVersions, versionAt } from '../../projections/state/contract-versions.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { Queryable } from '../../store/store.ts'
import { endOfLedger } from '../../projections/log/toid.ts'

/** By the versions that the index knows; null while the market's code is unknown. */
export async function marketGenerationAt(db: Queryable, { chain, contracts }: Epoch, ledger: number): Promise<Generation | null> {
  const versions = await listContractVersions(db, chain)
  const version = versionAt(versions.filter(({ address }) => address === contracts.market), endOfLedger(ledger))
  return toGeneration(version?.generation ?? null)
}

/**
 * True when the market's lists of ids are up to date. While its code is unknown, the declared generation decides; a market that counts what is open has no
 * lists either, although an old one may linger.
 */
export function hasIdLists(known: Generation | null, { generation }: Pick<Deployment, 'generation'>, countsOpen: boolean): boolean {
  if (known !== null) return !isAtLeast(known, '2.3')
  return !isAtLeast(generation, '2.3') && !countsOpen
}
