// Compares the settlement of a call with what the call did to positions, balances and wallets.

import assert from 'node:assert/strict'
import type { CrossBalanceChange, EntryChange, EntryChanges, OrderEntry, PositionEntry } from '../../src/exchange/contracts/entry-changes.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import type { PositionChange, SettlementInput, TransactionItem } from '../../src/exchange/settlement/position-changes.ts'
import { pricePnl } from '../../src/exchange/settlement/position-pnl.ts'
import { settlementOf } from '../../src/exchange/settlement/settlement.ts'

const E7 = 10_000_000n

/** Entries of the market and balances of USDC. */
export interface State {
  readonly positions: ReadonlyMap<number, PositionEntry>
  readonly orders: ReadonlyMap<number, OrderEntry>
  readonly pools: ReadonlyMap<string, bigint>
  readonly wallets: ReadonlyMap<string, bigint>
  readonly funding: (asset: string) => bigint
}

export function changesBetween(before: State, after: State): EntryChanges {
  const changed = <T>(a: ReadonlyMap<number, T>, b: ReadonlyMap<number, T>): Map<number, EntryChange<T>> => new Map(
    [...new Set([...a.keys(), ...b.keys()])].filter((id) => JSON.stringify(a.get(id), digits) !== JSON.stringify(b.get(id), digits))
      .map((id) => [id, { before: a.get(id) ?? null, after: b.get(id) ?? null }]),
  )
  const crossBalances = [...before.pools.keys()].map((trader): CrossBalanceChange => ({
    trader, before: before.pools.get(trader) ?? 0n, after: after.pools.get(trader) ?? 0n,
  }))
  return {
    positions: changed(before.positions, after.positions),
    orders: changed(before.orders, after.orders),
    crossBalances: new Map(crossBalances.filter((change) => change.before !== change.after).map((change) => [change.trader, change])),
  }
}

const digits = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** A call whose settlement is compared. */
export interface CheckedCall {
  readonly name: string
  readonly generation: Generation
  readonly isNet: boolean
  /** Counts the kinds of changes. */
  readonly seen: Map<string, number>
  /** The account that executes orders and liquidates. */
  readonly keeper: string
  readonly contracts: SettlementInput['contracts']
}

/** The states before and after a call, and its items. */
export interface CallOutcome {
  readonly before: State
  readonly after: State
  readonly items: readonly TransactionItem[]
}

/** The settlement of a call with all that is known, compared with what the call did, and with those that know less. */
export function checkSettlement(call: CheckedCall, { before, after, items }: CallOutcome): readonly PositionChange[] {
  const input = { items, contracts: call.contracts }
  const changes = changesBetween(before, after)
  const fundingGrowth = new Map([...before.positions.values()].map((entry) => [entry.id, before.funding(entry.asset) - entry.entry_cumulative_funding]))
  const settled = settlementOf({ ...input, changes, generation: call.generation, fundingGrowth })
  for (const change of settled) {
    checkChange(call, change, before, after)
    const key = `${change.kind} ${change.marginMode} ${change.orderId === null ? '' : 'order'}`
    call.seen.set(key, (call.seen.get(key) ?? 0) + 1)
  }
  checkBalances(call, settled, { before, after, items })
  checkUnknown(settled, settlementOf({ ...input, changes: null, fundingGrowth }))
  checkUnknown(settled, settlementOf({ ...input, changes, generation: call.generation }))
  checkUnknown(settled, settlementOf({ ...input, items: items.filter(({ type }) => type !== 'transfer'), changes }))
  return settled
}

/** Less knowledge gives fewer figures, never others. */
function checkUnknown(known: readonly PositionChange[], less: readonly PositionChange[]): void {
  for (const change of less) {
    const same = known.find(({ seq, positionId }) => seq === change.seq && positionId === change.positionId)
    assert.ok(same !== undefined)
    for (const [name, value] of Object.entries(change)) {
      if (value !== null) assert.deepEqual(value, same[name as keyof PositionChange], `${change.kind} ${name}`)
    }
  }
}

function checkChange({ name, generation, isNet }: CheckedCall, change: PositionChange, before: State, after: State): void {
  const { kind, positionId, marginMode, collateral, pnl, funding, payout, penalty, keeperReward, fee } = change
  const text = `${name} ${JSON.stringify(change, digits)}`
  assert.ok(marginMode !== null && collateral !== null && fee !== null && change.size !== null, text)
  // Before build 2.2, several closes of one cross account in a transaction do not show what each of them paid.
  if (payout === null) return assert.ok(!isNet && marginMode === 'cross' && name === 'open_position_cross', text)
  if (kind === 'open') {
    assert.equal(collateral, after.positions.get(positionId)?.collateral, text)
    return
  }
  const entry = before.positions.get(positionId) ?? assert.fail(text)
  if (kind !== 'reduce' && kind !== 'partial_liquidation') assert.equal(collateral, entry.collateral, text)
  else assert.equal(collateral, entry.collateral - (after.positions.get(positionId)?.collateral ?? assert.fail(text)), text)
  assert.equal(pnl, pnlAt(entry, change) ?? pnl, text)
  assert.ok(pnl !== null && penalty !== null && keeperReward !== null, text)
  const owed = fundingOwed(entry, change.size, before)
  const taken = kind === 'liquidation' || kind === 'partial_liquidation' ? penalty : keeperReward
  const equity = collateral + pnl - owed
  if (funding === null) {
    assert.ok(kind === 'liquidation' && marginMode === 'cross', text)
    return
  }
  // A part of a liquidation is rounded on its own, and losses above the collateral or profits above the vault are not settled.
  if (generation === '1' && kind === 'liquidation' && penalty > 0n) assert.equal(funding, owed, text)
  if (kind === 'partial_liquidation') assert.equal(payout, collateral + pnl - funding - taken, text)
  else if (equity >= 0n && (isNet || (pnl >= -collateral && marginMode === 'isolated')) && payout === equity - taken) assert.equal(funding, owed, text)
}

function pnlAt(entry: PositionEntry, { size, price }: PositionChange): bigint | null {
  return size === null || price === null ? null : pricePnl({ ...entry, size }, price)
}

function fundingOwed({ asset, direction, entry_cumulative_funding: entry }: PositionEntry, size: bigint, state: State): bigint {
  const owed = (size * (state.funding(asset) - entry)) / E7
  return direction === 0 ? owed : -owed
}

/** Checks that traders and keepers received what the changes say, except for what the call itself moved. */
function checkBalances({ name, keeper }: CheckedCall, settled: readonly PositionChange[], { before, after, items }: CallOutcome): void {
  if (settled.length === 0) return
  const text = `${name} ${JSON.stringify(settled, digits)} ${JSON.stringify(items, digits)}`
  const sum = (amounts: readonly (bigint | null)[]): bigint => amounts.reduce((total: bigint, amount) => total + (amount ?? 0n), 0n)
  for (const trader of before.pools.keys()) {
    const own = settled.filter((change) => change.trader === trader)
    if (own.length === 0) continue
    const opens = own.filter(({ kind }) => kind === 'open')
    const closes = own.filter(({ kind }) => kind !== 'open')
    const wallet = (after.wallets.get(trader) ?? 0n) - (before.wallets.get(trader) ?? 0n)
    const pool = (after.pools.get(trader) ?? 0n) - (before.pools.get(trader) ?? 0n)
    const executed = [...after.orders.values()].filter((order) => order.status !== 0 && before.orders.get(order.id)?.status === 0)
    const refunded = sum(executed.filter((order) => order.trader === trader && (order.time_in_force & 0x100) !== 0).map((order) => order.collateral))
    const paidIn = sum(opens.filter(({ orderId }) => orderId === null).flatMap(({ collateral, fee }) => [collateral, fee]))
    if (opens.some(({ orderId }) => orderId !== null)) {
      const escrow = executed[0]?.collateral ?? assert.fail(text)
      assert.equal(sum(opens.flatMap(({ collateral, fee, keeperReward }) => [collateral, fee, keeperReward])), escrow, text)
    }
    // A leader's calls move the factory's own USDC only through the market.
    if (closes.some(({ payout }) => payout === null)) continue
    assert.equal(wallet + pool, sum(closes.map(({ payout }) => payout)) + refunded - paidIn, text)
  }
  // The liquidation of a cross account tops its rewards up at the end, for all of its positions.
  const isAccount = settled.some(({ kind, marginMode }) => kind === 'liquidation' && marginMode === 'cross')
  const bounties = items.map((item) => (item.type === 'event' && item.topic === 'bounty_paid' ? BigInt(String(item.payload?.['paid'])) : 0n))
  const bounty = isAccount ? sum(bounties) : 0n
  if (before.pools.has(keeper)) return
  assert.equal((after.wallets.get(keeper) ?? 0n) - (before.wallets.get(keeper) ?? 0n), sum(settled.map(({ keeperReward }) => keeperReward)) + bounty, text)
}
