// Applies a page of events to the trader vaults in memory. Pure, like positions-fold.ts.

import { ONE_E7 } from '../../base/fixed-point.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { bigOf, numberOf, textOf } from '../log/payload.ts'
import { figuresBefore, versionOf } from './vault-versions.ts'
import type { PastFigures, VaultVersion } from './vault-versions.ts'
import type { VaultFigures, VaultState } from './vault-state.ts'

/** Figures read from the factory. They include events up to `throughSeq`. */
export interface VaultObservation extends Readonly<VaultFigures> {
  readonly vaultId: number
  readonly throughSeq: number
}

/** The vault that an order or a position belongs to, and its leader. */
interface VaultOwner {
  readonly vaultId: number
  readonly leader: string
}

interface VaultOrder extends VaultOwner {
  /** The amount that the vault paid when the order was placed. Null: the archive does not have the transfer. */
  readonly collateral: bigint | null
}

interface VaultPosition extends VaultOwner {
  isOpen: boolean
}

interface VaultRow {
  readonly seq: number
  readonly vaultId: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

/** A row of GET /v1/vaults/{id}/trades. */
interface NewVaultTrade extends VaultRow {
  /** Digits of a u64. */
  readonly positionId: string
  readonly action: 'open' | 'close'
  readonly leader: string
  readonly collateral: bigint
  readonly pnl: bigint | null
}

export type VaultFlowKind = 'deposit' | 'withdraw' | 'fee_claim'

/** A row of GET /v1/vaults/{id}/deposits, /withdraws or /fee-claims. */
interface NewVaultFlow extends VaultRow {
  readonly kind: VaultFlowKind
  readonly principal: string
  readonly amount: bigint
  readonly shares: bigint | null
}

/** The stored state of everything that the events name. The fold changes it in place. */
export interface KnownVaults {
  readonly vaults: Map<number, VaultState>
  readonly observations: ReadonlyMap<number, VaultObservation>
  /** The figures of each vault at its events, by id. */
  readonly past: Map<number, PastFigures>
  readonly positions: Map<number, VaultPosition>
  readonly orders: Map<number, VaultOrder>
  /** Keys: vault id, space, depositor. */
  readonly depositors: Set<string>
}

/** The changes of a page. */
export interface VaultChanges {
  readonly vaults: Set<number>
  readonly positions: Set<number>
  readonly orders: Set<number>
  readonly depositors: { readonly vaultId: number; readonly depositor: string }[]
  readonly trades: NewVaultTrade[]
  readonly flows: NewVaultFlow[]
  readonly versions: VaultVersion[]
}

/** The working state of a fold. */
interface Fold extends VaultChanges {
  readonly known: KnownVaults
  /** The vaults that the present event changed. */
  readonly touched: Set<number>
  /** The last payment of the factory to the market, by transaction. */
  readonly paid: Map<string, bigint>
  /** Position opened, by transaction. */
  readonly opened: Map<string, number>
  /** PnL of the close, by transaction and position. */
  readonly ended: Map<string, bigint | null>
}

/** A u64 as a position or order id; undefined above 2^53 - 1, which the market never issues. */
export function idOf(event: ArchivedEvent, key: string): number | undefined {
  const id = Number(textOf(event, key))
  return Number.isSafeInteger(id) ? id : undefined
}

/**
 * Applies events of one factory, what it pays the market, and market events with the factory as trader, in log order. Changes `known`. `begun` are those of
 * the first transaction that earlier pages have applied.
 */
export function foldVaults(events: readonly ArchivedEvent[], known: KnownVaults, begun: readonly ArchivedEvent[]): VaultChanges {
  const fold: Fold = {
    known, vaults: new Set(), positions: new Set(), orders: new Set(), depositors: [], trades: [], flows: [], versions: [], paid: new Map(), opened: new Map(),
    ended: new Map(), touched: new Set(),
  }
  for (const event of begun) noteInTransaction(fold, event)
  for (const event of events) {
    noteInTransaction(fold, event)
    if (event.contract === 'usdcToken') continue
    if (event.contract === 'market') applyMarketEvent(fold, event)
    else FACTORY_EVENTS.get(event.topic)?.(fold, event, numberOf(event, 'vaultId'))
    addVersions(fold, event.seq)
  }
  return fold
}

/** Adds a version of every vault that the event changed. */
function addVersions({ known, touched, versions }: Fold, seq: number): void {
  for (const vaultId of touched) {
    const vault = known.vaults.get(vaultId)
    const past = known.past.get(vaultId)
    if (vault === undefined || past === undefined) continue
    figuresBefore(past, seq)
    versions.push(versionOf(vault, past, seq))
  }
  touched.clear()
}

type Apply = (fold: Fold, event: ArchivedEvent, vaultId: number) => void

/** The effect of each factory event; other events do not change a vault. */
const FACTORY_EVENTS: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ['vault_created', create],
  ['deposit', deposit],
  ['withdraw', withdraw],
  ['fees_claimed', claim],
  ['leader_open', leaderOpened],
  ['leader_close', leaderClosed],
  ['leader_limit', leaderOrdered],
  ['leader_stop_limit', leaderOrdered],
  ['leader_cancel', (fold, event, vaultId) => unsettle(touchUnlessObserved(fold, event, vaultId))],
  ...['leader_sl', 'leader_tp', 'leader_trail', 'order_reconciled', 'position_reconciled'].map((topic): [string, Apply] => [
    topic, (fold, event, vaultId) => unsettle(touchUnlessObserved(fold, event, vaultId)),
  ]),
  ['paused', (fold, event, vaultId) => pause(fold, event, vaultId, true)],
  ['unpaused', (fold, event, vaultId) => pause(fold, event, vaultId, false)],
  ['admin_paused', (fold, event, vaultId) => pause(fold, event, vaultId, true)],
  ['admin_unpaused', (fold, event, vaultId) => pause(fold, event, vaultId, false)],
])

/** Notes what later events of the same transaction refer to. */
function noteInTransaction({ paid, opened, ended }: Fold, event: ArchivedEvent): void {
  if (event.contract === 'usdcToken') paid.set(event.txHash, bigOf(event, 'amount'))
  if (event.contract !== 'market' || event.topic === 'order_executed') return
  const positionId = numberOf(event, 'positionId')
  if (event.topic === 'position_opened') opened.set(event.txHash, positionId)
  else if (!isPartial(event)) ended.set(`${event.txHash} ${positionId}`, pnlOf(event))
}

function isPartial({ topic }: ArchivedEvent): boolean {
  return topic === 'position_reduced' || topic === 'position_partial_liq'
}

function pnlOf(event: ArchivedEvent): bigint | null {
  return event.topic === 'position_closed' || event.topic === 'position_reduced' ? bigOf(event, 'pnl') : null
}

function applyMarketEvent(fold: Fold, event: ArchivedEvent): void {
  if (event.topic === 'order_executed') orderExecuted(fold, event)
  if (event.topic === 'order_executed' || event.topic === 'position_opened') return
  const positionId = numberOf(event, 'positionId')
  const position = fold.known.positions.get(positionId)
  if (position?.isOpen !== true) return
  if (!isPartial(event)) endPosition(fold, event, positionId, position)
  recordClose(fold, event, position, { positionId: String(positionId), pnl: pnlOf(event) })
}

/** The factory has no event for what its orders open. */
function orderExecuted(fold: Fold, event: ArchivedEvent): void {
  const order = fold.known.orders.get(numberOf(event, 'orderId'))
  const positionId = fold.opened.get(event.txHash)
  if (order === undefined || positionId === undefined) return
  recordOpen(fold, event, order, positionId)
  const { vaultId, leader, collateral } = order
  if (collateral === null) return
  fold.trades.push({ ...rowOf(event, vaultId), positionId: String(positionId), action: 'open', leader, collateral, pnl: null })
}

function create({ known, vaults, touched }: Fold, event: ArchivedEvent, vaultId: number): void {
  if (known.vaults.has(vaultId)) return
  const { vaultId: _id, throughSeq: _throughSeq, ...figures } = known.observations.get(vaultId) ?? { vaultId, throughSeq: 0, ...NEW_VAULT }
  known.vaults.set(vaultId, {
    ...figures,
    vaultId,
    leader: textOf(event, 'leader'),
    name: textOf(event, 'name'),
    createdSeq: event.seq,
    createdAt: event.ledgerCloseTs,
    depositorCount: 0,
    openPositions: 0,
    tradeCount: 0,
    closedTradePnl: 0n,
    lastLedger: event.ledger,
    updatedAt: event.ledgerCloseTs * 1_000,
    isUnsettled: false,
  })
  known.past.set(vaultId, { figures: { ...NEW_VAULT }, readings: known.past.get(vaultId)?.readings ?? [] })
  vaults.add(vaultId)
  touched.add(vaultId)
}

function deposit(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  const { known, depositors } = fold
  const [depositor, amount, shares] = [textOf(event, 'depositor'), bigOf(event, 'amount'), bigOf(event, 'shares')]
  fold.flows.push({ ...rowOf(event, vaultId), kind: 'deposit', principal: depositor, amount, shares })
  const vault = touch(fold, event, vaultId)
  if (vault !== undefined && !known.depositors.has(`${vaultId} ${depositor}`)) {
    known.depositors.add(`${vaultId} ${depositor}`)
    depositors.push({ vaultId, depositor })
    vault.depositorCount += 1
  }
  applyFlow(fold, event, vaultId, { principal: depositor, amount, shares })
}

function withdraw(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  const [depositor, shares, amount] = [textOf(event, 'depositor'), bigOf(event, 'shares'), bigOf(event, 'usdcOut')]
  fold.flows.push({ ...rowOf(event, vaultId), kind: 'withdraw', principal: depositor, amount, shares })
  applyFlow(fold, event, vaultId, { principal: depositor, amount: -amount, shares: -shares })
}

function claim(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  const owed = bigOf(event, 'owed')
  fold.flows.push({ ...rowOf(event, vaultId), kind: 'fee_claim', principal: textOf(event, 'leader'), amount: owed, shares: null })
  for (const figures of figuresOf(fold, event, vaultId)) {
    figures.totalUsdc -= owed
    figures.realizedPnl += owed
    figures.hwmNav = bigOf(event, 'newNav')
  }
}

function leaderOpened(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  unsettle(touchUnlessObserved(fold, event, vaultId))
  const [leader, collateral] = [textOf(event, 'leader'), bigOf(event, 'collateral')]
  fold.trades.push({ ...rowOf(event, vaultId), positionId: textOf(event, 'positionId'), action: 'open', leader, collateral, pnl: null })
  recordOpen(fold, event, { vaultId, leader }, idOf(event, 'positionId'))
}

function leaderClosed(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  const { known, ended } = fold
  unsettle(touchUnlessObserved(fold, event, vaultId))
  const positionId = textOf(event, 'positionId')
  const id = idOf(event, 'positionId')
  const position = id === undefined ? undefined : known.positions.get(id)
  // The market's event comes first and has already closed a known position.
  if (position?.isOpen === false) return
  if (id !== undefined && position !== undefined) endPosition(fold, event, id, position)
  const pnl = ended.get(`${event.txHash} ${positionId}`) ?? null
  recordClose(fold, event, { vaultId: position?.vaultId ?? vaultId, leader: textOf(event, 'leader') }, { positionId, pnl })
}

function leaderOrdered(fold: Fold, event: ArchivedEvent, vaultId: number): void {
  unsettle(touchUnlessObserved(fold, event, vaultId))
  const orderId = idOf(event, 'orderId')
  if (orderId === undefined || fold.known.orders.has(orderId)) return
  fold.known.orders.set(orderId, { vaultId, leader: textOf(event, 'leader'), collateral: fold.paid.get(event.txHash) ?? null })
  // What pays for one order pays for no other.
  fold.paid.delete(event.txHash)
  fold.orders.add(orderId)
}

function pause(fold: Fold, event: ArchivedEvent, vaultId: number, paused: boolean): void {
  for (const figures of figuresOf(fold, event, vaultId)) figures.paused = paused
}

/** Records an opened position of the vault. `positionId` is undefined when the market cannot have issued it. */
function recordOpen(fold: Fold, event: ArchivedEvent, { vaultId, leader }: VaultOwner, positionId: number | undefined): void {
  const { positions } = fold.known
  const vault = touch(fold, event, vaultId)
  if (vault !== undefined) vault.tradeCount += 1
  if (positionId === undefined || positions.has(positionId)) return
  positions.set(positionId, { vaultId, leader, isOpen: true })
  fold.positions.add(positionId)
  if (vault !== undefined) vault.openPositions += 1
}

function endPosition(fold: Fold, event: ArchivedEvent, positionId: number, position: VaultPosition): void {
  position.isOpen = false
  fold.positions.add(positionId)
  const vault = touch(fold, event, position.vaultId)
  if (vault !== undefined) vault.openPositions -= 1
}

/** Records a close. Without a leader event it is attributed to the leader who opened the position. */
function recordClose(
  fold: Fold,
  event: ArchivedEvent,
  { vaultId, leader }: VaultOwner,
  { positionId, pnl }: { readonly positionId: string; readonly pnl: bigint | null },
): void {
  const vault = touch(fold, event, vaultId)
  if (vault !== undefined) vault.closedTradePnl += pnl ?? 0n
  fold.trades.push({ ...rowOf(event, vaultId), positionId, action: 'close', leader, collateral: 0n, pnl })
}

function rowOf({ seq, ledger, ledgerCloseTs, txHash }: ArchivedEvent, vaultId: number): VaultRow {
  return { seq, vaultId, ledger, ts: ledgerCloseTs, txHash }
}

/** Marks the vault as changed by this event and returns it; undefined when its creation is not in the archive. */
function touch({ known, vaults, touched }: Fold, event: ArchivedEvent, vaultId: number): VaultState | undefined {
  const vault = known.vaults.get(vaultId)
  if (vault === undefined) return undefined
  vaults.add(vaultId)
  touched.add(vaultId)
  vault.lastLedger = event.ledger
  vault.updatedAt = event.ledgerCloseTs * 1_000
  return vault
}

/** As `touch`, but undefined when figures read from the factory already include this event. */
function touchUnlessObserved(fold: Fold, event: ArchivedEvent, vaultId: number): VaultState | undefined {
  const vault = touch(fold, event, vaultId)
  return event.seq > (fold.known.observations.get(vaultId)?.throughSeq ?? 0) ? vault : undefined
}

/** The figures that this event changes: the present ones, unless they include it already, and those of that time. */
function figuresOf(fold: Fold, event: ArchivedEvent, vaultId: number): readonly VaultFigures[] {
  const vault = touchUnlessObserved(fold, event, vaultId)
  const past = fold.known.past.get(vaultId)
  return [...(vault === undefined ? [] : [vault]), ...(past === undefined ? [] : [figuresBefore(past, event.seq)])]
}

const PROFIT_SHARE_BPS = 1_000

/** The figures of a new vault. */
const NEW_VAULT: VaultFigures = {
  totalUsdc: 0n, circulatingShares: 0n, leaderShares: 0n, hwmNav: ONE_E7, realizedPnl: 0n, profitShareBps: PROFIT_SHARE_BPS, paused: false,
}

function unsettle(vault: VaultState | undefined): void {
  if (vault !== undefined) vault.isUnsettled = true
}

function applyFlow(
  fold: Fold, event: ArchivedEvent, vaultId: number, flow: { readonly principal: string; readonly amount: bigint; readonly shares: bigint },
): void {
  const leader = fold.known.vaults.get(vaultId)?.leader
  for (const figures of figuresOf(fold, event, vaultId)) {
    figures.totalUsdc += flow.amount
    figures.circulatingShares += flow.shares
    if (flow.principal === leader) figures.leaderShares += flow.shares
  }
}
