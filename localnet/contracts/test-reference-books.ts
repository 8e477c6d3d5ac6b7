// Test support: the exchange's books once more, written from the description of its rules and from nothing else, so that the contracts have
// something to disagree with. No totals are kept that follow from open positions: open interest, units and reservations are summed anew.

/** 1 USDC, and 1.0 of everything else. */
export const UNIT = 10_000_000n

export const MARKET_CASH = 'market'
export const VAULT_CASH = 'vault'

export interface BookPosition {
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

export interface BookOrder {
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
export interface Exceptions {
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

export interface Books {
  nowSec: bigint
  readonly quotes: Map<string, { readonly price: bigint; readonly atSec: bigint }>
  readonly lastGood: Map<string, { readonly price: bigint; readonly atSec: bigint }>
  /** USDC by holder. */
  readonly cash: Map<string, bigint>
  readonly positions: Map<bigint, BookPosition>
  readonly orders: Map<bigint, BookOrder>
  positionsOpened: bigint
  readonly pools: Map<string, bigint>
  readonly volumes: Map<string, { readonly slots: bigint[]; day: bigint }>
  fundingSum: bigint
  fundedAtSec: bigint
  readonly vault: { accounted: bigint; fees: bigint; lp: bigint; shortfall: bigint }
  /** What traders are up by, per asset, as the vault was told last. */
  readonly marks: Map<string, bigint>
  readonly exceptions: Exceptions
}

/** Books of an exchange without positions, at this time, with this liquidity already paid in at a fee of 30 bps. */
export function openBooks(nowSec: bigint, liquidity: bigint, cash: ReadonlyMap<string, bigint>): Books {
  const fee = (liquidity * 30n) / 10_000n
  return {
    nowSec, quotes: new Map(), lastGood: new Map(), cash: new Map(cash), positions: new Map(), orders: new Map(), positionsOpened: 0n, pools: new Map(),
    volumes: new Map(), fundingSum: 0n, fundedAtSec: nowSec, vault: { accounted: liquidity, fees: fee, lp: liquidity - fee, shortfall: 0n },
    marks: new Map(),
    exceptions: {
      fundingPaidFromPooledCollateral: 0n, crossLossTakenFromOthers: 0n, crossLossNeverPaid: 0n, crossLiquidationUnassigned: 0n,
      withdrawalFeeOutsideAccounts: 0n,
    },
  }
}

/** A refusal with a contract's code. */
export class Refusal extends Error {
  readonly code: bigint
  constructor(code: bigint) {
    super(`refused with ${code}`)
    this.code = code
  }
}

/** Refuses with this code when the condition holds. */
export function refuseWhen(condition: boolean, code: bigint): void {
  if (condition) throw new Refusal(code)
}

export function refuse(code: bigint): never {
  throw new Refusal(code)
}

export const least = (...values: readonly bigint[]): bigint => values.reduce((one, other) => (one < other ? one : other))
export const atLeastZero = (value: bigint): bigint => (value > 0n ? value : 0n)
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

/** Moves USDC; the token refuses with 10 what the payer does not have. */
export function pay(books: Books, from: string, to: string, amount: bigint): void {
  const held = books.cash.get(from) ?? 0n
  refuseWhen(held < amount, 10n)
  books.cash.set(from, held - amount)
  books.cash.set(to, (books.cash.get(to) ?? 0n) + amount)
}

/** Sends to the vault what then counts as its own. */
export function payVault(books: Books, amount: bigint): void {
  if (amount <= 0n) return
  pay(books, MARKET_CASH, VAULT_CASH, amount)
  books.vault.accounted += amount
}

const MAX_AGE_SEC = 60n
const BAND_LASTS_SEC = 600n
const BAND_BPS = 100n

/** The price; strictly read it must be fresh (30) and near the last good one (81). A fresh one is the next last good one. */
export function priceOf(books: Books, asset: string, isStrict: boolean): bigint {
  const quote = books.quotes.get(asset)
  if (quote === undefined) throw new Refusal(32n)
  const isFresh = books.nowSec - quote.atSec <= MAX_AGE_SEC
  const good = books.lastGood.get(asset)
  if (isStrict) {
    refuseWhen(!isFresh, 30n)
    const isBound = good !== undefined && books.nowSec - good.atSec <= BAND_LASTS_SEC
    refuseWhen(isBound && (magnitude(quote.price - good.price) * 10_000n) / good.price > BAND_BPS, 81n)
  }
  if (isFresh) books.lastGood.set(asset, { price: quote.price, atSec: books.nowSec })
  return quote.price
}

const positionsOf = (books: Books, wanted: (position: BookPosition) => boolean): BookPosition[] => [...books.positions.values()].filter(wanted)
const sizes = (positions: readonly BookPosition[]): bigint => positions.reduce((sum, { size }) => sum + size, 0n)

export function openInterest(books: Books, isLong: boolean, asset?: string): bigint {
  return sizes(positionsOf(books, (position) => position.isLong === isLong && (asset === undefined || position.asset === asset)))
}

export const reserved = (books: Books): bigint => sizes([...books.positions.values()])

export function unrealized(books: Books): bigint {
  return [...books.marks.values()].reduce((sum, mark) => sum + mark, 0n)
}

export const aum = (books: Books): bigint => atLeastZero(books.vault.accounted + books.vault.fees - unrealized(books))

/** Tells the vault what the traders of an asset are up by at this price. */
export function mark(books: Books, asset: string, price: bigint): bigint {
  const worth = (isLong: boolean): bigint => {
    const units = positionsOf(books, (position) => position.isLong === isLong && position.asset === asset)
      .reduce((sum, { size, entry }) => sum + (size * UNIT) / entry, 0n)
    return (price * units) / UNIT
  }
  const value = worth(true) - openInterest(books, true, asset) + openInterest(books, false, asset) - worth(false)
  books.marks.set(asset, value)
  return value
}

/** The vault must be able to back the size: 82 over its caps, 40 over its money. Once the position is open, it counts by itself. */
export function checkCapacity(books: Books, asset: string, isLong: boolean, size: bigint): void {
  const worth = aum(books)
  const after = reserved(books) + size
  refuseWhen(after > (worth * 7_000n) / 10_000n, 82n)
  refuseWhen(openInterest(books, isLong, asset) + size > (worth * 2_500n) / 10_000n, 82n)
  refuseWhen(after > (books.cash.get(VAULT_CASH) ?? 0n), 40n)
}

/** What the vault pays the market of a profit; what it cannot pay is a shortfall that nobody makes good. */
export function payProfit(books: Books, pnl: bigint): bigint {
  if (pnl <= 0n) return 0n
  const paid = atLeastZero(least(pnl, books.vault.accounted, books.cash.get(VAULT_CASH) ?? 0n))
  pay(books, VAULT_CASH, MARKET_CASH, paid)
  books.vault.accounted -= paid
  books.vault.shortfall += pnl - paid
  return paid
}

const TIERS = [
  { from: 0n, taker: 50n, maker: 20n }, { from: 20_000n, taker: 40n, maker: 15n }, { from: 50_000n, taker: 30n, maker: 10n },
  { from: 100_000n, taker: 20n, maker: 5n },
]

/** The fee of a trade by the volume before it; the trade then counts. */
export function fee(books: Books, trader: string, size: bigint, kind: 'taker' | 'maker'): bigint {
  const volume = (books.volumes.get(trader)?.slots ?? []).reduce((sum, slot) => sum + slot, 0n)
  const tier = TIERS.filter(({ from }) => from * UNIT <= volume).at(-1)
  count(books, trader, size)
  return (size * (tier?.[kind] ?? 0n)) / 100_000n
}

/** Counts a trade into its day. Days that nobody traded on since are emptied first. */
export function count(books: Books, trader: string, size: bigint): void {
  const today = books.nowSec / 86_400n
  const record = books.volumes.get(trader) ?? { slots: Array.from({ length: 14 }, () => 0n), day: today }
  const passed = today - record.day
  for (let back = 0n; back < least(passed, 14n); back++) record.slots[Number((today - back) % 14n)] = 0n
  const slot = Number(today % 14n)
  record.slots[slot] = (record.slots[slot] ?? 0n) + size
  record.day = today
  books.volumes.set(trader, record)
}

export function pnlAt(position: BookPosition, price: bigint): bigint {
  return (position.size * (position.isLong ? price - position.entry : position.entry - price)) / position.entry
}

/** Funding that the trader owes; negative when it is owed to the trader. */
export function fundingOf(books: Books, position: BookPosition): bigint {
  const ofLong = (position.size * (books.fundingSum - position.fundingAtOpen)) / UNIT
  return position.isLong ? ofLong : -ofLong
}

export const maintenanceOf = (position: BookPosition): bigint => (position.size * 100n) / 10_000n

export function attachedTo(books: Books, positionId: bigint): BookOrder[] {
  return [...books.orders.values()].filter((order) => order.status === 'pending' && order.positionId === positionId)
}

/** What hangs on a position ends with it, except the order that closes it. */
export function cancelAttached(books: Books, positionId: bigint, except: bigint | undefined): void {
  for (const order of attachedTo(books, positionId)) if (order.id !== except) order.status = 'cancelled'
}

/** Liquidity for LP tokens, whose number it answers. */
export function depositLiquidity(books: Books, provider: string, amount: bigint): bigint {
  refuseWhen(amount <= 0n, 41n)
  const { vault } = books
  const charged = (amount * 30n) / 10_000n
  const worth = aum(books)
  const minted = vault.lp === 0n || worth === 0n ? amount - charged : ((amount - charged) * vault.lp) / worth
  refuseWhen(minted <= 0n, 41n)
  pay(books, provider, VAULT_CASH, amount)
  // The whole amount and the fee: the deployed vault counts the fee twice.
  vault.accounted += amount
  vault.fees += charged
  vault.lp += minted
  return minted
}

/** LP tokens (all of which the one provider holds) for liquidity, which it answers. */
export function withdrawLiquidity(books: Books, provider: string, lp: bigint): bigint {
  refuseWhen(lp <= 0n, 41n)
  const { vault } = books
  refuseWhen(lp > vault.lp, 42n)
  const gross = (lp * aum(books)) / vault.lp
  const charged = (gross * 30n) / 10_000n
  const held = books.cash.get(VAULT_CASH) ?? 0n
  refuseWhen(gross <= charged, 41n)
  refuseWhen(held - (gross - charged) < reserved(books), 40n)
  pay(books, VAULT_CASH, provider, gross - charged)
  vault.accounted -= gross
  vault.fees += charged
  vault.lp -= lp
  books.exceptions.withdrawalFeeOutsideAccounts += charged
  return gross - charged
}
