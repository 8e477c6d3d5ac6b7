// The outcome of a transaction as several nodes report it. One node may invent an outcome, or hide one (docs/decisions/outcomes-need-evidence.md).

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { RpcFailure } from './failure.ts'
import type { TransactionResponse } from './responses.ts'
import type { Rpc, TransactionOptions } from './rpc.ts'
import { withTimeout } from './with-timeout.ts'

/** Time that other nodes may take to confirm an outcome. They may close the ledger a moment later than the first. */
const CONFIRM_WAIT_MS = 2_000
/** Of one node. */
const ANSWER_MAX_MS = 1_000
/** Between two questions to a node that has not closed the ledger yet. */
const ASK_AGAIN_MS = 250
/** Nodes that must report an outcome, where there are that many. */
export const CONFIRMING_NODES = 2

export interface AgreedTransaction {
  /** Of the nodes that agree; of the first node while none is right. */
  readonly response: TransactionResponse
  /** Nodes that report this. */
  readonly agreeing: number
  /** Nodes whose answers count. */
  readonly asked: number
  /** True when nodes contradict each other and none of the answers has a majority. */
  readonly isContested: boolean
}

export interface AgreedTransactionOptions extends TransactionOptions {
  readonly networkId: Uint8Array
  /** True: asks all nodes, also when the first does not have the transaction. */
  readonly thorough?: boolean
}

interface Vote {
  readonly endpoint: number
  readonly response: TransactionResponse
}

type Found = Exclude<TransactionResponse, { readonly status: 'NOT_FOUND' }>

/**
 * Looks a transaction up, and has other nodes confirm an outcome for a limited time. Nodes that a majority contradicts are reported. Rejects as getTransaction
 * does when the first node does not respond.
 */
export async function readAgreedTransaction(
  { rpc, clock }: { readonly rpc: Rpc; readonly clock: Clock }, hash: string, { thorough = false, ...options }: AgreedTransactionOptions,
): Promise<AgreedTransaction> {
  let first = 0
  const response = await rpc.getTransaction(hash, { ...options, onAnswered: (endpoint) => (first = endpoint) })
  const votes: Vote[] = [{ endpoint: first, response }]
  const isAlone = rpc.endpoints === 1 || options.endpoint !== undefined || rpc.others === undefined
  if (isAlone || (response.status === 'NOT_FOUND' && !thorough)) return { response, agreeing: 1, asked: 1, isContested: false }

  const { minLedger: _minLedger, ...call } = options
  /** Undefined: no answer that counts. */
  async function ask(endpoint: number, limitMs: number): Promise<Vote | undefined> {
    try {
      const limit = { limitMs: Math.min(ANSWER_MAX_MS, limitMs), method: 'getTransaction', signal: options.signal }
      const answer = await withTimeout(clock, limit, (signal) => rpc.getTransaction(hash, { ...call, signal, endpoint }))
      return { endpoint, response: answer }
    } catch (error) {
      if (error instanceof RpcFailure || options.signal?.aborted === true) return undefined
      throw error
    }
  }

  const untilMs = clock.elapsedMs() + CONFIRM_WAIT_MS
  const remainingMs = (): number => untilMs - clock.elapsedMs()
  const isOver = (): boolean => isDecided(votes, thorough) || remainingMs() <= 0 || options.signal?.aborted === true
  /** Nodes that have voted, or do not respond. */
  const done = new Set([first])
  const waiting = (): readonly number[] => rpc.others?.([...done]) ?? []
  for (;;) {
    for (const endpoint of waiting()) {
      if (isOver()) break
      const vote = await ask(endpoint, remainingMs())
      if (vote === undefined || counts(vote, votes)) done.add(endpoint)
      if (vote !== undefined && done.has(endpoint)) votes.push(vote)
    }
    if (isOver() || waiting().length === 0) return conclude(rpc, votes)
    await clock.sleep(Math.min(ASK_AGAIN_MS, remainingMs()), options.signal)
  }
}

/** The outcomes among the votes, and who reports each; the nodes that certainly do not have any of them. */
function groupsOf(votes: readonly Vote[]): { readonly found: readonly (readonly Vote[])[]; readonly absent: readonly Vote[] } {
  const outcomes = votes.flatMap(({ response }) => (response.status === 'NOT_FOUND' ? [] : [response]))
  const found = Map.groupBy(votes.filter(({ response }) => response.status !== 'NOT_FOUND'), ({ response }) => keyOf(response as Found))
  const absent = votes.filter(({ response }) => response.status === 'NOT_FOUND' && outcomes.every((outcome) => covers(response, outcome)))
  return { found: [...found.values()].toSorted((a, b) => b.length - a.length), absent }
}

/** Diagnostics are left out: nodes need not keep them. */
function keyOf({ status, ledger, resultXdr }: Found): string {
  return `${status} ${ledger} ${resultXdr}`
}

/** True when a node that does not have the transaction has the ledger in which it is said to be. */
function covers({ latestLedger, oldestLedger, oldestLedgerCloseSec }: TransactionResponse, { ledger, closeSec }: Found): boolean {
  const isRetained = oldestLedger === null || oldestLedger <= ledger
  const isRecent = oldestLedgerCloseSec !== null && closeSec !== undefined && oldestLedgerCloseSec <= closeSec
  return latestLedger >= ledger && (isRetained || isRecent)
}

/** A node that has not closed the ledger yet, or dropped it, says nothing. */
function counts(vote: Vote, votes: readonly Vote[]): boolean {
  return vote.response.status !== 'NOT_FOUND' || groupsOf([...votes, vote]).absent.includes(vote)
}

/** True when no further answer is needed: enough nodes agree, and they are a majority of those that answered. */
function isDecided(votes: readonly Vote[], thorough: boolean): boolean {
  const { found: [most = []], absent } = groupsOf(votes)
  if (most.length === 0) return false
  const needed = thorough ? Number.POSITIVE_INFINITY : CONFIRMING_NODES
  return (most.length >= needed || absent.length >= needed) && Math.max(most.length, absent.length) * 2 > votes.length
}

function conclude(rpc: Rpc, votes: readonly Vote[]): AgreedTransaction {
  const { found, absent } = groupsOf(votes)
  const groups = [...found, absent].filter((group) => group.length > 0).toSorted((a, b) => b.length - a.length)
  const asked = groups.reduce((sum, group) => sum + group.length, 0)
  const [most = votes] = groups
  const { response } = defined(most[0], 'a vote')
  const isContested = groups.length > 1 && most.length * 2 <= asked
  if (!isContested) {
    for (const { endpoint } of groups.slice(1).flat()) rpc.reportFault?.('false_outcome', endpoint)
  }
  return { response, agreeing: isContested ? 1 : most.length, asked: Math.max(1, asked), isContested }
}
