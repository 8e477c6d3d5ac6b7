// Reads that a second node confirms: it is called at the same time, and its answer is compared if it comes soon after the first. If they differ, a third node
// decides, and the one that is alone is avoided (docs/decisions/compared-figures.md).

import type { Clock } from '../../base/clock.ts'
import type { Agreement, Compared, Figure } from './agreement.ts'
import { RpcFailure } from './failure.ts'
import type { NodeFault } from './node-fault.ts'
import type { LedgerEntriesResponse, LedgerEntry, SimulationResponse } from './responses.ts'
import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import { withTimeout } from './with-timeout.ts'

/** Time for which a read waits for the second node after the first has answered. */
export const SECOND_WAIT_MS = 100
/** Time for which it waits for the node that decides. */
const THIRD_WAIT_MS = 500

/** `unknown`: the answers are of different ledgers, between which the figure may have changed. */
export type Comparison = 'same' | 'different' | 'unknown'

export interface ComparedRead<T> {
  readonly figure: Figure
  /** The fault of a node that most others contradict. */
  readonly fault: NodeFault
  /** Calls a node. */
  read(call: CallOptions): Promise<T>
  compare(first: T, second: T): Comparison
}

export interface ComparingParts {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly agreement: Pick<Agreement, 'record'>
}

export interface ComparedValue<T> extends Compared {
  readonly value: T
}

/** Reads from the best node and compares with others. Rejects as the read of the first node does. A single node and a pinned call are not compared. */
export async function readCompared<T>(
  { rpc, clock, agreement }: ComparingParts, { figure, fault, read, compare }: ComparedRead<T>, options: CallOptions = {},
): Promise<ComparedValue<T>> {
  const second = options.endpoint === undefined ? rpc.others?.([])[1] : undefined
  if (second === undefined) return record({ value: await read(options), agreeing: 1, asked: 1 })
  const others = new AbortController()
  const { minLedger, ...shared } = options
  const signal = options.signal === undefined ? others.signal : AbortSignal.any([options.signal, others.signal])
  const ask = (endpoint: number): Promise<T | undefined> =>
    read({ ...shared, signal, endpoint, isComparison: true }).catch((error: unknown) => (signal.aborted ? undefined : ignoreFailure(error)))
  const secondAnswer = ask(second)
  // If the first node fails, nothing waits for the second one.
  secondAnswer.catch(() => {})
  const secondNode = second
  let first = second

  /** A third answer decides between two that differ. */
  async function decide(value: T, other: T): Promise<ComparedValue<T>> {
    const third = rpc.others?.([first, secondNode])[0]
    const answer = third === undefined ? undefined : await within(clock, THIRD_WAIT_MS, ask(third))
    if (answer === undefined) return { value, agreeing: 1, asked: 2 }
    const [withFirst, withSecond] = [compare(value, answer), compare(other, answer)]
    if (withFirst === 'same' && withSecond !== 'same') {
      rpc.reportFault?.(fault, second)
      return { value, agreeing: 2, asked: 3 }
    }
    if (withSecond !== 'same' || withFirst === 'same') return { value, agreeing: 1, asked: 3 }
    rpc.reportFault?.(fault, first)
    // The answer of the others may be of an earlier ledger than the caller accepts.
    return { value: minLedger === undefined ? other : await read(options), agreeing: 2, asked: 3 }
  }

  function record(compared: ComparedValue<T>): ComparedValue<T> {
    agreement.record(figure, { agreeing: compared.agreeing, asked: compared.asked })
    return compared
  }

  try {
    const value = await read({ ...options, onAnswered: (endpoint) => (first = endpoint) })
    const other = first === second ? undefined : await within(clock, SECOND_WAIT_MS, secondAnswer)
    const comparison = other === undefined ? 'unknown' : compare(value, other)
    if (comparison === 'unknown' || other === undefined) return record({ value, agreeing: 1, asked: 1 })
    return record(comparison === 'same' ? { value, agreeing: 2, asked: 2 } : await decide(value, other))
  } finally {
    others.abort()
  }
}

function ignoreFailure(error: unknown): undefined {
  if (error instanceof RpcFailure) return undefined
  throw error
}

/** Undefined when the answer does not come in time. */
async function within<T>(clock: Clock, limitMs: number, answer: Promise<T | undefined>): Promise<T | undefined> {
  return await withTimeout(clock, { limitMs, method: 'comparison' }, () => answer).catch(ignoreFailure)
}

/** A client whose reads of ledger entries and simulated views are compared. `figure` says what is read. */
export function comparedRpc({ rpc, clock, agreement }: ComparingParts, figure: Figure): Rpc {
  const parts = { rpc, clock, agreement }
  // The number of nodes may change, so the other members stay those of the client.
  return Object.assign(Object.create(rpc) as Rpc, {
    getLedgerEntries: async (keysXdr: readonly string[], options?: CallOptions): Promise<LedgerEntriesResponse> => {
      const read = (call: CallOptions): Promise<LedgerEntriesResponse> => rpc.getLedgerEntries(keysXdr, call)
      return (await readCompared(parts, { figure, fault: 'false_entries', read, compare: (a, b) => compareEntries(keysXdr, a, b) }, options)).value
    },
    simulateTransaction: async (envelopeXdr: string, options?: CallOptions): Promise<SimulationResponse> => {
      const read = (call: CallOptions): Promise<SimulationResponse> => rpc.simulateTransaction(envelopeXdr, call)
      return (await readCompared(parts, { figure, fault: 'false_entries', read, compare: compareViews }, options)).value
    },
  })
}

/** Two nodes have the same ledger in the same state. In the latest one an entry may be newer than the ledger that the node reports. */
const TOLERANCE_LEDGERS = 1

/** Compares what two nodes say of the same entries by the ledgers in which they were last modified. */
export function compareEntries(keysXdr: readonly string[], first: LedgerEntriesResponse, second: LedgerEntriesResponse): Comparison {
  const [earlier, later] = first.latestLedger <= second.latestLedger ? [first, second] : [second, first]
  const byKey = (response: LedgerEntriesResponse): ReadonlyMap<string, LedgerEntry> => new Map(response.entries.map((entry) => [entry.keyXdr, entry]))
  const [before, after] = [byKey(earlier), byKey(later)]
  const comparisons = keysXdr.map((key) => compareEntry(before.get(key), after.get(key), { earlier: earlier.latestLedger, later: later.latestLedger }))
  if (comparisons.includes('different')) return 'different'
  return comparisons.includes('unknown') ? 'unknown' : 'same'
}

function compareEntry(
  before: LedgerEntry | undefined, after: LedgerEntry | undefined, ledgers: { readonly earlier: number; readonly later: number },
): Comparison {
  if (before === undefined && after === undefined) return 'same'
  if (before !== undefined && after !== undefined && before.lastModifiedLedger === after.lastModifiedLedger) {
    return before.dataXdr === after.dataXdr ? 'same' : 'different'
  }
  // Versions of nodes differ in whether they return an archived entry.
  if ([before, after].some((entry) => entry !== undefined && entry.liveUntilLedger !== null && entry.liveUntilLedger < ledgers.later)) return 'unknown'
  // Nothing says when a missing entry was removed.
  if (after === undefined) return ledgers.earlier === ledgers.later ? 'different' : 'unknown'
  return after.lastModifiedLedger <= ledgers.earlier - TOLERANCE_LEDGERS ? 'different' : 'unknown'
}

/** Views of one ledger return the same. */
function compareViews(first: SimulationResponse, second: SimulationResponse): Comparison {
  if (first.error !== null || second.error !== null) return 'unknown'
  const isSame = first.results.length === second.results.length && first.results.every((result, index) => {
    return result.returnValueXdr === second.results[index]?.returnValueXdr
  })
  if (isSame) return 'same'
  return first.latestLedger === second.latestLedger ? 'different' : 'unknown'
}
