// Faults of the RPC server, as real nodes and their proxies show them, and of the network's ledgers. Each has a name, parameters and a limit. Which calls are
// affected depends on the number of the call per method, not on random numbers, so that a run can be repeated.

import { CALL_FAULTS, HTTP_FAULTS, LEDGER_FAULTS } from './fault-kinds.ts'
import type { FaultKind, FaultParameter, FaultValue, FaultValues, LedgerFault, PreviousLedger } from './fault-kinds.ts'

/** Faults armed at the same time. */
export const ARMED_FAULTS_MAX = 32

/** The argument of `arm`: the fault's name, which calls it affects, and its own parameters. */
export interface FaultRequest {
  readonly name: string
  /** Affects only calls of this method. Absent or null: all methods that the fault applies to. */
  readonly method?: string | null
  /** Affects every n-th of those calls, or of the ledgers. Default: 1. */
  readonly everyNth?: number
  /** The number of calls to affect. null: until cleared. Absent: the fault's default. */
  readonly count?: number | null
  readonly [parameter: string]: unknown
}

/** An active fault. */
interface ArmedFault {
  readonly id: number
  readonly name: string
  readonly method: string | null
  readonly everyNth: number
  /** null: until cleared. */
  readonly remaining: number | null
  /** The number of calls that it has affected. */
  readonly hits: number
  readonly parameters: FaultValues
}

/** A fault that affects a call. */
export interface TriggeredFault {
  readonly name: string
  readonly values: FaultValues
}

/** The n-th call of a method, from 1. */
interface Occurrence {
  readonly method: string
  readonly nth: number
}

export interface FaultsOptions {
  /** Called for every call, before the armed faults: returns faults for this call only. For simulations. */
  readonly decide?: (occurrence: Occurrence) => readonly FaultRequest[]
}

export interface Faults {
  /** All faults with their parameters. */
  readonly kinds: readonly FaultKind[]
  /** Throws RangeError that lists every problem of the request. */
  arm(request: FaultRequest): ArmedFault
  /** Removes all armed faults and returns their number. */
  clear(): number
  armed(): readonly ArmedFault[]
  /** Counts the call and returns the faults that affect it, in the order of arming. */
  trigger(method: string): readonly TriggeredFault[]
  /** The faults that affect the ledger after `before`. */
  triggerLedger(before: PreviousLedger): readonly LedgerFault[]
}

type Armed = ArmedFault & { kind: FaultKind; seen: number; hits: number; remaining: number | null }

const KINDS: readonly FaultKind[] = [...HTTP_FAULTS, ...CALL_FAULTS, ...LEDGER_FAULTS]
const COMMON_FIELDS = new Set(['name', 'method', 'everyNth', 'count'])

/** Builds the faults of one RPC server. None is armed. */
export function createFaults(options: FaultsOptions = {}): Faults {
  let armed: Armed[] = []
  let nextId = 1
  const occurrences = new Map<string, number>()

  /** Counts what the fault could affect. True if it does. */
  function hit(fault: Armed): boolean {
    fault.seen += 1
    if (fault.seen % fault.everyNth !== 0) return false
    fault.hits += 1
    if (fault.remaining !== null) fault.remaining -= 1
    return true
  }

  const dropSpent = (): void => void (armed = armed.filter((fault) => fault.remaining === null || fault.remaining > 0))

  return {
    kinds: KINDS,
    arm(request) {
      const fault = createArmedFault(request, nextId)
      if (armed.length >= ARMED_FAULTS_MAX) throw new RangeError(`${ARMED_FAULTS_MAX} faults are armed, which is the maximum. Clear them first`)
      nextId += 1
      armed.push(fault)
      return view(fault)
    },
    clear() {
      const count = armed.length
      armed = []
      return count
    },
    armed: () => armed.map(view),
    trigger(method) {
      const nth = (occurrences.get(method) ?? 0) + 1
      occurrences.set(method, nth)
      const decided = (options.decide?.({ method, nth }) ?? []).map((request) => createArmedFault(request, 0))
      const affecting = [...decided, ...armed].filter((fault) => appliesTo(fault.kind, fault.method, method) && hit(fault))
      dropSpent()
      return affecting.map(({ name, parameters }) => ({ name, values: parameters }))
    },
    triggerLedger(before) {
      const affecting = LEDGER_FAULTS.filter((kind) => canAffect(kind, before) && armed.filter((fault) => fault.name === kind.name && hit(fault)).length > 0)
      dropSpent()
      return affecting.map(({ name }) => name)
    },
  }
}

function appliesTo(kind: FaultKind, filter: string | null, method: string): boolean {
  return (filter === null || filter === method) && (kind.methods === null || kind.methods.includes(method))
}

/** True if the ledger after `before` can have the fault. After the last millisecond of a second there is no other in it. */
function canAffect({ name, sinceProtocol }: (typeof LEDGER_FAULTS)[number], { protocol, closeTimeMs }: PreviousLedger): boolean {
  return protocol >= sinceProtocol && (name !== 'equal_seconds' || closeTimeMs % 1_000 < 999)
}

function view({ id, name, method, everyNth, remaining, hits, parameters }: Armed): ArmedFault {
  return { id, name, method, everyNth, remaining, hits, parameters }
}

/** Validates a request. Throws RangeError that lists all of its problems. */
function createArmedFault(request: FaultRequest, id: number): Armed {
  const kind = KINDS.find((each) => each.name === request.name)
  if (kind === undefined) throw new RangeError(`unknown fault ${request.name}, expected one of: ${KINDS.map((each) => each.name).join(', ')}`)
  const { method = null, everyNth = 1, count = kind.countDefault } = request
  const problems = [...boundProblems(kind, method, everyNth, count), ...parameterProblems(kind, request)]
  if (problems.length > 0) throw new RangeError(`${kind.name}: ${problems.join('; ')}`)
  const parameters: Record<string, FaultValue> = {}
  for (const [name, parameter] of Object.entries(kind.parameters)) parameters[name] = requestedValue(request, name) ?? parameter.default
  return { id, name: kind.name, kind, method, everyNth, remaining: count, hits: 0, seen: 0, parameters }
}

function boundProblems(kind: FaultKind, method: unknown, everyNth: unknown, count: unknown): string[] {
  const problems: string[] = []
  if (method !== null && typeof method !== 'string') problems.push('method must be a method name')
  else if (method !== null && kind.sinceProtocol !== undefined) problems.push('method must be absent: the fault affects ledgers, not calls')
  else if (method !== null && kind.methods !== null && !kind.methods.includes(method)) {
    problems.push(`method must be one of ${kind.methods.join(', ')}`)
  }
  if (!isPositiveInteger(everyNth)) problems.push('everyNth must be a positive integer')
  if (count !== null && !isPositiveInteger(count)) problems.push('count must be a positive integer, or null for "until cleared"')
  return problems
}

function parameterProblems(kind: FaultKind, request: FaultRequest): string[] {
  const unknown = Object.keys(request).filter((name) => !COMMON_FIELDS.has(name) && kind.parameters[name] === undefined)
  const wrong = Object.entries(kind.parameters).filter(([name, parameter]) => !isValidValue(parameter, requestedValue(request, name) ?? parameter.default))
  return [
    ...unknown.map((name) => `unknown parameter ${name}, expected: ${Object.keys(kind.parameters).join(', ') || 'no parameters'}`),
    ...wrong.map(([name, { type, min, max }]) => `${name} must be ${type === 'integer' ? `an integer from ${min} to ${max}` : `a ${type}`}`),
  ]
}

function requestedValue(request: FaultRequest, name: string): FaultValue | undefined {
  return request[name] as FaultValue | undefined
}

function isValidValue({ type, min, max }: FaultParameter, value: unknown): boolean {
  if (type !== 'integer') return typeof value === type
  return Number.isInteger(value) && Number(value) >= (min ?? 0) && Number(value) <= (max ?? Number.MAX_SAFE_INTEGER)
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1
}
