// Checker: the archive contains exactly what the chain emitted up to the last indexed ledger: nothing missing or duplicated, in order, byte by byte.

import assert from 'node:assert/strict'
import type { EventRecord } from '../../../localnet/history.ts'
import type { Archived } from './archive.ts'

/** The events of one chain, oldest first. A reset or a restore starts a new chain. */
export type ChainEvents = readonly EventRecord[]

/** The index's own position: its count of chains and the last ledger it has scanned. */
interface IndexPosition {
  readonly chain: number
  readonly lastLedger: number | null
}

/** Compares the archive with the events of each chain. The index must be on the newest one. */
export function checkArchiveMatchesChain(archive: readonly Archived[], chains: readonly ChainEvents[], position: IndexPosition): void {
  assert.equal(new Set(archive.map(({ eventId }) => eventId)).size, archive.length, 'duplicate event id')
  const indexed = [...new Set(archive.map(({ chain }) => chain))]
  assert.ok(position.chain <= chains.length, `the index counts ${position.chain} chains, there were ${chains.length}`)
  assert.deepEqual(indexed, indexed.toSorted((a, b) => a - b), 'the log returns to an earlier chain')
  let matched = -1
  for (const chain of indexed.filter((one) => one !== position.chain)) {
    matched = findChain(archive.filter((row) => row.chain === chain), chains, matched + 1)
  }
  const newest = chains.at(-1) ?? []
  const rows = archive.filter((row) => row.chain === position.chain)
  rows.forEach((row, index) => assert.deepEqual(comparableRow(row), comparableEvent(newest[index]), `event ${index + 1} of the newest chain`))
  assertComplete(rows, newest, position.lastLedger)
}

/** The index of the chain that starts with these events. A chain that ended before it was indexed may be missing. */
function findChain(rows: readonly Archived[], chains: readonly ChainEvents[], from: number): number {
  for (let index = from; index < chains.length; index++) {
    const truth = chains[index] ?? []
    if (rows.every((row, position) => isSame(row, truth[position]))) return index
  }
  const index = chains.length - 1
  rows.forEach((row, position) => assert.deepEqual(comparableRow(row), comparableEvent(chains[index]?.[position]), `event ${position + 1} of the chain`))
  return index
}

/** No event up to the last scanned ledger is missing. */
function assertComplete(rows: readonly Archived[], truth: ChainEvents, lastLedger: number | null): void {
  const missing = truth.slice(rows.length).filter(({ ledger }) => lastLedger !== null && ledger <= lastLedger)
  assert.deepEqual(missing.map(comparableEvent), [], `the index has scanned ledger ${lastLedger} without archiving these`)
}

function isSame(row: Archived, event: EventRecord | undefined): boolean {
  return event !== undefined && JSON.stringify(comparableRow(row)) === JSON.stringify(comparableEvent(event))
}

/** Later epochs append their number to the chain's event id. */
function comparableRow({ eventId, contractId, ledger, ledgerCloseTs, txHash, topicsXdr, valueXdr }: Archived): object {
  return { id: eventId.split('-').slice(0, 2).join('-'), contractId, ledger, closeTimeSec: ledgerCloseTs, txHash, topics: topicsXdr, value: valueXdr }
}

function comparableEvent(event: EventRecord | undefined): object | null {
  if (event === undefined) return null
  const { id, contractId, ledger, closeTimeSec, txHash, topics, value } = event
  return { id, contractId, ledger, closeTimeSec, txHash, topics: topics.join(' '), value }
}
