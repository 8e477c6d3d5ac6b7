// What each transfer between an account and the exchange was for: from the events around it, and from changed entries where there is no event.

import type { EntryChanges } from '../../exchange/contracts/entry-changes.ts'
import type { PositionChange } from '../../exchange/settlement/position-changes.ts'
import type { ArchivedEvent, Payload } from '../log/archived-event.ts'
import { isTransfer, readTransfer } from '../log/archived-event.ts'
import type { CashMovement, CashTransaction } from './cash-transaction.ts'

/** The wallet's side of a movement, and whether it went into or out of the account's cross balance. */
export interface WalletMovement extends CashMovement {
  readonly account: string
  readonly event: ArchivedEvent
  /** Signed from the account's view. */
  readonly amount: bigint
  /** `unknown`: it may have, but no entries are known. */
  readonly crossSide: 'none' | 'mirrored' | 'unknown'
}

type Kind = Omit<WalletMovement, 'account' | 'event' | 'amount'>

/** The transfers of a transaction between accounts and the exchange, in log order. */
export function walletMovements(transaction: CashTransaction, settled: readonly PositionChange[]): readonly WalletMovement[] {
  const { events, contracts } = transaction
  const parties = new Map(Object.entries(contracts).filter(([key]) => key !== 'usdcToken').map(([key, address]) => [address, key]))
  return events.flatMap((event, index): WalletMovement[] => {
    const transfer = isTransfer(event) ? readTransfer(event.payload) : undefined
    if (transfer === undefined) return []
    const { from, to, amount: size } = transfer
    const isPaidIn = parties.has(to)
    const party = parties.get(isPaidIn ? to : from)
    if (size === 0n || party === undefined || isPaidIn === parties.has(from)) return []
    const account = isPaidIn ? from : to
    const movement: Transfer = { account, size, index, event }
    return [{ account, event, amount: isPaidIn ? -size : size, ...kindOf(transaction, settled, party, isPaidIn, movement) }]
  })
}

interface Transfer {
  readonly account: string
  readonly size: bigint
  /** Among the events of the transaction. */
  readonly index: number
  readonly event: ArchivedEvent
}

function kindOf(transaction: CashTransaction, settled: readonly PositionChange[], party: string, isPaidIn: boolean, transfer: Transfer): Kind {
  if (party === 'market') return isPaidIn ? paidIn(transaction, settled, transfer) : paidOut(transaction, settled, transfer)
  const reports = isPaidIn ? DEPOSIT_REPORTS[party] : PAYMENT_REPORTS[party]
  for (const { topic, role, kind } of reports ?? []) {
    const matches = (event: ArchivedEvent): boolean => event.contract === party && event.topic === topic && event.payload?.[role] === transfer.account
    const report = transaction.events.slice(transfer.index).find(matches) ?? transaction.events.find(matches)
    if (report !== undefined) return { ...OTHER, kind, vaultId: numberIn(report.payload, 'vaultId') }
  }
  return OTHER
}

interface Report {
  readonly topic: string
  /** The member of the event that names the account. */
  readonly role: string
  readonly kind: WalletMovement['kind']
}

/** The events that report what an account paid to a contract, and what it was paid. */
const DEPOSIT_REPORTS: Readonly<Record<string, readonly Report[]>> = {
  vault: [{ topic: 'deposit', role: 'depositor', kind: 'lp_deposit' }],
  vaultFactory: [{ topic: 'deposit', role: 'depositor', kind: 'vault_deposit' }],
}
const PAYMENT_REPORTS: Readonly<Record<string, readonly Report[]>> = {
  vault: [{ topic: 'withdraw', role: 'withdrawer', kind: 'lp_withdraw' }, { topic: 'bounty_paid', role: 'keeper', kind: 'keeper_reward' }],
  vaultFactory: [{ topic: 'withdraw', role: 'depositor', kind: 'vault_withdraw' }, { topic: 'fees_claimed', role: 'leader', kind: 'fees_claimed' }],
  referral: [{ topic: 'claimed', role: 'referrer', kind: 'referral_claim' }],
}

const OTHER: Kind = { kind: 'other', positionId: null, orderId: null, vaultId: null, fee: null, funding: null, pnl: null, crossSide: 'none' }

const PAID_IN_TOPICS: ReadonlySet<string> = new Set(['position_opened', 'order_placed', 'order_cancelled', 'collateral_added'])

/** The market reports a payment by an account in its next event that can take money. */
function paidIn(transaction: CashTransaction, settled: readonly PositionChange[], { account, size, index }: Transfer): Kind {
  const { changes } = transaction
  const report = nextReport(transaction, index, PAID_IN_TOPICS, account)
  const positionId = numberIn(report?.payload ?? null, 'positionId')
  switch (report?.topic) {
    case 'position_opened': {
      const change = settled.find(({ seq }) => seq === report.seq)
      if (change?.marginMode === 'cross') return { ...OTHER, kind: 'cross_deposit', crossSide: 'mirrored' }
      return { ...OTHER, kind: 'open', positionId, fee: change?.fee ?? null, crossSide: changes === null ? 'unknown' : 'none' }
    }
    case 'order_placed':
    case 'order_cancelled':
      return { ...OTHER, kind: 'order_escrow', orderId: numberIn(report.payload, 'orderId') }
    case 'collateral_added':
      return { ...OTHER, positionId }
    default:
      return paidInSilently(changes, account, size)
  }
}

/** Deposits into the cross balance, and in generation 1 stop-limit orders, emit no event of the market. */
function paidInSilently(changes: EntryChanges | null, account: string, size: bigint): Kind {
  if (changes === null) return { ...OTHER, crossSide: 'unknown' }
  if (changes.crossBalances.has(account)) return { ...OTHER, kind: 'cross_deposit', crossSide: 'mirrored' }
  const placed = [...changes.orders.values()].find(({ before, after }) => before === null && after?.trader === account && after.collateral === size)?.after
  return placed === undefined || placed === null ? OTHER : { ...OTHER, kind: 'order_escrow', orderId: placed.id }
}

const LIQUIDATIONS: ReadonlySet<string> = new Set(['position_liquidated', 'position_partial_liq', 'cross_liq'])
const PAID_OUT_TOPICS: ReadonlySet<string> = new Set([
  'position_closed', 'position_reduced', 'order_cancelled', 'order_executed', 'collateral_removed', 'position_opened', ...LIQUIDATIONS,
])

/** The market reports its payment in its next event: the change of a position, or the end of an order. */
function paidOut(transaction: CashTransaction, settled: readonly PositionChange[], transfer: Transfer): Kind {
  const { account, index, size } = transfer
  const report = nextReport(transaction, index, PAID_OUT_TOPICS)
  if (report === undefined) return paidOutSilently(transaction.changes, account)
  const { payload, topic } = report
  const positionId = numberIn(payload, 'positionId')
  const order = executedOrder(transaction, report)
  if (topic === 'order_cancelled') return { ...OTHER, kind: 'order_refund', orderId: numberIn(payload, 'orderId') }
  if (topic === 'order_executed') {
    const opened = transaction.events.findLast(({ seq, topic: earlier }) => seq < report.seq && earlier === 'position_opened')
    return { ...OTHER, kind: 'keeper_reward', orderId: numberIn(payload, 'orderId'), positionId: numberIn(opened?.payload ?? null, 'positionId') }
  }
  if (topic === 'collateral_removed') return { ...OTHER, positionId }
  // The protocol's share of the fee of an open.
  if (topic === 'position_opened') return OTHER
  const change = settled.find(({ seq, trader }) => seq === report.seq && trader === account)
  if (payload?.['trader'] !== account) return { ...OTHER, kind: 'keeper_reward', positionId, orderId: order }
  const isReward = change?.keeperReward === size && change.payout !== size
  if (isReward) return { ...OTHER, kind: 'keeper_reward', positionId, orderId: order }
  const money = { positionId, orderId: order, fee: change?.fee ?? null, funding: change?.funding ?? null, pnl: change?.pnl ?? null }
  if (LIQUIDATIONS.has(topic)) return { ...OTHER, ...money, kind: 'liquidation' }
  if (order === null) return { ...OTHER, ...money, kind: 'close' }
  return paidByOrder(transaction, { report, order, transfer, change, money: { ...OTHER, ...money } })
}

/** A reduce-only order returns its own collateral before the result of the close. */
function paidByOrder(
  { events, contracts }: CashTransaction,
  { report, order, transfer, change, money }: {
    readonly report: ArchivedEvent
    readonly order: number
    readonly transfer: Transfer
    readonly change: PositionChange | undefined
    readonly money: Kind
  },
): Kind {
  const isLast = !events.some((event) =>
    event.seq > transfer.event.seq && event.seq < report.seq && isTransfer(event) && event.payload?.['to'] === transfer.account
    && event.payload['from'] === contracts.market)
  const refund: Kind = { ...OTHER, kind: 'order_refund', orderId: order }
  if (!isLast || change?.marginMode === 'cross') return refund
  if (change?.payout === null || change === undefined) return { ...OTHER, orderId: order }
  return change.payout === transfer.size ? { ...money, kind: 'close' } : refund
}

function paidOutSilently(changes: EntryChanges | null, account: string): Kind {
  if (changes === null) return { ...OTHER, crossSide: 'unknown' }
  return changes.crossBalances.has(account) ? { ...OTHER, kind: 'cross_withdraw', crossSide: 'mirrored' } : OTHER
}

/** The next event of the market with one of these topics, and of this trader if the event names one. */
function nextReport({ events }: CashTransaction, index: number, topics: ReadonlySet<string>, trader?: string): ArchivedEvent | undefined {
  return events.find(({ contract, topic, payload }, position) => position > index && contract === 'market' && topics.has(topic) && payload !== null
    && !(topic === 'order_cancelled' && payload['reason'] === 'pos_closed')
    && (trader === undefined || payload['trader'] === undefined || payload['trader'] === trader))
}

/** The order whose execution the change of a position was: the next event of the market says so. */
function executedOrder({ events }: CashTransaction, change: ArchivedEvent): number | null {
  const next = events.find(({ seq, contract }) => seq > change.seq && contract === 'market')
  return next?.topic === 'order_executed' ? numberIn(next.payload, 'orderId') : null
}

export function numberIn(payload: Payload | null, key: string): number | null {
  const value = payload?.[key]
  return typeof value === 'number' ? value : null
}
