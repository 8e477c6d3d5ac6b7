// Runs a recorded scenario on the local contracts and compares every call: result, events with their order, storage and balances.

import { isDeepStrictEqual } from 'node:util'
import type { Durability } from '../../contracts/shared/host.ts'
import type { InvokeResult, TestEvent, TestWrite } from './test-host.ts'
import {
  decodeArgument, encodeKey, encodeValue, type RecordedEvent, type RecordedFile, type RecordedStep, type RecordedValue, type Scenario,
} from './recorded-calls.ts'
import { balanceIn, createRecordedExchange, type RecordedExchange, TOKENS } from './recorded-exchange.ts'

/** The effects of a call, as they are recorded. */
interface Outcome {
  readonly r: RecordedValue
  readonly ev: readonly RecordedEvent[]
  readonly d: Readonly<Record<string, RecordedValue>>
  readonly b: Readonly<Record<string, RecordedValue>>
}

export interface ScenarioResult {
  readonly name: string
  /** Calls whose outcome is the recorded one. */
  readonly equal: number
  readonly calls: number
  /** The first difference, with both sides. null: none. */
  readonly difference: string | null
}

/** The accounts and contracts that sign when a step does not say otherwise. */
const SIGNERS = [
  'admin', 'newadmin', 'issuer', 'provider', 'alice', 'bob', 'carol', 'dave', 'keeper', 'treasury', 'recovery', 'market', 'vault', 'factory', 'registry',
]

export function runScenario(scenario: Scenario): ScenarioResult {
  const exchange = createRecordedExchange()
  let [equal, calls] = [0, 0]
  let difference: string | null = null
  for (const [index, step] of scenario.steps.entries()) {
    const outcome = runStep(exchange, step)
    if (outcome === null) continue
    calls += 1
    const found = compare(step, outcome)
    if (found === null) equal += 1
    else difference ??= `${scenario.name}, step ${index}, ${step.c}.${step.f}(${JSON.stringify(step.a)}): ${found}`
  }
  return { name: scenario.name, equal, calls, difference }
}

/** Runs every scenario of the files. Returns the first difference of each that has one, and a line with the totals. */
export function runFiles(files: readonly RecordedFile[]): { readonly differences: readonly string[]; readonly summary: string } {
  const results = files.flatMap((file) => file.scenarios.map((scenario) => ({ file: file.name, ...runScenario(scenario) })))
  const sum = (count: (result: ScenarioResult) => number): number => results.reduce((total, result) => total + count(result), 0)
  return {
    differences: results.flatMap(({ file, difference }) => (difference === null ? [] : [`${file}: ${difference}`])),
    summary: `${sum(({ equal }) => equal)} of ${sum(({ calls }) => calls)} steps equal`,
  }
}

/** Applies a step. Returns what its call did; null for a step without a call. */
function runStep(exchange: RecordedExchange, step: RecordedStep): Outcome | null {
  const { host, answers } = exchange
  if (step.t !== undefined) {
    host.ledger.timestampSec += BigInt(step.t)
    host.ledger.sequence += 1
  }
  for (const [asset, price] of Object.entries(step.p ?? {})) exchange.setPrice(asset, price)
  if (step.ref !== undefined) answers.referral = step.ref
  if (step.c === undefined || step.f === undefined) return null
  return outcomeOf(host.invoke(step.c, step.f, (step.a ?? []).map(decodeArgument), step.s === 'none' ? [] : SIGNERS))
}

function outcomeOf(result: InvokeResult): Outcome {
  if (!result.ok) return { r: { err: recordedError(result.error, result.depth) }, ev: [], d: {}, b: {} }
  const changed = result.writes.filter((write) => !isDeepStrictEqual(write.before, write.after))
  return {
    r: { ok: encodeValue(result.value) },
    ev: result.events.map(encodeEvent),
    d: Object.fromEntries(changed.filter(({ contract }) => !TOKENS.includes(contract)).map(encodeWrite)),
    b: Object.fromEntries(changed.filter(({ contract }) => TOKENS.includes(contract)).flatMap(encodeBalance)),
  }
}

/** A missing authorization of the called function is `auth`; one in a nested call fails like every error of the host. */
function recordedError(error: string, depth: number): number | 'auth' | 'trap' {
  const code = /^Error\(Contract, #(\d+)\)$/.exec(error)?.[1]
  if (code !== undefined) return Number(code)
  return error === 'Error(Auth, InvalidAction)' && depth === 0 ? 'auth' : 'trap'
}

/** The events of a token end with the name of its asset, which the recorded ones leave out. */
function encodeEvent({ contract, topics, data }: TestEvent): RecordedEvent {
  return [contract, (TOKENS.includes(contract) ? topics.slice(0, -1) : topics).map(encodeValue), encodeValue(data)]
}

const DURABILITIES: Readonly<Record<Durability, string>> = { instance: 'I', persistent: 'P', temporary: 'T' }

function encodeWrite({ contract, durability, key, after }: TestWrite): [string, RecordedValue] {
  return [`${contract}/${DURABILITIES[durability]}/${encodeKey(key)}`, after === undefined ? '-' : encodeValue(after)]
}

/** Of a token's entries only the amounts of balances are recorded. */
function encodeBalance({ contract, key, before, after }: TestWrite): [string, RecordedValue][] {
  const holder = /^Balance\(@(.*)\)$/.exec(encodeKey(key))?.[1]
  const [had, has] = holder === undefined ? [0n, 0n] : [balanceIn(before), balanceIn(after)]
  return had === has ? [] : [[`${contract}:${holder}`, has === 0n ? '-' : String(has)]]
}

/** The first part of an outcome that differs from the recorded one, with both sides. null: none. */
function compare(step: RecordedStep, outcome: Outcome): string | null {
  if (!isDeepStrictEqual(step.r, outcome.r)) return describe('result', step.r, outcome.r)
  const events = step.ev ?? []
  for (let index = 0; index < Math.max(events.length, outcome.ev.length); index++) {
    if (!isDeepStrictEqual(events[index], outcome.ev[index])) return describe(`event ${index}`, events[index], outcome.ev[index])
  }
  return compareEntries('storage', step.d ?? {}, outcome.d) ?? compareEntries('balance', step.b ?? {}, outcome.b)
}

type Entries = Readonly<Record<string, RecordedValue>>

function compareEntries(kind: string, recorded: Entries, local: Entries): string | null {
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(local)])) {
    if (!isDeepStrictEqual(recorded[key], local[key])) return describe(`${kind} ${key}`, recorded[key], local[key])
  }
  return null
}

function describe(part: string, recorded: unknown, local: unknown): string {
  const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))
  return `${part}\n  recorded: ${show(recorded)}\n  local:    ${show(local)}`
}
