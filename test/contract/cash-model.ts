// Random operations on the contracts of both generations, as the archive and the observer of transactions would see them, and what they did to balances.

import assert from 'node:assert/strict'
import type { EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../../src/exchange/contracts/entry-changes.ts'
import { eventShapes } from '../../src/exchange/event-shapes.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import type { ArchivedEvent, Payload, PayloadValue } from '../../src/projections/log/archived-event.ts'
import type { EpochContracts } from '../../src/projections/state/epochs.ts'
import { textOf } from '../../src/projections/log/payload.ts'
import { address, i128, u32 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import * as generation2 from '../../localnet/test/contracts/generation-2/test-steps.ts'
import { TREASURY } from '../../localnet/test/contracts/generation-2/test-exchange.ts'
import {
  ADMIN, ALICE, BOB, createTestExchange, E7, FACTORY, KEEPER, LP, MARKET, PROVIDER, REFERRAL, ROUTER, USDC, VAULT,
} from '../../localnet/test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../localnet/test/contracts/test-host.ts'
import type { InvokeSuccess, TestEvent, TestHost, TestWrite } from '../../localnet/test/contracts/test-host.ts'
import * as generation1 from '../../localnet/test/contracts/generation-1/test-steps.ts'
import { createVaultArgs, leaderIdArgs, leaderOpenArgs } from '../../localnet/test/contracts/generation-1/test-vaults.ts'
import { initializeRouter, throughRouter } from './cash-router.ts'
import type { Call } from './cash-router.ts'
import { fc } from '../support/fuzz.ts'

export const CASH_CONTRACTS: EpochContracts = { market: MARKET, vault: VAULT, vaultFactory: FACTORY, referral: REFERRAL, router: ROUTER, usdcToken: USDC }
/** Everyone who moves USDC with the exchange. */
export const ACCOUNTS = [ALICE, BOB, KEEPER, PROVIDER, TREASURY] as const
const SIGNERS = [ALICE, BOB, KEEPER, ADMIN, PROVIDER]

/** One successful call. */
export interface CashOperation {
  readonly name: string
  /** As archived; seqs count from 1 within the operation. */
  readonly events: readonly ArchivedEvent[]
  readonly changes: EntryChanges
  /** Amounts that each wallet and each cross balance gained. */
  readonly wallets: ReadonlyMap<string, bigint>
  readonly pools: ReadonlyMap<string, bigint>
}

/** An exchange that random steps operate. */
export interface CashExchange {
  readonly generation: Generation
  /** Performs a step. Null: it calls nothing. False: the call failed. */
  perform(step: AnyStep): CashOperation | null | false
}

export type AnyStep = generation1.Step | generation2.Step

/** Steps from a seed, for an exchange of this generation. */
export function randomSteps(generation: Generation, length: number, seed: number): readonly AnyStep[] {
  const steps: AnyStep[] = []
  for (let part = 0; steps.length < length; part++) {
    const any: fc.Arbitrary<AnyStep[]> = generation === '1' ? generation1.anySteps : generation2.anySteps(150)
    steps.push(...fc.sample(any, { numRuns: 4, seed: seed * 1_009 + part }).flat())
  }
  return steps.slice(0, length)
}

export function createCashExchange(generation: Generation, liquidity = 50_000n * E7): CashExchange {
  if (generation === '1') {
    const exchange = createTestExchange(liquidity)
    for (const trader of generation1.TRADERS) {
      exchange.host.invokeOk(LP, 'approve', [address(trader), address(VAULT), i128(1_000_000n * E7), u32(1_000_000)], [trader])
    }
    for (const leader of [ALICE, BOB]) exchange.host.invokeOk(FACTORY, 'create_vault', createVaultArgs(leader, 'vault'), [leader])
    return cashExchange(exchange, generation, (step) => {
      generation1.movePrices(exchange, step as generation1.Step)
      return vaultCall(step as generation1.Step) ?? generation1.toCall(exchange, step as generation1.Step)
    })
  }
  const exchange = generation2.createSteppedExchange(liquidity)
  return cashExchange(exchange, generation, (step) => {
    generation2.movePrices(exchange, step)
    return generation2.toCall(exchange, step)
  })
}

/** Some steps of generation 1 use the trader vaults instead. */
function vaultCall({ trader, asset, amount, leverage, direction, pick }: generation1.Step): Call | null {
  const vault = trader === ALICE ? 0 : 1
  switch (pick % 40) {
    case 1: return [FACTORY, 'deposit', [address(trader), u32(vault), i128(amount * 3n)]]
    case 2: return [FACTORY, 'withdraw', [address(trader), u32(vault), i128(amount / 3n)]]
    case 3: return [FACTORY, 'leader_open_position', leaderOpenArgs(trader, vault, { asset, collateral: amount, leverage, direction })]
    case 4: return [FACTORY, 'leader_close_position', leaderIdArgs(trader, vault, BigInt(1 + (pick % 9)))]
    case 5: return [FACTORY, 'claim_leader_fees', [u32(vault)]]
    case 6: return [FACTORY, 'deposit', [address(KEEPER), u32(vault), i128(amount)]]
    default: return null
  }
}

interface Exchange {
  readonly host: TestHost
  usdc(holder: string): bigint
}

/** One step of this many calls the market through the router, if the router has its function. */
const ROUTED = 12

function cashExchange(exchange: Exchange, generation: Generation, toCall: (step: AnyStep) => Call | null): CashExchange {
  initializeRouter(exchange.host)
  const holders = ACCOUNTS.filter((account) => account !== TREASURY || generation !== '1')
  const balances = (): Map<string, bigint> => new Map(holders.map((account) => [account, exchange.usdc(account)]))
  let before = balances()
  let transactions = 0
  return {
    generation,
    perform(step) {
      const direct = toCall(step)
      if (direct === null) return null
      const call = step.pick % ROUTED === 0 ? throughRouter(exchange.host, generation === '1' ? '1' : '2', direct, step.asset) : direct
      const result = exchange.host.invoke(call[0], call[1], call[2], SIGNERS)
      if (!result.ok) return false
      transactions += 1
      const after = balances()
      const wallets = new Map([...after].map(([account, balance]) => [account, balance - (before.get(account) ?? 0n)]))
      before = after
      const changes = changesOf(result.writes)
      const pools = new Map([...changes.crossBalances.values()].map((change) => [change.trader, change.after - change.before]))
      return { name: call[1], events: eventsOf(result, generation, `tx${transactions}`), changes, wallets, pools }
    },
  }
}

const KEYS: readonly (readonly [string, Exclude<ArchivedEvent['contract'], 'usdcToken'>])[] = [
  [MARKET, 'market'], [VAULT, 'vault'], [FACTORY, 'vaultFactory'], [REFERRAL, 'referral'],
]

function eventsOf(result: InvokeSuccess, generation: Generation, txHash: string): readonly ArchivedEvent[] {
  const inside = new Set<unknown>(Object.values(CASH_CONTRACTS))
  const decoded = result.events.flatMap((event) => {
    const found = event.contract === USDC ? transferOf(event) : eventOf(event, generation)
    if (found === null || (found.contract === 'usdcToken' && !inside.has(found.payload['from']) && !inside.has(found.payload['to']))) return []
    return [{ ...found, contractId: event.contract }]
  })
  return decoded.map((event, index) => ({
    ...event, topic: textOf(event, 'topic'), seq: index + 1, eventId: `${txHash}-${index}`, ledger: 0, ledgerCloseTs: 0, txHash, topicsXdr: [],
    valueXdr: '', problem: null,
  }))
}

type Decoded = Pick<ArchivedEvent, 'contract'> & { readonly payload: Payload }

function eventOf(event: TestEvent, generation: Generation): Decoded | null {
  const contract = KEYS.find(([at]) => at === event.contract)?.[1]
  if (contract === undefined) return null
  const topic = String(toNative(event.topics[0]))
  const shape = eventShapes(generation)[contract][topic] ?? assert.fail(topic)
  const values = event.data.type === 'vec' ? event.data.value : [event.data]
  const named: [string, PayloadValue][] = shape.data.map(([name, type], index) => [name, plain(values[index], type)])
  if (shape.secondTopic !== undefined) named.push([shape.secondTopic[0], plain(event.topics[1], shape.secondTopic[1])])
  return { contract, payload: { topic, ...Object.fromEntries(named) } }
}

function transferOf({ topics, data }: TestEvent): Decoded | null {
  const [topic, from, to] = topics.map(toNative)
  if (topic !== 'transfer') return null
  return { contract: 'usdcToken', payload: { topic: 'transfer', from: String(from), to: String(to), amount: String(toNative(data)) } }
}

/** As archived payloads have it: ids are numbers, other wide integers are digits. */
function plain(val: Val | undefined, type: string): PayloadValue {
  const value = toNative(val) as PayloadValue | bigint
  if (typeof value !== 'bigint') return value
  return type === 'id' ? Number(value) : String(value)
}

function changesOf(writes: readonly TestWrite[]): EntryChanges {
  const own = writes.flatMap(({ contract, key, before, after }) => {
    const [name, argument] = (contract === MARKET && key.type === 'vec' ? key.value.map(toNative) : []) as [string?, unknown?]
    return name === undefined || argument === undefined ? [] : [{ name, argument, before, after }]
  })
  const entries = (wanted: string): Map<number, EntryChange<object>> => new Map(own.filter(({ name }) => name === wanted).map((write) =>
    [Number(write.argument), { before: entryOf(write.before), after: entryOf(write.after) }]))
  const balances = own.filter(({ name }) => name === 'CrossMarginBalance').map(({ argument, before, after }) =>
    ({ trader: argument as string, before: amountOf(before), after: amountOf(after) }))
  return {
    positions: entries('Position') as Map<number, EntryChange<PositionEntry>>,
    orders: entries('Order') as Map<number, EntryChange<OrderEntry>>,
    crossBalances: new Map(balances.filter(({ before, after }) => before !== after).map((change) => [change.trader, change])),
  }
}

function amountOf(val: Val | undefined): bigint {
  return val === undefined ? 0n : (toNative(val) as bigint)
}

function entryOf(val: Val | undefined): object | null {
  if (val === undefined) return null
  const { id, ...entry } = toNative(val) as { id: bigint } & Record<string, unknown>
  const ids = ['position_id', 'timestamp', 'created_at'].flatMap((name) => (typeof entry[name] === 'bigint' ? [[name, Number(entry[name])] as const] : []))
  return { ...entry, ...Object.fromEntries(ids), id: Number(id) }
}
