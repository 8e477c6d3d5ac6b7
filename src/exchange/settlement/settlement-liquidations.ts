// The money of liquidations.

import { maxAmount, minAmount } from '../../base/fixed-point.ts'
import type { PositionEntry } from '../contracts/entry-changes.ts'
import type { EventItem, PositionChange, Settled, SettlementInput, TransactionItem } from './position-changes.ts'
import { accruedFunding } from './position-pnl.ts'
import { readVault } from './settlement-closes.ts'
import type { Segment, ValuedSegment } from './settlement-segments.ts'
import { amountOf, sum, sumOf, vaultEvents } from './settlement-segments.ts'

/** A round of generation 2 closes a part: its loss and funding go to the vault, a penalty to the buffer and the keeper. */
export function settlePartialLiquidation({ settling, keeperReward, pnl }: ValuedSegment): Settled {
  const [debit, buffered] = [sumOf(settling, 'loss_received', 'amount'), sumOf(settling, 'buffer_funded', 'amount')]
  const penalty = buffered === null || keeperReward === null ? null : buffered + keeperReward
  return {
    fee: 0n, keeperReward, penalty, payout: 0n,
    funding: debit === null || pnl === null ? null : debit + pnl,
    collateral: debit === null || penalty === null ? null : debit + penalty,
  }
}

/** Generation 1 leaves nothing to the trader: the penalty is all that is left. Generation 2 takes a penalty and returns the rest. */
export function settleLiquidation({ changes, fundingGrowth }: SettlementInput, { settling, positionId, keeperReward, pnl }: ValuedSegment): Settled {
  const change = changes?.positions.get(positionId)
  const collateral = change?.after === null ? (change.before?.collateral ?? null) : null
  const refunded = marketEvent(settling, 'liq_refund', positionId)
  if (refunded !== undefined) {
    const [refund, penalty] = [amountOf(refunded.payload?.['refund']), amountOf(refunded.payload?.['penalty'])]
    const funding = collateral === null || pnl === null || refund === null || penalty === null ? null : collateral + pnl - penalty - refund
    return { fee: 0n, keeperReward, penalty, funding, payout: refund, collateral }
  }
  const isBankrupt = vaultEvents(settling, 'buffer_funded').length > 0 || settling.some((item) => isTopic(item, 'bad_debt_recorded'))
  if (!isBankrupt) return { fee: 0n, keeperReward, payout: 0n, collateral, ...takeAll(change?.before ?? null, pnl, fundingGrowth?.get(positionId)) }
  const debt = amountOf(settling.find((item): item is EventItem => isTopic(item, 'bad_debt_recorded'))?.payload?.['amount'] ?? '0')
  return { fee: 0n, keeperReward, penalty: 0n, funding: bankruptFunding(collateral, pnl, debt), payout: 0n, collateral }
}

/** A liquidation of generation 1 takes the loss, the funding, and everything that is left after them. */
function takeAll(entry: PositionEntry | null, pnl: bigint | null, growth: bigint | undefined): Pick<Settled, 'penalty' | 'funding'> {
  if (entry === null || pnl === null || growth === undefined) return { penalty: null, funding: null }
  const left = entry.collateral + pnl
  const funding = payableFunding(accruedFunding(entry, growth), left)
  return { funding, penalty: maxAmount(left - funding, 0n) }
}

function bankruptFunding(collateral: bigint | null, pnl: bigint | null, debt: bigint | null): bigint | null {
  return collateral === null || pnl === null || debt === null ? null : payableFunding(collateral + pnl + debt, collateral + pnl)
}

/** The loss by price takes the collateral first; funding is settled with what is left. Earned funding was settled against the loss. */
function payableFunding(owed: bigint, left: bigint): bigint {
  return owed <= 0n ? owed : minAmount(owed, maxAmount(left, 0n))
}

/** One position of a liquidated account in generation 2. It settles with the balance; its penalty is paid after its exposure is reported. */
export function settleCrossLeg(input: SettlementInput, segment: ValuedSegment): Settled {
  const { own, rest, trader, positionId, keeperReward, pnl } = segment
  const change = input.changes?.positions.get(positionId)
  const collateral = change?.after === null ? (change.before?.collateral ?? null) : null
  const buffered = sumOf(own, 'buffer_funded', 'amount')
  const penalty = buffered === null || keeperReward === null ? null : buffered + keeperReward
  const vault = readVault(input, { ...segment, settling: withoutBuffer(own) })
  if (vault === null) return { fee: 0n, keeperReward, penalty, funding: null, payout: null, collateral }
  const end = rest.findIndex((item) => isTopic(item, 'cross_liq') && item.type === 'event' && item.payload?.['trader'] === trader)
  const credit = vault.settled === null ? -vault.received : vault.settled - vault.shortfall
  const payout = collateral === null || penalty === null ? null : collateral + credit - penalty
  // Losses above the account's funds are bad debt of the account, which does not show whose they were.
  const isExact = vault.settled !== null || !rest.slice(0, end).some((item) => isTopic(item, 'bad_debt_recorded'))
  const net = vault.settled ?? -vault.received
  return { fee: 0n, keeperReward, penalty, funding: isExact && pnl !== null ? pnl - net : null, payout, collateral }
}

/**
 * The positions of an account with bad debt. A loss takes only what the account has at that point; what later positions return above its balance stays in
 * the market and is nobody's. The payouts add up to the change of the balance: the last one is short of the rest.
 */
export function settleStrandedFunds(input: SettlementInput, { own, trader }: Segment, legs: readonly PositionChange[]): readonly PositionChange[] {
  const payouts = legs.map(({ payout }) => payout).filter((payout) => payout !== null)
  const last = legs.at(-1)
  if (last === undefined || last.payout === null || payouts.length < legs.length || input.changes === null) return legs
  if (!own.some((item) => isTopic(item, 'bad_debt_recorded'))) return legs
  const { before, after } = input.changes.crossBalances.get(trader) ?? { before: 0n, after: 0n }
  return [...legs.slice(0, -1), { ...last, payout: last.payout - (sum(payouts) - (after - before)) }]
}

/** Omits what a penalty adds to the buffer: it goes to the vault, as losses do. */
function withoutBuffer(items: readonly TransactionItem[]): readonly TransactionItem[] {
  return items.filter((item, index) => item.type !== 'transfer' || !isTopic(items[index + 1], 'buffer_funded'))
}

/**
 * In generation 1 no event names the positions of a liquidated account. Their entries do. The balance is emptied, so that the payouts add up to its loss;
 * the penalty and the reward are those of the account, shared by size.
 */
export function settleCrossAccount(
  { changes, fundingGrowth }: SettlementInput, segment: Segment, known: readonly PositionChange[],
): readonly PositionChange[] {
  const { seq, trader, own, keeperReward } = segment
  const ended = [...(changes?.positions.values() ?? [])].flatMap(({ before, after }) => (before !== null && after === null ? [before] : []))
    .filter((entry) => entry.trader === trader && entry.margin_mode === 1 && !known.some(({ positionId }) => positionId === entry.id))
  const results = settledResults(own)
  const legs = ended.map((entry) => ({ entry, pnl: resultOf(results, entry), growth: fundingGrowth?.get(entry.id) }))
  const rewards = keeperReward === null ? [] : sharesBySize(keeperReward, ended)
  const costs = takeAccount(changes?.crossBalances.get(trader)?.before ?? 0n, legs)
  return legs.map(({ entry, pnl }, index) => ({
    seq, kind: 'liquidation', positionId: entry.id, orderId: null, trader, asset: entry.asset, direction: entry.direction, marginMode: 'cross',
    price: null, size: entry.size, pnl, fee: 0n, keeperReward: rewards[index] ?? null, collateral: entry.collateral,
    ...(costs?.[index] ?? { penalty: null, funding: null, payout: null }),
  }))
}

interface Leg {
  readonly entry: PositionEntry
  readonly pnl: bigint | null
  readonly growth: bigint | undefined
}

/** The amounts that a liquidated account paid for each position, out of its free balance and their collateral. Null: not known. */
function takeAccount(balance: bigint, legs: readonly Leg[]): readonly Pick<Settled, 'penalty' | 'funding' | 'payout'>[] | null {
  const valued = legs.flatMap(({ entry, pnl, growth }) => (pnl === null || growth === undefined ? [] : [{ entry, pnl, owed: accruedFunding(entry, growth) }]))
  if (valued.length < legs.length) return null
  const left = balance + sum(valued.map(({ entry, pnl }) => entry.collateral + pnl))
  const funding = payableFunding(sum(valued.map(({ owed }) => owed)), left)
  const penalties = sharesBySize(maxAmount(left - funding, 0n), legs.map(({ entry }) => entry))
  // What was earned counts in full; the rest is paid in the order of the positions.
  let payable = funding - sum(valued.map(({ owed }) => minAmount(owed, 0n)))
  // The loss that nobody paid is not taken from the balance.
  let unpaid = maxAmount(funding - left, 0n)
  return valued.map(({ entry, pnl, owed }, index) => {
    const settled = minAmount(owed, payable)
    payable -= maxAmount(settled, 0n)
    const penalty = penalties[index] ?? 0n
    const forgiven = minAmount(unpaid, maxAmount(settled - pnl, 0n))
    unpaid -= forgiven
    return { penalty, funding: settled, payout: entry.collateral + pnl - settled - penalty + forgiven }
  })
}

/** Parts of an amount in proportion to sizes. The last one has what division leaves. */
function sharesBySize(amount: bigint, entries: readonly PositionEntry[]): readonly bigint[] {
  const total = sum(entries.map(({ size }) => size))
  const shares = entries.slice(0, -1).map(({ size }) => (total === 0n ? 0n : (amount * size) / total))
  return entries.length === 0 ? [] : [...shares, amount - sum(shares)]
}

interface SettledResult {
  readonly pnl: bigint
  readonly asset: unknown
  readonly size: bigint | null
}

/** Each position's result is settled right before its exposure is reported. */
function settledResults(items: readonly TransactionItem[]): readonly SettledResult[] {
  const results: SettledResult[] = []
  let pnl: bigint | null = null
  for (const item of items) {
    if (item.type !== 'event' || item.contract !== 'vault') continue
    if (item.topic === 'pnl_settled') pnl = amountOf(item.payload?.['pnl'])
    if (item.topic !== 'exposure_synced' || pnl === null) continue
    results.push({ pnl, asset: item.payload?.['asset'], size: amountOf(item.payload?.['release']) })
    pnl = null
  }
  return results
}

/** Null when positions of the same asset and size had different results. */
function resultOf(results: readonly SettledResult[], { asset, size }: PositionEntry): bigint | null {
  const own = new Set(results.filter((result) => result.asset === asset && result.size === size).map(({ pnl }) => pnl))
  const [pnl] = own
  return own.size === 1 && pnl !== undefined ? pnl : null
}

function marketEvent(items: readonly TransactionItem[], topic: string, positionId: number): EventItem | undefined {
  return items.find((item): item is EventItem => isTopic(item, topic) && item.type === 'event' && item.payload?.['positionId'] === positionId)
}

function isTopic(item: TransactionItem | undefined, topic: string): boolean {
  return item?.type === 'event' && item.topic === topic
}
