// Checker: the archive holds exactly what the chain emitted up to the last indexed ledger: nothing lost, nothing twice, in the chain's order, byte by byte.

import assert from 'node:assert/strict'
import type { EventRecord } from '../../../localnet/history.ts'
import type { Archived } from './archive.ts'

/** What one incarnation of the network emitted, oldest first. */
export type ChainEvents = readonly EventRecord[]

/** Where the index says that it stands: the last ledger that it has scanned, in which incarnation by its own count. */
export interface IndexPosition {
  readonly chain: number
  readonly lastLedger: number | null
}

/** Holds each incarnation's events against the archive. The index must have come to the newest one. */
export function checkArchiveMatchesChain(archive: readonly Archived[], incarnations: readonly ChainEvents[], standing: IndexPosition): void {
  archive.forEach(({ seq }, index) => assert.equal(seq, index + 1, 'the log has a hole or a doubled number'))
  assert.equal(new Set(archive.map(({ eventId }) => eventId)).size, archive.length, 'an event id is there twice')
  const chains = [...new Set(archive.map(({ chain }) => chain))]
  assert.ok(standing.chain <= incarnations.length, `the index counts ${standing.chain} incarnations, there were ${incarnations.length}`)
  assert.deepEqual(chains, chains.toSorted((a, b) => a - b), 'the log goes back to an incarnation that was left')
  let matched = -1
  for (const chain of chains.filter((one) => one !== standing.chain)) {
    matched = findChain(archive.filter((row) => row.chain === chain), incarnations, matched + 1)
  }
  const newest = incarnations.at(-1) ?? []
  const rows = archive.filter((row) => row.chain === standing.chain)
  rows.forEach((row, position) => assert.deepEqual(shownRow(row), shownEvent(newest[position]), `event ${position + 1} of the newest incarnation`))
  assertComplete(rows, newest, standing.lastLedger)
}

/** The incarnation whose first events these are; one that was reset before it was indexed may have been skipped. */
function findChain(rows: readonly Archived[], incarnations: readonly ChainEvents[], from: number): number {
  for (let index = from; index < incarnations.length; index++) {
    const truth = incarnations[index] ?? []
    if (rows.every((row, position) => isSame(row, truth[position]))) return index
  }
  const index = incarnations.length - 1
  rows.forEach((row, position) => assert.deepEqual(shownRow(row), shownEvent(incarnations[index]?.[position]), `event ${position + 1} of the incarnation`))
  return index
}

/** Nothing up to the last scanned ledger is missing. */
function assertComplete(rows: readonly Archived[], truth: ChainEvents, lastLedger: number | null): void {
  const missing = truth.slice(rows.length).filter(({ ledger }) => lastLedger !== null && ledger <= lastLedger)
  assert.deepEqual(missing.map(shownEvent), [], `the index says it has scanned ledger ${lastLedger}, but these are not in the archive`)
}

function isSame(row: Archived, event: EventRecord | undefined): boolean {
  return event !== undefined && JSON.stringify(shownRow(row)) === JSON.stringify(shownEvent(event))
}

/** Ids of later epochs carry the epoch behind them; the chain's own id stays in front. */
function shownRow({ eventId, contractId, ledger, ledgerCloseTs, txHash, topicsXdr, valueXdr }: Archived): object {
  return { id: eventId.split('-').slice(0, 2).join('-'), contractId, ledger, closeTimeSec: ledgerCloseTs, txHash, topics: topicsXdr, value: valueXdr }
}

function shownEvent(event: EventRecord | undefined): object | null {
  if (event === undefined) return null
  const { id, contractId, ledger, closeTimeSec, txHash, topics, value } = event
  return { id, contractId, ledger, closeTimeSec, txHash, topics: topics.join(' '), value }
}
