// A simulated trader: opens, protects and closes positions by its strategy. It reads its positions from the ledger, so it continues where it was after a
// restart.

import type { Random } from '../../src/base/random.ts'
import { defined } from '../../src/base/assert.ts'
import { backoff } from '../../src/base/retry.ts'
import { address, i128, u64 } from '../contracts/shared/host.ts'
import { REFUSAL_PAUSE_SEC } from './actor.ts'
import type { Actor } from './actor.ts'
import { createAdjustments } from './adjustments.ts'
import type { Client, LedgerView } from './client.ts'
import { isVolatile, MARKETS } from './markets.ts'
import { exitCall } from './order-calls.ts'
import type { TraderCall } from './order-calls.ts'
import { createPlans } from './plans.ts'
import type { Plans } from './plans.ts'
import { positionPnl } from './risk.ts'
import { createHoldingsReader, CROSS_MARGIN } from './stored-entries.ts'
import type { Holdings, HoldingsReader, StoredPosition } from './stored-entries.ts'
import type { Strategy } from './strategies.ts'
import type { Ticker } from './ticker.ts'
import { createTraderEntries } from './trader-entries.ts'
import type { LocalGeneration } from '../setup.ts'

/** Time for which the trader relies on what it read: keepers close its positions and orders too. */
const MAX_HOLDINGS_AGE_SEC = 60

/** A position's direction. */
const SHORT = 1

const NO_HOLDINGS: Holdings = { positions: [], orders: [], pool: 0n }

/** Builds a trader. */
export function createTrader(options: {
  name: string
  client: Client
  market: string
  /** The listed assets. */
  assets: readonly string[]
  ticker: Ticker
  strategy: Strategy
  random: Random
  reader?: HoldingsReader
  /** Of the contracts; the first by default. */
  generation?: LocalGeneration
}): Actor {
  const { name, client, market, assets, ticker, strategy, random } = options
  const reader = options.reader ?? createHoldingsReader(client, market, client.address)
  const entries = createTraderEntries({ strategy, markets: drawMarkets(strategy, assets, random), ticker, random })
  const isSecond = options.generation === '2'
  const plans = createPlans(strategy, random, { crossStops: isSecond })
  const adjustments = isSecond ? createAdjustments(random.fork('adjustments')) : null
  let holdings = NO_HOLDINGS
  let readSec = Number.NEGATIVE_INFINITY
  let waitUntilSec = 0
  let refusals = 0

  function backOff(nowSec: number): void {
    refusals += 1
    waitUntilSec = nowSec + backoff(REFUSAL_PAUSE_SEC, refusals)
  }

  async function refreshHoldings(nowSec: number): Promise<void> {
    if (nowSec - readSec < MAX_HOLDINGS_AGE_SEC) return
    holdings = await reader.read()
    readSec = nowSec
    plans.update(holdings, nowSec)
    adjustments?.update(holdings.positions, plans.closeAtSec)
  }

  /** `trade` is what a call at the market buys or sells. */
  async function send(planned: TraderCall, view: LedgerView, trade: MarketTrade | null = null): Promise<boolean> {
    const { functionName, args } = trade === null || adjustments === null ? planned : adjustments.withBound(planned, trade)
    const result = await client.invoke({ contract: market, functionName, args: [address(client.address), ...args] }, view)
    readSec = Number.NEGATIVE_INFINITY
    if (result.kind !== 'sent') backOff(view.closeTimeSec)
    else if (functionName === 'close_position' || functionName === 'close_position_cross') plans.onPositionClosed()
    return result.kind === 'sent'
  }

  /** Returns whether the trader is free to send a transaction. */
  async function settle(view: LedgerView): Promise<boolean> {
    const settlement = await client.settle(view)
    if (settlement.kind === 'applied') refusals = 0
    if (settlement.kind === 'failed') backOff(view.closeTimeSec)
    return settlement.kind !== 'pending' && view.closeTimeSec >= waitUntilSec
  }

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    entries.start(nowSec)
    if (!(await settle(view))) return
    await refreshHoldings(nowSec)
    const closing = holdings.positions.find((position) => isDueToClose(position, { plans, strategy, ticker }, nowSec))
    if (closing !== undefined) {
      await send(closeCall(closing), view, { buys: closing.direction === SHORT, price: ticker.price(closing.asset) })
      return
    }
    const upkeep = adjustments?.takeDue(holdings.positions, nowSec)
      ?? upkeepCall({ holdings, plans, strategy, ticker, random, mayWithdraw: !entries.isCrossNext }, nowSec)
    if (upkeep !== undefined) {
      await send(upkeep, view)
      return
    }
    if (!entries.isDue(holdings, nowSec)) return
    const call = entries.next(holdings, nowSec)
    if (call !== undefined && !(await send(call, view, openedBy(call, ticker)))) entries.retryAt(waitUntilSec)
  }

  return {
    name,
    act,
    forget() {
      client.forget()
      reader.forget()
      plans.forget()
      adjustments?.forget()
      entries.reset()
      holdings = NO_HOLDINGS
      readSec = Number.NEGATIVE_INFINITY
      waitUntilSec = 0
      refusals = 0
    },
  }
}

interface Upkeep {
  readonly holdings: Holdings
  readonly plans: Plans
  readonly strategy: Strategy
  readonly ticker: Ticker
  readonly random: Random
  /** False while idle margin is needed for the next entry. */
  readonly mayWithdraw: boolean
}

/** The side and price of a call at the market. */
interface MarketTrade {
  readonly buys: boolean
  readonly price: bigint
}

function isDueToClose(position: StoredPosition, { plans, strategy, ticker }: Pick<Upkeep, 'plans' | 'strategy' | 'ticker'>, nowSec: number): boolean {
  return nowSec >= plans.closeAtSec(position) || reachesExit(position, strategy, ticker.price(position.asset))
}

function closeCall({ id, marginMode }: StoredPosition): TraderCall {
  return { functionName: marginMode === CROSS_MARGIN ? 'close_position_cross' : 'close_position', args: [u64(id)] }
}

/** Null for a call that opens nothing at the market. */
function openedBy({ functionName, args }: TraderCall, ticker: Ticker): MarketTrade | null {
  const [asset, , , direction] = args
  if (!functionName.startsWith('open_position') || asset?.type !== 'symbol' || direction?.type !== 'u32') return null
  return { buys: direction.value !== SHORT, price: ticker.price(asset.value) }
}

/** The next call for existing positions and orders, in this order: cancel, protect, withdraw idle margin. */
function upkeepCall({ holdings, plans, strategy, ticker, random, mayWithdraw }: Upkeep, nowSec: number): TraderCall | undefined {
  const { positions, orders, pool } = holdings
  const stale = orders.find((order) => nowSec >= plans.cancelAtSec(order))
  if (stale !== undefined) return { functionName: 'cancel_order', args: [u64(stale.id)] }
  for (const position of positions) {
    const exit = plans.takeNextExit(position, orders)
    if (exit !== undefined) return exitCall(exit, position, ticker.price(position.asset), strategy.orders, random)
  }
  if (mayWithdraw && plans.takeDueWithdrawal(nowSec)) return { functionName: 'withdraw_cross_margin', args: [i128(pool)] }
  return undefined
}

/** True when the gain or the loss reaches the strategy's limit. */
function reachesExit(position: StoredPosition, { takeProfit, stopLoss }: Strategy, price: bigint): boolean {
  const gain = Number(positionPnl(position, price)) / Number(position.collateral)
  return (takeProfit !== null && gain >= takeProfit) || (stopLoss !== null && gain <= -stopLoss)
}

/** Draws listed assets, each once. */
function drawMarkets(strategy: Strategy, assets: readonly string[], random: Random): readonly string[] {
  const candidates = assets.filter((asset) => !strategy.volatileOnly || isVolatile(defined(MARKETS[asset], `the market of ${asset}`)))
  const chosen: string[] = []
  while (chosen.length < strategy.markets && candidates.length > 0) chosen.push(...candidates.splice(random.integer(candidates.length), 1))
  return chosen
}
