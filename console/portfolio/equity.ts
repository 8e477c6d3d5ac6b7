// The account's property on the exchange, part by part, in USDC with seven implied decimals. A part that is not known is null, and so is the total.

import { displayText } from '../../client/src/display.ts'
import type { AccountState } from '../../client/src/generated/resources.ts'
import { profitByPrice } from '../format.ts'
import { sumOf } from './curve.ts'

export interface EquityPart {
  readonly name: string
  /** Explains what is counted, if the name does not say it all. */
  readonly note?: string
  readonly value: string | null
}

/** An account's shares of a trader vault, with the vault's figures. */
export interface VaultHolding {
  readonly vaultId: number
  readonly name: string
  /** Null if they could not be read. */
  readonly shares: string | null
  /** Value of the whole vault with its positions; null where the contracts count its USDC alone, and while they cannot value it. */
  readonly fullValue: string | null
  readonly totalUsdc: string
  readonly circulatingShares: string
  readonly openPositions: number
}

export interface EquitySources {
  readonly state: AccountState
  /** The live price of a market; undefined where there is none that is fresh. */
  readonly priceOf: (asset: string) => string | undefined
  /** Price of an LP token; null if it is not known. */
  readonly lpPrice: string | null
  /** Null while the holdings are not known. */
  readonly vaults: readonly VaultHolding[] | null
  /** Profit that the pool still owes the account; null if it is not known. */
  readonly owed: string | null
}

type Position = NonNullable<AccountState['positions']>[number]
const ONE = 10_000_000n

export function equityParts({ state, priceOf, lpPrice, vaults, owed }: EquitySources): readonly EquityPart[] {
  const { positions, orders, cross } = state
  const isolated = positions?.filter(({ marginMode }) => marginMode === 'isolated')
  const lp = balanceOf(state, 'lp')
  return [
    { name: 'Wallet', value: balanceOf(state, 'usdc') },
    {
      name: 'Isolated positions', note: 'collateral, PnL at the live price, minus funding',
      value: isolated === undefined ? null : sumOf(isolated.map((position) => liveValue(position, priceOf(position.asset)))),
    },
    { name: 'Cross balance', note: 'idle', value: cross.pool },
    { name: 'Cross positions', note: 'collateral, PnL at the live price, minus funding', value: crossPositions(state, priceOf) },
    { name: 'Collateral of open orders', value: orders === null ? null : sumOf(orders.map(({ collateral }) => collateral ?? '0')) },
    { name: 'Pool shares', note: 'LP tokens at their price', value: lp === '0' ? '0' : product(lp, lpPrice, String(ONE)) },
    ...(vaults === null
      ? [{ name: 'Vault shares', value: null }]
      : vaults.length === 0 ? [{ name: 'Vault shares', value: '0' }] : vaults.map(vaultPart)),
    // Only contracts of generation 2 can owe profit.
    ...(owed === '0' ? [] : [{ name: 'Owed by the pool', note: 'profit that it could not pay', value: owed }]),
  ]
}

export const totalOf = (parts: readonly EquityPart[]): string | null => sumOf(parts.map(({ value }) => value))
/** The total of the parts that are known. */
export const knownTotalOf = (parts: readonly EquityPart[]): string => sumOf(parts.map(({ value }) => value ?? '0')) ?? '0'

/** An account without a trustline or without a ledger entry has a balance of zero, unlike one that could not be read. */
function balanceOf({ balances, unknown }: AccountState, name: 'usdc' | 'lp'): string | null {
  const reason = unknown.find(({ part }) => part === `/balances/${name}`)?.reason
  return reason === 'no_trustline' || reason === 'no_account' ? '0' : balances[name]
}

/** The value at the live price; at the price of the account's ledger without one. An isolated position cannot be worth less than nothing. */
function liveValue(position: Position, livePrice: string | undefined): string | null {
  const pnl = profitByPrice(position, livePrice)
  if (pnl === null || position.accruedFunding === null) return position.closeValue
  const value = BigInt(position.collateral) + BigInt(pnl) - BigInt(position.accruedFunding)
  return String(value < 0n ? 0n : value)
}

/** Returns the equity besides the idle balance, moved to the live prices. */
function crossPositions({ positions, cross: { equity, pool } }: AccountState, priceOf: EquitySources['priceOf']): string | null {
  const cross = positions?.filter(({ marginMode }) => marginMode === 'cross')
  if (cross?.length === 0) return '0'
  if (cross === undefined || equity === null || pool === null) return null
  const moved = cross.map((position) => {
    const pnl = profitByPrice(position, priceOf(position.asset))
    return pnl === null || position.unrealizedPnl === null ? 0n : BigInt(pnl) - BigInt(position.unrealizedPnl)
  })
  return String(BigInt(equity) - BigInt(pool) + moved.reduce((sum, each) => sum + each, 0n))
}

/** Without the vault's full value, the part is of its cash only, which is all of it while it has no open positions. */
function vaultPart({ vaultId, name, shares, fullValue, totalUsdc, circulatingShares, openPositions }: VaultHolding): EquityPart {
  const isCashOnly = fullValue === null && openPositions > 0
  return {
    name: `Shares of vault ${vaultId}, ${displayText(name)}`,
    ...(isCashOnly ? { note: `cash of the vault only, without its ${openPositions} open positions` } : {}),
    value: circulatingShares === '0' ? null : product(shares, fullValue ?? totalUsdc, circulatingShares),
  }
}

function product(value: string | null, factor: string | null, divisor: string): string | null {
  return value === null || factor === null ? null : String(BigInt(value) * BigInt(factor) / BigInt(divisor))
}
