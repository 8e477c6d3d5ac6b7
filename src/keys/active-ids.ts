// The ids of all active keys in memory, so that an id that was never issued costs no lookup. Half of an id is kept, as a number: an unknown id with the same
// half costs a lookup and nothing else. For that reason no id is removed: a key that was revoked since the start costs a lookup too.

import type { Clock } from '../base/clock.ts'
import type { Queryable } from '../store/store.ts'
import { listKeyIds } from './records.ts'

export interface ActiveKeyIds {
  /** False for an id that no active key has, as far as it is known. */
  has(keyId: string): boolean
  /** Records a committed issue. */
  add(keyId: string): void
  /** Reads what was issued since the last read. The read begins after the call; calls during a read share the next one. Rejects with the store's errors. */
  refresh(): Promise<void>
}

/** Ids per statement. */
const PAGE = 10_000
/** Beyond this number, about 100 MB, every id counts as active. */
const IDS_MAX = 2_000_000
/**
 * A key gets its seq before its transaction commits, so a read may find later keys first. After this time the transaction has ended, or its client knows
 * that it failed: twice the limit of a statement, and the longest pause between two.
 */
const COMMIT_MAX_MS = 120_000
/** Missing seqs that are read again. More of them cannot belong to transactions that are still open. */
const GAPS_MAX = 10_000
/** Hex digits of an id that are kept: as many as a number holds. */
const DIGITS = { from: 'nk_'.length, to: 'nk_'.length + 12 } as const

export function createActiveKeyIds({ db, clock }: { readonly db: Queryable; readonly clock: Clock }): ActiveKeyIds {
  const ids = new Set<number>()
  let isOverfull = false
  let lastSeq = 0
  /** Seqs without a key, with the time when that was seen. */
  const gaps = new Map<number, number>()
  /** The seqs of `gaps`, copied only after a change. */
  let watched: readonly number[] = []
  let isChanged = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function add(keyId: string): void {
    if (ids.size < IDS_MAX) ids.add(numberOf(keyId))
    else isOverfull = true
  }

  async function read(): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    if (isChanged) watched = [...gaps.keys()]
    isChanged = false
    for (let isLast = false, missing: readonly number[] = watched; !isLast; missing = []) {
      const rows = await listKeyIds(db, { afterSeq: lastSeq, limit: PAGE, missing })
      for (const { seq, keyId, isActive } of rows) {
        if (isActive) add(keyId)
        removeGap(seq)
        if (seq <= lastSeq) continue
        watchGaps(lastSeq + 1, seq)
        lastSeq = seq
      }
      isLast = rows.length < PAGE
    }
    for (const [seq, sinceMs] of gaps) if (startedAtMs - sinceMs >= COMMIT_MAX_MS) removeGap(seq)
  }

  function removeGap(seq: number): void {
    if (gaps.delete(seq)) isChanged = true
  }

  function watchGaps(from: number, to: number): void {
    for (let seq = Math.max(from, to - GAPS_MAX); seq < to; seq++) {
      gaps.set(seq, clock.elapsedMs())
      isChanged = true
    }
    for (const seq of gaps.keys()) {
      if (gaps.size <= GAPS_MAX) return
      gaps.delete(seq)
    }
  }

  function start(): Promise<void> {
    const reading = read().finally(() => void (running = undefined))
    running = reading
    return reading
  }

  return {
    has: (keyId) => isOverfull || ids.has(numberOf(keyId)),
    add,
    refresh() {
      if (running === undefined) return start()
      const startNext = (): Promise<void> => {
        next = undefined
        return start()
      }
      return (next ??= running.then(startNext, startNext))
    },
  }
}

function numberOf(keyId: string): number {
  return Number.parseInt(keyId.slice(DIGITS.from, DIGITS.to), 16)
}
