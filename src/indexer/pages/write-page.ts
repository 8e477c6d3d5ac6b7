// Writes a page to the index: archive, projections and cursor in one transaction.

import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { ChainEvent } from '../../chain/rpc/responses.ts'
import { applyEvents } from '../../projections/apply.ts'
import type { ContractCode } from '../../projections/state/contract-versions.ts'
import { countUnknown, isTransfer } from '../../projections/log/archived-event.ts'
import type { ArchivedEvent } from '../../projections/log/archived-event.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { insertAnchors } from '../../projections/state/anchors.ts'
import type { ReadAnchor } from '../../projections/state/anchors.ts'
import { appendEvents } from '../../projections/log/events.ts'
import type { IndexCursor, LedgerCloseTime } from '../../projections/state/index-state.ts'
import { completeSeq, isInsideTransaction, lastReservedSeq, moveIndexCursor } from '../../projections/state/index-state.ts'
import { assignLearnedEventSeqs } from '../../projections/log/learned-events.ts'
import { notifyLogPage } from '../../projections/log/log-notification.ts'
import { newerFormsOf, recordNewerForms } from '../../projections/state/newer-forms.ts'
import { appendRecords } from '../../projections/proofs/page-log.ts'
import type { NewRecord, PageLogHead } from '../../projections/proofs/page-log.ts'
import { createEventsRoot } from '../../base/proofs/events.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import type { Writable, Writer } from '../../store/store.ts'
import { withWriteBehind } from '../../store/write-behind.ts'
import { damageIn, findDamage, xdrLength } from './decode.ts'
import { decodeAndHash, DECODE_SLICE_LENGTH } from './decode-ahead.ts'
import type { DecodeAhead } from './decode-ahead.ts'
import { archivedBefore, eventScope } from './event-scope.ts'
import { checkUndamaged } from './events-page.ts'
import type { CheckedPage } from './events-page.ts'
import { transactionOf } from '../../projections/log/toid.ts'
import type { PageInterfaces, Upgrade } from '../identity/upgrades.ts'
import { writeUpgrades } from '../identity/upgrades.ts'

/** Share of the work that is left for an event that was decoded ahead. */
const KNOWN_SHARE = 0.05

/** The writes of pages with at least this many events are sent without waiting for each. */
const WRITE_BEHIND_MIN_EVENTS = 200

/** The additions of a page to the log. */
export interface NumberedPage {
  /** Events to archive, decoded. */
  readonly archived: readonly ArchivedEvent[]
  readonly upgrades: readonly Upgrade[]
  readonly code: readonly ContractCode[]
  /** The root over the bytes of the archived events. */
  readonly eventsRoot: Hash
  /** The last seq of the page; that before it when the page adds nothing. */
  readonly lastSeq: number
}

/**
 * Decodes and numbers a page from `afterSeq + 1`: events of this epoch that no earlier epoch read, and upgrades in their place. Throws BadPage when the XDR of
 * an event is damaged.
 */
export async function toNumberedPage(
  events: readonly ChainEvent[],
  { epoch, epochs, afterSeq }: { readonly epoch: Epoch; readonly epochs: readonly Epoch[]; readonly afterSeq: number },
  { interfaces, upgrades: found, code }: PageInterfaces,
  ahead?: DecodeAhead,
): Promise<NumberedPage> {
  const upgrades: Upgrade[] = []
  let lastSeq = afterSeq
  const scope = eventScope(epoch)
  const isArchived = archivedBefore(epochs, epoch)
  const archived: ArchivedEvent[] = []
  const root = createEventsRoot()
  let sliceLength = 0
  for (const event of events) {
    if (event.isSystem === true) checkUndamaged(event, findDamage(event))
    const upgrade = found.get(event.id)
    if (upgrade !== undefined) upgrades.push({ ...upgrade, version: { ...upgrade.version, seq: upgrade.version.seq ?? ++lastSeq } })
    const contract = scope.contractOf(event)
    if (contract === undefined || isArchived(event)) continue
    const as = { epoch, contract, declared: interfaces.at(event.contractId, event.id) }
    const known = ahead?.find(event, as)
    sliceLength += known === undefined ? xdrLength(event) : xdrLength(event) * KNOWN_SHARE
    if (sliceLength > DECODE_SLICE_LENGTH) {
      sliceLength = 0
      await yieldToEventLoop()
    }
    const { decoded, leaf } = known ?? decodeAndHash(event, as)
    checkUndamaged(event, damageIn(decoded))
    root.add(leaf)
    archived.push({ ...decoded, seq: ++lastSeq })
  }
  return { archived, upgrades, code, lastSeq, eventsRoot: root.root() }
}

/**
 * The index cursor after this page. The log ends before a transaction of which events are missing: a later one may complete what is published of it. Its seqs
 * are reserved until then.
 */
export function cursorAfter(from: IndexCursor, page: CheckedPage, { archived, lastSeq }: NumberedPage): IndexCursor {
  const through = page.through ?? (from.lastLedger === null ? null : { ledger: from.lastLedger, closeSec: from.lastLedgerCloseTs })
  return {
    epoch: from.epoch,
    cursor: page.cursor,
    startLedger: from.startLedger,
    lastLedger: through?.ledger ?? null,
    lastLedgerCloseTs: through === null ? null : through.closeSec ?? estimateClose(through.ledger, from, page),
    ...seqsAfter(from, page.cursor, lastSeq),
    oldestLedger: page.oldestLedger,
    unknownEvents: from.unknownEvents + countUnknown(archived),
  }
}

function seqsAfter(from: IndexCursor, cursor: string, lastSeq: number): Pick<IndexCursor, 'lastSeq' | 'reservedSeq'> {
  const endSeq = completeSeq(from)
  if (!isInsideTransaction({ cursor })) return { lastSeq: lastSeq === lastReservedSeq(from) ? endSeq : lastSeq, reservedSeq: from.reservedSeq }
  const continues = from.cursor !== null && isInsideTransaction(from) && transactionOf(from.cursor) === transactionOf(cursor)
  return { lastSeq: continues ? from.lastSeq : endSeq, reservedSeq: Math.max(from.reservedSeq, lastSeq) }
}

/**
 * Writes the page in one transaction. Calls `onArchiveSent` when the archive rows were sent: the database works on them, and the projections remain to be
 * computed. Throws IndexConflict when another writer committed first.
 */
export async function writePage(
  db: Writer,
  move: {
    readonly from: IndexCursor
    readonly to: IndexCursor
    readonly epoch: Epoch
    readonly page: NumberedPage
    readonly anchors: readonly ReadAnchor[]
    readonly log: PageLogHead
    readonly record: NewRecord
  },
  nowMs: number,
  onArchiveSent?: () => void,
): Promise<void> {
  const { from, to, epoch, page, anchors, log, record } = move
  const { archived } = page
  const isLarge = archived.length >= WRITE_BEHIND_MIN_EVENTS
  await db.transaction(async (transaction) => {
    await (isLarge ? withWriteBehind(transaction, write) : write(transaction))
    await notifyLogPage(transaction, { afterSeq: from.lastSeq, lastSeq: to.lastSeq, rows: archived.length })
  })

  async function write(tx: Writable): Promise<void> {
    await Promise.all([moveIndexCursor(tx, from, to, nowMs), insertAnchors(tx, epoch.chain, anchors, nowMs)])
    await recordNewerForms(tx, epoch.chain, newerFormsOf(archived), { nowMs })
    await appendRecords(tx, log, [record])
    await writeUpgrades(tx, epoch.chain, page, nowMs)
    await appendEvents(tx, epoch.number, archived, nowMs)
    onArchiveSent?.()
    await applyEvents(tx, epoch, archived)
    await assignLearnedEventSeqs(tx, archived.filter((event) => !isTransfer(event)).map(({ seq }) => seq))
  }
}

/**
 * Estimates when an empty ledger closed by interpolating between the nearest known close times. Needed only while catching up over empty ledgers: the close
 * time of the latest ledger and of ledgers with events is known.
 */
function estimateClose(ledger: number, from: IndexCursor, page: CheckedPage): number | null {
  const { latest } = page
  if (latest === null) return null
  const last = page.events.at(-1)
  const before = last === undefined ? indexedMoment(from) ?? page.oldest : last
  if (before === null || before.ledger >= latest.ledger || ledger <= before.ledger) return latest.closeSec
  const share = (ledger - before.ledger) / (latest.ledger - before.ledger)
  return Math.floor(before.closeSec + share * (latest.closeSec - before.closeSec))
}

function indexedMoment(from: IndexCursor): LedgerCloseTime | null {
  if (from.lastLedger === null || from.lastLedgerCloseTs === null) return null
  return { ledger: from.lastLedger, closeSec: from.lastLedgerCloseTs }
}
