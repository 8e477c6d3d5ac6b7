// Fills gaps from archive nodes, one page at a time, using the seqs reserved for them. After the last page the projections are rebuilt in the background,
// because later events were applied without the missing ones; then the gap counts as filled.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { failureFields, RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { countUnknown } from '../../projections/log/archived-event.ts'
import type { ArchivedEvent } from '../../projections/log/archived-event.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { readAnchors } from '../../projections/state/anchors.ts'
import { appendEvents, withoutArchived } from '../../projections/log/events.ts'
import { lastFilledSeq, updateGap, readGapToFill, splitGap } from '../../projections/repair/gaps.ts'
import type { Gap } from '../../projections/repair/gaps.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { IndexConflict, updateIndexCursor, readIndexCursor } from '../../projections/state/index-state.ts'
import { correctFilledLedgers } from '../../projections/proofs/log-corrections.ts'
import { newerFormsOf, recordNewerForms } from '../../projections/state/newer-forms.ts'
import type { Writer } from '../../store/store.ts'
import { readHeader, readRange, readTip, relate } from '../identity/chain-identity.ts'
import type { ChainTrust } from '../identity/confirmation.ts'
import { readStoredInterfaces } from '../pages/interfaces.ts'
import { createPageSize } from '../pages/page-size.ts'
import { requestFor } from '../pages/event-scope.ts'
import { afterLedger, BadPage, readEventsPage } from '../pages/events-page.ts'
import { requestRebuild } from './rebuild.ts'
import { endOfLedger, ledgerAfter, ledgerOf } from '../../projections/log/toid.ts'
import { readPageInterfaces, watchedContracts, writeUpgrades } from '../identity/upgrades.ts'
import { toNumberedPage } from '../pages/write-page.ts'

/** Delay before ledgers that no source has are tried again. */
export const FILL_RETRY_MS = 60 * 60_000
/** Pages read per poll. */
const PAGES_PER_POLL = 10

/** The outcome of one step. */
export type FillResult =
  /** There is no gap to fill. */
  | 'none'
  /** A page was read; the gap has more. */
  | 'page'
  /** A gap was read completely. */
  | 'filled'
  /** No source has the first ledgers of the gap; they are marked unfillable. */
  | 'unavailable'
  /** No source responds. */
  | 'unreachable'

export interface GapFiller {
  /** Reads one page of the oldest gap. Rejects when the database fails, or with the signal's reason. */
  step(db: Writer, signal?: AbortSignal): Promise<FillResult>
  /** Reads pages while there are any, up to a limit. */
  poll(db: Writer, signal?: AbortSignal): Promise<void>
}

export interface GapFillerOptions {
  /** Nodes with a longer history. Each endpoint is probed on its own. */
  readonly archive: Rpc
  readonly deployment: CurrentDeployment
  readonly trust: Pick<ChainTrust, 'minLedgerMs'>
  readonly clock: Clock
  readonly log: Log
  /** Called after events were archived. */
  readonly onArchived?: ((events: readonly ArchivedEvent[]) => void) | undefined
}

export function createGapFiller(options: GapFillerOptions): GapFiller {
  const { archive, clock, log, trust } = options
  const startedAtMs = clock.nowMs()
  const pageSize = createPageSize()
  /** The endpoint that the current gap is read from. */
  let source: { readonly gap: string; readonly endpoint: number } | undefined
  /** Endpoints that returned an invalid page of this gap. The gap is read from them again when no other one is left. */
  let refused: { readonly gap: string; readonly endpoints: ReadonlySet<number> } | undefined

  async function fill(db: Writer, call: CallOptions): Promise<FillResult> {
    const cursor = await readIndexCursor(db)
    const epochs = await listEpochs(db)
    const current = epochs.find(({ number }) => number === cursor?.epoch)
    if (cursor === null || current === undefined) return 'none'
    // After a restart every gap is tried once, because the sources may have changed.
    const gap = await readGapToFill(db, current.chain, Math.max(startedAtMs, clock.nowMs() - FILL_RETRY_MS))
    if (gap === null) return 'none'
    if (source?.gap !== gapKey(gap)) {
      const { passphrase } = options.deployment.current
      const except = refused?.gap === gapKey(gap) ? refused.endpoints : new Set<number>()
      const found = await findSource(archive, { db, chain: current.chain, gap, passphrase, minLedgerMs: trust.minLedgerMs, except }, call)
      const isHidden = except.size > 0 && found !== undefined && found.oldestLedger > firstMissingLedger(gap)
      if (found === undefined || isHidden) {
        refused = undefined
        return 'unreachable'
      }
      if (found.oldestLedger > firstMissingLedger(gap)) return await markUnfillable(db, gap, found.oldestLedger)
      source = { gap: gapKey(gap), endpoint: found.endpoint }
    }
    return await readPage(db, { cursor, epochs, gap }, { ...call, endpoint: source.endpoint })
  }

  /** Ledgers that no source has stay missing; the rest becomes a separate gap. */
  async function markUnfillable(db: Writer, gap: Gap, oldestLedger: number): Promise<FillResult> {
    await db.transaction(async (tx) => {
      if (oldestLedger <= gap.toLedger) await splitGap(tx, gap, oldestLedger, clock.nowMs())
      await updateGap(tx, gap, { fillCursor: gap.fillCursor, state: 'unfillable' }, clock.nowMs())
    })
    const toLedger = Math.min(gap.toLedger, oldestLedger - 1)
    log.warn({ fromLedger: gap.fromLedger, toLedger }, 'no archive node has these ledgers; retrying later')
    return 'unavailable'
  }

  async function readPage(
    db: Writer,
    { cursor, epochs, gap }: { readonly cursor: IndexCursor; readonly epochs: readonly Epoch[]; readonly gap: Gap },
    call: CallOptions,
  ): Promise<FillResult> {
    const epoch = defined(epochs.find(({ number }) => number === gap.epoch), `epoch ${gap.epoch}`)
    const from = afterLedger({ cursor: gap.fillCursor, startLedger: gap.fromLedger })
    const page = await readEventsPage(archive, from, { ...call, ...requestFor([epoch]), limit: pageSize.limit() })
    pageSize.onSuccess()
    const end = endOfLedger(gap.toLedger)
    const events = await withoutArchived(db, epoch.chain, page.events.filter(({ id }) => id <= end))
    const watched = watchedContracts(options.deployment.current.contracts)
    const stored = await readStoredInterfaces(db, epoch.chain)
    const declared = await readPageInterfaces(db, { epoch, events, stored, nowMs: clock.nowMs() }, { rpc: archive, watched, call })
    const numbered = await toNumberedPage(events, { epoch, epochs, afterSeq: await lastFilledSeq(db, gap) }, declared)
    const { archived } = numbered
    if (numbered.lastSeq > gap.lastSeq) throw new BadPage('bad_events', 'the gap has more events than reserved seqs')
    const isComplete = page.cursor >= end
    const untilId = isComplete ? end : page.cursor
    const header = await readHeader(archive, ledgerOf(untilId), call)
    const hash = header === undefined ? null : Buffer.from(header.hash, 'hex')
    await db.transaction(async (tx) => {
      await updateIndexCursor(tx, cursor, { ...cursor, unknownEvents: cursor.unknownEvents + countUnknown(archived) }, clock.nowMs())
      await recordNewerForms(tx, epoch.chain, newerFormsOf(archived), { nowMs: clock.nowMs() })
      await writeUpgrades(tx, epoch.chain, numbered, clock.nowMs())
      await appendEvents(tx, epoch.number, archived, clock.nowMs())
      await updateGap(tx, gap, { fillCursor: untilId, state: 'open' }, clock.nowMs())
      await correctFilledLedgers(tx, epoch.number, { fromLedger: firstMissingLedger(gap), untilId, toLedgerHash: hash })
      if (isComplete) await requestRebuild(tx, { reason: 'gap', renameEpoch: true }, clock.nowMs())
    })
    options.onArchived?.(archived)
    if (!isComplete) return 'page'
    source = undefined
    log.info({ fromLedger: gap.fromLedger, toLedger: gap.toLedger }, 'the gap was read completely')
    return 'filled'
  }

  async function step(db: Writer, signal?: AbortSignal): Promise<FillResult> {
    try {
      return await fill(db, signal === undefined ? {} : { signal })
    } catch (error) {
      if (error instanceof IndexConflict) return 'unreachable'
      if (!(error instanceof RpcFailure) && !(error instanceof BadPage)) throw error
      if (error instanceof BadPage && source !== undefined) {
        const { gap, endpoint } = source
        refused = { gap, endpoints: new Set([...(refused?.gap === gap ? refused.endpoints : []), endpoint]) }
      }
      source = undefined
      if (error instanceof RpcFailure) pageSize.onFailure(error)
      log.debug(failureFields(error), 'a gap could not be read; retrying later')
      return 'unreachable'
    }
  }

  return {
    step,
    async poll(db, signal) {
      for (let pages = 0; pages < PAGES_PER_POLL; pages++) {
        const result = await step(db, signal)
        if (result === 'none' || result === 'unreachable') return
      }
    },
  }
}

function gapKey({ epoch, fromLedger, toLedger }: Gap): string {
  return `${epoch} ${fromLedger} ${toLedger}`
}

function firstMissingLedger({ fillCursor, fromLedger }: Gap): number {
  return fillCursor === null ? fromLedger : ledgerAfter(fillCursor)
}

interface Source {
  readonly endpoint: number
  readonly oldestLedger: number
}

interface WantedGap {
  readonly db: Writer
  readonly chain: number
  readonly gap: Gap
  readonly passphrase: string
  readonly minLedgerMs: number
  /** Endpoints that are left out. */
  readonly except: ReadonlySet<number>
}

/** The endpoint on this chain that has most of the gap's ledgers; undefined when none responds or none can be shown to be on this chain. */
async function findSource(
  archive: Rpc,
  wanted: WantedGap,
  call: CallOptions,
): Promise<Source | undefined> {
  let best: Source | undefined
  for (let endpoint = 0; endpoint < archive.endpoints; endpoint++) {
    if (wanted.except.has(endpoint)) continue
    const oldestLedger = await probeSource(archive, wanted, { ...call, endpoint })
    if (oldestLedger !== undefined && oldestLedger < (best?.oldestLedger ?? Number.POSITIVE_INFINITY)) best = { endpoint, oldestLedger }
  }
  return best
}

/** The oldest ledger of an endpoint that serves the indexed chain and has the end of the gap; otherwise undefined. */
async function probeSource(
  archive: Rpc,
  { db, chain, gap, passphrase, minLedgerMs }: WantedGap,
  call: CallOptions,
): Promise<number | undefined> {
  try {
    if ((await archive.getNetwork(call)).passphrase !== passphrase) return undefined
    const range = await readRange(archive, call)
    if (range.latestLedger < gap.toLedger) return undefined
    const relation = await relate(archive, await readAnchors(db, chain), { range, tip: await readTip(archive, range, call), minLedgerMs }, call)
    return relation === 'same' ? range.oldestLedger : undefined
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof BadPage) return undefined
    throw error
  }
}
