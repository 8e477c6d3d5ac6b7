// One step of the indexer: verify the chain, read one page, write it in one transaction.

import { defined } from '../../base/assert.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import { OUTAGES, RPC_CODES, RpcFailure } from '../../chain/rpc/failure.ts'
import type { UnknownForm } from '../../chain/codec/newer-than-known.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { IndexConflict, readIndexCursor } from '../../projections/state/index-state.ts'
import { recordNewerForms } from '../../projections/state/newer-forms.ts'
import type { Writer } from '../../store/store.ts'
import { beginPageLog } from './begin-log.ts'
import { createChainGuard } from '../identity/chain-guard.ts'
import { PUBLIC_NETWORK } from '../identity/confirmation.ts'
import { createDroppedLedgers } from './dropped-ledgers.ts'
import { BadPage } from './events-page.ts'
import type { IndexerOptions } from '../options.ts'
import { createPageIndexer } from './page-indexer.ts'
import type { StepResult } from './step-result.ts'

export interface Stepper {
  /** Runs one step on this connection. Rejects only when the database fails, or with the signal's reason. */
  step(db: Writer, signal?: AbortSignal): Promise<StepResult>
  /** Makes the next step verify network and chain again. */
  verifyAgain(): void
  /** True when the node serves the indexed chain now; false when it does not respond. */
  servesIndexedChain(db: Writer, signal: AbortSignal | undefined): Promise<boolean>
  /** Abandons requests that were begun for the next step. */
  close(): Promise<void>
}

export function createStepper(options: Omit<IndexerOptions, 'store' | 'pollIntervalMs'>): Stepper {
  const trust = options.trust ?? PUBLIC_NETWORK
  const guard = createChainGuard({ ...options, trust })
  const pages = createPageIndexer({ ...options, guard })
  const droppedLedgers = createDroppedLedgers({ ...options, archive: options.archive ?? null, guard, pages, trust })

  /** True when the log of pages covers what is indexed. */
  let hasLog = false

  async function indexNext(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult> {
    return (await guard.verify(db, cursor, call)) ?? (await pages.index(db, defined(cursor, 'the index cursor'), call))
  }

  async function recover(db: Writer, cursor: IndexCursor | null, failure: RpcFailure, call: CallOptions): Promise<StepResult> {
    // After an outage the endpoint may serve a new chain that has already grown past everything that would reveal it.
    if (OUTAGES.has(failure.kind)) guard.invalidate()
    if (failure.newer !== undefined) return await stopAt(db, cursor, failure.newer)
    pages.onFailure(failure)
    const isOutOfRange = failure.code === RPC_CODES.invalidRequest && failure.method === 'getEvents'
    return isOutOfRange && cursor !== null ? await droppedLedgers.recover(db, cursor, failure, call) : { kind: 'unreachable', error: failure }
  }

  /** Records what stopped the index, for the other instances and for the operator. */
  async function stopAt(db: Writer, cursor: IndexCursor | null, newer: UnknownForm): Promise<StepResult> {
    const epoch = cursor === null ? undefined : (await listEpochs(db)).find(({ number }) => number === cursor.epoch)
    if (cursor !== null && epoch !== undefined) {
      const ledger = cursor.lastLedger === null ? cursor.startLedger : cursor.lastLedger + 1
      const nowMs = options.clock.nowMs()
      await db.transaction((tx) => recordNewerForms(tx, epoch.chain, [{ ...newer, ledger }], { nowMs, isStop: true }))
    }
    return { kind: 'outdated', newer }
  }

  async function indexOrRecover(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult> {
    try {
      return await indexNext(db, cursor, call)
    } catch (error) {
      if (!(error instanceof RpcFailure)) return resultOf(error)
      return await recover(db, cursor, error, call).catch(resultOf)
    }
  }

  return {
    verifyAgain: () => guard.invalidate(),
    async servesIndexedChain(db, signal) {
      try {
        return await guard.servesIndexedChain(db, signal === undefined ? {} : { signal })
      } catch (error) {
        if (error instanceof RpcFailure || error instanceof BadPage) return false
        throw error
      }
    },
    close: () => pages.close(),
    async step(db, signal) {
      const call = signal === undefined ? {} : { signal }
      if (!hasLog) {
        await beginPageLog(db, options.deployment)
        hasLog = true
      }
      const result = await indexOrRecover(db, await readIndexCursor(db), call)
      if (result.kind === 'unreachable' && result.error instanceof BadPage) options.rpc.reportFault?.(result.error.fault)
      return result
    },
  }
}

/** Maps expected errors to results; throws the others. */
function resultOf(error: unknown): StepResult {
  if (error instanceof IndexConflict) return { kind: 'conflict' }
  if (error instanceof RpcFailure || error instanceof BadPage) return { kind: 'unreachable', error }
  throw error
}
