// One step of the indexer: who am I talking to, what comes next, one page, one transaction.

import { defined } from '../base/assert.ts'
import type { Log } from '../base/log.ts'
import { RPC_CODES, RpcFailure } from '../chain/failure.ts'
import type { RpcFailureKind } from '../chain/failure.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { ArchivedEvent } from '../projections/archived-event.ts'
import type { Epoch, EpochReason } from '../projections/epochs.ts'
import { listEpochs, renameEpoch } from '../projections/epochs.ts'
import { readLastLedger } from '../projections/events.ts'
import type { IndexCursor } from '../projections/index-state.ts'
import { insertGap } from '../projections/gaps.ts'
import { IndexConflict, lastReservedSeq, updateIndexCursor, readAnchor, readIndexCursor, writeAnchor } from '../projections/index-state.ts'
import type { Writer } from '../store/store.ts'
import { beginEpoch, epochChange, randomEpochName, eventContracts, nextEpoch } from './epochs.ts'
import { compareHash, compareLedger, createChainMonitor, readLedger, readRange } from './identity.ts'
import type { FullRange, HashComparison, LedgerComparison } from './identity.ts'
import type { IndexerOptions } from './options.ts'
import { createPageSize } from './page-size.ts'
import { BadPage, readEventsPage } from './events-page.ts'
import type { EventsPosition } from './events-page.ts'
import { isEndOfLedger, ledgerAfter, ledgerOf } from './toid.ts'
import { cursorAfter, toArchivedEvents, writePage } from './write-page.ts'

/** What a step came to. */
export type StepResult =
  | {
    readonly kind: 'indexed'
    /** How many events were archived. */
    readonly events: number
    /** False when there was nothing to write. */
    readonly moved: boolean
    readonly lastLedger: number | null
    readonly latestLedger: number
    /** Everything that the RPC had was read. */
    readonly caughtUp: boolean
  }
  /** Another holder has the writer's lock. */
  | { readonly kind: 'standby' }
  | { readonly kind: 'waiting'; readonly reason: 'node-behind' | 'wrong-network' }
  /** No page: the RPC failed, or sent one that cannot be right. */
  | { readonly kind: 'unreachable'; readonly error: RpcFailure | BadPage }
  | { readonly kind: 'epoch'; readonly epoch: string; readonly reason: EpochReason; readonly startLedger: number }
  | { readonly kind: 'gap'; readonly fromLedger: number; readonly toLedger: number }
  /** Another writer was faster; nothing was written. */
  | { readonly kind: 'moved' }

export interface Stepper {
  /** One step with this connection. Rejects only when the database fails, or with the signal's reason. */
  step(db: Writer, signal?: AbortSignal): Promise<StepResult>
  /** Makes the next step look again at which network and chain it talks to. */
  identifyAgain(): void
}

export function createStepper(options: Omit<IndexerOptions, 'store' | 'pollIntervalMs'>): Stepper {
  const { rpc, clock, random, log } = options
  const wanted = { passphrase: options.networkPassphrase, contracts: eventContracts(options.contracts) }
  const tellProblems = createProblemReporter(log)
  const watch = createChainMonitor()
  const archive = options.archive ?? null
  let archiveFailures = 0
  const pageSize = createPageSize()
  let identified = false
  let identifiedAtMs = 0

  async function begin(db: Writer, cursor: IndexCursor | null, reason: EpochReason, startLedger: number, range: FullRange): Promise<StepResult> {
    const epochs = await listEpochs(db)
    const epoch = nextEpoch(epochs, { ...wanted, reason, startLedger }, random)
    await beginEpoch(db, epochs, epoch, { from: cursor, latest: range.latest }, clock.nowMs())
    watch.track(epoch.number, range)
    return { kind: 'epoch', epoch: epoch.epoch, reason, startLedger }
  }

  /** What follows when a fresh range, or a ledger that was asked for after it, is not of the indexed chain; undefined when they are. */
  async function otherChain(
    db: Writer,
    cursor: IndexCursor,
    range: FullRange,
    beside: LedgerComparison | undefined,
    call: CallOptions,
    anchor?: HashComparison,
  ): Promise<StepResult | undefined> {
    switch (watch.check(cursor, range, beside, anchor)) {
      case 'same':
        return undefined
      case 'another': {
        // The range may still be that of the chain before: it was told first.
        const latest = beside === undefined ? range : await readRange(rpc, call)
        return await begin(db, cursor, 'reset', latest.oldestLedger, latest)
      }
      case 'left':
        return { kind: 'unreachable', error: new BadPage('the node tells of a chain that was left') }
    }
  }

  /** Checks the network, and whether this is the chain and the deployment that was indexed. A result is a step of its own. */
  async function identify(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult | undefined> {
    const network = await rpc.getNetwork(call)
    if (network.passphrase !== wanted.passphrase) return { kind: 'waiting', reason: 'wrong-network' }
    const range = await readRange(rpc, call)
    const startLedger = Math.max(options.startLedger ?? 1, range.oldestLedger)
    if (cursor === null) return await begin(db, cursor, 'first', options.startLedger ?? range.oldestLedger, range)
    const current = currentOf(await listEpochs(db))
    const anchor = await compareHash(rpc, await readAnchor(db, current.chain), call)
    const other = await otherChain(db, cursor, range, await compareLedger(rpc, cursor.seen, call), call, anchor)
    if (other !== undefined) return other
    watch.track(cursor.epoch, range)
    const latest = await readLedger(rpc, range.latestLedger, call)
    if (latest !== undefined) await writeAnchor(db, current.chain, { ledger: latest.sequence, hash: latest.hash })
    const change = epochChange(current, wanted)
    identified = change === undefined
    identifiedAtMs = clock.elapsedMs()
    return change === undefined ? undefined : await begin(db, cursor, change, change === 'reset' ? range.oldestLedger : startLedger, range)
  }

  /** The RPC refused the place to read from: it lags, it has dropped it, or it is another chain by now. Its own range tells which. */
  async function outOfRange(db: Writer, cursor: IndexCursor, refusal: RpcFailure, call: CallOptions): Promise<StepResult> {
    const range = await readRange(rpc, refusal.endpoint === undefined ? call : { ...call, endpoint: refusal.endpoint })
    const place = cursor.cursor === null ? cursor.startLedger : ledgerOf(cursor.cursor)
    const isBehind = place > range.latestLedger
    const known = isBehind ? await readLastLedger(db, cursor.epoch, range.latestLedger) : null
    const other = await otherChain(db, cursor, range, await compareLedger(rpc, known, call), call)
    if (other !== undefined) return other
    if (isBehind) {
      // A new chain that is too short to show it looks like a node that lags, until it has grown: then it must be asked again who it is.
      identified = false
      return { kind: 'waiting', reason: 'node-behind' }
    }
    if (place >= range.oldestLedger) return { kind: 'unreachable', error: refusal }
    const fromLedger = cursor.cursor === null ? place : ledgerAfter(cursor.cursor)
    const toLedger = range.oldestLedger - 1
    // The ledger that the cursor stands in is gone, but it was read whole: the next one is there, so nothing was lost.
    if (fromLedger > toLedger) return await page(db, cursor, call, { cursor: null, startLedger: fromLedger })
    const elsewhere = await pageFromArchive(db, cursor, call)
    if (elsewhere !== undefined) return elsewhere
    await noteGap(db, cursor, { fromLedger, toLedger })
    return { kind: 'gap', fromLedger, toLedger }
  }

  /**
   * What the node has dropped, from one that has it still: then nothing is lost, and everything is read in its order. Undefined when there is none; one that
   * does not answer is asked a few times before the ledgers are given up.
   */
  async function pageFromArchive(db: Writer, cursor: IndexCursor, call: CallOptions): Promise<StepResult | undefined> {
    if (archive === null) return undefined
    try {
      const network = await archive.getNetwork(call)
      if (network.passphrase !== wanted.passphrase) return undefined
      const result = await page(db, cursor, call, readFrom(cursor), archive)
      archiveFailures = 0
      return result
    } catch (error) {
      if (!(error instanceof RpcFailure) && !(error instanceof BadPage)) throw error
      const hasNone = error instanceof RpcFailure && error.code === RPC_CODES.invalidRequest
      if (hasNone || ++archiveFailures >= ARCHIVE_ATTEMPTS) {
        archiveFailures = 0
        return undefined
      }
      return { kind: 'unreachable', error }
    }
  }

  /** Goes on behind what was lost. The log gets another name: who follows it is told that frames are missing where the chain of places shows none. */
  async function noteGap(db: Writer, cursor: IndexCursor, { fromLedger, toLedger }: { fromLedger: number; toLedger: number }): Promise<void> {
    const name = randomEpochName(random)
    await db.transaction(async (tx) => {
      await updateIndexCursor(tx, cursor, { ...cursor, cursor: null, startLedger: toLedger + 1, oldestLedger: toLedger + 1 }, clock.nowMs())
      const { epoch, lastLedgerCloseTs: afterTs, cursor: fillCursor } = cursor
      await insertGap(tx, { epoch, fromLedger, toLedger, afterTs, fillCursor, afterSeq: lastReservedSeq(cursor) }, clock.nowMs())
      await renameEpoch(tx, cursor.epoch, name)
    })
  }

  /** Reads one page, from the cursor unless told another way to say the same place, and writes it. */
  async function page(db: Writer, cursor: IndexCursor, call: CallOptions, from: EventsPosition = cursor, node: Rpc = rpc): Promise<StepResult> {
    const epochs = await listEpochs(db)
    const epoch = currentOf(epochs)
    const read = await readEventsPage(node, from, { ...call, contractIds: Object.values(epoch.contracts), limit: pageSize.limit() })
    pageSize.succeeded()
    if (!watch.matches(cursor, read)) {
      // Two answers must agree before history is sealed.
      const other = await otherChain(db, cursor, await readRange(rpc, call), undefined, call)
      return other ?? { kind: 'unreachable', error: new BadPage('the page is of another chain than the node') }
    }
    const archived = toArchivedEvents(read.events, epoch, epochs, lastReservedSeq(cursor))
    const to = cursorAfter(cursor, read, archived)
    const moved = to.cursor !== cursor.cursor
    if (moved) await writePage(db, { from: cursor, to, epoch, archived }, clock.nowMs())
    tellProblems(archived)
    if (moved) options.onArchived?.(archived)
    const caughtUp = to.lastLedger !== null && to.lastLedger >= read.latestLedger
    return { kind: 'indexed', events: archived.length, moved, lastLedger: to.lastLedger, latestLedger: read.latestLedger, caughtUp }
  }

  return {
    identifyAgain() {
      identified = false
    },
    async step(db, signal) {
      const call = signal === undefined ? {} : { signal }
      const cursor = await readIndexCursor(db)
      try {
        if (clock.elapsedMs() - identifiedAtMs >= IDENTIFY_EVERY_MS) identified = false
        const other = identified && cursor !== null ? undefined : await identify(db, cursor, call)
        return other ?? (await page(db, defined(cursor, 'the index cursor'), call))
      } catch (error) {
        if (error instanceof IndexConflict) return { kind: 'moved' }
        if (error instanceof BadPage) return { kind: 'unreachable', error }
        if (!(error instanceof RpcFailure)) throw error
        // Whatever comes back after an outage may be another chain, grown past everything that could show it.
        if (OUTAGES.has(error.kind)) identified = false
        pageSize.failed(error)
        if (error.code !== RPC_CODES.invalidRequest || error.method !== 'getEvents' || cursor === null) return { kind: 'unreachable', error }
        return await outOfRangeOrFailure(db, cursor, error, call)
      }
    },
  }

  async function outOfRangeOrFailure(db: Writer, cursor: IndexCursor, refusal: RpcFailure, call: CallOptions): Promise<StepResult> {
    try {
      return await outOfRange(db, cursor, refusal, call)
    } catch (error) {
      if (error instanceof IndexConflict) return { kind: 'moved' }
      if (error instanceof RpcFailure || error instanceof BadPage) return { kind: 'unreachable', error }
      throw error
    }
  }
}

/** A node with more history that does not answer is asked so often, a poll apart, before ledgers are given up; they can still be filled later. */
const ARCHIVE_ATTEMPTS = 5

/** The same place, said so that a node takes it that has dropped the last ledger that was read whole. */
function readFrom(cursor: IndexCursor): EventsPosition {
  if (cursor.cursor === null || !isEndOfLedger(cursor.cursor)) return cursor
  return { cursor: null, startLedger: ledgerAfter(cursor.cursor) }
}

/** So often the chain is looked at even where nothing has failed: a network may be reset between two polls. */
export const IDENTIFY_EVERY_MS = 10 * 60_000

/** Failures after which another node, or another chain, may answer. */
const OUTAGES: ReadonlySet<RpcFailureKind> = new Set(['unreachable', 'timeout', 'http'])

function currentOf(epochs: readonly Epoch[]): Epoch {
  return defined(epochs.at(-1), 'the current epoch')
}

/** How many kinds of undecoded events are told one by one; health counts all of them. */
const REPORTED_PROBLEMS_MAX = 100

/** Warns once about each kind of event that could not be decoded. */
function createProblemReporter(log: Log): (events: readonly ArchivedEvent[]) => void {
  const told = new Set<string>()
  return (events) => {
    for (const { contract, topic, problem, eventId } of events) {
      const key = `${contract} ${topic} ${problem}`
      if (problem === null || told.has(key) || told.size >= REPORTED_PROBLEMS_MAX) continue
      told.add(key)
      log.warn({ contract, topic, problem, eventId }, 'an event could not be decoded; it is archived raw')
    }
  }
}
