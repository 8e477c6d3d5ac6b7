// Test support: the exchange's state once more, written from the description of its rules and from nothing else, so that the contracts have
// something to disagree with. No totals are kept that follow from open positions: open interest, units and reservations are summed anew.

/** 1 USDC, and 1.0 of everything else. */
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
  /** 0 for the kinds that hang on a position. */
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
 * Where the exchange's money is known not to match what it owes. Each is a documented defect or choice of the deployed contracts; everything
 * else must add up to the last unit.
 */
export interface Discrepancies {
  /** Funding that is owed to a trader comes out of the market's pooled USDC: nobody pays it in. */
  fundingPaidFromPooledCollateral: bigint
  /** A cross loss beyond the position's collateral is taken from the market's common USDC, and booked against nobody. */
  crossLossTakenFromOthers: bigint
  /** What of a cross loss the market's whole balance cannot pay is booked nowhere. */
  crossLossNeverPaid: bigint
  /** Paid profits and collateral beyond the losses stay in the market when a cross account is liquidated, and so does what it lacked. */
  crossLiquidationUnassigned: bigint
  /** The fee of a liquidity withdrawal stays in the vault, but leaves its accounted USDC. */
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
  /** What traders are up by, per asset, as the vault was told last. */
  readonly unrealizedPnl: Map<string, bigint>
  readonly discrepancies: Discrepancies
}

/** Books of an exchange without positions, at this time, with this liquidity already paid in at a fee of 30 bps. */
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

/** A refusal with a contract's code. */
export class RejectionError extends Error {
  readonly code: bigint
  constructor(code: bigint) {
    super(`refused with ${code}`)
    this.code = code
  }
}

/** Refuses with this code when the condition holds. */
export function rejectIf(condition: boolean, code: bigint): void {
  if (condition) throw new RejectionError(code)
}

export function reject(code: bigint): never {
  throw new RejectionError(code)
}

export const min = (...values: readonly bigint[]): bigint => values.reduce((one, other) => (one < other ? one : other))
export const positivePart = (value: bigint): bigint => (value > 0n ? value : 0n)
const abs = (value: bigint): bigint => (value < 0n ? -value : value)

/** Moves USDC; the token refuses with 10 what the payer does not have. */
export function transfer(state: ReferenceState, from: string, to: string, amount: bigint): void {
  const held = state.usdcBalances.get(from) ?? 0n
  rejectIf(held < amount, 10n)
  state.usdcBalances.set(from, held - amount)
  state.usdcBalances.set(to, (state.usdcBalances.get(to) ?? 0n) + amount)
}

/** Sends to the vault what then counts as its own. */
export function transferToVault(state: ReferenceState, amount: bigint): void {
  if (amount <= 0n) return
  transfer(state, MARKET_ACCOUNT, VAULT_ACCOUNT, amount)
  state.vault.totalUsdc += amount
}

const MAX_AGE_SEC = 60n
const BAND_DURATION_SEC = 600n
const BAND_BPS = 100n

/** The price; strictly read it must be fresh (30) and near the last good one (81). A fresh one is the next last good one. */
export function readPrice(state: ReferenceState, asset: string, isStrict: boolean): bigint {
  const quote = state.quotes.get(asset)
  if (quote === undefined) throw new RejectionError(32n)
  const isFresh = state.nowSec - quote.atSec <= MAX_AGE_SEC
  const good = state.lastGoodPrices.get(asset)
  if (isStrict) {
    rejectIf(!isFresh, 30n)
    const isBound = good !== undefined && state.nowSec - good.atSec <= BAND_DURATION_SEC
    rejectIf(isBound && (abs(quote.price - good.price) * 10_000n) / good.price > BAND_BPS, 81n)
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

/** Tells the vault what the traders of an asset are up by at this price. */
export function markAsset(state: ReferenceState, asset: string, price: bigint): bigint {
  const worth = (isLong: boolean): bigint => {
    const units = filterPositions(state, (position) => position.isLong === isLong && position.asset === asset)
      .reduce((sum, { size, entry }) => sum + (size * UNIT) / entry, 0n)
    return (price * units) / UNIT
  }
  const value = worth(true) - openInterest(state, true, asset) + openInterest(state, false, asset) - worth(false)
  state.unrealizedPnl.set(asset, value)
  return value
}

/** The vault must be able to back the size: 82 over its caps, 40 over its money. Once the position is open, it counts by itself. */
export function checkCapacity(state: ReferenceState, asset: string, isLong: boolean, size: bigint): void {
  const worth = aum(state)
  const after = reservedPayout(state) + size
  rejectIf(after > (worth * 7_000n) / 10_000n, 82n)
  rejectIf(openInterest(state, isLong, asset) + size > (worth * 2_500n) / 10_000n, 82n)
  rejectIf(after > (state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n), 40n)
}

/** What the vault pays the market of a profit; what it cannot pay is a shortfall that nobody makes good. */
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

/** The fee of a trade by the volume before it; the trade then counts. */
export function chargeFee(state: ReferenceState, trader: string, size: bigint, kind: 'taker' | 'maker'): bigint {
  const volume = (state.volumes.get(trader)?.slots ?? []).reduce((sum, slot) => sum + slot, 0n)
  const tier = TIERS.filter(({ from }) => from * UNIT <= volume).at(-1)
  recordVolume(state, trader, size)
  return (size * (tier?.[kind] ?? 0n)) / 100_000n
}

/** Counts a trade into its day. Days that nobody traded on since are emptied first. */
export function recordVolume(state: ReferenceState, trader: string, size: bigint): void {
  const today = state.nowSec / 86_400n
  const record = state.volumes.get(trader) ?? { slots: Array.from({ length: 14 }, () => 0n), day: today }
  const passed = today - record.day
  for (let back = 0n; back < min(passed, 14n); back++) record.slots[Number((today - back) % 14n)] = 0n
  const slot = Number(today % 14n)
  record.slots[slot] = (record.slots[slot] ?? 0n) + size
  record.day = today
  state.volumes.set(trader, record)
}

export function pnlAt(position: ReferencePosition, price: bigint): bigint {
  return (position.size * (position.isLong ? price - position.entry : position.entry - price)) / position.entry
}

/** Funding that the trader owes; negative when it is owed to the trader. */
export function fundingOwed(state: ReferenceState, position: ReferencePosition): bigint {
  const ofLong = (position.size * (state.cumulativeFunding - position.fundingAtOpen)) / UNIT
  return position.isLong ? ofLong : -ofLong
}

export const maintenanceMargin = (position: ReferencePosition): bigint => (position.size * 100n) / 10_000n

export function attachedOrders(state: ReferenceState, positionId: bigint): ReferenceOrder[] {
  return [...state.orders.values()].filter((order) => order.status === 'pending' && order.positionId === positionId)
}

/** What hangs on a position ends with it, except the order that closes it. */
export function cancelAttached(state: ReferenceState, positionId: bigint, except: bigint | undefined): void {
  for (const order of attachedOrders(state, positionId)) if (order.id !== except) order.status = 'cancelled'
}

/** Liquidity for LP tokens, whose number it answers. */
export function depositLiquidity(state: ReferenceState, provider: string, amount: bigint): bigint {
  rejectIf(amount <= 0n, 41n)
  const { vault } = state
  const charged = (amount * 30n) / 10_000n
  const worth = aum(state)
  const minted = vault.totalLp === 0n || worth === 0n ? amount - charged : ((amount - charged) * vault.totalLp) / worth
  rejectIf(minted <= 0n, 41n)
  transfer(state, provider, VAULT_ACCOUNT, amount)
  // The whole amount and the fee: the deployed vault counts the fee twice.
  vault.totalUsdc += amount
  vault.totalFees += charged
  vault.totalLp += minted
  return minted
}

/** LP tokens (all of which the one provider holds) for liquidity, which it answers. */
export function withdrawLiquidity(state: ReferenceState, provider: string, lp: bigint): bigint {
  rejectIf(lp <= 0n, 41n)
  const { vault } = state
  rejectIf(lp > vault.totalLp, 42n)
  const gross = (lp * aum(state)) / vault.totalLp
  const charged = (gross * 30n) / 10_000n
  const held = state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n
  rejectIf(gross <= charged, 41n)
  rejectIf(held - (gross - charged) < reservedPayout(state), 40n)
  transfer(state, VAULT_ACCOUNT, provider, gross - charged)
  vault.totalUsdc -= gross
  vault.totalFees += charged
  vault.totalLp -= lp
  state.discrepancies.withdrawalFeeOutsideAccounts += charged
  return gross - charged
}
