// The movements of USDC between accounts and the exchange, from the events, transfers and changed entries of one transaction. Pure. What a wallet paid or
// received is known from the transfers alone; what a cross balance gained or lost only from its entry.

import type { PositionChange, TransactionItem } from '../../exchange/settlement/position-changes.ts'
import { settlementOf } from '../../exchange/settlement/settlement.ts'
import type { CashKind } from '../../resources/cash-movement.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { readTransfer } from '../log/archived-event.ts'
import { numberIn, walletMovements } from './cash-ledger-wallet.ts'
import type { WalletMovement } from './cash-ledger-wallet.ts'
import type { CashMovement, CashTransaction } from './cash-transaction.ts'

/** One row of the ledger. */
export interface CashRow extends CashMovement {
  readonly account: string
  readonly seq: number
  /** Orders the rows of one event: 0 the wallet, 1 the cross balance. */
  readonly leg: number
  readonly balanceOf: 'wallet' | 'cross'
  /** Signed from the account's view. Null: the balance may have changed, and by how much is not known. */
  readonly amount: bigint | null
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

/** Events of the market that may change a cross balance without a transfer. */
export const CROSS_TOPICS: ReadonlySet<string> = new Set([
  'position_opened', 'position_closed', 'position_reduced', 'position_liquidated', 'cross_liq', 'collateral_added', 'collateral_removed',
])

/** The rows of one transaction. */
export function foldCashLedger(transaction: CashTransaction): readonly CashRow[] {
  const settled = settlementOf({ ...transaction, items: transaction.events.flatMap(toItem) })
  const wallet = walletMovements(transaction, settled)
  return [...wallet.map((movement) => rowOf(movement.event, { ...movement, leg: 0, balanceOf: 'wallet' })), ...crossRows(transaction, settled, wallet)]
}

function toItem(event: ArchivedEvent): TransactionItem[] {
  if (event.payload === null) return []
  const { contract, seq, topic, payload } = event
  if (contract !== 'usdcToken') return [{ type: 'event', seq, contract, topic, payload }]
  const transfer = readTransfer(payload)
  return transfer === undefined ? [] : [{ type: 'transfer', ...transfer }]
}

type NewRow = Omit<CashRow, 'seq' | 'ledger' | 'ts' | 'txHash'>

function rowOf({ seq, ledger, ledgerCloseTs: ts, txHash }: ArchivedEvent, row: NewRow & object): CashRow {
  const { account, leg, kind, amount, balanceOf, positionId, orderId, vaultId, fee, funding, pnl } = row
  return { account, seq, leg, kind, amount, balanceOf, positionId, orderId, vaultId, fee, funding, pnl, ledger, ts, txHash }
}

function crossRows(transaction: CashTransaction, settled: readonly PositionChange[], wallet: readonly WalletMovement[]): readonly CashRow[] {
  const { changes } = transaction
  if (changes === null) return unknownCrossRows(transaction, settled, wallet)
  // A balance that gained and lost the same has no change.
  const accounts = new Set([...changes.crossBalances.keys(), ...wallet.filter(({ crossSide }) => crossSide === 'mirrored').map(({ account }) => account)])
  return [...accounts].flatMap((account) => {
    const { before, after } = changes.crossBalances.get(account) ?? { before: 0n, after: 0n }
    const own = wallet.filter((movement) => movement.account === account)
    return crossRowsOf(transaction, account, after - before, settled.filter(({ trader }) => trader === account), own)
  })
}

/** The rows of one cross balance, which add up to its change: first what came from and went to the wallet, then the changes of positions. */
function crossRowsOf(
  { events }: CashTransaction, account: string, change: bigint, settled: readonly PositionChange[], wallet: readonly WalletMovement[],
): readonly CashRow[] {
  const mirrored = wallet.filter(({ crossSide }) => crossSide === 'mirrored').map(({ event, ...movement }) =>
    rowOf(event, { ...movement, amount: -movement.amount, leg: 1, balanceOf: 'cross' }))
  const rest = change - sumOf(mirrored.map(({ amount }) => amount ?? 0n))
  if (rest === 0n && settled.every(({ marginMode }) => marginMode !== 'cross')) return mirrored
  const groups = bySeq(settled.filter(({ marginMode }) => marginMode === 'cross'))
  const amounts = amountsOf(groups, rest)
  const rows = groups.flatMap(({ seq, changes }, index): CashRow[] => {
    const event = events.find((each) => each.seq === seq)
    const amount = amounts[index] ?? 0n
    return event === undefined || amount === 0n ? [] : [rowOf(event, { account, amount, leg: 1, balanceOf: 'cross', ...movementOf(changes) })]
  })
  if (groups.length > 0 || rest === 0n) return [...mirrored, ...rows]
  // No change of a position explains it: collateral that was moved between the balance and a position, or something unknown.
  const event = events.findLast(({ contract, payload }) => contract === 'market' && payload?.['trader'] === account) ?? events.at(-1)
  if (event === undefined) return mirrored
  const unexplained = { ...UNEXPLAINED, positionId: numberIn(event.payload, 'positionId') }
  return [...mirrored, rowOf(event, { account, amount: rest, leg: 2, balanceOf: 'cross', ...unexplained })]
}

const UNEXPLAINED: CashMovement = { kind: 'other', positionId: null, orderId: null, vaultId: null, fee: null, funding: null, pnl: null }

interface ChangesAt {
  readonly seq: number
  readonly changes: readonly PositionChange[]
}

function bySeq(settled: readonly PositionChange[]): readonly ChangesAt[] {
  const seqs = [...new Set(settled.map(({ seq }) => seq))]
  return seqs.map((seq) => ({ seq, changes: settled.filter((change) => change.seq === seq) }))
}

/** The amount that each event moved. The total is exact: the last event takes what the others do not explain. */
function amountsOf(groups: readonly ChangesAt[], total: bigint): readonly bigint[] {
  const own = groups.map(({ changes }) => sumOf(changes.map(valueOf).map((value) => value ?? 0n)))
  return own.map((amount, index) => (index === own.length - 1 ? total - sumOf(own.slice(0, -1)) : amount))
}

/** The amount that a change moved into the cross balance; null: unknown. */
function valueOf({ kind, collateral, fee, payout }: PositionChange): bigint | null {
  if (kind !== 'open') return payout
  return collateral === null || fee === null ? null : -(collateral + fee)
}

function movementOf(changes: readonly PositionChange[]): CashMovement {
  const [first] = changes
  const kind = first === undefined ? 'other' : CASH_KINDS[first.kind]
  const isOne = changes.length === 1
  return {
    kind,
    positionId: isOne ? (first?.positionId ?? null) : null,
    orderId: isOne ? (first?.orderId ?? null) : null,
    vaultId: null,
    fee: sumOrNull(changes.map(({ fee }) => fee)),
    funding: sumOrNull(changes.map(({ funding }) => funding)),
    pnl: sumOrNull(changes.map(({ pnl }) => pnl)),
  }
}

const CASH_KINDS = {
  open: 'open', close: 'close', reduce: 'close', adl: 'close', liquidation: 'liquidation', partial_liquidation: 'liquidation',
} as const satisfies Record<PositionChange['kind'], CashKind>

/** Without entries, a row of unknown amount is at each event that may have changed a cross balance: nothing was paid from or to the wallet. */
function unknownCrossRows({ events }: CashTransaction, settled: readonly PositionChange[], wallet: readonly WalletMovement[]): readonly CashRow[] {
  const silent = wallet.filter(({ crossSide }) => crossSide === 'unknown').map(({ event, ...movement }) =>
    rowOf(event, { ...movement, amount: null, leg: 1, balanceOf: 'cross' }))
  const changed = events.flatMap((event): CashRow[] => {
    const account = event.payload?.['trader']
    if (event.contract !== 'market' || typeof account !== 'string' || !CROSS_TOPICS.has(event.topic)) return []
    const changes = settled.filter((change) => change.seq === event.seq && change.trader === account)
    const isExecution = changes.some(({ kind, orderId }) => kind === 'open' && orderId !== null)
    const isPaid = wallet.some(({ kind, positionId, account: paid }) => paid === account && positionId !== null && kind !== 'keeper_reward'
      && positionId === numberIn(event.payload, 'positionId'))
    if (isExecution || isPaid) return []
    const kind = event.topic === 'cross_liq' ? { kind: 'liquidation' as const } : {}
    return [rowOf(event, { account, amount: null, leg: 1, balanceOf: 'cross', ...movementOf(changes), ...kind })]
  })
  return [...silent, ...changed]
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function sumOrNull(amounts: readonly (bigint | null)[]): bigint | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === amounts.length && known.length > 0 ? sumOf(known) : null
}
