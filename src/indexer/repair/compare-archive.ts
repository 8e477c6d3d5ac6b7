// Compares a page of the network's events with the archive.

import { isDeepStrictEqual } from 'node:util'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { ComparedRow, Repair, RepairedEvent } from '../../projections/repair/repairs.ts'
import { decodeEvent } from '../pages/decode.ts'
import type { ArchivedContractKey } from '../../exchange/contracts/contracts.ts'
import { publicEventId } from '../identity/epochs.ts'
import { eventScope } from '../pages/event-scope.ts'
import type { EventScope } from '../pages/event-scope.ts'
import type { Interfaces } from '../pages/interfaces.ts'
import { ledgerOf } from '../../projections/log/toid.ts'

/** The epochs of one chain, and the position up to which the current one is indexed. */
export interface ComparedChain {
  readonly chain: number
  readonly epochs: readonly Epoch[]
  readonly currentEpoch: number
  readonly cursor: string | null
  readonly interfaces: Interfaces
}

export interface PageComparison {
  readonly repairs: readonly Repair[]
  /** Events of the network that belong in the archive. */
  readonly expected: number
}

/** Compares the network's events with the archived rows of the same range and chain. */
export function compareArchive(chain: ComparedChain, events: readonly ChainEvent[], archived: readonly ComparedRow[]): PageComparison {
  const repairs: Repair[] = []
  const rowsOf = Map.groupBy(archived, ({ chainId }) => chainId)
  const expectedIds = new Set<string>()
  const scopes = chain.epochs.map((epoch) => ({ epoch, scope: eventScope(epoch) }))
  for (const event of events) {
    const found = findEpoch(chain, scopes, event)
    if (found === undefined) continue
    expectedIds.add(event.id)
    const rows = (rowsOf.get(event.id) ?? []).toSorted((a, b) => a.seq - b.seq)
    repairs.push(...repairsOf(chain, { ...found, event, rows }))
  }
  repairs.push(...archived.filter((row) => !expectedIds.has(row.chainId)).map(removal))
  return { repairs, expected: expectedIds.size }
}

/** The repairs that make the rows of one event a single row that equals it. The row that does so already is retained, or else the first. */
function repairsOf(
  chain: ComparedChain,
  { epoch, contract, event, rows }: {
    readonly epoch: Epoch
    readonly contract: ArchivedContractKey
    readonly event: ChainEvent
    readonly rows: readonly ComparedRow[]
  },
): readonly Repair[] {
  const retained = rows.find((row) => isSame(row, event)) ?? rows[0]
  if (retained === undefined) {
    return [{ action: 'add', epoch: epoch.number, chainId: event.id, seq: null, event: toRepairedEvent(chain, epoch, contract, event) }]
  }
  const removals = rows.filter((row) => row !== retained).map(removal)
  if (isSame(retained, event)) return removals
  const retainedEpoch = chain.epochs.find(({ number }) => number === retained.epoch) ?? epoch
  const repaired = toRepairedEvent(chain, retainedEpoch, contract, event)
  return [{ action: 'replace', epoch: retained.epoch, chainId: event.id, seq: retained.seq, event: repaired }, ...removals]
}

function removal({ epoch, chainId, seq }: ComparedRow): Repair {
  return { action: 'remove', epoch, chainId, seq, event: null }
}

/** The differences that both comparisons found. */
export function confirmedRepairs(repairs: readonly Repair[], again: readonly Repair[]): readonly Repair[] {
  const keyOf = ({ action, chainId, seq }: Repair): string => `${action} ${chainId} ${seq}`
  const found = new Map(again.map((repair) => [keyOf(repair), repair]))
  return repairs.filter((repair) => isDeepStrictEqual(found.get(keyOf(repair)), repair))
}

/** The epoch that archives an event, and its contract there: the first of the chain that has it and reached it; undefined when none does. */
function findEpoch(
  { currentEpoch, cursor }: ComparedChain, scopes: readonly { readonly epoch: Epoch; readonly scope: EventScope }[], event: ChainEvent,
): { readonly epoch: Epoch; readonly contract: ArchivedContractKey } | undefined {
  for (const { epoch, scope } of scopes) {
    const until = epoch.number === currentEpoch ? cursor : epoch.finalCursor
    const contract = until !== null && event.id <= until ? scope.contractOf(event) : undefined
    if (contract !== undefined) return ledgerOf(event.id) >= epoch.startLedger ? { epoch, contract } : undefined
  }
  return undefined
}

function isSame(row: ComparedRow, event: ChainEvent): boolean {
  return row.contractId === event.contractId && row.ledger === event.ledger && row.closeSec === event.closeSec && row.txHash === event.txHash &&
    row.valueXdr === event.valueXdr && row.topicsXdr === event.topicsXdr.join(' ')
}

function toRepairedEvent({ interfaces }: ComparedChain, epoch: Epoch, contract: ArchivedContractKey, event: ChainEvent): RepairedEvent {
  const { id, contractId, ledger, closeSec, txHash, topicsXdr, valueXdr } = event
  return {
    ...decodeEvent(contract, topicsXdr, valueXdr, interfaces.at(contractId, id)), eventId: publicEventId(epoch, id), contractId, contract, ledger,
    ledgerCloseTs: closeSec, txHash, topicsXdr, valueXdr,
  }
}
