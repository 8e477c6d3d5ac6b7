// Which events of a page an epoch archives: all events of its contracts, and the transfers of its token from and to them.

import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { EventsRequest } from '../../chain/rpc/rpc.ts'
import type { TokenTransfers } from '../../chain/codec/token-transfers.ts'
import { isTransferOf, PATTERNS_PER_FILTER } from '../../chain/codec/token-transfers.ts'
import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import { EVENT_CONTRACT_KEYS, TRANSFER_PARTY_KEYS } from '../../exchange/contracts/contracts.ts'
import type { Epoch, EpochContracts } from '../../projections/state/epochs.ts'
import { contractNames } from '../identity/epochs.ts'

export interface EventScope {
  /** The contract of an event; undefined for one that does not belong in the archive. */
  contractOf(event: ChainEvent): ArchivedContractKey | undefined
}

export function eventScope(epoch: Epoch): EventScope {
  const names = contractNames(epoch)
  const movesToken = isTransferOf(transfersOf(epoch.contracts))
  return {
    contractOf(event) {
      const contract = event.isSystem === true ? undefined : names.get(event.contractId)
      return contract !== 'usdcToken' || movesToken(event) ? contract : undefined
    },
  }
}

/** True for an event that an earlier epoch of the chain archived: an epoch that begins because an address changed reads the chain from its start. */
export function archivedBefore(epochs: readonly Epoch[], current: Epoch): (event: ChainEvent) => boolean {
  const earlier = epochs.flatMap((epoch) => {
    const { finalCursor } = epoch
    const isEarlier = epoch.number !== current.number && epoch.chain === current.chain
    return isEarlier && finalCursor !== null ? [{ finalCursor, scope: eventScope(epoch) }] : []
  })
  return (event) => earlier.some(({ finalCursor, scope }) => event.id <= finalCursor && scope.contractOf(event) !== undefined)
}

/** The contracts and transfers to request for these epochs. */
export function requestFor(epochs: readonly Epoch[]): Required<Pick<EventsRequest, 'contractIds' | 'transfers'>> {
  const contractIds = new Set(epochs.flatMap(({ contracts }) => EVENT_CONTRACT_KEYS.map((key) => contracts[key])))
  const partiesOf = new Map<string, Set<string>>()
  for (const { token, parties } of epochs.map(({ contracts }) => transfersOf(contracts))) {
    partiesOf.set(token, new Set([...partiesOf.get(token) ?? [], ...parties]))
  }
  const transfers = [...partiesOf].map(([token, parties]): TokenTransfers => {
    return { token, parties: parties.size > PATTERNS_PER_FILTER ? 'any' : [...parties] }
  })
  return { contractIds: [...contractIds], transfers }
}

function transfersOf(contracts: EpochContracts): { readonly token: string; readonly parties: readonly string[] } {
  return { token: contracts.usdcToken, parties: TRANSFER_PARTY_KEYS.map((key) => contracts[key]) }
}
