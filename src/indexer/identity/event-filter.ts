// The filter of an epoch's events, whose hash each record of the log has.

import type { ContractAddresses } from '../../exchange/contracts/contracts.ts'
import { filterHash } from '../../base/proofs/events.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import type { Epoch } from '../../projections/state/epochs.ts'

/** The hash of the filter by which an epoch's events are read. Of the other contracts only the current deployment is known. */
export function filterHashOf({ contracts, passphrase }: Pick<Epoch, 'contracts' | 'passphrase'>, others: Partial<ContractAddresses> = {}): Hash {
  return filterHash({ contracts: { ...others, ...contracts }, passphrase, token: contracts.usdcToken })
}
