// Reads one page of events and writes it to the index.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { RpcFailure } from '../../chain/rpc/failure.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import type { ArchivedEvent } from '../../projections/log/archived-event.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import { withoutArchived } from '../../projections/log/events.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { lastReservedSeq } from '../../projections/state/index-state.ts'
import { readPageLogHead } from '../../projections/proofs/page-log.ts'
import type { Writer } from '../../store/store.ts'
import type { ChainGuard } from '../identity/chain-guard.ts'
import { filterHashOf } from '../identity/event-filter.ts'
import { createDecodeAhead } from './decode-ahead.ts'
import type { DecodeAhead } from './decode-ahead.ts'
import { requestFor } from './event-scope.ts'
import type { EventsPosition } from './events-page.ts'
import { readStoredInterfaces } from './interfaces.ts'
import { hashOfLastLedger, pageRecord } from './log-records.ts'
import { createNewerReporter } from './newer-reporter.ts'
import { createPageReader } from './page-reader.ts'
import { createPageSize } from './page-size.ts'
import type { StepResult } from './step-result.ts'
import { readPageInterfaces, reportUpgrades, watchedContracts } from '../identity/upgrades.ts'
import { cursorAfter, toNumberedPage, writePage } from './write-page.ts'

export interface PageIndexer {
  /**
   * Indexes the page after the cursor. `source` reads the same page in another way: from an equivalent position, or from another node. Throws RpcFailure,
   * BadPage or IndexConflict.
   */
  index(db: Writer, cursor: IndexCursor, call: CallOptions, source?: { readonly from?: EventsPosition; readonly node?: Rpc }): Promise<StepResult>
  /** Requests smaller pages after a page that took too long. */
  onFailure(failure: RpcFailure): void
  /** Abandons what was read ahead. */
  close(): Promise<void>
}

export interface PageIndexerOptions {
  readonly rpc: Rpc
  readonly guard: ChainGuard
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly log: Log
  /** Called after events were archived. */
  readonly onArchived?: ((events: readonly ArchivedEvent[]) => void) | undefined
}

export function createPageIndexer({ rpc, guard, deployment, clock, log, onArchived }: PageIndexerOptions): PageIndexer {
  const pageSize = createPageSize()
  const ahead = createDecodeAhead()
  /** The epoch and interfaces by which the last page was decoded. */
  let decodedBy: Parameters<DecodeAhead['decode']>[1]
  const reader = createPageReader(({ events }) => ahead.decode(events, decodedBy))
  const reportProblems = createProblemReporter(log)
  const reportNewer = createNewerReporter(log)
  return {
    onFailure: (failure) => pageSize.onFailure(failure),
    close: () => reader.close(),
    async index(db, cursor, call, { from = cursor, node = rpc } = {}) {
      const epochs = await listEpochs(db)
      const epoch = defined(epochs.find(({ number }) => number === cursor.epoch), 'the current epoch')
      const requested = requestFor([epoch])
      const watched = watchedContracts(deployment.current.contracts)
      const upgradesOf = [...watched.keys()].filter((address) => !requested.contractIds.includes(address))
      const request = { ...requested, upgradesOf, limit: pageSize.limit() }
      const page = await reader.read(node, from, request, call)
      pageSize.onSuccess()
      const [anchors, events, stored, head] = await Promise.all([
        guard.confirmPage(db, epoch, page, node, call), withoutArchived(db, epoch.chain, page.events), readStoredInterfaces(db, epoch.chain),
        readPageLogHead(db),
      ])
      const declared = await readPageInterfaces(db, { epoch, events, stored, nowMs: clock.nowMs() }, { rpc: node, watched, call })
      const numbered = await toNumberedPage(events, { epoch, epochs, afterSeq: lastReservedSeq(cursor) }, declared, ahead)
      ahead.clear()
      const { archived } = numbered
      const to = cursorAfter(cursor, page, numbered)
      const advanced = to.cursor !== cursor.cursor
      if (advanced) {
        decodedBy = { epoch, interfaces: declared.interfaces }
        const startedAtMs = clock.elapsedMs()
        // Reading a page takes as long as many inserts, so the database gets this one's first.
        const onArchiveSent = (): void => reader.readAhead(node, page, request, call)
        const logged = { epoch, filter: filterHashOf(epoch, deployment.current.contracts) }
        const hash = await hashOfLastLedger(db, epoch, anchors, page.cursor)
        const record = pageRecord(logged, { from: cursor, untilId: page.cursor }, { events: archived.length, root: numbered.eventsRoot }, hash)
        const written = { from: cursor, to, epoch, page: numbered, anchors, log: defined(head, 'the log of pages'), record }
        await writePage(db, written, clock.nowMs(), onArchiveSent)
        reader.onWritten(clock.elapsedMs() - startedAtMs)
      }
      reportProblems(archived)
      if (advanced) reportUpgrades(numbered.upgrades, log)
      if (advanced) reportNewer(anchors.flatMap(({ ledger, newer }) => (newer === null ? [] : [{ ...newer, ledger }])))
      if (advanced) onArchived?.(archived)
      const caughtUp = to.lastLedger !== null && to.lastLedger >= page.latestLedger
      return { kind: 'indexed', events: archived.length, advanced, lastLedger: to.lastLedger, latestLedger: page.latestLedger, caughtUp }
    },
  }
}

/** Number of kinds of undecoded events that are logged; the health endpoint counts all of them. */
const REPORTED_PROBLEMS_MAX = 100

/** Logs each kind of undecodable event once. */
function createProblemReporter(log: Log): (events: readonly ArchivedEvent[]) => void {
  const reported = new Set<string>()
  return (events) => {
    for (const { contract, topic, problem, eventId } of events) {
      if (problem === null || reported.size >= REPORTED_PROBLEMS_MAX) continue
      const key = `${contract} ${topic} ${problem}`
      if (reported.has(key)) continue
      reported.add(key)
      log.warn({ contract, topic, problem, eventId }, 'an event could not be decoded and was archived raw')
    }
  }
}
