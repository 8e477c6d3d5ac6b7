// Test support: the state of a reference implementation of generation 2, written from the specification only. Build 2.3, without orders.

import {
  MARKET_ACCOUNT, min, pnlAt, positivePart, type ReferencePosition, type ReferenceState as BasicReferenceState, rejectIf, transfer, UNIT, VAULT_ACCOUNT,
} from '../generation-1/test-reference-state.ts'

export const TREASURY_ACCOUNT = 'treasury'

export type { ReferencePosition }

interface Side {
  units: bigint
  size: bigint
}

/** The reference's state of one asset. */
export interface ReferenceAsset {
  price: bigint
  pricedAtSec: bigint
  /** The latest prices, newest first, one per time. */
  history: { readonly price: bigint; readonly atSec: bigint }[]
  lastGood: { readonly price: bigint; readonly atSec: bigint } | null
  readonly long: Side
  readonly short: Side
  /** Integral of longs less shorts since the last funding. */
  skewSeconds: bigint
  skewAtSec: bigint
  funding: { index: bigint; rate: bigint; atSec: bigint } | null
  unrealized: bigint
  isDeleveraging: boolean
}

export interface ReferenceState extends Pick<BasicReferenceState, 'volumes' | 'usdcBalances'> {
  nowSec: bigint
  readonly assets: Map<string, ReferenceAsset>
  readonly positions: Map<bigint, ReferencePosition>
  positionCount: bigint
  readonly pools: Map<string, bigint>
  readonly partialAtSec: Map<bigint, bigint>
  readonly stagedAtSec: Map<string, bigint>
  /** USDC of liquidated cross accounts that the market holds for nobody. */
  stranded: bigint
  readonly vault: { totalUsdc: bigint; totalFees: bigint; buffer: bigint; reserved: bigint; shortfall: bigint; shortfallReserve: bigint }
}

export const share = (amount: bigint, bps: bigint): bigint => (amount * bps) / 10_000n

export function assetOf(state: ReferenceState, symbol: string): ReferenceAsset {
  const asset = state.assets.get(symbol)
  if (asset === undefined) throw new Error(`no asset ${symbol}`)
  return asset
}

export function newAsset(price: bigint, nowSec: bigint): ReferenceAsset {
  return {
    price, pricedAtSec: nowSec, history: [{ price, atSec: nowSec }], lastGood: null, long: { units: 0n, size: 0n }, short: { units: 0n, size: 0n },
    skewSeconds: 0n, skewAtSec: nowSec, funding: null, unrealized: 0n, isDeleveraging: false,
  }
}

/** A new price, attested now. */
export function setPrice(state: ReferenceState, symbol: string, price: bigint): void {
  const asset = assetOf(state, symbol)
  asset.price = price
  asset.pricedAtSec = state.nowSec
  if (asset.history[0]?.atSec === state.nowSec) asset.history.shift()
  asset.history.unshift({ price, atSec: state.nowSec })
}

const isFresh = (state: ReferenceState, asset: ReferenceAsset): boolean => state.nowSec - asset.pricedAtSec <= 60n

/** The price for opens: rejects a stale one with 30 and one more than 1 % from the last good price with 81. */
export function strictPrice(state: ReferenceState, symbol: string): bigint {
  const asset = assetOf(state, symbol)
  rejectIf(!isFresh(state, asset), 30n)
  const good = recentGood(state, asset)
  if (good !== null) {
    const distance = asset.price > good ? asset.price - good : good - asset.price
    rejectIf((distance * 10_000n) / good > 100n, 81n)
  }
  asset.lastGood = { price: asset.price, atSec: state.nowSec }
  return asset.price
}

/** The price for settlements: at most 3 % from the last good price. */
export function lenientPrice(state: ReferenceState, symbol: string): bigint {
  const asset = assetOf(state, symbol)
  const good = recentGood(state, asset)
  if (isFresh(state, asset)) asset.lastGood = { price: asset.price, atSec: state.nowSec }
  if (good === null) return asset.price
  const distance = share(good, 300n)
  return min(good + distance, asset.price < good - distance ? good - distance : asset.price)
}

function recentGood(state: ReferenceState, { lastGood }: ReferenceAsset): bigint | null {
  return lastGood !== null && state.nowSec - lastGood.atSec <= 600n ? lastGood.price : null
}

/** The mean of the latest four prices, if there are two and the newest is not older than 300 s. */
export function smoothedPrice(state: ReferenceState, symbol: string): bigint | null {
  const records = assetOf(state, symbol).history.slice(0, 4)
  const [newest] = records
  if (newest === undefined || records.length < 2 || state.nowSec - newest.atSec > 300n) return null
  return records.reduce((sum, { price }) => sum + price, 0n) / BigInt(records.length)
}

export function freshPrice(state: ReferenceState, symbol: string): bigint {
  const asset = assetOf(state, symbol)
  rejectIf(!isFresh(state, asset), 30n)
  return asset.price
}

export function fundingOf(state: ReferenceState, position: ReferencePosition): bigint {
  const index = assetOf(state, position.asset).funding?.index ?? 0n
  const owed = (position.size * (index - position.fundingAtOpen)) / UNIT
  return position.isLong ? owed : -owed
}

export const netOf = (state: ReferenceState, position: ReferencePosition, price: bigint): bigint =>
  pnlAt(position, price) - fundingOf(state, position)

export const equityOf = (state: ReferenceState, position: ReferencePosition, price: bigint): bigint =>
  position.collateral + netOf(state, position, price)

export const maintenanceOf = (position: ReferencePosition): bigint => share(position.size, 200n)

/** Adds (sign 1) or removes (sign -1) open interest and reports the asset's unrealized PnL at this price to the vault. */
export function changeInterest(state: ReferenceState, position: ReferencePosition, size: bigint, price: bigint, sign: 1n | -1n): void {
  const asset = assetOf(state, position.asset)
  asset.skewSeconds += (asset.long.size - asset.short.size) * (state.nowSec - asset.skewAtSec)
  asset.skewAtSec = state.nowSec
  const side = position.isLong ? asset.long : asset.short
  side.units = positivePart(side.units + (sign * (size * UNIT)) / position.entry)
  side.size = positivePart(side.size + sign * size)
  const longPnl = (price * asset.long.units) / UNIT - asset.long.size
  const shortPnl = asset.short.size - (price * asset.short.units) / UNIT
  asset.unrealized = longPnl + shortPnl
  if (sign === -1n) state.vault.reserved = positivePart(state.vault.reserved - size)
}

function aum(state: ReferenceState): bigint {
  const unrealized = [...state.assets.values()].reduce((sum, asset) => sum + asset.unrealized, 0n)
  return positivePart(state.vault.totalUsdc + state.vault.totalFees - unrealized)
}

/** Rejects with 82, 89 or 40, or reserves the size. */
export function reserve(state: ReferenceState, symbol: string, isLong: boolean, size: bigint): void {
  const { long, short } = assetOf(state, symbol)
  const total = state.vault.reserved + size
  const assets = aum(state)
  rejectIf(total > share(assets, 7000n), 82n)
  rejectIf((isLong ? long.size : short.size) + size > share(assets, 2500n), 82n)
  const before = long.size - short.size
  const after = isLong ? before + size : before - size
  const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
  rejectIf(magnitude(after) > share(assets, 1500n) && magnitude(after) > magnitude(before), 89n)
  rejectIf(total > (state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n) - state.vault.shortfallReserve, 40n)
  state.vault.reserved = total
}

export function payProviders(state: ReferenceState, amount: bigint): void {
  transfer(state, MARKET_ACCOUNT, VAULT_ACCOUNT, amount)
  state.vault.totalUsdc += amount
}

/** Half of what flows into the buffer covers unpaid profits first. */
export function payBuffer(state: ReferenceState, amount: bigint): void {
  transfer(state, MARKET_ACCOUNT, VAULT_ACCOUNT, amount)
  const toReserve = positivePart(min(amount / 2n, state.vault.shortfall - state.vault.shortfallReserve))
  state.vault.shortfallReserve += toReserve
  state.vault.buffer += amount - toReserve
}

/** A fifth of a fee belongs to the protocol: it fills the buffer up to a tenth of the reservations; the treasury gets the rest. */
export function payFee(state: ReferenceState, fee: bigint): void {
  const cut = share(fee, 2000n)
  const toBuffer = min(cut, positivePart(share(state.vault.reserved, 1000n) - state.vault.buffer))
  if (cut > 0n) {
    transfer(state, MARKET_ACCOUNT, VAULT_ACCOUNT, toBuffer)
    transfer(state, MARKET_ACCOUNT, TREASURY_ACCOUNT, cut - toBuffer)
    state.vault.buffer += toBuffer
  }
  payProviders(state, fee - cut)
}

/** Pays a profit to the market, from the buffer first. What the vault cannot pay turns deleveraging on. */
export function payProfit(state: ReferenceState, symbol: string, profit: bigint): bigint {
  const { vault } = state
  const balance = (state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n) - vault.shortfallReserve
  const paid = positivePart(min(profit, vault.buffer + vault.totalUsdc, balance))
  const fromBuffer = min(paid, vault.buffer)
  vault.buffer -= fromBuffer
  vault.totalUsdc -= paid - fromBuffer
  vault.shortfall += profit - paid
  transfer(state, VAULT_ACCOUNT, MARKET_ACCOUNT, paid)
  if (paid < profit) assetOf(state, symbol).isDeleveraging = true
  return paid
}

/** The buffer covers bad debt without a transfer. */
export function coverDebt(state: ReferenceState, debt: bigint): void {
  const covered = min(debt, state.vault.buffer)
  state.vault.buffer -= covered
  state.vault.totalUsdc += covered
}

/** Tops a keeper's reward up to 5 USDC from the buffer. Returns the total. */
export function payBounty(state: ReferenceState, keeper: string, reward: bigint): bigint {
  const balance = (state.usdcBalances.get(VAULT_ACCOUNT) ?? 0n) - state.vault.shortfallReserve
  const bounty = positivePart(min(5n * UNIT - reward, state.vault.buffer, balance))
  state.vault.buffer -= bounty
  transfer(state, VAULT_ACCOUNT, keeper, bounty)
  return reward + bounty
}
