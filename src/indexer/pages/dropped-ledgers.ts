// What to do when the node rejects the cursor as out of range: it lags, it serves another chain, or it has dropped ledgers before they were read.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import { RPC_CODES, RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { renameCurrentEpoch } from '../../projections/repair/correction-log.ts'
import { insertGap } from '../../projections/repair/gaps.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { lastReservedSeq, updateIndexCursor } from '../../projections/state/index-state.ts'
import { appendRecords, readPageLogHead } from '../../projections/proofs/page-log.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Writer } from '../../store/store.ts'
import { filterHashOf } from '../identity/event-filter.ts'
import { gapRecord } from './log-records.ts'
import { isStepResult } from '../identity/chain-guard.ts'
import type { ChainGuard } from '../identity/chain-guard.ts'
import { createConfirmation } from '../identity/confirmation.ts'
import type { ChainTrust } from '../identity/confirmation.ts'
import { randomEpochName } from '../identity/epochs.ts'
import { afterLedger, BadPage } from './events-page.ts'
import type { PageIndexer } from './page-indexer.ts'
import type { StepResult } from './step-result.ts'
import { ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'

/** Failed attempts, one per poll, to read dropped ledgers from the archive node before they become a gap. A gap can still be filled later. */
const ARCHIVE_ATTEMPTS = 5

export interface DroppedLedgers {
  /** Handles the node's rejection of the cursor. Throws RpcFailure, BadPage or IndexConflict. */
  recover(db: Writer, cursor: IndexCursor, rejection: RpcFailure, call: CallOptions): Promise<StepResult>
}

export interface DroppedLedgersOptions {
  /** Nodes with a longer history; null: none. */
  readonly archive: Rpc | null
  readonly deployment: CurrentDeployment
  readonly guard: ChainGuard
  readonly pages: PageIndexer
  readonly trust: ChainTrust
  readonly clock: Clock
  readonly random: Random
}

export function createDroppedLedgers({ archive, deployment, guard, pages, trust, clock, random }: DroppedLedgersOptions): DroppedLedgers {
  const loss = createConfirmation(clock, trust.confirmMs, trust.confirmMs === 0 ? 1 : undefined)
  let archiveFailures = 0

  /** Indexes the next page from an archive node, so that nothing is lost; undefined when the ledgers must be given up. */
  async function indexFromArchive(db: Writer, cursor: IndexCursor, call: CallOptions): Promise<StepResult | undefined> {
    if (archive === null) return undefined
    try {
      const network = await archive.getNetwork(call)
      if (network.passphrase !== deployment.current.passphrase) return undefined
      const result = await pages.index(db, cursor, call, { from: afterLedger(cursor), node: archive })
      archiveFailures = 0
      return result
    } catch (error) {
      if (!(error instanceof RpcFailure) && !(error instanceof BadPage)) throw error
      const isMissing = error instanceof RpcFailure && error.code === RPC_CODES.invalidRequest
      if (!isMissing && ++archiveFailures < ARCHIVE_ATTEMPTS) return { kind: 'unreachable', error }
      archiveFailures = 0
      return undefined
    }
  }

  /** Records a gap and continues after it. The epoch is renamed, with a correction that says so: stream clients learn that frames are missing. */
  async function skipGap(db: Writer, cursor: IndexCursor, fromLedger: number, toLedger: number): Promise<StepResult> {
    const name = randomEpochName(random)
    const { epoch, lastLedgerCloseTs: afterTs, cursor: fillCursor } = cursor
    await db.transaction(async (tx) => {
      await updateIndexCursor(tx, cursor, { ...cursor, cursor: null, startLedger: toLedger + 1, oldestLedger: toLedger + 1 }, clock.nowMs())
      await insertGap(tx, { epoch, fromLedger, toLedger, afterTs, fillCursor, afterSeq: lastReservedSeq(cursor) }, clock.nowMs())
      await renameCurrentEpoch(tx, { name, fromSeq: null, nowMs: clock.nowMs() })
      const current = defined((await listEpochs(tx)).find(({ number }) => number === epoch), 'the current epoch')
      const logged = { epoch: current, filter: filterHashOf(current, deployment.current.contracts) }
      await appendRecords(tx, defined(await readPageLogHead(tx), 'the log of pages'), [gapRecord(logged, fromLedger, toLedger)])
    })
    return { kind: 'gap', fromLedger, toLedger }
  }

  return {
    async recover(db, cursor, rejection, call) {
      const range = await guard.checkChain(db, cursor, rejection.endpoint === undefined ? call : { ...call, endpoint: rejection.endpoint })
      if (isStepResult(range)) return range
      const cursorLedger = cursor.cursor === null ? cursor.startLedger : ledgerOf(cursor.cursor)
      if (cursorLedger > range.latestLedger) {
        // A reset chain that is still too short looks like a lagging node. Verify again once it has grown.
        guard.invalidate()
        return { kind: 'waiting', reason: 'node-lagging' }
      }
      if (cursorLedger >= range.oldestLedger) {
        loss.reset()
        return { kind: 'unreachable', error: rejection }
      }
      const fromLedger = cursor.cursor === null ? cursorLedger : ledgerAfter(cursor.cursor)
      const toLedger = range.oldestLedger - 1
      // The node dropped the cursor's ledger, but that one was read completely and the next one is available: nothing is lost.
      if (fromLedger > toLedger) return await pages.index(db, cursor, call, { from: { cursor: null, startLedger: fromLedger } })
      const archived = await indexFromArchive(db, cursor, call)
      if (archived !== undefined) return archived
      // A gap is lasting, and a node may claim to have dropped ledgers only for a moment.
      if (!loss.confirm()) return { kind: 'unreachable', error: rejection }
      loss.reset()
      return await skipGap(db, cursor, fromLedger, toLedger)
    },
  }
}
