// The effects of a call of the exchange, from the events, the USDC transfers and the changed entries of its simulation. Pure. A call by an account opens,
// changes or closes positions, or places or cancels one order; keepers' calls do more (src/exchange/settlement/settlement.ts).

import type { EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../contracts/entry-changes.ts'
import type { TransferItem } from './position-changes.ts'
import { amountOf, sum } from './settlement-segments.ts'

export type EffectTransfer = Pick<TransferItem, 'from' | 'to' | 'amount'>

export interface EffectEvent {
  readonly contract: string
  readonly topic: string
  /** Amounts are bigint, ids numbers. */
  readonly payload: Readonly<Record<string, unknown>>
}

export interface CallEffects {
  /** The account that trades: the signer, or the contract that trades for a vault. */
  readonly account: string
  /** Null: unknown. */
  readonly changes: EntryChanges | null
  /** Of the exchange's contracts. Null: unknown. */
  readonly events: readonly EffectEvent[] | null
  /** Of USDC, between `account` and other contracts of the exchange. */
  readonly transfers: readonly EffectTransfer[]
}

/** Amounts with 7 decimals. Null: does not apply, or is not known. */
export interface TradeEffects {
  readonly positionId: number | null
  readonly orderId: number | null
  readonly asset: string | null
  readonly entryPrice: bigint | null
  readonly size: bigint | null
  readonly collateral: bigint | null
  readonly fee: bigint | null
  readonly liquidationPrice: bigint | null
  readonly pnl: bigint | null
  readonly payout: bigint | null
  /** At which positions are opened or closed. */
  readonly price: bigint | null
  /** The position after the call; null when there is none. */
  readonly position: PositionEntry | null
  /** The position before the call; null when there was none. */
  readonly previous: PositionEntry | null
  /** The order that the call places, if it is pending after it. */
  readonly order: OrderEntry | null
}

const NOTHING: TradeEffects = {
  positionId: null, orderId: null, asset: null, entryPrice: null, size: null, collateral: null, fee: null, liquidationPrice: null, pnl: null, payout: null,
  price: null, position: null, previous: null, order: null,
}

const PENDING = 0
const ISOLATED = 0

export function tradeEffects(call: CallEffects): TradeEffects {
  const { changes, events } = call
  const positions = [...changes?.positions.values() ?? []]
  const opened = positions.find(({ before }) => before === null)?.after ?? null
  if (opened !== null) return opening(opened, call)
  const [changed] = positions
  if (changed?.before !== undefined && changed.before !== null) return changing(changed.before, changed.after, call)
  const orders = [...changes?.orders.values() ?? []]
  const order = orders.find(({ before }) => before === null) ?? orders[0]
  if (order !== undefined) return ordering(order, call)
  return { ...fromEvents(events ?? []), fee: liquidityFee(events), payout: received(call) }
}

/** Reads the effects from events where the changed entries are unknown. */
function fromEvents(events: readonly EffectEvent[]): TradeEffects {
  const ofMarket = (topic: string): EffectEvent['payload'] | undefined =>
    events.find((event) => event.contract === 'market' && event.topic === topic)?.payload
  const position = ofMarket('position_opened') ?? ofMarket('position_closed')
  const order = ofMarket('order_placed') ?? (position === undefined ? ofMarket('order_cancelled') : undefined)
  const pnls = results(events)
  const entryPrice = position === undefined ? null : amountOf(position['entryPrice'])
  return {
    ...NOTHING,
    positionId: idIn(position, 'positionId') ?? idIn(closesIn(events)[0]?.payload, 'positionId'),
    orderId: idIn(order, 'orderId'),
    entryPrice,
    size: position === undefined ? null : amountOf(position['size']),
    pnl: pnls.length === 0 ? null : sum(pnls),
    price: ofMarket('position_opened') === undefined ? closePrice(events) : entryPrice,
  }
}

/** Positions in the other direction are closed first from generation 2 on. Their results are those of the call. */
function opening(position: PositionEntry, call: CallEffects): TradeEffects {
  const gross = position.size / BigInt(position.leverage)
  const closes = results(call.events)
  return {
    ...NOTHING, ...described(position), position,
    size: position.size,
    collateral: position.collateral,
    fee: gross - position.collateral,
    pnl: closes.length === 0 ? null : sum(closes),
    payout: closes.length === 0 ? null : position.margin_mode === ISOLATED ? received(call) : poolGain(call, gross - paid(call)),
    price: position.entry_price,
  }
}

function changing(before: PositionEntry, after: PositionEntry | null, call: CallEffects): TradeEffects {
  const closed = before.size - (after?.size ?? 0n)
  const common = { ...NOTHING, ...described(after ?? before), position: after, previous: before }
  // Collateral was added or removed.
  if (closed === 0n) return { ...common, size: before.size, collateral: after?.collateral ?? null, payout: received(call) }
  const closes = results(call.events)
  return {
    ...common,
    liquidationPrice: after === null ? null : common.liquidationPrice,
    size: closed,
    collateral: before.collateral - (after?.collateral ?? 0n),
    pnl: closes.length === 0 ? null : sum(closes),
    payout: closes.length === 0 ? null : closePayout(before, call),
    price: closePrice(call.events),
  }
}

/** A cross position that is closed as an isolated one pays the wallet too. */
function closePayout({ margin_mode: marginMode }: PositionEntry, call: CallEffects): bigint | null {
  return received(call) ?? (marginMode === ISOLATED ? 0n : poolGain(call, 0n))
}

function ordering({ before, after }: EntryChange<OrderEntry>, call: CallEffects): TradeEffects {
  const order = after ?? before
  if (order === null) return NOTHING
  const isEntry = !order.has_position
  const isPending = order.status === PENDING && after !== null
  return {
    ...NOTHING,
    orderId: order.id,
    asset: order.asset,
    positionId: isEntry ? null : order.position_id,
    size: isEntry ? order.collateral * BigInt(order.leverage) : null,
    collateral: isEntry ? order.collateral : null,
    payout: !isPending && isCancelled(order.id, call.events) ? received(call) ?? 0n : null,
    order: isPending ? order : null,
  }
}

function isCancelled(orderId: number, events: readonly EffectEvent[] | null): boolean {
  return events?.some(({ contract, topic, payload }) => contract === 'market' && topic === 'order_cancelled' && payload['orderId'] === orderId) === true
}

function described(position: PositionEntry): Pick<TradeEffects, 'positionId' | 'asset' | 'entryPrice' | 'liquidationPrice'> {
  const { id, asset, entry_price: entryPrice, liquidation_price: liquidationPrice, margin_mode: marginMode } = position
  return { positionId: id, asset, entryPrice, liquidationPrice: marginMode === ISOLATED && liquidationPrice > 0n ? liquidationPrice : null }
}

/** The amount that the account was paid; null when nothing was, or when it is unknown. */
function received({ account, events, transfers }: CallEffects): bigint | null {
  const toAccount = transfers.filter(({ to }) => to === account)
  return events === null || toAccount.length === 0 ? null : sum(toAccount.map(({ amount }) => amount))
}

function paid({ account, transfers }: CallEffects): bigint {
  return sum(transfers.filter(({ from }) => from === account).map(({ amount }) => amount))
}

/** The amount that closed positions paid into the account's cross margin pool, out of which the call then took `spent`. */
function poolGain({ account, changes, events }: CallEffects, spent: bigint): bigint | null {
  if (events === null || changes === null) return null
  const pool = changes.crossBalances.get(account)
  return (pool === undefined ? 0n : pool.after - pool.before) + spent
}

const CLOSES: ReadonlySet<string> = new Set(['position_closed', 'position_reduced'])

function closesIn(events: readonly EffectEvent[] | null): readonly EffectEvent[] {
  return (events ?? []).filter(({ contract, topic }) => contract === 'market' && CLOSES.has(topic))
}

/** The profits and losses of the positions that are closed. */
function results(events: readonly EffectEvent[] | null): readonly bigint[] {
  return closesIn(events).map(({ payload }) => amountOf(payload['pnl'])).filter((pnl) => pnl !== null)
}

function closePrice(events: readonly EffectEvent[] | null): bigint | null {
  const [close] = closesIn(events)
  return close === undefined ? null : amountOf(close.payload['closePrice'] ?? close.payload['price'])
}

/** The fee of a deposit into or a withdrawal from the liquidity vault. */
function liquidityFee(events: readonly EffectEvent[] | null): bigint | null {
  const flow = events?.find(({ contract, topic }) => contract === 'vault' && (topic === 'deposit' || topic === 'withdraw'))
  return flow === undefined ? null : amountOf(flow.payload['fee'])
}

function idIn(payload: Readonly<Record<string, unknown>> | undefined, name: string): number | null {
  const value = payload?.[name]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}
