// Reads the margin mode of positions from their ledger entries, as far as they still exist.

import { numberedKey, readMarginMode } from '../chain/market-entries.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { ENTRY_KEYS_MAX } from '../chain/rpc.ts'
import type { EventContracts } from '../projections/epochs.ts'
import type { MarginModeObservation, UnobservedPosition } from '../projections/margin-modes.ts'
import { listUnobservedPositions, recordMarginModes } from '../projections/margin-modes.ts'
import type { EntrySubject } from './entry-observer.ts'

export const MARGIN_MODES: EntrySubject<UnobservedPosition, MarginModeObservation> = {
  name: 'margin modes',
  idOf: ({ positionId }) => positionId,
  batch: ENTRY_KEYS_MAX,
  listUnknown: (db, { deployment }, options) => listUnobservedPositions(db, deployment, options),
  observe: observeModes,
  record: (tx, { deployment }, seen, nowMs) => recordMarginModes(tx, deployment, seen, nowMs),
}

/** What the ledger tells about positions of unknown mode. One that a cross liquidation ended on suspicion and that is gone was cross. */
async function observeModes(
  rpc: Rpc,
  { market }: EventContracts,
  positions: readonly UnobservedPosition[],
  indexedLedger: number,
  options: CallOptions,
): Promise<readonly MarginModeObservation[] | undefined> {
  const keys = new Map(positions.map((position) => [numberedKey(market, 'Position', position.positionId), position]))
  const answer = await rpc.getLedgerEntries([...keys.keys()], options)
  if (answer.latestLedger < indexedLedger) return undefined
  const observations: MarginModeObservation[] = []
  const gone = new Set(positions)
  for (const entry of answer.entries) {
    const position = keys.get(entry.keyXdr)
    if (position === undefined) continue
    gone.delete(position)
    const stored = readMarginMode(entry.dataXdr)
    if (stored?.positionId === position.positionId) {
      observations.push({ positionId: position.positionId, mode: stored.marginMode, ledger: answer.latestLedger })
    }
  }
  for (const position of gone) {
    if (!position.open) observations.push({ positionId: position.positionId, mode: 'cross', ledger: answer.latestLedger })
  }
  return observations
}
