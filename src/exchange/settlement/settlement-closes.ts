// The money of opens and of closes, whole or in part.

import { maxAmount, minAmount } from '../../base/fixed-point.ts'
import type { PositionEntry } from '../contracts/entry-changes.ts'
import { isAtLeast } from '../contracts/generations.ts'
import type { Settled, SettlementInput, TransactionItem, TransferItem } from './position-changes.ts'
import type { ValuedSegment } from './settlement-segments.ts'
import { amountOf, sum, sumOf, transfersOf, vaultEvents } from './settlement-segments.ts'

/** An open pays its fee after it has reported the exposure. A keeper is paid the order's fee in full. */
export function settleOpen({ changes, contracts }: SettlementInput, segment: ValuedSegment): Settled {
  const { positionId, trader, order, marginMode } = segment
  const distributed = transfersOf(segment.following).filter(({ from }) => from === contracts.market)
  const change = changes?.positions.get(positionId)
  const entry = change !== undefined && change.before === null ? change.after : null
  const collateral = entry?.collateral ?? null
  const fee = segment.hasTransfers ? sum(distributed.map(({ amount }) => amount)) : feeWithoutTransfers(entry, segment)
  const paidIn = transfersOf(segment.settling).findLast(({ from, to }) => from === trader && to === contracts.market)
  // What a trader pays in for an isolated position is its collateral and the fee. If it is not, the events are not what they seem.
  const isPlausible = marginMode !== 'isolated' || order !== null || paidIn === undefined || collateral === null || fee === null
    || paidIn.amount === collateral + fee
  return { fee: isPlausible ? fee : null, keeperReward: order?.nominalFee ?? 0n, penalty: 0n, funding: 0n, payout: 0n, collateral }
}

/** A cross open from the balance whose fee is fully discounted transfers nothing. Its entry shows the fee: what the collateral lacks. */
function feeWithoutTransfers(entry: PositionEntry | null, { order, marginMode }: ValuedSegment): bigint | null {
  return entry === null || order !== null || marginMode !== 'cross' ? null : entry.size / BigInt(entry.leverage) - entry.collateral
}

/** A close settles profit and funding with the vault, then pays the keeper out of what is left of the collateral, and the rest to the trader. */
export function settleClose(input: SettlementInput, segment: ValuedSegment): Settled {
  const collateral = settledCollateral(input, segment)
  const vault = readVault(input, segment)
  const paid = readPaid(input, segment, collateral, vault)
  if (vault === null || paid === null || segment.pnl === null) {
    return { fee: 0n, keeperReward: paid?.keeper ?? null, penalty: 0n, funding: null, payout: paid?.trader ?? null, collateral }
  }
  // Before build 2.2 the vault settled the result by price alone, and always.
  const { generation = null } = input
  const isNet = vault.settled === null || vault.settled !== segment.pnl || (generation !== null && isAtLeast(generation, '2.2'))
  const close: Close = { pnl: segment.pnl, collateral, vault, keeper: paid.keeper, isNet }
  const { funding, payout } = paid.trader === null
    ? settleIntoBalance(input, segment, close)
    : { funding: fundingOf(close, paid.trader, false), payout: paid.trader }
  return { fee: 0n, keeperReward: paid.keeper, penalty: 0n, funding, payout, collateral }
}

/** The collateral that the position lost by the change. */
function settledCollateral({ changes }: SettlementInput, { positionId, name, isAlone }: ValuedSegment): bigint | null {
  const change = changes?.positions.get(positionId)
  if (change === undefined || change.before === null) return null
  if (name === 'position_closed') return change.after === null ? change.before.collateral : null
  return isAlone && change.after !== null ? change.before.collateral - change.after.collateral : null
}

/** The vault's report of a close. */
export interface VaultPart {
  /** The settled result; null: the vault was not asked, because the trader owed it. */
  readonly settled: bigint | null
  /** The part of a profit that the vault could not pay. */
  readonly shortfall: bigint
  /** The amount that the vault received. */
  readonly received: bigint
  /** The amount that it did not receive, because the trader had no more. */
  readonly debt: bigint
}

export function readVault({ contracts }: SettlementInput, { settling, hasTransfers }: ValuedSegment): VaultPart | null {
  const results = vaultEvents(settling, 'pnl_settled')
  const settled = results.length === 0 ? null : amountOf(results.at(-1)?.payload?.['pnl'])
  const shortfalls = vaultEvents(settling, 'payout_shortfall').map(({ payload }) => amountOf(payload?.['shortfall'] ?? payload?.['short']))
  const debts = settling.filter((item) => item.type === 'event' && item.contract === 'market' && item.topic === 'bad_debt_recorded')
    .map((item) => (item.type === 'event' ? amountOf(item.payload?.['amount']) : null))
  const paidIn = transfersOf(settling).filter(({ from, to }) => from === contracts.market && to === contracts.vault)
  const received = hasTransfers ? sum(paidIn.map(({ amount }) => amount)) : sumOf(settling, 'loss_received', 'amount')
  if (received === null || results.length > 1 || (results.length === 1 && settled === null)) return null
  const [shortfall, debt] = [sumKnown(shortfalls), sumKnown(debts)]
  return shortfall === null || debt === null ? null : { settled, shortfall, received, debt }
}

/** The payouts of the market. */
interface PaidOut {
  readonly keeper: bigint
  /** Null: the result went into a cross balance. */
  readonly trader: bigint | null
}

const INTO_BALANCE: PaidOut = { keeper: 0n, trader: null }

/**
 * The last transfers before the exposure is reported are the keeper's and then the trader's; a cross position pays its keeper after the report. Null: they
 * do not show who was paid what.
 */
function readPaid(input: SettlementInput, segment: ValuedSegment, collateral: bigint | null, vault: VaultPart | null): PaidOut | null {
  const { settling, order, hasTransfers } = segment
  if (!hasTransfers) return paidWithoutTransfers(input, segment, collateral)
  const { contracts, changes } = input
  if (order !== null && segment.marginMode === 'cross') return paidForCross(input, segment, order.nominalFee)
  const end = settling.findLastIndex((item) => item.type !== 'transfer' || item.from !== contracts.market || item.to === contracts.vault)
  const paid = transfersOf(settling.slice(end + 1))
  return order === null ? paidToOwner(segment, paid.at(-1)) : paidByOrder(segment, order, { paid, changes, collateral, vault })
}

/** A transaction without transfers is one that moved none, or one whose transfers are unknown. A balance that changed was settled into. */
function paidWithoutTransfers({ changes }: SettlementInput, { order, trader, marginMode }: ValuedSegment, collateral: bigint | null): PaidOut | null {
  if (order !== null) return null
  if (marginMode === 'cross' && changes?.crossBalances.has(trader) === true) return INTO_BALANCE
  return collateral === 0n ? { keeper: 0n, trader: 0n } : null
}

/** The payouts of a close by the owner, whose last transfer is this one. */
function paidToOwner({ trader, marginMode }: ValuedSegment, last: TransferItem | undefined): PaidOut | null {
  const payout = last?.to === trader ? last.amount : 0n
  if (marginMode === null && payout === 0n) return null
  // A cross position that is closed as an isolated one pays the wallet.
  return { keeper: 0n, trader: marginMode === 'cross' && payout === 0n ? null : payout }
}

/** A cross position pays its keeper and nobody else. Builds before 2.3 may pay it before the report, after what goes to the vault. */
function paidForCross({ contracts }: SettlementInput, { settling, following }: ValuedSegment, nominalFee: bigint): PaidOut {
  const isKeepers = (item: TransactionItem | undefined): item is TransferItem =>
    item?.type === 'transfer' && item.from === contracts.market && item.to !== contracts.vault && item.amount <= nominalFee
  const [paid] = [transfersOf(following).at(-1), settling.at(-1)].filter(isKeepers)
  return { keeper: paid?.amount ?? 0n, trader: null }
}

interface KeeperPayments extends Pick<SettlementInput, 'changes'> {
  /** The last transfers of the market, except those to the vault. */
  readonly paid: readonly TransferItem[]
  readonly collateral: bigint | null
  readonly vault: VaultPart | null
}

/** The payouts of a close by a keeper. */
function paidByOrder(
  { trader, marginMode }: ValuedSegment, order: NonNullable<ValuedSegment['order']>, { paid, changes, collateral, vault }: KeeperPayments,
): PaidOut | null {
  const last = paid.at(-1)
  if (marginMode === null) return null
  if (last === undefined) return { keeper: 0n, trader: 0n }
  if (last.to !== trader) return { keeper: last.amount, trader: 0n }
  const before = paid.at(-2)
  // A reduce-only order's own collateral is returned before. It is never as small as a keeper's fee.
  if (before !== undefined && before.amount <= order.nominalFee) return { keeper: before.amount, trader: last.amount }
  if (last.amount > order.nominalFee || changes === null || collateral === null || vault === null) {
    return last.amount > order.nominalFee ? { keeper: 0n, trader: last.amount } : null
  }
  // One small transfer to a trader who may be the keeper too: the keeper comes first.
  const left = maxAmount(collateral - vault.received, 0n)
  return left > 0n ? { keeper: last.amount, trader: 0n } : { keeper: 0n, trader: last.amount }
}

interface Close {
  readonly pnl: bigint
  readonly collateral: bigint | null
  readonly vault: VaultPart
  readonly keeper: bigint
  /** True when the vault settled the result net of funding. */
  readonly isNet: boolean
}

/** Funding that was settled net of the result. What the trader could not pay was not settled; the loss by price comes first. */
function netFunding({ pnl, vault }: Close): bigint {
  const net = vault.settled ?? -(vault.received + vault.debt)
  const owed = pnl - net
  return vault.debt === 0n || owed <= 0n ? owed : minAmount(owed, maxAmount(vault.received + pnl, 0n))
}

function fundingOf(close: Close, payout: bigint, isCross: boolean): bigint | null {
  if (close.isNet) return netFunding(close)
  const { pnl, collateral, vault, keeper } = close
  if (collateral !== null) {
    const loss = isCross && payout > 0n ? maxAmount(-pnl, 0n) : minAmount(maxAmount(-pnl, 0n), collateral)
    return collateral + maxAmount(pnl, 0n) - vault.shortfall - loss - payout - keeper
  }
  // What the vault received beyond the loss is funding. Without any, the trader may have been paid funding.
  const funding = vault.received - maxAmount(-pnl, 0n)
  return funding > 0n ? funding : null
}

/** A cross position settles into its account's balance. Its loss may exceed its own collateral. */
function settleIntoBalance(
  { changes }: SettlementInput, { trader, isAlone }: ValuedSegment, close: Close,
): { readonly funding: bigint | null; readonly payout: bigint | null } {
  const { collateral, vault, keeper } = close
  const balance = changes?.crossBalances.get(trader)
  const change = changes === null || !isAlone ? null : balance === undefined ? 0n : balance.after - balance.before
  if (!close.isNet) return { funding: change === null ? null : fundingOf(close, change, true), payout: change }
  const credit = vault.settled === null ? -vault.received : vault.settled - vault.shortfall
  return { funding: netFunding(close), payout: collateral === null ? change : collateral + credit - keeper }
}

function sumKnown(amounts: readonly (bigint | null)[]): bigint | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === amounts.length ? sum(known) : null
}
