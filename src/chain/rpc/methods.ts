// The methods of the node: how each is called, how large its response can be, and how its result is read.

import {
  parseEvents, parseHealth, parseLatestLedger, parseLedgerEntries, parseLedgers, parseNetwork, parseSend, parseSimulation, parseTransaction,
} from './responses.ts'
import { parseTransactions } from './transactions-page.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** The policy for calls of a method. */
export interface MethodPolicy {
  readonly timeoutMs: number
  /** Concurrent calls per node. */
  readonly maxConcurrent: number
  /** Only reads may have more than one. */
  readonly maxAttempts: number
  /** A second node may be called while the first has not responded. */
  readonly hedged?: true
}

/** Maximum size of the response to a request. */
export interface ResponseBounds {
  /** After decompression. */
  readonly maxBytes: number
  /** Separators and brackets of the JSON text. */
  readonly maxValues: number
}

/** A response without items, and what each requested item adds. `maxBytes` bounds both together. */
interface ResponseSize {
  readonly bytes: number
  readonly bytesPerItem: number
  readonly maxBytes: number
  readonly values: number
  readonly valuesPerItem: number
}

interface MethodSpec<T> {
  readonly policy: MethodPolicy
  readonly size: ResponseSize
  readonly parse: (result: unknown) => T
}

/** Sizes follow from the network's limits per transaction (132 kB of envelope, 132 kB of writes, 16 kB of events) and from base64, with a margin. */
function upTo(bytes: number, values: number): ResponseSize {
  return { bytes, bytesPerItem: 0, maxBytes: bytes, values, valuesPerItem: 0 }
}

/** Simulation is the scarcest resource of a node, so its concurrency is limited. */
export const METHODS = {
  getHealth: spec(parseHealth, upTo(16 * KIB, 64), { timeoutMs: 8_000, maxConcurrent: 4, maxAttempts: 3 }),
  getNetwork: spec(parseNetwork, upTo(16 * KIB, 64), { timeoutMs: 8_000, maxConcurrent: 2, maxAttempts: 3 }),
  /** An event has up to 16 kB of XDR. A full page of such events exceeds the maximum; the indexer then requests smaller pages. */
  getEvents: spec(
    parseEvents,
    { bytes: 16 * KIB, bytesPerItem: 24 * KIB, maxBytes: 8 * MIB, values: 64, valuesPerItem: 64 },
    { timeoutMs: 15_000, maxConcurrent: 2, maxAttempts: 3 },
  ),
  /** Every ledger comes with its whole metadata: megabytes on a busy network. */
  getLedgers: spec(
    parseLedgers,
    { bytes: 16 * KIB, bytesPerItem: 8 * MIB, maxBytes: 32 * MIB, values: 64, valuesPerItem: 32 },
    { timeoutMs: 15_000, maxConcurrent: 2, maxAttempts: 3 },
  ),
  getLatestLedger: spec(parseLatestLedger, upTo(8 * MIB, 64), { timeoutMs: 8_000, maxConcurrent: 2, maxAttempts: 3 }),
  /** An item is a position or an order of less than 2 kB. The rest is for lists of ids, which grow to 64 kB of XDR each. */
  getLedgerEntries: spec(
    parseLedgerEntries,
    { bytes: 288 * KIB, bytesPerItem: 4 * KIB, maxBytes: 1.25 * MIB, values: 64, valuesPerItem: 32 },
    { timeoutMs: 8_000, maxConcurrent: 8, maxAttempts: 3, hedged: true },
  ),
  simulateTransaction: spec(parseSimulation, upTo(2 * MIB, 16_384), { timeoutMs: 10_000, maxConcurrent: 8, maxAttempts: 3, hedged: true }),
  sendTransaction: spec(parseSend, upTo(512 * KIB, 4_096), { timeoutMs: 10_000, maxConcurrent: 16, maxAttempts: 1 }),
  getTransaction: spec(parseTransaction, upTo(2 * MIB, 16_384), { timeoutMs: 5_000, maxConcurrent: 16, maxAttempts: 1, hedged: true }),
  getTransactions: spec(
    parseTransactions,
    { bytes: 16 * KIB, bytesPerItem: 1 * MIB, maxBytes: 16 * MIB, values: 64, valuesPerItem: 4_096 },
    { timeoutMs: 10_000, maxConcurrent: 1, maxAttempts: 2 },
  ),
}

export type Method = keyof typeof METHODS

export type ResultOf<M extends Method> = ReturnType<(typeof METHODS)[M]['parse']>

function spec<T>(parse: (result: unknown) => T, size: ResponseSize, policy: MethodPolicy): MethodSpec<T> {
  return { policy, size, parse }
}

/** The bounds of a response with `items` events, ledgers or entries. */
export function boundsOf(method: Method, items: number): ResponseBounds {
  const { size } = METHODS[method]
  return {
    maxBytes: Math.min(size.maxBytes, size.bytes + items * size.bytesPerItem),
    maxValues: size.values + items * size.valuesPerItem,
  }
}
