// Valid histories of the exchange for the indexer's tests: plain facts and the events that report them.

import assert from 'node:assert/strict'
import { StrKey } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { encodeScVal } from '../../src/chain/codec/scval.ts'
import type { ScArgument } from '../../src/chain/codec/scval.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import type { NodeOrder, NodePosition } from './node-entries.ts'
import type { NodeEvent } from './node.ts'
import { OTHER_EVENTS } from './other-events.ts'
import type { MakeEvent } from './other-events.ts'
import { TRADERS } from './accounts.ts'

/** An event, independent of its encoding. */
export type Fact =
  | { kind: 'open'; market: string; id: number; trader: string; asset: string; direction: number; size: bigint; entryPrice: bigint }
  | {
    kind: 'close' | 'liquidation'
    market: string; id: number; trader: string; asset: string; direction: number; size: bigint; entryPrice: bigint; closePrice: bigint; pnl: bigint | null
  }
  /** Part of a position is closed, as generation 2 reports it: `size` is that part. */
  | {
    kind: 'reduce' | 'partial_liquidation'
    market: string; id: number; trader: string; asset: string; direction: number; size: bigint; entryPrice: bigint; closePrice: bigint; pnl: bigint | null
    /** Only a reduction reports it. */
    remaining: bigint | null
  }
  | { kind: 'cross_liquidation'; market: string; trader: string }
  /** Follows the liquidation of each cross position of the trader, as in generation 2. */
  | { kind: 'account_liquidation'; market: string; trader: string; totalPnl: bigint }
  /** Follows the close that it caused, in its transaction. */
  | {
    kind: 'adl'
    market: string; id: number; trader: string; asset: string; direction: number; size: bigint; entryPrice: bigint; closePrice: bigint; pnl: bigint
  }
  /** A loss that the account could not pay. */
  | { kind: 'bad_debt'; market: string; trader: string; covered: bigint; absorbed: bigint }
  | { kind: 'order_placed'; market: string; id: number; trader: string }
  /** `trader` is the owner, whom the event does not name. */
  | { kind: 'order_end'; market: string; id: number; trader: string; topic: 'order_executed' | 'order_cancelled' }
  | { kind: 'other'; decodes: boolean; topic: string; names: readonly string[] }

/** A fact with its position on the chain. */
export interface LedgerFact {
  readonly fact: Fact
  readonly chain: number
  readonly ledger: number
  readonly closeSec: number
  /** The event's id on its chain. */
  readonly id: string
  readonly contractId: string
}

interface TestPosition {
  readonly id: number
  readonly trader: string
  readonly asset: string
  readonly direction: number
  readonly size: bigint
  readonly entryPrice: bigint
  readonly mode: 'isolated' | 'cross'
}

const ASSETS = ['BTC', 'ETH', 'XLM']

/** Addresses of a deployment; each number gives different addresses. */
export function testContracts(deployment: number): ContractAddresses {
  const address = (index: number): string => StrKey.encodeContract(new Uint8Array(32).fill(deployment * 16 + index))
  return {
    market: address(1), vault: address(2), oracleShim: address(3), router: address(4), usdcToken: address(5), lpToken: address(6), vaultFactory: address(7),
    referral: address(8),
  }
}

export interface ExchangeEvent {
  readonly event: NodeEvent
  readonly fact: Fact
}

/** The exchange of one deployment, reduced to its events. */
export interface TestExchange {
  /** All but the market may change, when part of the exchange is redeployed. */
  contracts: ContractAddresses
  open(pick: number, amount: number): ExchangeEvent
  /** Undefined when no position is open. */
  close(pick: number, amount: number): ExchangeEvent | undefined
  liquidate(pick: number, amount: number): ExchangeEvent | undefined
  crossLiquidate(pick: number): ExchangeEvent | undefined
  /** Liquidates each cross position of an account, and then the account, in one transaction. */
  liquidateAccount(pick: number, amount: number): readonly ExchangeEvent[]
  /** Closes a position by auto-deleveraging: the close, and then what caused it. */
  deleverage(pick: number, amount: number): readonly ExchangeEvent[]
  /** Liquidates an isolated position after a refund to its owner or a loss that nobody paid, in one transaction. */
  settleLiquidation(pick: number, amount: number): readonly ExchangeEvent[]
  /** Adds or removes collateral; undefined when no position is isolated. */
  changeCollateral(pick: number, amount: number): ExchangeEvent | undefined
  /** Closes or liquidates part of a position; undefined when it is too small. */
  reduce(pick: number, amount: number): ExchangeEvent | undefined
  /** Places an order; undefined for a type whose placement emits no event. */
  placeOrder(pick: number): ExchangeEvent | undefined
  /** Undefined when no order is pending. */
  endOrder(pick: number): ExchangeEvent | undefined
  /** Events that change no position, decodable and undecodable. */
  other(pick: number): ExchangeEvent
  positions(): NodePosition[]
  /** All orders. Those placed since the last call were placed in the ledger that closes at this time. */
  orders(closeSec: number): NodeOrder[]
}

type MutableOrder = { -readonly [Key in keyof NodeOrder]: NodeOrder[Key] }

export function createTestExchange(contracts: ContractAddresses): TestExchange {
  const { market } = contracts
  const openPositions = new Map<number, TestPosition>()
  let lastId = 0
  let transactions = 0

  function event(contractId: string, topic: string, data: readonly ScArgument[], secondTopic?: ScArgument): NodeEvent {
    transactions += 1
    const topics: ScArgument[] = [{ type: 'symbol', value: topic }, ...(secondTopic === undefined ? [] : [secondTopic])]
    const valueXdr = data.length === 0 ? VOID_XDR : encodeScVal({ type: 'vec', value: data })
    return { contractId, topicsXdr: topics.map(encodeScVal), valueXdr, transaction: transactions % 900 }
  }

  function report({ topic, data, fact }: Reported): ExchangeEvent {
    return { event: event(market, topic, data), fact }
  }

  function pickPosition(pick: number, mode?: TestPosition['mode']): TestPosition | undefined {
    const candidates = [...openPositions.values()].filter((position) => mode === undefined || position.mode === mode)
    return candidates[pick % Math.max(1, candidates.length)]
  }

  function end(kind: 'close' | 'liquidation', position: TestPosition, amount: number): ExchangeEvent {
    openPositions.delete(position.id)
    return report(endOf(market, position, kind, amount))
  }

  const exchange: TestExchange = {
    contracts,
    open(pick, amount) {
      const id = ++lastId
      const trader = TRADERS[pick % TRADERS.length] ?? ''
      const asset = ASSETS[amount % ASSETS.length] ?? ''
      const direction = (pick >> 3) % 2
      const mode = (pick >> 4) % 2 === 0 ? 'isolated' : 'cross'
      // One in eight sizes needs the full width of an i128.
      const size = pick % 8 === 7 ? 2n ** 126n + BigInt(amount) : BigInt(amount) * 10_000_000n + 1n
      const entryPrice = BigInt(amount) + 1_000n
      openPositions.set(id, { id, trader, asset, direction, size, entryPrice, mode })
      return {
        event: event(market, 'position_opened', [
          { type: 'u64', value: BigInt(id) }, { type: 'address', value: trader }, { type: 'symbol', value: asset }, { type: 'u32', value: direction },
          i128(size), i128(entryPrice),
        ]),
        fact: { kind: 'open', market, id, trader, asset, direction, size, entryPrice },
      }
    },
    close(pick, amount) {
      const position = pickPosition(pick)
      return position === undefined ? undefined : end('close', position, amount)
    },
    liquidate(pick, amount) {
      const position = pickPosition(pick, 'isolated')
      return position === undefined ? undefined : end('liquidation', position, amount)
    },
    reduce(pick, amount) {
      const isLiquidation = (pick >> 3) % 2 === 1
      const position = pickPosition(pick, isLiquidation ? 'isolated' : undefined)
      if (position === undefined || position.size < 2n) return undefined
      const size = 1n + BigInt(amount) % (position.size - 1n)
      const remaining = position.size - size
      openPositions.set(position.id, { ...position, size: remaining })
      return report(reductionOf(market, position, { size, remaining, amount, isLiquidation }))
    },
    crossLiquidate(pick) {
      const trader = pickPosition(pick, 'cross')?.trader
      if (trader === undefined) return undefined
      for (const position of openPositions.values()) if (position.trader === trader && position.mode === 'cross') openPositions.delete(position.id)
      return {
        event: event(market, 'cross_liq', [{ type: 'address', value: trader }, i128(-7n), i128(3n)]),
        fact: { kind: 'cross_liquidation', market, trader },
      }
    },
    liquidateAccount(pick, amount) {
      const trader = pickPosition(pick, 'cross')?.trader
      if (trader === undefined) return []
      const legs = [...openPositions.values()].filter((position) => position.trader === trader && position.mode === 'cross')
      const ended = legs.map((position) => end('liquidation', position, amount))
      const totalPnl = BigInt(amount % 7_000) - 6_000n
      const settlement = amount % 2 === 0 ? report(refundOf(trader, 0, amount)) : report(badDebtOf(market, { trader, asset: 'CROSS' }, amount))
      const total = event(market, 'cross_liq', [{ type: 'address', value: trader }, i128(totalPnl), i128(3n)])
      return inOneTransaction([...ended, settlement, { event: total, fact: { kind: 'account_liquidation', market, trader, totalPnl } }])
    },
    deleverage(pick, amount) {
      const position = pickPosition(pick)
      if (position === undefined) return []
      const close = end('close', position, amount)
      const { id, trader, asset, direction, size, entryPrice } = position
      const { closePrice, pnl } = close.fact.kind === 'close' ? close.fact : assert.fail()
      const data = [...legOf(position), i128(closePrice), i128(pnl ?? 0n), i128(77n)]
      const fact: Fact = { kind: 'adl', market, id, trader, asset, direction, size, entryPrice, closePrice, pnl: pnl ?? 0n }
      return inOneTransaction([close, { event: event(market, 'adl_executed', data), fact }])
    },
    settleLiquidation(pick, amount) {
      const position = pickPosition(pick, 'isolated')
      if (position === undefined) return []
      const settlement = amount % 2 === 0 ? report(refundOf(position.trader, position.id, amount)) : report(badDebtOf(market, position, amount))
      return inOneTransaction([settlement, end('liquidation', position, amount)])
    },
    changeCollateral(pick, amount) {
      const position = pickPosition(pick, 'isolated')
      if (position === undefined) return undefined
      const topic = (pick >> 3) % 2 === 0 ? 'collateral_added' : 'collateral_removed'
      const data = [u64(position.id), address(position.trader), i128(BigInt(amount) + 1n), i128(position.entryPrice)]
      return { event: event(market, topic, data), fact: { kind: 'other', decodes: true, topic, names: [position.trader] } }
    },
    ...createTestOrders(market, event),
    other(pick) {
      const other = OTHER_EVENTS[pick % OTHER_EVENTS.length] ?? defined(OTHER_EVENTS[0], 'other events')
      const { topic, names, decodes } = other
      return { event: other.make(event, exchange.contracts), fact: { kind: 'other', decodes, topic, names } }
    },
    positions: () => [...openPositions.values()].map(({ id, mode }) => ({ market, id, mode })),
  }
  return exchange
}

/** The orders of the exchange, which nothing else changes. */
function createTestOrders(market: string, event: MakeEvent): Pick<TestExchange, 'placeOrder' | 'endOrder' | 'orders'> {
  const orders: MutableOrder[] = []
  return {
    placeOrder(pick) {
      const trader = TRADERS[pick % TRADERS.length] ?? ''
      const id = orders.length + 1
      orders.push({ market, id, trader, placedSec: null, pending: true })
      if ((pick >> 3) % 2 === 0) return undefined
      const data: ScArgument[] = [{ type: 'u64', value: BigInt(id) }, { type: 'address', value: trader }, i128(7n)]
      return { event: event(market, 'order_placed', data), fact: { kind: 'order_placed', market, id, trader } }
    },
    endOrder(pick) {
      const pending = orders.filter((order) => order.pending)
      const order = pending[pick % Math.max(1, pending.length)]
      if (order === undefined) return undefined
      order.pending = false
      const { id, trader } = order
      const topic = (pick >> 3) % 2 === 0 ? 'order_executed' : 'order_cancelled'
      order.cancelled = topic === 'order_cancelled'
      const last: ScArgument = topic === 'order_executed' ? i128(5n) : { type: 'symbol', value: 'user' }
      return { event: event(market, topic, [{ type: 'u64', value: BigInt(id) }, last]), fact: { kind: 'order_end', market, id, trader, topic } }
    },
    orders(closeSec) {
      for (const order of orders) order.placedSec ??= closeSec
      return orders.map((order) => ({ ...order }))
    },
  }
}

/** The events with the transaction of the last. */
function inOneTransaction(events: readonly ExchangeEvent[]): readonly ExchangeEvent[] {
  const transaction = events.at(-1)?.event.transaction ?? 0
  return events.map(({ event, fact }) => ({ event: { ...event, transaction }, fact }))
}

function legOf({ id, trader, asset, direction, size }: TestPosition): ScArgument[] {
  return [u64(id), address(trader), { type: 'symbol', value: asset }, { type: 'u32', value: direction }, i128(size)]
}

interface Reported {
  readonly topic: string
  readonly data: readonly ScArgument[]
  readonly fact: Fact
}

function refundOf(trader: string, id: number, amount: number): Reported {
  const data = [address(trader), u64(id), i128(BigInt(amount)), i128(9n)]
  return { topic: 'liq_refund', data, fact: { kind: 'other', decodes: true, topic: 'liq_refund', names: [trader] } }
}

function badDebtOf(market: string, { trader, asset }: Pick<TestPosition, 'trader' | 'asset'>, amount: number): Reported {
  const [covered, absorbed] = [BigInt(amount), BigInt(amount % 100) + 1n]
  const data: ScArgument[] = [address(trader), { type: 'symbol', value: asset }, i128(covered + absorbed), i128(covered), i128(absorbed)]
  return { topic: 'bad_debt_recorded', data, fact: { kind: 'bad_debt', market, trader, covered, absorbed } }
}

/** Returns the market's report of the end of a position. */
function endOf(market: string, position: TestPosition, kind: 'close' | 'liquidation', amount: number): Reported {
  const { id, trader, asset, direction, size, entryPrice } = position
  const closePrice = entryPrice + BigInt(amount % 1000) + 1n
  const leg = legOf(position)
  const common = { market, id, trader, asset, direction, size, entryPrice, closePrice }
  if (kind === 'liquidation') return { topic: 'position_liquidated', data: [...leg, i128(5n), i128(closePrice)], fact: { kind, ...common, pnl: null } }
  const pnl = BigInt(amount % 7_000) - 3_500n
  return { topic: 'position_closed', data: [...leg, i128(entryPrice), i128(closePrice), i128(pnl)], fact: { kind, ...common, pnl } }
}

/** Returns generation 2's report that part of a position was closed or liquidated. */
function reductionOf(
  market: string, { id, trader, asset, direction, entryPrice }: TestPosition,
  part: { readonly size: bigint; readonly remaining: bigint; readonly amount: number; readonly isLiquidation: boolean },
): Reported {
  const { size, remaining, amount, isLiquidation } = part
  const closePrice = entryPrice + BigInt(amount % 1000) + 1n
  const owner: ScArgument[] = [{ type: 'u64', value: BigInt(id) }, { type: 'address', value: trader }, { type: 'symbol', value: asset }]
  const common = { market, id, trader, asset, direction, size, entryPrice, closePrice }
  if (isLiquidation) {
    const data: ScArgument[] = [...owner, { type: 'u32', value: direction }, i128(size), i128(5n), i128(closePrice)]
    return { topic: 'position_partial_liq', data, fact: { kind: 'partial_liquidation', ...common, pnl: null, remaining: null } }
  }
  const pnl = BigInt(amount % 7_000) - 3_500n
  const data = [...owner, i128(size), i128(remaining), i128(closePrice), i128(pnl)]
  return { topic: 'position_reduced', data, fact: { kind: 'reduce', ...common, pnl, remaining } }
}

const VOID_XDR = 'AAAAAQ=='
const i128 = (value: bigint): ScArgument => ({ type: 'i128', value })
const u64 = (value: number): ScArgument => ({ type: 'u64', value: BigInt(value) })
const address = (value: string): ScArgument => ({ type: 'address', value })
