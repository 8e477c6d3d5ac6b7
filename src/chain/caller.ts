// How one call is made: which node is asked, how often, when a second one is, and which answers are too old to be taken.

import { defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Endpoint } from './endpoint.ts'
import { isUnprocessed, RpcFailure } from './failure.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import type { Hedging } from './hedge.ts'
import { raceHedged } from './hedge.ts'
import type { Nodes, Observation } from './nodes.ts'
import type { RpcObserver } from './rpc-observer.ts'

/** What every call takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Asks this endpoint and no other. */
  readonly endpoint?: number
  /** An answer of a ledger before this one is not taken: another node is asked, then all again; at last the call fails with kind `behind`. */
  readonly minLedger?: number
}

/** How a method is called. */
export interface MethodPolicy {
  readonly timeoutMs: number
  /** Calls under way at one node. */
  readonly maxConcurrent: number
  /** More than one is for reads only. */
  readonly maxAttempts: number
  /** Whether a second node may be asked while the first has not answered. */
  readonly hedged: boolean
}

/** A call, and what its answer tells. */
export interface RpcRequest<T> {
  readonly method: string
  readonly params: object | null
  readonly policy: MethodPolicy
  readonly parse: (result: unknown) => T
  /** Where the node stands by this answer; null when it does not tell. */
  readonly observationOf: (answer: unknown) => Observation | null
}

/** Who asks: keeps to a node of its own for as long as that is good. */
export interface NodeAffinity {
  preferred: number
  /** A faster node is no reason to change, and a second is never asked. */
  readonly sticky: boolean
}

export interface Caller {
  /** Asks until there is an answer that may be taken. Rejects with RpcFailure, or with the reason of the call's own signal. */
  call<T>(asker: NodeAffinity, question: RpcRequest<T>, options: CallOptions): Promise<T>
  /** Each endpoint at most once, the next only when it is certain that the one before did not take the call up. */
  send<T>(asker: NodeAffinity, question: RpcRequest<T>): Promise<T>
  /** One attempt at one node, whatever is held against it, unless it rests after failures. */
  probe<T>(index: number, question: RpcRequest<T>, signal: AbortSignal): Promise<T>
  /** Calls that wait for their turn, by method. */
  queues(): ReadonlyMap<string, number>
}

/** What one attempt is part of. */
interface Asking {
  readonly options: CallOptions
  /** The nodes that the call has asked. */
  readonly tried: ReadonlySet<number>
}

/** Waits between attempts at one endpoint are drawn from [0, base x 2^n], and never above the cap, about one ledger. */
export const RETRY_BASE_MS = 250
export const RETRY_CAP_MS = 5_000
/** Attempts while the answers are too old: the next ledger brings what is missing, so it is waited for a little longer. */
export const BEHIND_ATTEMPTS = 5

export interface CallerParts {
  readonly endpoints: readonly Endpoint[]
  readonly nodes: Nodes
  readonly hedging: Hedging
  readonly clock: Clock
  readonly random: Random
  readonly observer: RpcObserver | null
}

export function createCaller(parts: CallerParts): Caller {
  const { endpoints, nodes, hedging, clock, random, observer } = parts
  /** A node that hangs must not take the places of calls to the others. */
  const gates = endpoints.map(() => new Map<string, ConcurrencyLimit>())

  /** The endpoint to ask next, or none when all of them rest. */
  function choose(asker: NodeAffinity, tried: ReadonlySet<number>, { endpoint: pinned, minLedger = 0 }: CallOptions): Endpoint | undefined {
    const order = pinned === undefined ? nodes.order(asker.preferred, { tried, sticky: asker.sticky, minLedger }) : [pinned]
    return order.map((index) => defined(endpoints[index], `endpoint ${index}`)).find(({ breaker }) => breaker.allow())
  }

  /** True when another attempt makes sense: the same call may work later, or another endpoint may be better. */
  function worthAnother(failure: RpcFailure, pinned: number | undefined): boolean {
    if (failure.retryAfterMs !== undefined && failure.retryAfterMs > RETRY_CAP_MS && (endpoints.length === 1 || pinned !== undefined)) return false
    return failure.retryable || (failure.kind === 'http' && endpoints.length > 1 && pinned === undefined)
  }

  async function pause(attempt: number, failure: RpcFailure, { endpoint: pinned, signal }: CallOptions): Promise<void> {
    // An endpoint that has not been asked yet is asked at once.
    if (pinned === undefined && attempt + 1 < endpoints.length) return
    const drawnMs = random.float() * Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** attempt)
    await clock.sleep(Math.max(drawnMs, failure.retryAfterMs ?? 0), signal)
    signal?.throwIfAborted()
  }

  function gateOf(index: number, { method, policy }: RpcRequest<unknown>): ConcurrencyLimit {
    const own = defined(gates[index], `the gates of endpoint ${index}`)
    const gate = own.get(method) ?? createConcurrencyLimit(policy.maxConcurrent)
    own.set(method, gate)
    return gate
  }

  /** One attempt at one node. Rejects also for an answer that came and cannot be taken. */
  async function ask<T>(endpoint: Endpoint, question: RpcRequest<T>, options: CallOptions, tried: ReadonlySet<number>): Promise<T> {
    const { method, params, policy: { timeoutMs }, parse: read } = question
    const askedAt = nodes.head()
    const startedMs = clock.elapsedMs()
    const answer = await endpoint.call(method, params, { concurrencyLimit: gateOf(endpoint.index, question), timeoutMs, signal: options.signal, parse: read })
    hedging.recordDuration(method, clock.elapsedMs() - startedMs)
    const told = question.observationOf(answer)
    if (told === null) return answer
    const standing = nodes.observe(endpoint.index, told, askedAt)
    const facts = { method, endpoint: endpoint.index, retryable: true }
    if (standing === 'ahead' && options.endpoint === undefined) {
      throw new RpcFailure({ ...facts, kind: 'malformed', detail: `ledger ${told.ledger} is further than the network can have come` })
    }
    const isOld = standing === 'lagging' && options.endpoint === undefined && hasBetter(tried)
    if (isOld || told.ledger < (options.minLedger ?? 0)) {
      const wanted = Math.max(askedAt, options.minLedger ?? 0)
      throw new RpcFailure({ ...facts, kind: 'behind', detail: `the node stands at ledger ${told.ledger}, wanted is ${wanted}` })
    }
    return answer
  }

  /** True while there is a node at the front that this call has not asked: then an old answer need not be taken. */
  function hasBetter(tried: ReadonlySet<number>): boolean {
    return endpoints.some(({ index, breaker }) => !tried.has(index) && nodes.isUsable(index) && breaker.isClosed())
  }

  /** An attempt that may become two. */
  async function askHedged<T>(asker: NodeAffinity, endpoint: Endpoint, question: RpcRequest<T>, parts: Asking): Promise<{ answer: T; by: number }> {
    const { options, tried } = parts
    const mayHedge = question.policy.hedged && !asker.sticky && options.endpoint === undefined && endpoints.length > 1
    const patienceMs = mayHedge ? hedging.delayMs(question.method) : null
    if (patienceMs === null) return { answer: await ask(endpoint, question, options, tried), by: endpoint.index }
    let other: Endpoint | undefined
    const { answer, winner } = await raceHedged(clock, options.signal, {
      first: (signal) => ask(endpoint, question, { ...options, signal }, tried),
      patienceMs,
      second() {
        other = spare(asker, endpoint, question, options)
        return other === undefined ? undefined : (signal) => ask(defined(other, 'the other endpoint'), question, { ...options, signal }, tried)
      },
    })
    if (other === undefined || winner === 'alone') return { answer, by: endpoint.index }
    observer?.hedged?.(winner)
    return { answer, by: winner === 'second' ? other.index : endpoint.index }
  }

  /** A node that is as good as the first and has nothing to do; undefined also when the budget has run out. */
  function spare(asker: NodeAffinity, first: Endpoint, question: RpcRequest<unknown>, { minLedger = 0 }: CallOptions): Endpoint | undefined {
    const [index] = nodes.order(asker.preferred, { tried: new Set([first.index]), sticky: false, minLedger })
    if (index === undefined || index === first.index || !nodes.isUsable(index) || gateOf(index, question).waiting() > 0) return undefined
    const endpoint = defined(endpoints[index], `endpoint ${index}`)
    return endpoint.breaker.isClosed() && hedging.takeFromBudget() ? endpoint : undefined
  }

  function attemptsOf({ maxAttempts: attempts }: MethodPolicy, last: RpcFailure | undefined): number {
    return last?.kind === 'behind' && attempts > 1 ? BEHIND_ATTEMPTS : attempts
  }

  return {
    async call(asker, question, options) {
      const tried = new Set<number>()
      let last: RpcFailure | undefined
      for (let attempt = 0; attempt < attemptsOf(question.policy, last); attempt++) {
        if (last !== undefined) await pause(attempt - 1, last, options)
        const endpoint = choose(asker, tried, options)
        if (endpoint === undefined) break
        tried.add(endpoint.index)
        try {
          const { answer, by } = await askHedged(asker, endpoint, question, { options, tried })
          if (options.endpoint === undefined) asker.preferred = by
          return answer
        } catch (error) {
          if (!(error instanceof RpcFailure)) throw error
          if (!worthAnother(error, options.endpoint)) throw error
          if (options.endpoint === undefined) asker.preferred = (endpoint.index + 1) % endpoints.length
          last = error
        }
      }
      throw last ?? resting(question.method)
    },
    async send(asker, question) {
      const tried = new Set<number>()
      let last: RpcFailure | undefined
      for (let attempt = 0; attempt < endpoints.length; attempt++) {
        const endpoint = choose(asker, tried, {})
        if (endpoint === undefined || tried.has(endpoint.index)) break
        tried.add(endpoint.index)
        try {
          const { method, params, policy: { timeoutMs }, parse: read } = question
          // Taken as it comes: what a node says of an envelope counts, wherever it stands.
          const answer = await endpoint.call(method, params, { concurrencyLimit: gateOf(endpoint.index, question), timeoutMs, signal: undefined, parse: read })
          asker.preferred = endpoint.index
          return answer
        } catch (error) {
          if (!(error instanceof RpcFailure) || !isUnprocessed(error)) throw error
          asker.preferred = (endpoint.index + 1) % endpoints.length
          last = error
        }
      }
      throw last ?? resting(question.method)
    },
    async probe(index, question, signal) {
      const endpoint = defined(endpoints[index], `endpoint ${index}`)
      if (!endpoint.breaker.allow()) throw resting(question.method)
      return await ask(endpoint, question, { signal, endpoint: index }, new Set())
    },
    queues() {
      const waiting = new Map<string, number>()
      for (const own of gates) {
        for (const [method, gate] of own) waiting.set(method, (waiting.get(method) ?? 0) + gate.waiting())
      }
      return waiting
    },
  }
}

function resting(method: string): RpcFailure {
  return new RpcFailure({ method, kind: 'unreachable', retryable: true, unsent: true, detail: 'every endpoint is resting after failures' })
}
