// The records that the indexer appends to the log of pages, each in the transaction of what it says.

import type { Epoch } from '../../projections/state/epochs.ts'
import type { ReadAnchor } from '../../projections/state/anchors.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { endOfLedger, isEndOfLedger, ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'
import { readLedgerHash } from '../../projections/proofs/log-corrections.ts'
import type { NewRecord } from '../../projections/proofs/page-log.ts'
import { ZERO_HASH } from '../../base/proofs/record.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import type { Queryable } from '../../store/store.ts'

/** An epoch of the log, with the hash of its filter. */
export interface LoggedEpoch {
  readonly epoch: Pick<Epoch, 'number' | 'epoch'>
  readonly filter: Hash
}

/** The record of a page's events. */
export interface PageEvents {
  readonly events: number
  readonly root: Hash
}

const NO_EVENTS: PageEvents = { events: 0, root: ZERO_HASH }

/** The record of the page between two cursors. */
export function pageRecord(
  { epoch, filter }: LoggedEpoch, { from, untilId }: { readonly from: Pick<IndexCursor, 'cursor' | 'startLedger'>; readonly untilId: string },
  { events, root }: PageEvents, toLedgerHash: Hash,
): NewRecord {
  const endsInside = !isEndOfLedger(untilId)
  const beginsInside = from.cursor !== null && !isEndOfLedger(from.cursor)
  return {
    ...recordOf({ epoch, filter }, 'page', firstLedgerAfter(from), ledgerOf(untilId)), endsInside, toLedgerHash, events, eventsRoot: root,
    afterId: beginsInside ? from.cursor : null, untilId: endsInside ? untilId : null,
  }
}

/** The record of an epoch that begins, or continues, at a ledger. */
export function epochRecord(epoch: LoggedEpoch, fromLedger: number): NewRecord {
  return recordOf(epoch, 'epoch', fromLedger, fromLedger - 1)
}

/** The record of ledgers that no node has any more. */
export function gapRecord(epoch: LoggedEpoch, fromLedger: number, toLedger: number): NewRecord {
  return recordOf(epoch, 'gap', fromLedger, toLedger)
}

function recordOf({ epoch, filter }: LoggedEpoch, kind: NewRecord['kind'], fromLedger: number, toLedger: number): NewRecord {
  return {
    kind, epochNumber: epoch.number, epoch: epoch.epoch, fromLedger, toLedger, endsInside: false, toLedgerHash: ZERO_HASH, events: NO_EVENTS.events,
    eventsRoot: NO_EVENTS.root, filterHash: filter, replaces: 0,
  }
}

/** The ledger at which the page after a cursor begins. */
export function firstLedgerAfter({ cursor, startLedger }: Pick<IndexCursor, 'cursor' | 'startLedger'>): number {
  return cursor === null ? startLedger : ledgerAfter(cursor)
}

/** The verified hash of a page's last ledger: of one that was just read, or of a known one. */
export async function hashOfLastLedger(db: Queryable, epoch: Epoch, anchors: readonly ReadAnchor[], untilId: string): Promise<Hash> {
  const ledger = ledgerOf(untilId)
  const read = anchors.findLast((anchor) => anchor.ledger === ledger)
  return read === undefined ? await readLedgerHash(db, epoch.number, ledger) : Buffer.from(read.hash, 'hex')
}

/** The cursor that ends before a ledger. */
export function cursorBefore(ledger: number): string {
  return endOfLedger(ledger - 1)
}
