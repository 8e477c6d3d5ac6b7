// The stored chain: the current state in memory and on disk, and the history in the archive, always consistent with each other.

import type { History } from '../history.ts'
import { type Archive, createArchive, type LedgerRow } from './archive.ts'
import type { ClosedLedger } from './close.ts'
import { openDatabase } from './database.ts'
import { createEntryStore } from './entry-store.ts'
import { eventRecords } from './event-records.ts'
import { createMetadataStore } from './metadata-store.ts'
import { type Envelope, isSoroban } from './envelope.ts'
import { encodeHeader, type Header, headerHash, nextStateHash, protocolAfter } from './header.ts'
import { createHistory } from './history-reader.ts'
import { isTemporaryKey, type LedgerKey } from './keys.ts'
import { encodeTransactionSet, resultPair } from './meta.ts'
import { INITIAL_PROTOCOL } from './protocol.ts'
import { createState, type State } from './state.ts'
import { ZERO_HASH } from './stellar-value.ts'
import type { LedgerEntry } from './ledger-entry.ts'
import { type BranchRange, coveringRange, extendTimeline, type Timeline, trimTimeline } from './timeline.ts'
import type { Validator } from './validator.ts'
import { sha256 } from './addresses.ts'
import { encode, fromHex, putArray, toHex } from './xdr-writer.ts'

/** The latest ledger. */
export interface Head {
  readonly sequence: number
  /** Hex. */
  readonly hash: string
  readonly closeTimeMs: number
  /** The network's protocol after this ledger. It decides the form of the next header. */
  readonly protocol: number
  /** Hex. Commits to every state change so far. */
  readonly stateHash: string
  /** All fees collected so far, stroops. */
  readonly feePool: bigint
}

/** Values that the validators agree on besides the transactions. */
export interface Closing {
  readonly closeTimeMs: number
  /** The protocol of the previous ledger; of the first ledger, its own. */
  readonly protocol: number
  /** The protocol that the ledger upgrades the network to. */
  readonly upgradeTo: number | null
  /** The transactions that were proposed and dropped, so that the ledger is empty; null for an ordinary ledger. */
  readonly dropped: readonly Envelope[] | null
}

/** The whole chain at one ledger. It shares the entries with the current state. */
export interface ChainSnapshot {
  readonly head: Head
  readonly entries: ReadonlyMap<LedgerKey, LedgerEntry>
  readonly timeline: Timeline
  readonly clockOffsetSec: number
  readonly genesisLabel: string
}

export interface ChainStore extends Disposable {
  readonly state: State
  readonly history: History
  /** undefined until the first ledger. */
  head(): Head | undefined
  /** The label of the genesis that the chain started from; undefined before the first. */
  readonly genesisLabel: string | undefined
  readonly clockOffsetSec: number
  setClockOffset(seconds: number): void
  setting(name: string): string | undefined
  setSetting(name: string, value: string): void
  /** Appends a ledger. It is on disk before it becomes visible. */
  append(closed: ClosedLedger, closing: Closing): Head
  /** Changes the state without closing a ledger. The state hash includes the changes. */
  changeState(changes: ReadonlyMap<LedgerKey, LedgerEntry | null>): void
  snapshot(): ChainSnapshot
  /** Returns to a snapshot. Later ledgers are written on a new branch. */
  restore(snapshot: ChainSnapshot): void
  /** Starts a new chain with an empty state; the sequence restarts. */
  reset(genesisLabel: string): void
  /** Sets the snapshots whose history must be kept; replaces those set before. */
  retainSnapshots(snapshots: readonly ChainSnapshot[]): void
}

/** Pruning per closed ledger is limited, so that no close takes long. */
const PRUNE_LEDGERS_PER_CLOSE = 50

const EMPTY_CHAIN_HEAD: Head = {
  sequence: 0, hash: toHex(ZERO_HASH), closeTimeMs: 0, protocol: INITIAL_PROTOCOL, stateHash: toHex(ZERO_HASH), feePool: 0n,
}

/** Opens the chain in `directory`, or an empty one in memory. */
export function openChainStore(directory: string | null, retentionLedgers: number, validator: Validator): ChainStore {
  const database = openDatabase(directory)
  const metadata = createMetadataStore(database)
  const entryStore = createEntryStore(database)
  const archive = createArchive(database)
  const state = createState(isTemporaryKey)
  state.replace(entryStore.load())
  let branchRanges = loadBranchRanges(archive)
  let head = parseHead(metadata.read('head'))
  let timeline: Timeline = JSON.parse(metadata.read('timeline') ?? '[]')
  let branch = Number(metadata.read('branch') ?? '0')
  let clockOffsetSec = Number(metadata.read('clockOffset') ?? '0')
  let genesisLabel = metadata.read('genesis')
  let retainedSnapshots: readonly ChainSnapshot[] = []
  const history = createHistory(database, () => timeline)

  function writePosition(): void {
    metadata.write('head', head === undefined ? '' : JSON.stringify({ ...head, feePool: head.feePool.toString() }))
    metadata.write('timeline', JSON.stringify(timeline))
    metadata.write('branch', String(branch))
    metadata.write('clockOffset', String(clockOffsetSec))
    if (genesisLabel !== undefined) metadata.write('genesis', genesisLabel)
  }

  /** Replaces the stored entries. */
  function replaceEntries(entries: ReadonlyMap<LedgerKey, LedgerEntry>): void {
    const changes: [LedgerKey, LedgerEntry | null][] = []
    for (const [key, ledgerEntry] of entries) if (state.get(key) !== ledgerEntry) changes.push([key, ledgerEntry])
    for (const [key] of state.entries()) if (!entries.has(key)) changes.push([key, null])
    entryStore.write(changes)
  }

  /** Changes the position of the chain and stores it in one transaction. When that fails, restores the previous position. */
  function commitPosition(change: () => void): void {
    const before = { head, timeline, branch, clockOffsetSec, genesisLabel }
    try {
      database.transaction(() => {
        change()
        writePosition()
      })
    } catch (error) {
      ;({ head, timeline, branch, clockOffsetSec, genesisLabel } = before)
      branchRanges = loadBranchRanges(archive)
      throw error
    }
  }

  /** Deletes a few ledgers that neither the current timeline nor a retained snapshot needs. */
  function prune(): void {
    const prunable = prunableRange(branchRanges, [timeline, ...retainedSnapshots.map((snapshot) => snapshot.timeline)])
    if (prunable === undefined) return
    archive.drop(prunable.branch, prunable.from, prunable.to)
    removeFromRanges(branchRanges, prunable)
  }

  return {
    state,
    history,
    head: () => head,
    get genesisLabel() {
      return genesisLabel
    },
    get clockOffsetSec() {
      return clockOffsetSec
    },
    setClockOffset: (seconds) => commitPosition(() => void (clockOffsetSec = seconds)),
    setting: (name) => metadata.read(`option:${name}`),
    setSetting: (name, value) => database.transaction(() => metadata.write(`option:${name}`, value)),
    append(closed, closing) {
      const ledger = ledgerAfter(head ?? EMPTY_CHAIN_HEAD, closed, closing, validator)
      const events = eventRecords(ledger.head.sequence, closeTimeSecOf(closing), closed.transactions)
      const range = branchRanges.get(branch) ?? { from: ledger.head.sequence, to: ledger.head.sequence }
      commitPosition(() => {
        archive.add(branch, ledger.row, closed.transactions, events)
        entryStore.write(closed.layer.changes())
        head = ledger.head
        timeline = trimTimeline(extendTimeline(timeline, branch, head.sequence), head.sequence - retentionLedgers + 1)
        branchRanges.set(branch, { ...range, to: head.sequence })
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
    snapshot: () => ({ head: head ?? EMPTY_CHAIN_HEAD, entries: state.copy(), timeline, clockOffsetSec, genesisLabel: genesisLabel ?? '' }),
    restore(snapshot) {
      commitPosition(() => {
        replaceEntries(snapshot.entries)
        ;({ head, timeline, clockOffsetSec, genesisLabel } = snapshot)
        branch += 1
      })
      state.replace(snapshot.entries)
    },
    reset(label) {
      commitPosition(() => {
        genesisLabel = label
        replaceEntries(new Map())
        head = undefined
        timeline = []
        branch += 1
      })
      state.replace(new Map())
    },
    retainSnapshots: (snapshots) => void (retainedSnapshots = snapshots),
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

/** The range of ledgers that each branch contains. */
type BranchRanges = Map<number, { readonly from: number; readonly to: number }>

/** Up to PRUNE_LEDGERS_PER_CLOSE ledgers at the start or end of one branch that no timeline needs. */
function prunableRange(ranges: BranchRanges, timelines: readonly Timeline[]): BranchRange | undefined {
  for (const [branch, range] of ranges) {
    const needed = coveringRange(timelines, branch)
    const from = needed === undefined || range.from < needed.from ? range.from : needed.to + 1
    const last = needed === undefined || from > needed.to ? range.to : needed.from - 1
    const to = Math.min(last, from + PRUNE_LEDGERS_PER_CLOSE - 1)
    if (from <= to) return { branch, from, to }
  }
  return undefined
}

function removeFromRanges(ranges: BranchRanges, { branch, from, to }: BranchRange): void {
  const range = ranges.get(branch)
  if (range === undefined) return
  if (from === range.from && to === range.to) ranges.delete(branch)
  else if (from === range.from) ranges.set(branch, { ...range, from: to + 1 })
  else if (to === range.to) ranges.set(branch, { ...range, to: from - 1 })
}

function loadBranchRanges(archive: Archive): BranchRanges {
  return new Map(archive.branches().map(({ branch, from, to }) => [branch, { from, to }]))
}

type StoredHead = Omit<Head, 'feePool'> & { readonly feePool: string }

function parseHead(text: string | undefined): Head | undefined {
  if (text === undefined || text === '') return undefined
  const stored = JSON.parse(text) as StoredHead
  return { ...stored, feePool: BigInt(stored.feePool) }
}

/** Unix seconds: what everything outside the header sees. */
export const closeTimeSecOf = ({ closeTimeMs }: Pick<Head, 'closeTimeMs'>): number => Math.floor(closeTimeMs / 1_000)

/** Builds the next ledger: its header, row and head. */
function ledgerAfter(before: Head, closed: ClosedLedger, closing: Closing, validator: Validator): { readonly head: Head; readonly row: LedgerRow } {
  const previousHash = fromHex(before.hash)
  const proposed = closing.dropped ?? closed.transactions.map(({ envelope }) => envelope)
  const transactions = proposed.map((envelope) => ({ soroban: isSoroban(envelope), envelope: envelope.bytes }))
  const pairs = closed.transactions.map(({ envelope, result }) => resultPair(fromHex(envelope.hash), result))
  const stateHash = nextStateHash(fromHex(before.stateHash), closed.layer.changes())
  const { closeTimeMs, upgradeTo } = closing
  const header: Header = {
    sequence: before.sequence + 1,
    previousHash,
    previousProtocol: closing.protocol,
    closeTimeMs,
    upgradeTo,
    isSetDropped: closing.dropped !== null,
    txSetHash: sha256(encodeTransactionSet(previousHash, transactions)),
    resultsHash: sha256(encode((writer) => putArray(writer, pairs))),
    stateHash,
    feePool: before.feePool + closed.feesCollected,
  }
  const headerXdr = encodeHeader(header, validator)
  const hash = toHex(headerHash(headerXdr))
  const { sequence, feePool } = header
  const closeTimeSec = closeTimeSecOf(closing)
  return {
    head: { sequence, hash, closeTimeMs, protocol: protocolAfter(header), stateHash: toHex(stateHash), feePool },
    row: {
      sequence, hash, previousHash: before.hash, closeTimeSec, header: headerXdr, evicted: new Uint8Array(Buffer.concat(closed.evicted)),
    },
  }
}
