// The chain as it is kept: the present in memory and on the disk, the past in the archive, and the two always in step.

import type { History } from '../history.ts'
import { type Archive, type LedgerRow, createArchive } from './archive.ts'
import type { ClosedLedger } from './close.ts'
import { openDatabase } from './database.ts'
import { createEntryStore } from './entry-store.ts'
import { eventRecords } from './event-records.ts'
import { createMetadataStore } from './metadata-store.ts'
import { encodeHeader, type Header, headerHash, nextStateHash, ZERO_HASH } from './header.ts'
import { createHistory } from './history-reader.ts'
import { isTemporaryKey, type LedgerKey } from './keys.ts'
import { encodeTransactionSet, resultPair } from './meta.ts'
import { createState, type State } from './state.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { extendTimeline, coveringRange, trimTimeline, type Timeline } from './timeline.ts'
import { sha256 } from './addresses.ts'
import { encode, fromHex, putArray, toHex } from './xdr-writer.ts'

/** Where the chain stands. */
export interface Head {
  readonly sequence: number
  /** Hex. */
  readonly hash: string
  readonly closeTimeSec: number
  /** Hex: commits to every change of state so far. */
  readonly stateHash: string
  /** Stroops collected so far. */
  readonly feePool: bigint
}

/** The whole chain at one ledger; entries are shared with the present, not copied. */
export interface ChainSnapshot {
  readonly head: Head
  readonly entries: ReadonlyMap<LedgerKey, LedgerEntry>
  readonly timeline: Timeline
  readonly clockOffsetSec: number
}

export interface ChainStore extends Disposable {
  readonly state: State
  readonly history: History
  /** undefined until the first ledger. */
  head(): Head | undefined
  readonly clockOffsetSec: number
  setClockOffset(seconds: number): void
  setting(name: string): string | undefined
  setSetting(name: string, value: string): void
  /** Appends a ledger: on the disk first, then visible. */
  append(closed: ClosedLedger, closeTimeSec: number): Head
  /** Changes the present outside of any ledger; the state's hash goes on from it. */
  changeState(changes: ReadonlyMap<LedgerKey, LedgerEntry | null>): void
  snapshot(): ChainSnapshot
  /** Goes back to a kept chain; what comes next is written on a branch of its own. `kept` are all chains that must stay restorable. */
  restore(chain: ChainSnapshot): void
  /** Starts anew with an empty present; the sequence begins again. */
  reset(): void
  /** Tells which kept chains the archive must not forget. */
  retainSnapshots(chains: readonly ChainSnapshot[]): void
}

/** How many ledgers are forgotten with each one closed, at most: pruning never takes long. */
const PRUNE_LEDGERS_PER_CLOSE = 50

const EMPTY_CHAIN_HEAD: Head = { sequence: 0, hash: toHex(ZERO_HASH), closeTimeSec: 0, stateHash: toHex(ZERO_HASH), feePool: 0n }

/** Opens the chain in `directory`, or an empty one in memory. */
export function openChainStore(directory: string | null, retentionLedgers: number): ChainStore {
  const database = openDatabase(directory)
  const facts = createMetadataStore(database)
  const entryStore = createEntryStore(database)
  const archive = createArchive(database)
  const state = createState(isTemporaryKey)
  state.replace(entryStore.load())
  let branchRanges = loadBranchRanges(archive)
  let head = parseHead(facts.read('head'))
  let timeline: Timeline = JSON.parse(facts.read('timeline') ?? '[]')
  let branch = Number(facts.read('branch') ?? '0')
  let clockOffsetSec = Number(facts.read('clockOffset') ?? '0')
  let retainedSnapshots: readonly ChainSnapshot[] = []
  const history = createHistory(database, () => timeline)

  function writePosition(): void {
    facts.write('head', head === undefined ? '' : JSON.stringify({ ...head, feePool: head.feePool.toString() }))
    facts.write('timeline', JSON.stringify(timeline))
    facts.write('branch', String(branch))
    facts.write('clockOffset', String(clockOffsetSec))
  }

  /** Replaces the present by other entries, on the disk too. */
  function replaceEntries(entries: ReadonlyMap<LedgerKey, LedgerEntry>): void {
    const changes: [LedgerKey, LedgerEntry | null][] = []
    for (const [key, ledgerEntry] of entries) if (state.get(key) !== ledgerEntry) changes.push([key, ledgerEntry])
    for (const [key] of state.entries()) if (!entries.has(key)) changes.push([key, null])
    entryStore.write(changes)
  }

  /** Takes a new position; in the caller's transaction. If that fails, the old one must come back. */
  function commitPosition(change: () => void): void {
    const before = { head, timeline, branch, clockOffsetSec }
    try {
      database.transaction(() => {
        change()
        writePosition()
      })
    } catch (error) {
      ;({ head, timeline, branch, clockOffsetSec } = before)
      branchRanges = loadBranchRanges(archive)
      throw error
    }
  }

  /** Forgets a few ledgers that neither the present nor a kept chain has in its past. */
  function prune(): void {
    const timelines = [timeline, ...retainedSnapshots.map((chain) => chain.timeline)]
    for (const [of, span] of branchRanges) {
      const needed = coveringRange(timelines, of)
      const from = needed === undefined || span.from < needed.from ? span.from : needed.to + 1
      const last = needed === undefined || from > needed.to ? span.to : needed.from - 1
      const to = Math.min(last, from + PRUNE_LEDGERS_PER_CLOSE - 1)
      if (from > to) continue
      archive.drop(of, from, to)
      if (from === span.from) span.from = to + 1
      else if (to === span.to) span.to = from - 1
      if (span.from > span.to) branchRanges.delete(of)
      return
    }
  }

  return {
    state,
    history,
    head: () => head,
    get clockOffsetSec() {
      return clockOffsetSec
    },
    setClockOffset: (seconds) => commitPosition(() => void (clockOffsetSec = seconds)),
    setting: (name) => facts.read(`option:${name}`),
    setSetting: (name, value) => database.transaction(() => facts.write(`option:${name}`, value)),
    append(closed, closeTimeSec) {
      const ledger = ledgerAfter(head ?? EMPTY_CHAIN_HEAD, closed, closeTimeSec)
      const events = eventRecords(ledger.head.sequence, closeTimeSec, closed.transactions)
      const span = branchRanges.get(branch) ?? { from: ledger.head.sequence, to: ledger.head.sequence }
      commitPosition(() => {
        archive.add(branch, ledger.archived, closed.transactions, events)
        entryStore.write(closed.layer.changes())
        head = ledger.head
        timeline = trimTimeline(extendTimeline(timeline, branch, head.sequence), head.sequence - retentionLedgers + 1)
        branchRanges.set(branch, { ...span, to: head.sequence })
        prune()
      })
      state.commit(closed.layer.changes())
      return ledger.head
    },
    changeState(changes) {
      const from = head ?? EMPTY_CHAIN_HEAD
      commitPosition(() => {
        entryStore.write(changes)
        head = { ...from, stateHash: toHex(nextStateHash(fromHex(from.stateHash), changes)) }
      })
      state.commit(changes)
    },
    snapshot: () => ({ head: head ?? EMPTY_CHAIN_HEAD, entries: state.copy(), timeline, clockOffsetSec }),
    restore(chain) {
      commitPosition(() => {
        replaceEntries(chain.entries)
        ;({ head, timeline, clockOffsetSec } = chain)
        branch += 1
      })
      state.replace(chain.entries)
    },
    reset() {
      commitPosition(() => {
        replaceEntries(new Map())
        head = undefined
        timeline = []
        branch += 1
      })
      state.replace(new Map())
    },
    retainSnapshots: (chains) => void (retainedSnapshots = chains),
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

/** What each branch holds. */
function loadBranchRanges(archive: Archive): Map<number, { from: number; to: number }> {
  return new Map(archive.branches().map(({ branch, from, to }) => [branch, { from, to }]))
}

function parseHead(text: string | undefined): Head | undefined {
  if (text === undefined || text === '') return undefined
  const read = JSON.parse(text) as Omit<Head, 'feePool'> & { readonly feePool: string }
  return { ...read, feePool: BigInt(read.feePool) }
}

/** The next ledger's header, and where the chain stands with it. */
function ledgerAfter(before: Head, closed: ClosedLedger, closeTimeSec: number): { readonly head: Head; readonly archived: LedgerRow } {
  const previousHash = fromHex(before.hash)
  const transactions = closed.transactions.map(({ envelope, soroban }) => ({ soroban, envelope: envelope.bytes }))
  const pairs = closed.transactions.map(({ envelope, result }) => resultPair(fromHex(envelope.hash), result))
  const stateHash = nextStateHash(fromHex(before.stateHash), closed.layer.changes())
  const header: Header = {
    sequence: before.sequence + 1,
    previousHash,
    closeTimeSec,
    txSetHash: sha256(encodeTransactionSet(previousHash, transactions)),
    resultsHash: sha256(encode((writer) => putArray(writer, pairs))),
    stateHash,
    feePool: before.feePool + closed.feesCollected,
  }
  const headerXdr = encodeHeader(header)
  const hash = toHex(headerHash(headerXdr))
  const { sequence, feePool } = header
  return {
    head: { sequence, hash, closeTimeSec, stateHash: toHex(stateHash), feePool },
    archived: {
      sequence, hash, previousHash: before.hash, closeTimeSec, header: headerXdr, evicted: new Uint8Array(Buffer.concat(closed.evicted)),
    },
  }
}
