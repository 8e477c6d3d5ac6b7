// Misbehaviours of the RPC door that real nodes and the proxies before them show: each has a name, parameters and an end. A fault is decided by
// which call of a method it meets, never by a shared stream of chance, so that a run can be repeated.

import { CALL_FAULTS, HTTP_FAULTS } from './fault-kinds.ts'
import type { FaultKind, FaultParameter, FaultValue, FaultValues } from './fault-kinds.ts'

/** Faults armed at the same time. */
export const ARMED_FAULTS_MAX = 32

/** What is asked of `arm`: the fault's name, its bounds, and its own parameters beside them. */
export interface FaultRequest {
  readonly name: string
  /** Only calls of this method are met; absent or null: all that the fault can meet. */
  readonly method?: string | null
  /** Meets every n-th of those calls; absent: each. */
  readonly everyNth?: number
  /** How many calls it meets before it ends; null: until cleared; absent: the fault's own default. */
  readonly count?: number | null
  readonly [parameter: string]: unknown
}

/** A fault that waits for calls. */
export interface ArmedFault {
  readonly id: number
  readonly name: string
  readonly method: string | null
  readonly everyNth: number
  /** null: until cleared. */
  readonly remaining: number | null
  /** How many calls it has met. */
  readonly hits: number
  readonly parameters: FaultValues
}

/** A fault that meets a call. */
export interface TriggeredFault {
  readonly name: string
  readonly values: FaultValues
}

/** The n-th call of a method, from 1. */
export interface Occurrence {
  readonly method: string
  readonly nth: number
}

export interface FaultsOptions {
  /** Asked at every call, before the armed faults: a simulation's own choice of what happens to this very occurrence. */
  readonly decide?: (occurrence: Occurrence) => readonly FaultRequest[]
}

export interface Faults {
  /** Every fault there is, with its parameters. */
  readonly kinds: readonly FaultKind[]
  /** Throws RangeError with every problem of the request. */
  arm(request: FaultRequest): ArmedFault
  /** Ends all armed faults and returns how many there were. */
  clear(): number
  armed(): readonly ArmedFault[]
  /** What meets this call, in the order of arming; counts the call. */
  trigger(method: string): readonly TriggeredFault[]
}

type Armed = ArmedFault & { kind: FaultKind; seen: number; hits: number; remaining: number | null }

const KINDS: readonly FaultKind[] = [...HTTP_FAULTS, ...CALL_FAULTS]
const COMMON_FIELDS = new Set(['name', 'method', 'everyNth', 'count'])

/** Builds the faults of one door; none is armed. */
export function createFaults(options: FaultsOptions = {}): Faults {
  let armed: Armed[] = []
  let nextId = 1
  const occurrences = new Map<string, number>()

  function triggerFault(fault: Armed, method: string): TriggeredFault[] {
    if (!appliesTo(fault.kind, fault.method, method)) return []
    fault.seen += 1
    if (fault.seen % fault.everyNth !== 0) return []
    fault.hits += 1
    if (fault.remaining !== null) fault.remaining -= 1
    return [{ name: fault.name, values: fault.parameters }]
  }

  return {
    kinds: KINDS,
    arm(request) {
      const fault = createArmedFault(request, nextId)
      if (armed.length >= ARMED_FAULTS_MAX) throw new RangeError(`at most ${ARMED_FAULTS_MAX} faults can be armed: clear them first`)
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
      const triggered = [...decided, ...armed].flatMap((fault) => triggerFault(fault, method))
      armed = armed.filter((fault) => fault.remaining === null || fault.remaining > 0)
      return triggered
    },
  }
}

function appliesTo(kind: FaultKind, filter: string | null, method: string): boolean {
  return (filter === null || filter === method) && (kind.methods === null || kind.methods.includes(method))
}

function view({ id, name, method, everyNth, remaining, hits, parameters }: Armed): ArmedFault {
  return { id, name, method, everyNth, remaining, hits, parameters }
}

/** Checks a request. Throws RangeError with all that is wrong, because whoever arms a fault should not have to guess twice. */
function createArmedFault(request: FaultRequest, id: number): Armed {
  const kind = KINDS.find((each) => each.name === request.name)
  if (kind === undefined) throw new RangeError(`no fault is named ${request.name}: ${KINDS.map((each) => each.name).join(', ')}`)
  const { method = null, everyNth = 1, count = kind.countDefault } = request
  const problems = [...boundProblems(kind, method, everyNth, count), ...parameterProblems(kind, request)]
  if (problems.length > 0) throw new RangeError(`${kind.name}: ${problems.join('; ')}`)
  const parameters: Record<string, FaultValue> = {}
  for (const [name, parameter] of Object.entries(kind.parameters)) parameters[name] = requestedValue(request, name) ?? parameter.default
  return { id, name: kind.name, kind, method, everyNth, remaining: count, hits: 0, seen: 0, parameters }
}

function boundProblems(kind: FaultKind, method: unknown, everyNth: unknown, count: unknown): string[] {
  const problems: string[] = []
  if (method !== null && typeof method !== 'string') problems.push('method must be the name of a method')
  else if (method !== null && kind.methods !== null && !kind.methods.includes(method)) {
    problems.push(`method must be one of ${kind.methods.join(', ')}`)
  }
  if (!isPositiveInteger(everyNth)) problems.push('everyNth must be an integer of at least 1')
  if (count !== null && !isPositiveInteger(count)) problems.push('count must be an integer of at least 1, or null for until cleared')
  return problems
}

function parameterProblems(kind: FaultKind, request: FaultRequest): string[] {
  const unknown = Object.keys(request).filter((name) => !COMMON_FIELDS.has(name) && kind.parameters[name] === undefined)
  const wrong = Object.entries(kind.parameters).filter(([name, parameter]) => !isValidValue(parameter, requestedValue(request, name) ?? parameter.default))
  return [
    ...unknown.map((name) => `${name} is not a parameter: ${Object.keys(kind.parameters).join(', ') || 'it has none'}`),
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
