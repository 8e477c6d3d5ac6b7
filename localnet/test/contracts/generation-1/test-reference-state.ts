// Test support: a reference implementation of the exchange, written from the specification only, for comparison with the contracts. It stores
// no aggregates: open interest, units and reservations are summed over open positions on every read.

/** 1 USDC; also 1.0 of a price or rate. */
export const UNIT = 10_000_000n

export const MARKET_ACCOUNT = 'market'
export const VAULT_ACCOUNT = 'vault'

export interface ReferencePosition {
  readonly id: bigint
  readonly trader: string
  readonly asset: string
  readonly isLong: boolean
  readonly isCross: boolean
  readonly collateral: bigint
  readonly leverage: bigint
  readonly size: bigint
  readonly entry: bigint
  readonly fundingAtOpen: bigint
  readonly liquidation: bigint
}

export interface ReferenceOrder {
  readonly id: bigint
  readonly kind: 'limit' | 'stop-loss' | 'take-profit' | 'stop-limit' | 'trailing'
  readonly trader: string
  readonly asset: string
  readonly isLong: boolean
  /** 0 for attached orders. */
  readonly collateral: bigint
  readonly leverage: bigint
  readonly trigger: bigint
  readonly limit: bigint
  readonly above: boolean
  readonly slippageBps: bigint
  readonly timeInForce: number
  readonly percentBps: bigint
  readonly positionId: bigint
  peak: bigint
  isArmed: boolean
  status: 'pending' | 'executed' | 'cancelled' | 'cancelled for slippage'
}

/**
 * Known differences between the USDC that the contracts hold and what they owe. Each is a documented defect or choice of the deployed
 * contracts; everything else must match to the last unit.
 */
interface Discrepancies {
  /** Funding owed to traders is paid from the market's pooled USDC: no counterparty pays it in. */
  fundingPaidFromPooledCollateral: bigint
  /** A cross loss above the position's collateral is taken from the market's pooled USDC and fee to no account. */
  crossLossTakenFromOthers: bigint
  /** The part of a cross loss that exceeds the market's whole balance is recorded nowhere. */
  crossLossNeverPaid: bigint
  /** After a cross liquidation, paid profits and collateral above the losses stay in the market unassigned; negative for a deficit. */
  crossLiquidationUnassigned: bigint
  /** The fee of a liquidity withdrawal stays in the vault but is subtracted from its accounted USDC. */
  withdrawalFeeOutsideAccounts: bigint
}

export interface ReferenceState {
  nowSec: bigint
  readonly quotes: Map<string, { readonly price: bigint; readonly atSec: bigint }>
  readonly lastGoodPrices: Map<string, { readonly price: bigint; readonly atSec: bigint }>
  /** USDC by holder. */
  readonly usdcBalances: Map<string, bigint>
  readonly positions: Map<bigint, ReferencePosition>
  readonly orders: Map<bigint, ReferenceOrder>
  positionCount: bigint
  readonly pools: Map<string, bigint>
  readonly volumes: Map<string, { readonly slots: bigint[]; day: bigint }>
  cumulativeFunding: bigint
  lastFundingSec: bigint
  readonly vault: { totalUsdc: bigint; totalFees: bigint; totalLp: bigint; shortfall: bigint }
  /** The traders' unrealized PnL per asset, as last reported to the vault. */
  readonly unrealizedPnl: Map<string, bigint>
  readonly discrepancies: Discrepancies
}

/** The state without positions, after a deposit of `liquidity` at a fee of 30 bps. */
export function createReferenceState(nowSec: bigint, liquidity: bigint, usdcBalances: ReadonlyMap<string, bigint>): ReferenceState {
  const depositFee = (liquidity * 30n) / 10_000n
  return {
    nowSec,
    quotes: new Map(),
    lastGoodPrices: new Map(),
    usdcBalances: new Map(usdcBalances),
    positions: new Map(),
    orders: new Map(),
    positionCount: 0n,
    pools: new Map(),
    volumes: new Map(),
    cumulativeFunding: 0n,
    lastFundingSec: nowSec,
    vault: { totalUsdc: liquidity, totalFees: depositFee, totalLp: liquidity - depositFee, shortfall: 0n },
    unrealizedPnl: new Map(),
    discrepancies: {
      fundingPaidFromPooledCollateral: 0n, crossLossTakenFromOthers: 0n, crossLossNeverPaid: 0n, crossLiquidationUnassigned: 0n,
      withdrawalFeeOutsideAccounts: 0n,
    },
  }
}

/** A call that the contracts must fail with this code. */
export class RejectionError extends Error {
  readonly code: bigint
  constructor(code: bigint) {
    super(`rejected with ${code}`)
    this.code = code
  }
}

export function rejectIf(condition: boolean, code: bigint): void {
  if (condition) throw new RejectionError(code)
}

export function reject(code: bigint): never {
  throw new RejectionError(code)
}

export const min = (...values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))
export const positivePart = (value: bigint): bigint => (value > 0n ? value : 0n)
const abs = (value: bigint): bigint => (value < 0n ? -value : value)

/** Transfers USDC; rejects with the token's 10 if the balance is too small. */
export function transfer(state: Pick<ReferenceState, 'usdcBalances'>, from: string, to: string, amount: bigint): void {
  const balance = state.usdcBalances.get(from) ?? 0n
  rejectIf(balance < amount, 10n)
  state.usdcBalances.set(from, balance - amount)
  state.usdcBalances.set(to, (state.usdcBalances.get(to) ?? 0n) + amount)
}

/** Transfers USDC from the market to the vault and credits it there. */
export function transferToVault(state: ReferenceState, amount: bigint): void {
  if (amount <= 0n) return
  transfer(state, MARKET_ACCOUNT, VAULT_ACCOUNT, amount)
  state.vault.totalUsdc += amount
}

const MAX_AGE_SEC = 60n
const BAND_DURATION_SEC = 600n
const BAND_BPS = 100n

/** The price. A strict read rejects a stale price (30) and one far from the last good price (81). A fresh price becomes the last good one. */
export function readPrice(state: ReferenceState, asset: string, isStrict: boolean): bigint {
  const quote = state.quotes.get(asset)
  if (quote === undefined) throw new RejectionError(32n)
  const isFresh = state.nowSec - quote.atSec <= MAX_AGE_SEC
  const lastGood = state.lastGoodPrices.get(asset)
  if (isStrict) {
    rejectIf(!isFresh, 30n)
    const isBandActive = lastGood !== undefined && state.nowSec - lastGood.atSec <= BAND_DURATION_SEC
    rejectIf(isBandActive && (abs(quote.price - lastGood.price) * 10_000n) / lastGood.price > BAND_BPS, 81n)
  }
  if (isFresh) state.lastGoodPrices.set(asset, { price: quote.price, atSec: state.nowSec })
  return quote.price
}

function filterPositions(state: ReferenceState, matches: (position: ReferencePosition) => boolean): ReferencePosition[] {
  return [...state.positions.values()].filter(matches)
}

const totalSize = (positions: readonly ReferencePosition[]): bigint => positions.reduce((sum, { size }) => sum + size, 0n)

export function openInterest(state: ReferenceState, isLong: boolean, asset?: string): bigint {
  return totalSize(filterPositions(state, (position) => position.isLong === isLong && (asset === undefined || position.asset === asset)))
}

export const reservedPayout = (state: ReferenceState): bigint => totalSize([...state.positions.values()])

export function totalUnrealizedPnl(state: ReferenceState): bigint {
  return [...state.unrealizedPnl.values()].reduce((sum, pnl) => sum + pnl, 0n)
}

export const aum = (state: ReferenceState): bigint => positivePart(state.vault.totalUsdc + state.vault.totalFees - totalUnrealizedPnl(state))

/** Reports the unrealized PnL of an asset at this price to the vault. */
export function markAsset(state: ReferenceState, asset: string, price: bigint): bigint {
  const valueOf = (isLong: boolean): bigint => {
    const units = filterPositions(state, (position) => position.isLong === isLong && position.asset === asset)
      .reduce((sum, { size, entry }) => sum + (size * UNIT) / entry, 0n)
    return (price * units) / UNIT
  }
  const pnl = valueOf(true) - openInterest(state, true, asset) + openInterest(state, false, asset) - valueOf(false)
  state.unrealizedPnl.set(asset, pnl)
  return pnl
}

/** Rejects with 82 above a cap, with 40 above the vault's balance. Reserves nothing: reservations are summed over open positions. */
export function checkCapacity(state: ReferenceState, asset: string, isLong: boolean, size: bigint): void {
  const currentAum = aum(state)
  const reservedAfter = reservedPayout(state) + size
  rejectIf(reservedAfter > (currentAum * 7_000n) / 10_000n, 82n)
  rejectIf(openInterest(state, isLong, asset) + size > (currentAum * 2_500n) / 10_000n, 82n)
  rejectIf(reservedAfter > (state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n), 40n)
}

/** Pays a profit from the vault to the market. Records what it cannot pay as shortfall, which is never repaid. */
export function payProfit(state: ReferenceState, pnl: bigint): bigint {
  if (pnl <= 0n) return 0n
  const paid = positivePart(min(pnl, state.vault.totalUsdc, state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n))
  transfer(state, VAULT_ACCOUNT, MARKET_ACCOUNT, paid)
  state.vault.totalUsdc -= paid
  state.vault.shortfall += pnl - paid
  return paid
}

const TIERS = [
  { from: 0n, taker: 50n, maker: 20n }, { from: 20_000n, taker: 40n, maker: 15n }, { from: 50_000n, taker: 30n, maker: 10n },
  { from: 100_000n, taker: 20n, maker: 5n },
]

/** The fee of a trade by the volume before it. Then adds the trade to the volume. */
export function chargeFee(
  state: Pick<ReferenceState, 'nowSec' | 'volumes'>, trader: string, size: bigint, kind: 'taker' | 'maker',
): bigint {
  const volume = (state.volumes.get(trader)?.slots ?? []).reduce((sum, slot) => sum + slot, 0n)
  const tier = TIERS.filter(({ from }) => from * UNIT <= volume).at(-1)
  recordVolume(state, trader, size)
  return (size * (tier?.[kind] ?? 0n)) / 100_000n
}

/** Adds a trade to its day, after clearing the days without trades. */
export function recordVolume(state: Pick<ReferenceState, 'nowSec' | 'volumes'>, trader: string, size: bigint): void {
  const today = state.nowSec / 86_400n
  const record = state.volumes.get(trader) ?? { slots: Array.from({ length: 14 }, () => 0n), day: today }
  const elapsedDays = today - record.day
  for (let back = 0n; back < min(elapsedDays, 14n); back++) record.slots[Number((today - back) % 14n)] = 0n
  const slot = Number(today % 14n)
  record.slots[slot] = (record.slots[slot] ?? 0n) + size
  record.day = today
  state.volumes.set(trader, record)
}

export function pnlAt(position: Pick<ReferencePosition, 'size' | 'isLong' | 'entry'>, price: bigint): bigint {
  return (position.size * (position.isLong ? price - position.entry : position.entry - price)) / position.entry
}

/** Funding owed by the trader; negative if owed to the trader. */
export function fundingOwed(state: ReferenceState, position: ReferencePosition): bigint {
  const owedByLong = (position.size * (state.cumulativeFunding - position.fundingAtOpen)) / UNIT
  return position.isLong ? owedByLong : -owedByLong
}

export const maintenanceMargin = (position: ReferencePosition): bigint => (position.size * 100n) / 10_000n

export function attachedOrders(state: ReferenceState, positionId: bigint): ReferenceOrder[] {
  return [...state.orders.values()].filter((order) => order.status === 'pending' && order.positionId === positionId)
}

/** Cancels the orders attached to a position, except the order that closes it. */
export function cancelAttached(state: ReferenceState, positionId: bigint, except: bigint | undefined): void {
  for (const order of attachedOrders(state, positionId)) if (order.id !== except) order.status = 'cancelled'
}

/** Deposits liquidity. Returns the LP tokens minted. */
export function depositLiquidity(state: ReferenceState, provider: string, amount: bigint): bigint {
  rejectIf(amount <= 0n, 41n)
  const { vault } = state
  const fee = (amount * 30n) / 10_000n
  const currentAum = aum(state)
  const minted = vault.totalLp === 0n || currentAum === 0n ? amount - fee : ((amount - fee) * vault.totalLp) / currentAum
  rejectIf(minted <= 0n, 41n)
  transfer(state, provider, VAULT_ACCOUNT, amount)
  // The deployed vault counts the fee twice: in the amount and in the fees.
  vault.totalUsdc += amount
  vault.totalFees += fee
  vault.totalLp += minted
  return minted
}

/** Withdraws liquidity for LP tokens, all held by one provider. Returns the USDC paid. */
export function withdrawLiquidity(state: ReferenceState, provider: string, lp: bigint): bigint {
  rejectIf(lp <= 0n, 41n)
  const { vault } = state
  rejectIf(lp > vault.totalLp, 42n)
  const gross = (lp * aum(state)) / vault.totalLp
  const fee = (gross * 30n) / 10_000n
  const balance = state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n
  rejectIf(gross <= fee, 41n)
  rejectIf(balance - (gross - fee) < reservedPayout(state), 40n)
  transfer(state, VAULT_ACCOUNT, provider, gross - fee)
  vault.totalUsdc -= gross
  vault.totalFees += fee
  vault.totalLp -= lp
  state.discrepancies.withdrawalFeeOutsideAccounts += fee
  return gross - fee
}
