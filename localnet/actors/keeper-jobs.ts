// Finds the jobs that a keeper can do in the current state of the market.

import { address, symbol, u64 } from '../contracts/shared/host.ts'
import type { Client } from './client.ts'
import type { Invocation } from './envelope.ts'
import { createOverviewReader } from './exchange-state.ts'
import type { Deployment, MarketOverview } from './exchange-state.ts'
import { isCrossLiquidatable, isLiquidatable } from './risk.ts'
import { createOrderReader, createPositionReader, CROSS_MARGIN, ORDER_TYPE, readPeaks, readPools } from './stored-entries.ts'
import { deleveragingCalls } from './deleveraging.ts'
import type { StoredOrder, StoredPosition } from './stored-entries.ts'
import { isTriggered, movesPeak } from './triggers.ts'

/** Kinds of jobs, most urgent first. */
export const JOB_KINDS = ['liquidation', 'execution', 'cross liquidation', 'deleveraging', 'peak', 'funding', 'sync'] as const

/** One call that is due. */
export interface Job {
  /** The same for the same job in every snapshot. */
  readonly name: string
  readonly kind: (typeof JOB_KINDS)[number]
  readonly invocation: Invocation
}

/** The state of the market that a keeper needs. */
export interface MarketSnapshot {
  readonly overview: MarketOverview
  readonly positions: readonly StoredPosition[]
  readonly orders: readonly StoredOrder[]
  readonly peaks: ReadonlyMap<bigint, bigint>
  readonly pools: ReadonlyMap<string, bigint>
}

/**
 * The market refuses to open positions at a price more than 100 bps from its last price of the past 600 s. A keeper that syncs the price after half of that
 * keeps trading possible in a moving market.
 */
const SYNC_MOVE_BPS = 50n
const LAST_GOOD_MAX_AGE_SEC = 600
const BPS = 10_000n

/** Reads the market's state. */
export interface MarketReader {
  read(): Promise<MarketSnapshot>
  /** Clears the cache, after the network was restored or reset. */
  forget(): void
}

/** Builds a reader of a market of generation 1: a few requests, however much is open. Known positions and orders are not read again. */
export function createMarketReader(client: Client, deployment: Deployment): MarketReader {
  const readOverview = createOverviewReader(deployment)
  const positions = createPositionReader(client, deployment.market)
  const orders = createOrderReader(client, deployment.market)
  return {
    async read() {
      const overview = await readOverview(client)
      const pending = await orders.byIds(overview.orderIds)
      const trailing = pending.filter((order) => order.orderType === ORDER_TYPE.trailingStop).map((order) => order.id)
      return {
        overview,
        positions: await positions.byIds(overview.positionIds),
        orders: pending,
        peaks: await readPeaks(client, deployment.market, trailing),
        pools: await readPools(client, deployment.market, overview.crossTraders),
      }
    },
    forget() {
      positions.forget()
      orders.forget()
    },
  }
}

/** The jobs that are due, each kind in the order of the market's lists. */
export function findJobs(snapshot: MarketSnapshot, nowSec: number, market: string, keeper: string): readonly Job[] {
  const { overview } = snapshot
  const job = (kind: Job['kind'], name: string, functionName: string, ...args: Invocation['args']): Job =>
    ({ kind, name: `${functionName} ${name}`, invocation: { contract: market, functionName, args } })
  const priceOf = (asset: string): bigint | undefined => overview.oraclePrices.get(asset)?.price

  const liquidations = snapshot.positions
    .filter((position) => {
      const { asset } = position
      return isLiquidatable(position, priceOf(asset) ?? 0n, overview.cumulativeFundingOf(asset), overview.maintenanceBpsOf(asset))
    })
    .map(({ id }) => job('liquidation', String(id), 'liquidate', address(keeper), u64(id)))
  const executions = snapshot.orders
    .filter((order) => isTriggered(order, priceOf(order.asset) ?? 0n, snapshot.peaks.get(order.id)))
    .map(({ id }) => job('execution', String(id), 'execute_order', address(keeper), u64(id)))
  const crossLiquidations = crossAccounts(snapshot)
    .filter((account) => isCrossLiquidatable(account, priceOf, overview.cumulativeFundingOf, overview.maintenanceBpsOf))
    .map(({ trader }) => job('cross liquidation', trader, 'liquidate_cross_account', address(keeper), address(trader)))
  const peaks = snapshot.orders
    .filter((order) => movesPeak(order, priceOf(order.asset) ?? 0n, snapshot.peaks.get(order.id)))
    .map(({ id }) => job('peak', String(id), 'update_trailing_peak', u64(id)))
  const isFundingDue = overview.fundingDueSec !== null && nowSec >= overview.fundingDueSec
  const funding = isFundingDue ? [job('funding', '', 'apply_funding')] : []
  const syncs = movedAssets(overview, nowSec).map((asset) => job('sync', asset, 'sync_asset_pnl', symbol(asset)))
  const deleveraging = deleveragingCalls(snapshot).map(({ name, functionName, position, asset }) =>
    position === null ? job('deleveraging', name, functionName, symbol(asset)) : job('deleveraging', name, functionName, address(keeper), u64(position)))
  return [...liquidations, ...executions, ...crossLiquidations, ...deleveraging, ...peaks, ...funding, ...syncs]
}

interface CrossAccount {
  readonly trader: string
  readonly pool: bigint
  readonly positions: readonly StoredPosition[]
}

function crossAccounts({ overview, positions, pools }: MarketSnapshot): readonly CrossAccount[] {
  const byTrader = Map.groupBy(positions.filter((position) => position.marginMode === CROSS_MARGIN), (position) => position.trader)
  return overview.crossTraders.flatMap((trader) => {
    const held = byTrader.get(trader)
    return held === undefined ? [] : [{ trader, pool: pools.get(trader) ?? 0n, positions: held }]
  })
}

/** The assets whose oracle price has moved away from the market's last good price, while that price is still in effect. */
function movedAssets(overview: MarketOverview, nowSec: number): readonly string[] {
  return [...overview.lastGoodPrices]
    .filter(([asset, known]) => {
      const price = overview.oraclePrices.get(asset)?.price
      if (price === undefined || price <= 0n || known.price <= 0n || nowSec - known.timestampSec > LAST_GOOD_MAX_AGE_SEC) return false
      const move = price > known.price ? price - known.price : known.price - price
      return (move * BPS) / known.price >= SYNC_MOVE_BPS
    })
    .map(([asset]) => asset)
}
