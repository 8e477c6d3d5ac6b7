// Reads margin modes from the ledger entries of positions that still exist.

import { numberedKey, readMarginMode } from '../../chain/views/market-entries.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { ENTRY_KEYS_MAX } from '../../chain/rpc/rpc.ts'
import type { EventContracts } from '../../projections/state/epochs.ts'
import type { MarginModeObservation, UnobservedPosition } from '../../projections/positions/margin-modes.ts'
import { listUnobservedPositions, recordMarginModes } from '../../projections/positions/margin-modes.ts'
import type { EntrySubject } from './entry-observer.ts'

export const MARGIN_MODES: EntrySubject<UnobservedPosition, MarginModeObservation> = {
  name: 'margin modes',
  idOf: ({ positionId }) => positionId,
  batch: ENTRY_KEYS_MAX,
  listUnknown: (db, { contractEpoch }, options) => listUnobservedPositions(db, contractEpoch, options),
  observe: observeModes,
  record: (tx, { contractEpoch }, observations, nowMs) => recordMarginModes(tx, contractEpoch, observations, nowMs),
}

/** The modes that the ledger shows. A position that a cross liquidation ended provisionally was cross if its entry no longer exists. */
async function observeModes(
  rpc: Rpc,
  { market }: EventContracts,
  positions: readonly UnobservedPosition[],
  indexedLedger: number,
  options: CallOptions,
): Promise<readonly MarginModeObservation[] | undefined> {
  const keys = new Map(positions.map((position) => [numberedKey(market, 'Position', position.positionId), position]))
  const response = await rpc.getLedgerEntries([...keys.keys()], options)
  if (response.latestLedger < indexedLedger) return undefined
  const observations: MarginModeObservation[] = []
  const withoutEntry = new Set(positions)
  for (const entry of response.entries) {
    const position = keys.get(entry.keyXdr)
    if (position === undefined) continue
    withoutEntry.delete(position)
    const stored = readMarginMode(entry.dataXdr)
    if (stored?.positionId === position.positionId) {
      observations.push({ positionId: position.positionId, mode: stored.marginMode, ledger: response.latestLedger })
    }
  }
  for (const position of withoutEntry) {
    if (!position.open) observations.push({ positionId: position.positionId, mode: 'cross', ledger: response.latestLedger })
  }
  return observations
}
