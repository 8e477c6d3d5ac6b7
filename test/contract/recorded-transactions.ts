// The recorded calls of the published contracts as the gateway sees them: the events and USDC transfers of a transaction, and the storage around it.

import assert from 'node:assert/strict'
import { eventShapes } from '../../src/exchange/event-shapes.ts'
import type { OrderEntry, PositionEntry } from '../../src/exchange/contracts/entry-changes.ts'
import type { TransactionItem } from '../../src/exchange/settlement/position-changes.ts'
import type { ArchivedEvent, Payload } from '../../src/projections/log/archived-event.ts'
import type {
  RecordedArgument, RecordedEvent, RecordedPrice, RecordedResult, RecordedValue, ReferralAnswer, Scenario,
} from '../../localnet/test/contracts/recorded-calls.ts'
import type { State } from './settlement-check.ts'

/** The build that was recorded. */
export const BUILD = '2.3'

/** Entries of the contracts and balances, by the recorded names. Never changed. */
export interface RecordedState {
  readonly storage: ReadonlyMap<string, RecordedValue>
  readonly balances: ReadonlyMap<string, bigint>
  /** Prices that the oracle reports; null for none. */
  readonly prices: ReadonlyMap<string, TimedPrice | null>
  /** The answer of the stand-in for the referral contract. */
  readonly referral: ReferralAnswer
  readonly nowSec: number
}

interface TimedPrice {
  readonly price: bigint
  readonly timestampSec: number
}

export interface RecordedTransaction {
  /** Scenario, step and call, for messages. */
  readonly text: string
  readonly contract: string
  readonly functionName: string
  readonly args: readonly RecordedArgument[]
  readonly result: RecordedResult
  readonly items: readonly TransactionItem[]
  readonly before: RecordedState
  readonly after: RecordedState
}

const START_SEC = 1_780_000_000
const USDC_BALANCES: Readonly<Record<string, bigint>> = {
  provider: 200_000_000_000_000n, alice: 10_000_000_000_000n, bob: 10_000_000_000_000n, carol: 10_000_000_000_000n, dave: 500_000_000n,
}

/** The calls of a scenario, also those that failed. */
function* transactionsOf({ name, steps }: Scenario): Generator<RecordedTransaction> {
  const balances = new Map(Object.entries(USDC_BALANCES).map(([holder, amount]) => [`usdc:${holder}`, amount]))
  let state: RecordedState = { storage: new Map(), balances, prices: new Map(), referral: ['fail', 0, 0], nowSec: START_SEC }
  for (const [index, step] of steps.entries()) {
    const nowSec = state.nowSec + (step.t ?? 0)
    const prices = new Map(state.prices)
    for (const [asset, price] of Object.entries(step.p ?? {})) prices.set(asset, timedPrice(price, nowSec))
    const before: RecordedState = { ...state, prices, nowSec, referral: step.ref ?? state.referral }
    state = before
    if (step.c === undefined || step.f === undefined || step.r === undefined) continue
    const after: RecordedState = {
      ...before, storage: changed(before.storage, step.d ?? {}, (value) => value),
      balances: changed(before.balances, step.b ?? {}, (amount) => (amount === '-' ? 0n : BigInt(amount))),
    }
    state = after
    yield {
      text: `${name}, step ${index}, ${step.f}(${JSON.stringify(step.a)})`,
      contract: step.c, functionName: step.f, args: step.a ?? [], result: step.r, items: (step.ev ?? []).flatMap(toItem), before, after,
    }
  }
}

function timedPrice(recorded: RecordedPrice, nowSec: number): TimedPrice | null {
  return recorded === null ? null : { price: BigInt(recorded[0]), timestampSec: nowSec - recorded[1] }
}

function changed<From, To>(values: ReadonlyMap<string, To>, changes: Readonly<Record<string, From>>, read: (value: From) => To): ReadonlyMap<string, To> {
  const next = new Map(values)
  for (const [key, value] of Object.entries(changes)) {
    if (value === '-' && key.includes('/')) next.delete(key)
    else next.set(key, read(value))
  }
  return next
}

const CONTRACTS = { market: 'market', vault: 'vault', factory: 'vaultFactory', registry: 'referral' } as const

function toItem([contract, topics, data]: RecordedEvent, seq: number): TransactionItem[] {
  const [topic, second, third] = topics.map((part) => plain(part, 'address'))
  if (contract === 'usdc') return topic === 'transfer' ? [{ type: 'transfer', from: String(second), to: String(third), amount: amountIn(data) }] : []
  const key = CONTRACTS[contract as keyof typeof CONTRACTS]
  if (key === undefined) return []
  const shape = eventShapes(BUILD)[key][String(topic)] ?? assert.fail(`${contract} emitted ${String(topic)}, which is unknown`)
  const values = Array.isArray(data) ? data as readonly RecordedValue[] : [data]
  const payload: Record<string, unknown> = Object.fromEntries(shape.data.map(([name, type], index) => [name, plain(values[index] ?? null, type)]))
  if (shape.secondTopic !== undefined) payload[shape.secondTopic[0]] = second
  return [{ type: 'event', seq, contract: key, topic: String(topic), payload }]
}

/** As archived payloads have it: ids are numbers, wide integers are digits. */
function plain(value: RecordedValue, type: string): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('@')) return value.slice(1)
  if (value.startsWith('str:')) return value.slice('str:'.length)
  return type === 'id' || type === 'u64' ? Number(value) : value
}

/** A value that the market stores under `Name` or `Name(argument)`; undefined: there is no entry. */
export function stored({ storage }: RecordedState, key: string): RecordedValue | undefined {
  return storage.get(`market/P/${key}`)
}

/** Counts and times are numbers, amounts bigint, as the gateway reads entries. */
const NUMBERS: ReadonlySet<string> = new Set(['id', 'timestamp', 'created_at', 'position_id', 'max_price_staleness'])

/** A stored struct with the types of the gateway. The recordings have its fields as the contract stores them. */
export function entryIn(value: RecordedValue | undefined): object | undefined {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fieldOf(name, field)]))
}

function fieldOf(name: string, field: RecordedValue): unknown {
  if (typeof field !== 'string') return field
  if (field.startsWith('@')) return field.slice(1)
  if (!/^-?\d+$/.test(field)) return field
  return NUMBERS.has(name) ? Number(field) : BigInt(field)
}

export function listIn(value: RecordedValue | undefined): readonly RecordedValue[] {
  return Array.isArray(value) ? value as readonly RecordedValue[] : []
}

/** The entries whose keys are `Name(argument)`, by the argument. */
export function entriesOf({ storage }: RecordedState, name: string): ReadonlyMap<string, object> {
  const prefix = `market/P/${name}(`
  return new Map([...storage].flatMap(([key, value]) => {
    const entry = key.startsWith(prefix) ? entryIn(value) : undefined
    return entry === undefined ? [] : [[key.slice(prefix.length, -1), entry] as const]
  }))
}

export const TRADERS: readonly string[] = ['alice', 'bob', 'carol', 'dave', 'factory']

export const amountIn = (value: RecordedValue | undefined): bigint => (typeof value === 'string' ? BigInt(value) : 0n)

export const usdcOf = ({ balances }: RecordedState, holder: string): bigint => balances.get(`usdc:${holder}`) ?? 0n

export const fundingIndex = (state: RecordedState, asset: string): bigint => amountIn(listIn(stored(state, `FundingState(${asset})`))[0])

export function settlementState(state: RecordedState, keeper: string): State {
  const byId = (name: string): ReadonlyMap<number, object> => new Map([...entriesOf(state, name)].map(([id, entry]) => [Number(id), entry]))
  return {
    positions: byId('Position') as ReadonlyMap<number, PositionEntry>,
    orders: byId('Order') as ReadonlyMap<number, OrderEntry>,
    pools: new Map(TRADERS.map((trader) => [trader, amountIn(stored(state, `CrossMarginBalance(@${trader})`))])),
    wallets: new Map([...TRADERS, keeper].map((holder) => [holder, usdcOf(state, holder)])),
    funding: (asset) => fundingIndex(state, asset),
  }
}

/** An argument without its type. */
export function valueIn(argument: RecordedArgument | undefined): string {
  return typeof argument === 'string' ? argument.slice('a:'.length) : assert.fail('no value')
}

export const isSuccess = ({ result }: Pick<RecordedTransaction, 'result'>): boolean => 'ok' in result

/** Runs a check of every recorded call, and fails with all that differ. */
export function checkEach(files: readonly { readonly scenarios: readonly Scenario[] }[], check: (transaction: RecordedTransaction) => void): void {
  const failures: string[] = []
  for (const scenario of files.flatMap(({ scenarios }) => scenarios)) {
    for (const transaction of transactionsOf(scenario)) {
      try {
        check(transaction)
      } catch (error) {
        failures.push(`${transaction.text}: ${String(error)}`)
      }
    }
  }
  assert.deepEqual(failures, [])
}

/** The events and transfers of a transaction as the archive has them. */
export function archivedEvents({ items, after }: RecordedTransaction): readonly ArchivedEvent[] {
  return items.map((item, index): ArchivedEvent => {
    const common = {
      seq: index + 1, eventId: `${index + 1}`, ledger: 1, ledgerCloseTs: after.nowSec, txHash: 'tx', topicsXdr: [], valueXdr: '', problem: null,
    }
    if (item.type === 'event') return { ...common, contractId: item.contract, contract: item.contract, topic: item.topic, payload: item.payload as Payload }
    const { from, to, amount } = item
    return { ...common, contractId: 'usdc', contract: 'usdcToken', topic: 'transfer', payload: { from, to, amount: String(amount) } }
  })
}
